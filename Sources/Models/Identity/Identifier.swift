import Foundation

/// A text that names one thing: a channel, a message, a user, a request.
///
/// Opaque: a backend whose ids are integers writes them in decimal. Two kinds of identifiers
/// cannot be mixed up, since each is a type of its own. What counts is the bytes in UTF-8: unlike
/// texts in Swift, two that only look the same ("é" in one piece and in two) are different names.
public protocol Identifier: RawRepresentable<String>, Hashable, Comparable, Codable, Sendable,
    CodingKeyRepresentable, LosslessStringConvertible, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral
{
    /// The text itself.
    var rawValue: String { get }

    /// Creates an identifier. Every text is one, the empty one too.
    init(rawValue: String)
}

extension Identifier {
    /// Creates an identifier from its text.
    public init(_ text: String) { self.init(rawValue: text) }

    /// Creates an identifier from a literal.
    public init(stringLiteral text: String) { self.init(rawValue: text) }

    /// Creates an identifier from an integer, written in decimal.
    public init(integerLiteral integer: Int64) { self.init(rawValue: String(integer)) }

    /// The text itself.
    public var description: String { rawValue }

    /// The text as a key of JSON.
    public var codingKey: any CodingKey { JSONKey(rawValue) }

    /// Creates an identifier from a key of JSON.
    public init(codingKey: some CodingKey) { self.init(rawValue: codingKey.stringValue) }

    /// Whether the left text comes first, byte by byte.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.precedesByBytes(right.rawValue)
    }

    /// Reads a text, or an integer as its decimal digits.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try String.decode(from: decoder))
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

// Not `==` and `hash(into:)` themselves: those of `RawRepresentable`, which ask the text, would be
// taken before them.
extension Identifier {
    @inline(__always)
    func hasSameBytes(as other: Self) -> Bool {
        // Native texts, which is all but some of Objective-C, lend their bytes.
        let isSame = rawValue.utf8.withContiguousStorageIfAvailable { left in
            other.rawValue.utf8.withContiguousStorageIfAvailable { right in
                left.count == right.count
                    && (left.isEmpty
                        || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0)
            }
        }
        return isSame.flatMap { $0 } ?? rawValue.utf8.elementsEqual(other.rawValue.utf8)
    }

    func hashBytes(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether this text comes first, byte by byte in UTF-8; a beginning comes before the whole.
    package func precedesByBytes(_ other: String) -> Bool {
        let isFirst = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                let common = min(left.count, right.count)
                let order =
                    common == 0 ? 0 : memcmp(left.baseAddress!, right.baseAddress!, common)
                return order == 0 ? left.count < right.count : order < 0
            }
        }
        return isFirst.flatMap { $0 } ?? utf8.lexicographicallyPrecedes(other.utf8)
    }
}

// MARK: As a field

/// An identifier that a field may have.
protocol IdentifierValue: Identifier, SingularValue, MapKey {}

extension IdentifierValue {
    static var element: FieldKind.Element { .text }
    static var wireType: WireType { .lengthDelimited }
    /// An empty text names nothing.
    static var defaultIsNone: Bool { true }
    static var defaultValue: Self { Self(rawValue: "") }
    var isDefault: Bool { rawValue.isEmpty }

    var payloadSize: Int {
        @inline(__always) get { rawValue.payloadSize }
    }

    @inline(__always)
    func writePayload(to writer: inout FieldWriter) { rawValue.writePayload(to: &writer) }

    @inline(__always)
    static func readPayload(_ storage: RecordBytes, at offset: inout Int) -> Self {
        Self(rawValue: String.readPayload(storage, at: &offset))
    }

    static func decode(from decoder: any Decoder) throws -> Self { try Self(from: decoder) }

    var text: String { rawValue }
    init(text: String) { self.init(rawValue: text) }
}

extension ChannelURL: IdentifierValue {}
extension MessageID: IdentifierValue {}
extension RequestID: IdentifierValue {}
extension UserID: IdentifierValue {}
