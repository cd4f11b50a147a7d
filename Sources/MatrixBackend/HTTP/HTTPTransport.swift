public import Foundation
public import Models
public import Sync

/// Sends HTTP requests for ``MatrixBackend``; by default ``URLSessionTransport``.
///
/// Implement it for another HTTP client, or for recorded replies in tests.
public protocol HTTPTransport: Sendable {
    /// Sends a request to exactly its URL, and returns the reply regardless of its status.
    ///
    /// A transport keeps these promises:
    ///
    /// - It never follows a redirect, but returns it with its status and ``HTTPReply/location``.
    ///   Only the backend knows to which addresses it may send the access token in the headers.
    /// - It stops reading a body that is longer than ``HTTPRequest/maximumByteCount``, and throws:
    ///   even an endless body needs not much more memory than that.
    /// - If the calling task is canceled, the call promptly throws, even if the HTTP client needs
    ///   longer to end the request. Its cancellation handler never blocks.
    ///
    /// - Throws: `notConnected` if the request did not reach the server; `unanswered` if no reply
    ///   came, or, with the detail `malformedData`, if its body is too long; `canceled` after a
    ///   cancellation; and the errors of an upload's source.
    func send(_ request: HTTPRequest) async throws(BackendError) -> HTTPReply
}

/// A request for an ``HTTPTransport``.
public struct HTTPRequest: Sendable {
    /// The method, such as `GET`.
    public var method: String

    /// The complete URL.
    public var url: URL

    /// The header fields.
    public var headers: [String: String] = [:]

    /// The body.
    public var body = HTTPBody.none

    /// The time to wait for a long poll's reply, in addition to the transport's timeout.
    public var wait = Duration.zero

    /// The maximum size of the reply's body in bytes, after decompression.
    public var maximumByteCount: Int

    /// True for a request that transfers a file, which may take long: other requests must not wait
    /// for it.
    public var transfersFile = false

    /// The fields of a JSON reply whose values the backend does not need.
    ///
    /// A transport may replace these values by `null` while it reads the body. Their bytes then do
    /// not count: other users can make them long.
    public var unneededFields: [UnneededField] = []

    package init(_ method: String, _ url: URL, maximumByteCount: Int) {
        self.method = method
        self.url = url
        self.maximumByteCount = maximumByteCount
    }
}

/// A field of a JSON reply whose value the backend does not need.
public struct UnneededField: Hashable, Sendable {
    /// The name of the field.
    public var name: String

    /// The name of the field, at any depth, whose value is the object that contains this field;
    /// `nil` for a field of the outermost object.
    public var parent: String?

    package init(_ name: String, of parent: String? = nil) {
        self.name = name
        self.parent = parent
    }
}

/// The body of an ``HTTPRequest``.
public enum HTTPBody: Sendable {
    /// No body.
    case none
    /// The bytes of a body.
    case data(Data)
    /// A file that is read piece by piece, and a closure that receives the progress.
    case file(UploadSource, @Sendable (TransferProgress) -> Void)
}

/// A reply to an ``HTTPRequest``.
public struct HTTPReply: Sendable {
    /// The status code.
    public var status: Int

    /// The body.
    public var body: Data

    /// The header field `Location`, to which a redirect leads; `nil` if there is none.
    public var location: String?

    /// Creates a reply.
    public init(status: Int, body: Data, location: String? = nil) {
        self.status = status
        self.body = body
        self.location = location
    }
}
