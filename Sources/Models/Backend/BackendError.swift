public import Foundation

/// Why a backend did not do what it was asked.
///
/// The code says what is to be done about it; what exactly the server objected to is in ``detail``.
public struct BackendError: LocalizedError, Hashable {
    /// What kind of failure it is, for code to decide by.
    public let code: Code

    /// The number that chat servers give the failure; `nil` if there is none.
    public let detail: ErrorCode?

    /// What went wrong, for people to read; it names the thing that it happened to.
    public let message: String

    /// How long the server asks to be left alone; `nil` if it did not say.
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
    /// Later versions may add kinds, so a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case notConnected, unanswered, throttled, serverFailure, refused, notFound
            case sessionExpired, sessionRevoked, expired, unsupported, canceled
        }

        private let value: Value

        /// The request did not reach the server: it had no effect.
        public static let notConnected = Code(value: .notConnected)

        /// No answer came: the request may have had its effect, or not.
        public static let unanswered = Code(value: .unanswered)

        /// Too many requests; the request had no effect.
        ///
        /// ``BackendError/retryAfter`` says when to come back.
        public static let throttled = Code(value: .throttled)

        /// The server failed; the request had no effect.
        public static let serverFailure = Code(value: .serverFailure)

        /// The server understood, and will not do it however often it is asked.
        public static let refused = Code(value: .refused)

        /// The channel, message or user does not exist, or not for this user.
        public static let notFound = Code(value: .notFound)

        /// The session has ended; the same user may connect again and keep what is held.
        public static let sessionExpired = Code(value: .sessionExpired)

        /// The session was ended for good: what is held has to be closed to this user.
        public static let sessionRevoked = Code(value: .sessionRevoked)

        /// A cursor, token or anchor is too old, or of another epoch: the server cannot go on from there.
        public static let expired = Code(value: .expired)

        /// The backend cannot do this; its capabilities say so beforehand.
        public static let unsupported = Code(value: .unsupported)

        /// The task that asked was canceled; the request may have had its effect, or not.
        public static let canceled = Code(value: .canceled)

        /// The name of the code, such as `notConnected`.
        public var description: String { value.rawValue }
    }
}

extension BackendError {
    /// Whether the same request may succeed later, without anybody doing anything about it.
    public var isTransient: Bool {
        [.notConnected, .unanswered, .throttled, .serverFailure].contains(code)
    }
}

extension BackendError {
    /// The same as ``description``, for those who ask an error without knowing its type.
    public var errorDescription: String? { description }
}

extension BackendError: CustomStringConvertible {
    /// Code, number and message in one line.
    public var description: String {
        "\(code)\(detail.map { " \($0)" } ?? ""): \(message)"
    }
}
