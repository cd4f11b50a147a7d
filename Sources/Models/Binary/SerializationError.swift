public import Foundation

/// An error for bytes that are not the binary form of a record.
///
/// Only `init(serialized:)` throws it, so reading a property never fails.
public struct SerializationError: Error, Hashable, Sendable {
    /// The kind of damage.
    public let code: Code

    /// The offset in bytes at which the damage was detected.
    public let offset: Int

    /// A kind of damage.
    public struct Code: Hashable, Sendable {
        fileprivate enum Value: String {
            case truncated, invalidTag, invalidVarint, wrongWireType, invalidText
            case tooDeep, tooLarge
        }

        fileprivate let value: Value

        /// The input ends inside a field, or a field extends past the end of its record.
        public static let truncated = Code(value: .truncated)
        /// A tag has the field number 0 or one above 536,870,911, or an invalid wire type.
        public static let invalidTag = Code(value: .invalidTag)
        /// An integer has more than ten bytes or more than 64 bits.
        public static let invalidVarint = Code(value: .invalidVarint)
        /// A known field has the wrong wire type.
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
    /// A text such as "invalidText at byte 12".
    public var description: String { "\(code) at byte \(offset)" }
}

extension SerializationError.Code: CustomStringConvertible {
    /// The name of the code.
    public var description: String { value.rawValue }
}

extension SerializationError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
