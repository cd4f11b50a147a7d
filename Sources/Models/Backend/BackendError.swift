public import Foundation

/// An error of a backend request.
///
/// ``code`` determines how the caller should react. ``detail`` is the server's own error number.
public struct BackendError: LocalizedError, Hashable {
    /// The kind of failure.
    public let code: Code

    /// The server's error number; `nil` if the server gave none.
    public let detail: ErrorCode?

    /// A human-readable description, which names the channel, message or other object of the
    /// request.
    public let message: String

    /// The time to wait before a retry, as requested by the server; `nil` if unspecified.
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

        /// No response arrived.
        ///
        /// The request may or may not have taken effect.
        public static let unanswered = Code(value: .unanswered)

        /// The client sent too many requests.
        ///
        /// This request had no effect.
        ///
        /// ``BackendError/retryAfter`` is the time to wait before a retry.
        public static let throttled = Code(value: .throttled)

        /// The server failed.
        ///
        /// The request had no effect.
        public static let serverFailure = Code(value: .serverFailure)

        /// The server rejected the request for good: a retry has the same result.
        public static let refused = Code(value: .refused)

        /// The channel, message or user does not exist or is not visible to this user.
        public static let notFound = Code(value: .notFound)

        /// The session has ended.
        ///
        /// The same user may connect again and keep the cached data.
        public static let sessionExpired = Code(value: .sessionExpired)

        /// The session was revoked permanently.
        ///
        /// The user must no longer have access to the cached data.
        public static let sessionRevoked = Code(value: .sessionRevoked)

        /// A cursor, token or anchor is too old or belongs to another server epoch: the server
        /// cannot resume from it.
        public static let expired = Code(value: .expired)

        /// The backend does not support this request; see ``BackendCapabilities``.
        public static let unsupported = Code(value: .unsupported)

        /// The requesting task was canceled.
        ///
        /// The request may or may not have taken effect.
        public static let canceled = Code(value: .canceled)

        /// The name of the code, such as `notConnected`.
        public var description: String { value.rawValue }
    }
}

extension BackendError {
    /// A Boolean value that indicates whether the same request may succeed later without any action
    /// by the app.
    public var isTransient: Bool {
        [.notConnected, .unanswered, .throttled, .serverFailure].contains(code)
    }
}

extension BackendError {
    /// The same text as ``description``, for code that handles the error as `any Error`.
    public var errorDescription: String? { description }
}

extension BackendError: CustomStringConvertible {
    /// The code, the server's error number and the message, in one line.
    public var description: String {
        "\(code)\(detail.map { " \($0)" } ?? ""): \(message)"
    }
}
