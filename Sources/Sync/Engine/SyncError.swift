public import Foundation
package import Models

/// Why an engine did not do what it was asked.
public struct SyncError: LocalizedError {
    /// What kind of failure it is, for code to decide by.
    public let code: Code

    /// What went wrong, for people to read; it names the thing that it happened to.
    public let message: String

    /// What the server or the store said, if it was one of them.
    public let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension SyncError {
    /// A kind of failure.
    ///
    /// Later versions may add kinds, so a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case notConnected, refused, otherUser, stalled, store, closed, canceled
        }

        private let value: Value

        /// There is no connection, and what was asked needs one.
        public static let notConnected = Code(value: .notConnected)

        /// The server does not do it; the cause is a `BackendError` that says why.
        public static let refused = Code(value: .refused)

        /// The store holds what is another user's.
        public static let otherUser = Code(value: .otherUser)

        /// The server goes on telling the same, so the engine stopped asking.
        public static let stalled = Code(value: .stalled)

        /// The store failed; the cause is a `StoreError` that says how.
        public static let store = Code(value: .store)

        /// The engine was closed, or the user disconnected.
        public static let closed = Code(value: .closed)

        /// The task that asked was canceled.
        public static let canceled = Code(value: .canceled)

        /// The name of the code, such as `notConnected`.
        public var description: String { value.rawValue }
    }
}

extension SyncError {
    /// The failure of a request.
    package init(_ error: BackendError) {
        let code: Code =
            switch error.code {
            case .notConnected, .unanswered: .notConnected
            case .canceled: .canceled
            default: .refused
            }
        self.init(code, error.message, cause: error)
    }

    /// The same as ``description``, for those who ask an error without knowing its type.
    public var errorDescription: String? { description }
}

extension SyncError: CustomStringConvertible {
    /// Code and message in one line, and what the cause behind them says beyond that.
    public var description: String { .line("\(code)", message, because: cause) }
}

extension String {
    /// An error in one line.
    ///
    /// - Parameters:
    ///   - code: What kind of failure it is.
    ///   - message: What has failed, often in the words of the cause.
    ///   - cause: The error behind it, which is named as far as it says anything else.
    /// - Returns: The line.
    package static func line(
        _ code: String, _ message: String, because cause: (any Error)?
    ) -> String {
        let line = "\(code): \(message)"
        guard let cause else { return line }
        let reason = "\(cause)"
        // It says the same, or the same and more.
        if reason.hasPrefix(line) { return reason }
        let isSameMessage = reason.hasSuffix(": \(message)")
        return "\(line) (\(isSameMessage ? String(reason.dropLast(message.count + 2)) : reason))"
    }
}
