public import Foundation
public import Models
public import Sync

/// Sends HTTP requests for ``MatrixBackend``.
///
/// The default is ``URLSessionTransport``. Implement this protocol to use another HTTP client, such
/// as AsyncHTTPClient on a server, or recorded replies in tests.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and returns the reply regardless of its status.
    ///
    /// If the calling task is canceled, the call promptly throws.
    ///
    /// - Throws: `notConnected` if the request did not reach the server, `unanswered` if no reply
    ///   came, `canceled` after a cancellation, and the errors of an upload's source.
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

    /// The time to wait for the reply, in addition to the transport's own timeout; zero unless the
    /// request is a long poll.
    public var wait = Duration.zero

    init(_ method: String, _ url: URL) {
        self.method = method
        self.url = url
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

    /// Creates a reply.
    public init(status: Int, body: Data) {
        self.status = status
        self.body = body
    }
}
