public import Foundation

/// An error of the store.
///
/// Missing data is not an error: calls return `nil`. Misuse traps with a message that says what to
/// do instead.
public struct StoreError: LocalizedError {
    /// The kind of failure, for use in code.
    public let code: Code

    /// A description of the failure, which names the file, row or argument.
    public let message: String

    /// The path of the file or directory.
    public let path: String

    /// The underlying error; `nil` if there is none.
    public let cause: (any Error)?

    package init(_ code: Code, _ message: String, path: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.cause = cause
    }
}

extension StoreError {
    /// A kind of failure; later versions may add codes, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case closed, locked, permission, noSpace, io, corruption, newerSchema, wrongKey
            case invalid, busy, suspended, unreadableValue
        }

        private let value: Value

        /// The store was closed before the call.
        public static let closed = Code(value: .closed)

        /// Another process, or another store of this process, has the directory open.
        public static let locked = Code(value: .locked)

        /// The system denies access, because of file permissions or because the device is still
        /// locked.
        public static let permission = Code(value: .permission)

        /// The disk is full, or the user's quota is exceeded.
        public static let noSpace = Code(value: .noSpace)

        /// Reading or writing failed for another reason.
        public static let io = Code(value: .io)

        /// The bytes on disk are not in the format that the store writes.
        ///
        /// This is the only code after which a rebuild may be appropriate.
        public static let corruption = Code(value: .corruption)

        /// A newer version of the package wrote the files, which were not changed.
        public static let newerSchema = Code(value: .newerSchema)

        /// The key is wrong, missing for encrypted files, or given for unencrypted ones.
        public static let wrongKey = Code(value: .wrongKey)

        /// The data cannot be stored: a message without an ID, or an ID that is too long.
        public static let invalid = Code(value: .invalid)

        /// A value in a table of the app cannot be decoded as the table's type.
        ///
        /// The row can be replaced or removed.
        public static let unreadableValue = Code(value: .unreadableValue)

        /// A ``Snapshot`` prevents closing files, or reopening them after a failed write: release
        /// it and retry.
        public static let busy = Code(value: .busy)

        /// The store is suspended: call ``ChatStore/resume()`` first.
        public static let suspended = Code(value: .suspended)

        /// The name of the code, such as `noSpace`.
        public var description: String { value.rawValue }
    }
}

extension StoreError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension StoreError: CustomStringConvertible {
    /// The code, path, message and cause in one line.
    public var description: String {
        let line = "\(code): \(path): \(message)"
        return cause.map { "\(line) (\($0))" } ?? line
    }
}

extension StoreError: Hashable {
    /// Compares two errors, except for their causes.
    public static func == (first: StoreError, second: StoreError) -> Bool {
        (first.code, first.message, first.path) == (second.code, second.message, second.path)
    }

    /// Hashes the error, except for its cause.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
        hasher.combine(path)
    }
}
