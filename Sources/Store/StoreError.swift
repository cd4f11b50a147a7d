public import Foundation

/// Why the store could not do what was asked.
///
/// What is merely not there is `nil` and not an error; wrong use is a trap that says what to do
/// instead. So every code speaks of the world outside: the disk, another process, a key.
public struct StoreError: LocalizedError {
    /// What kind of failure it is, for code to decide by.
    public let code: Code

    /// What went wrong, for people to read; it names the thing that it happened to.
    public let message: String

    /// The file or directory that it happened to.
    public let path: String

    /// The error behind this one, if there was one.
    public let cause: (any Error)?

    /// Creates an error about a file or directory.
    package init(_ code: Code, _ message: String, path: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.cause = cause
    }
}

extension StoreError {
    /// A kind of failure.
    ///
    /// Later versions may add kinds, so a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case closed, locked, permission, noSpace, io, corruption, newerSchema, wrongKey
            case invalid, busy, suspended
        }

        private let value: Value

        /// The store was closed before the call.
        public static let closed = Code(value: .closed)

        /// Another process, or another store of this one, has the directory open.
        public static let locked = Code(value: .locked)

        /// The system refuses access: the files' permissions, or a device that is still locked.
        public static let permission = Code(value: .permission)

        /// The disk is full, or the user's share of it.
        public static let noSpace = Code(value: .noSpace)

        /// Reading or writing failed for another reason.
        public static let io = Code(value: .io)

        /// The bytes on disk do not have the shape the store wrote.
        ///
        /// The only code that may lead to a rebuild.
        public static let corruption = Code(value: .corruption)

        /// A newer version of the package wrote the files; nothing was touched.
        public static let newerSchema = Code(value: .newerSchema)

        /// The files are encrypted with another key, or one of the two has none.
        public static let wrongKey = Code(value: .wrongKey)

        /// What was given cannot be stored: a message that is not sent yet, a name that is too long.
        public static let invalid = Code(value: .invalid)

        /// A ``Snapshot`` that somebody holds keeps files from being let go of, or, after they failed, from
        /// being opened anew.
        ///
        /// Let go of the snapshot, and do it once more.
        public static let busy = Code(value: .busy)

        /// The store has let go of its files: call ``ChatStore/resume()`` first.
        public static let suspended = Code(value: .suspended)

        /// The name of the code, such as `noSpace`.
        public var description: String { value.rawValue }
    }
}

extension StoreError {
    /// The same as ``description``, for those who ask an error without knowing its type.
    public var errorDescription: String? { description }
}

extension StoreError: CustomStringConvertible {
    /// Code, path, message and cause in one line.
    public var description: String {
        let line = "\(code): \(path): \(message)"
        return cause.map { "\(line) (\($0))" } ?? line
    }
}
