public import Foundation
public import Models

/// An error of the engine, of a client or of a collection.
public struct SyncError: LocalizedError {
    /// The kind of failure.
    public let code: Code

    /// A description for developers, which names the affected object, such as a channel.
    public let message: String

    /// The error of the server or the store that caused this error.
    public let cause: (any Error)?

    /// The time to wait before a retry, as requested by the server.
    public var retryAfter: Duration? { (cause as? BackendError)?.retryAfter }

    /// The server's error number; `nil` if the server gave none.
    public var detail: ErrorCode? { (cause as? BackendError)?.detail }

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension SyncError {
    /// A kind of failure.
    ///
    /// Later versions may add codes: a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case notConnected, throttled, serverFailure, sessionEnded, notFound, notPermitted
            case refused, unsupported, stalled
            case invalidArgument, invalidFile, otherUser, store, closed, canceled
            case noUser, notStarted, queryInProgress, disposed
        }

        private let value: Value

        // MARK: The server

        /// There is no connection, or no response arrived: retry when the client is connected.
        public static let notConnected = Code(value: .notConnected)

        /// The client sends too many requests: retry later, see ``SyncError/retryAfter``.
        public static let throttled = Code(value: .throttled)

        /// The server failed, or its response cannot be used; retry later.
        public static let serverFailure = Code(value: .serverFailure)

        /// The session has expired or was revoked, so the user has to log in again.
        ///
        /// The cause is a `BackendError` with code `sessionExpired` or `sessionRevoked`.
        public static let sessionEnded = Code(value: .sessionEnded)

        /// The channel, message, user or outbox item does not exist, or is not visible to the user.
        public static let notFound = Code(value: .notFound)

        /// The cache or an option shows that the operation is not permitted, so the engine did not
        /// attempt it.
        public static let notPermitted = Code(value: .notPermitted)

        /// The server rejected the request permanently, for the reason ``SyncError/detail``.
        public static let refused = Code(value: .refused)

        /// The backend does not support the request; see `BackendCapabilities`.
        public static let unsupported = Code(value: .unsupported)

        /// The server's responses made no progress, such as the same page repeatedly, so the engine
        /// stopped sending the request.
        ///
        /// The engine retries when the channel is opened again, and after the next connection.
        public static let stalled = Code(value: .stalled)

        // MARK: This device

        /// The client has no user: connect one, or open the stored data of one.
        public static let noUser = Code(value: .noUser)

        /// An argument of the call is invalid; a retry has the same result.
        public static let invalidArgument = Code(value: .invalidArgument)

        /// A file to send is missing, unreadable, or too large.
        public static let invalidFile = Code(value: .invalidFile)

        /// The store contains the data of another user.
        public static let otherUser = Code(value: .otherUser)

        /// The store failed; the cause is a `StoreError` with the reason.
        public static let store = Code(value: .store)

        /// The engine was closed, or the user disconnected.
        public static let closed = Code(value: .closed)

        /// The calling task was canceled, or another user connected.
        public static let canceled = Code(value: .canceled)

        // MARK: Collections

        /// The collection has not been started.
        public static let notStarted = Code(value: .notStarted)

        /// The same operation of the collection is already in progress.
        public static let queryInProgress = Code(value: .queryInProgress)

        /// The collection was disposed.
        public static let disposed = Code(value: .disposed)

        package var isServerError: Bool {
            switch value {
            case .throttled, .serverFailure, .sessionEnded, .notFound, .refused, .unsupported: true
            default: false
            }
        }

        package var isEnd: Bool { self == .canceled || self == .closed }

        /// The name of the code, such as `notConnected`.
        public var description: String { value.rawValue }
    }
}

extension SyncError {
    package init(_ error: BackendError) {
        let code: Code =
            switch error.code {
            case .notConnected, .unanswered: .notConnected
            case .canceled: .canceled
            case .throttled: .throttled
            case .serverFailure: .serverFailure
            case .sessionExpired, .sessionRevoked: .sessionEnded
            case .notFound: .notFound
            case .unsupported: .unsupported
            default: .refused
            }
        self.init(code, error.message, cause: error)
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

extension SyncError: CustomStringConvertible {
    /// The code, the message, and what the cause's description adds to the message, in one line.
    public var description: String { .line("\(code)", message, because: cause) }
}

extension String {
    /// Returns the description of an error, without repeating what message and cause share.
    package static func line(
        _ code: String, _ message: String, because cause: (any Error)?
    ) -> String {
        let line = "\(code): \(message)"
        guard let cause else { return line }
        let reason = "\(cause)"
        if reason.hasPrefix(line) { return reason }
        let isSameMessage = reason.hasSuffix(": \(message)")
        return "\(line) (\(isSameMessage ? String(reason.dropLast(message.count + 2)) : reason))"
    }
}
