public import Foundation

/// An error of a backend request: react to its ``code``.
public struct BackendError: LocalizedError, Hashable {
    /// The kind of failure.
    public let code: Code

    /// The server's own error number, if any.
    public let detail: ErrorCode?

    /// A description for people, which names the object of the request.
    public let message: String

    /// The time to wait before a retry; `nil` if the server requests none.
    public let retryAfter: Duration?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, detail: ErrorCode? = nil, retryAfter: Duration? = nil
    ) {
        self.code = code
        self.detail = detail
        self.message = message
        self.retryAfter = retryAfter
    }
}

extension BackendError {
    /// A kind of failure.
    ///
    /// Later versions may add codes: a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case notConnected, unanswered, throttled, serverFailure, refused, notFound
            case sessionExpired, sessionRevoked, expired, unsupported, canceled
        }

        private let value: Value

        /// The request did not reach the server and had no effect.
        public static let notConnected = Code(value: .notConnected)

        /// No response arrived: the request may or may not have taken effect.
        public static let unanswered = Code(value: .unanswered)

        /// The client sent too many requests, and this one had no effect.
        ///
        /// Retry after ``BackendError/retryAfter``.
        public static let throttled = Code(value: .throttled)

        /// The server failed, and the request had no effect.
        public static let serverFailure = Code(value: .serverFailure)

        /// The server rejected the request; a retry has the same result.
        public static let refused = Code(value: .refused)

        /// The channel, message or user does not exist or is not visible to the user.
        public static let notFound = Code(value: .notFound)

        /// The session has ended; the user may connect again and keep the cached data.
        public static let sessionExpired = Code(value: .sessionExpired)

        /// The session was revoked permanently, and the user must lose access to the cached data.
        public static let sessionRevoked = Code(value: .sessionRevoked)

        /// A cursor, token or anchor is too old or of another epoch.
        public static let expired = Code(value: .expired)

        /// The backend does not support this request; see ``BackendCapabilities``.
        public static let unsupported = Code(value: .unsupported)

        /// The task was canceled; the request may or may not have taken effect.
        public static let canceled = Code(value: .canceled)

        /// The name of the code, such as `notConnected`.
        public var description: String { value.rawValue }
    }
}

extension BackendError {
    /// A Boolean value that indicates whether a retry may succeed without any action by the app.
    public var isTransient: Bool {
        [.notConnected, .unanswered, .throttled, .serverFailure].contains(code)
    }
}

extension BackendError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

extension BackendError: CustomStringConvertible {
    /// The code, the server's error number and the message, in one line.
    public var description: String {
        "\(code)\(detail.map { " \($0)" } ?? ""): \(message)"
    }
}
