public import Foundation
package import Models

/// An error of a sync engine.
public struct SyncError: LocalizedError {
    /// The kind of failure, for use in code.
    public let code: Code

    /// A description of the failure for people to read.
    ///
    /// It names the thing that the call was about.
    public let message: String

    /// The error of the server or the store that caused the failure, if there is one.
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
    /// Later versions may add codes: a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case notConnected, refused, otherUser, stalled, store, closed, canceled
        }

        private let value: Value

        /// The operation needs a connection, and there is none.
        public static let notConnected = Code(value: .notConnected)

        /// The server refused the request.
        ///
        /// The cause is a `BackendError` with the reason.
        public static let refused = Code(value: .refused)

        /// The store contains the data of another user.
        public static let otherUser = Code(value: .otherUser)

        /// The server's responses made no progress, so that the engine stopped asking.
        public static let stalled = Code(value: .stalled)

        /// The store failed.
        ///
        /// The cause is a `StoreError` with the reason.
        public static let store = Code(value: .store)

        /// The engine was closed, or the user disconnected.
        public static let closed = Code(value: .closed)

        /// The calling task was canceled.
        public static let canceled = Code(value: .canceled)

        /// The name of the code, such as `notConnected`.
        public var description: String { value.rawValue }
    }
}

extension SyncError {
    /// Creates the error for a failed request.
    package init(_ error: BackendError) {
        let code: Code =
            switch error.code {
            case .notConnected, .unanswered: .notConnected
            case .canceled: .canceled
            default: .refused
            }
        self.init(code, error.message, cause: error)
    }

    /// The same text as ``description``, for code that handles any `Error`.
    public var errorDescription: String? { description }
}

extension SyncError: CustomStringConvertible {
    /// The code and the message in one line, with the additional information of the cause.
    public var description: String { .line("\(code)", message, because: cause) }
}

extension String {
    /// Returns an error in one line.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The description of the failure, which often repeats that of the cause.
    ///   - cause: The underlying error. It is included as far as it adds information.
    /// - Returns: The line.
    package static func line(
        _ code: String, _ message: String, because cause: (any Error)?
    ) -> String {
        let line = "\(code): \(message)"
        guard let cause else { return line }
        let reason = "\(cause)"
        // The cause has the same text, or the same text and more.
        if reason.hasPrefix(line) { return reason }
        let isSameMessage = reason.hasSuffix(": \(message)")
        return "\(line) (\(isSameMessage ? String(reason.dropLast(message.count + 2)) : reason))"
    }
}
