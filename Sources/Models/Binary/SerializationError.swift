public import Foundation

/// Why bytes are not the binary form of a record, and where.
///
/// Decoding a record checks everything, its texts and nested records included, so that this error
/// can come from `init(serialized:)` alone: reading a property of a record never fails.
public struct SerializationError: Error, Hashable, Sendable {
    /// What is wrong.
    public let code: Code

    /// How many bytes from the start of the input the damage was noticed.
    public let offset: Int

    /// The kind of damage a ``SerializationError`` tells of.
    public struct Code: Hashable, Sendable {
        fileprivate enum Value: String {
            case truncated, invalidTag, invalidVarint, wrongWireType, invalidText
            case tooDeep, tooLarge
        }

        fileprivate let value: Value

        /// The input ends inside a field, or a field reaches past the record that holds it.
        public static let truncated = Code(value: .truncated)
        /// A tag has the field number 0, one beyond 536,870,911, or a wire type that does not exist.
        public static let invalidTag = Code(value: .invalidTag)
        /// An integer takes more than ten bytes, or more than 64 bits.
        public static let invalidVarint = Code(value: .invalidVarint)
        /// A field that we know has a wire type that its type never has.
        public static let wrongWireType = Code(value: .wrongWireType)
        /// A text is not UTF-8.
        public static let invalidText = Code(value: .invalidText)
        /// JSON values are nested deeper than ``JSONValue/maximumDepth``.
        public static let tooDeep = Code(value: .tooDeep)
        /// The input has 1 GiB or more.
        public static let tooLarge = Code(value: .tooLarge)
    }

    init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }
}

extension SerializationError: CustomStringConvertible {
    /// One line for a log, such as "invalidText at byte 12".
    public var description: String { "\(code) at byte \(offset)" }
}

extension SerializationError.Code: CustomStringConvertible {
    /// The name of the code.
    public var description: String { value.rawValue }
}

extension SerializationError: LocalizedError {
    /// The same as ``description``, for those who ask an error without knowing its type.
    public var errorDescription: String? { description }
}
