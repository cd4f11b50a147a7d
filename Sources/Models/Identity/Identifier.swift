import Foundation

/// A text that identifies a channel, a message, a user or a request.
///
/// An integer ID is a text in decimal notation. Identifiers are compared by their UTF-8 bytes: "é"
/// as one code point and "é" as two are equal as `String` values, but different as identifiers.
public protocol Identifier: RawRepresentable<String>, Hashable, Comparable, Codable, Sendable,
    CodingKeyRepresentable, LosslessStringConvertible, ExpressibleByStringInterpolation
{
    /// The text.
    var rawValue: String { get }

    /// Creates an identifier from any text, including the empty one.
    init(rawValue: String)
}

extension Identifier {
    /// Creates an identifier.
    public init(_ text: String) { self.init(rawValue: text) }

    /// Creates an identifier from a literal, which may have interpolations.
    public init(stringLiteral text: String) { self.init(rawValue: text) }

    /// The text.
    public var description: String { rawValue }

    /// The text as a JSON key.
    public var codingKey: any CodingKey { JSONKey(rawValue) }

    /// Creates an identifier from a JSON key.
    public init(codingKey: some CodingKey) { self.init(rawValue: codingKey.stringValue) }

    /// Compares two texts in byte order.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.precedesByBytes(right.rawValue)
    }

    /// Decodes a text, or an integer in decimal notation.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try String.decode(from: decoder))
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

// Each identifier type has its own `==` and `hash(into:)`: the compiler would prefer those of
// `RawRepresentable`, which compare strings, to defaults in this extension.
extension Identifier {
    @inline(__always)
    func hasSameBytes(as other: Self) -> Bool {
        // Only some strings bridged from Objective-C have no contiguous bytes.
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
    /// Compares the UTF-8 bytes; a prefix of a text precedes it.
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

protocol IdentifierValue: Identifier, SingularValue, MapKey {}

extension IdentifierValue {
    static var element: FieldKind.Element { .text }
    static var wireType: WireType { .lengthDelimited }
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
extension ServerEpoch: IdentifierValue {}
extension UserID: IdentifierValue {}
