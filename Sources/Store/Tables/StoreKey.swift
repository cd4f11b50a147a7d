public import Foundation
public import Models

/// A key of a ``StoreTable``.
///
/// Keys are values of the types in the table below; ``Pair`` and ``Triple`` combine keys. A type
/// with a key as its raw value is a key if it declares the conformance; its values have the order
/// of their raw values.
///
/// ```swift
/// enum Section: Int, StoreKey { case favorites, folders }
/// struct StickerID: RawRepresentable, Hashable, StoreKey { let rawValue: String }
/// ```
///
/// | type | order |
/// |---|---|
/// | `String`, identifiers | by the bytes of UTF-8 |
/// | `Data` | by bytes |
/// | integers, ``/Models/Timestamp`` | by number |
/// | `Bool` | `false` first |
/// | pairs, triples | by the first part, then by the next one |
///
/// Two texts that Swift treats as equal, such as "é" as one scalar and as two, are different keys.
public protocol StoreKey: Hashable, Sendable {
    /// The types of the parts, one for each value that ``writeKey(to:)`` writes.
    static var keyParts: [StoreKeyPart] { get }

    /// Writes the parts in order.
    func writeKey(to key: inout StoreKeyWriter)

    /// Reads a key; returns `nil` if the parts are no value of this type.
    init?(key: inout StoreKeyReader)
}

/// The type of a part of a key.
///
/// On-disk format, do not change.
public enum StoreKeyPart: UInt8, Hashable, Sendable, CaseIterable {
    /// A text.
    case text = 1
    /// The URL of a channel.
    case channel = 2
    /// A signed integer.
    case integer = 3
    /// An unsigned integer.
    case unsigned = 4
    /// A time.
    case time = 5
    /// Bytes.
    case data = 6
    /// A Boolean value.
    case bool = 7
}

/// The parts of a key that is being written.
public struct StoreKeyWriter {
    var writer: ByteWriter

    fileprivate mutating func terminated(_ type: StoreKeyPart, _ text: String) {
        writer.byte(type.rawValue)
        writer.terminated(text)
    }

    fileprivate mutating func fixed<Value: FixedWidthInteger>(_ type: StoreKeyPart, _ value: Value)
    {
        writer.byte(type.rawValue)
        writer.integer(value)
    }
}

/// The parts of a key that is being read.
public struct StoreKeyReader {
    var reader: ByteReader

    fileprivate mutating func part<Value>(
        _ type: StoreKeyPart, _ read: (inout ByteReader) throws(ByteReader.Damage) -> Value?
    ) -> Value? {
        // The damage is reported as an unreadable key.
        guard (try? reader.byte()) == type.rawValue else { return nil }
        return (try? read(&reader)) ?? nil
    }

    fileprivate mutating func text(_ type: StoreKeyPart) -> String? {
        part(type) { (reader) throws(ByteReader.Damage) in try reader.terminatedText() }
    }
}

// MARK: Texts and data

extension String: StoreKey {
    /// The type of the only part.
    public static var keyParts: [StoreKeyPart] { [.text] }

    /// Writes the text.
    public func writeKey(to key: inout StoreKeyWriter) { key.terminated(.text, self) }

    /// Reads a text.
    public init?(key: inout StoreKeyReader) {
        guard let text = key.text(.text) else { return nil }
        self = text
    }
}

extension ChannelURL: StoreKey {
    /// The type of the only part.
    public static var keyParts: [StoreKeyPart] { [.channel] }

    /// Writes the URL.
    public func writeKey(to key: inout StoreKeyWriter) { key.terminated(.channel, rawValue) }

    /// Reads a URL.
    public init?(key: inout StoreKeyReader) {
        guard let text = key.text(.channel) else { return nil }
        self.init(text)
    }
}

extension MessageID: StoreKey {}
extension UserID: StoreKey {}
extension RequestID: StoreKey {}

extension Data: StoreKey {
    /// The type of the only part.
    public static var keyParts: [StoreKeyPart] { [.data] }

    /// Writes the bytes.
    public func writeKey(to key: inout StoreKeyWriter) {
        key.writer.byte(StoreKeyPart.data.rawValue)
        withUnsafeBytes { key.writer.terminated($0) }
    }

    /// Reads the bytes.
    public init?(key: inout StoreKeyReader) {
        let bytes = key.part(.data) { (reader) throws(ByteReader.Damage) in
            try reader.terminated()
        }
        guard let bytes else { return nil }
        self.init(bytes)
    }
}

// MARK: Numbers

extension StoreKey where Self: FixedWidthInteger {
    /// The type of the only part.
    public static var keyParts: [StoreKeyPart] { [isSigned ? .integer : .unsigned] }

    /// Writes the number.
    public func writeKey(to key: inout StoreKeyWriter) {
        if Self.isSigned {
            key.fixed(.integer, UInt64(bitPattern: Int64(self)) ^ (1 << 63))
        } else {
            key.fixed(.unsigned, UInt64(self))
        }
    }

    /// Reads a number.
    public init?(key: inout StoreKeyReader) {
        let bits: UInt64? = key.part(Self.keyParts[0]) { (reader) throws(ByteReader.Damage) in
            try reader.integer()
        }
        guard let bits else { return nil }
        if Self.isSigned {
            self.init(exactly: Int64(bitPattern: bits ^ (1 << 63)))
        } else {
            self.init(exactly: bits)
        }
    }
}

extension Int: StoreKey {}
extension Int8: StoreKey {}
extension Int16: StoreKey {}
extension Int32: StoreKey {}
extension Int64: StoreKey {}
extension UInt: StoreKey {}
extension UInt8: StoreKey {}
extension UInt16: StoreKey {}
extension UInt32: StoreKey {}
extension UInt64: StoreKey {}

extension Timestamp: StoreKey {
    /// The type of the only part.
    public static var keyParts: [StoreKeyPart] { [.time] }

    /// Writes the time.
    public func writeKey(to key: inout StoreKeyWriter) {
        key.writer.byte(StoreKeyPart.time.rawValue)
        key.writer.timestamp(self)
    }

    /// Reads a time.
    public init?(key: inout StoreKeyReader) {
        let time = key.part(.time) { (reader) throws(ByteReader.Damage) in try reader.timestamp() }
        guard let time else { return nil }
        self = time
    }
}

extension Bool: StoreKey {
    /// The type of the only part.
    public static var keyParts: [StoreKeyPart] { [.bool] }

    /// Writes the value.
    public func writeKey(to key: inout StoreKeyWriter) { key.fixed(.bool, UInt8(self ? 1 : 0)) }

    /// Reads a value.
    public init?(key: inout StoreKeyReader) {
        let value: Bool? = key.part(.bool) { (reader) throws(ByteReader.Damage) in
            switch try reader.byte() {
            case 0: false
            case 1: true
            default: nil
            }
        }
        guard let value else { return nil }
        self = value
    }
}

// MARK: Raw values, pairs and triples

extension StoreKey where Self: RawRepresentable, RawValue: StoreKey {
    /// The types of the parts of the raw value.
    public static var keyParts: [StoreKeyPart] { RawValue.keyParts }

    /// Writes the raw value.
    public func writeKey(to key: inout StoreKeyWriter) { rawValue.writeKey(to: &key) }

    /// Reads a raw value.
    public init?(key: inout StoreKeyReader) {
        guard let value = RawValue(key: &key) else { return nil }
        self.init(rawValue: value)
    }
}

/// A key of two parts, ordered by the first part and then by the second one.
public struct Pair<First: StoreKey, Second: StoreKey>: StoreKey {
    /// The first part.
    public var first: First
    /// The second part.
    public var second: Second

    /// Creates a key.
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// The types of the parts.
    public static var keyParts: [StoreKeyPart] { First.keyParts + Second.keyParts }

    /// Writes the parts.
    public func writeKey(to key: inout StoreKeyWriter) {
        first.writeKey(to: &key)
        second.writeKey(to: &key)
    }

    /// Reads the parts.
    public init?(key: inout StoreKeyReader) {
        guard let first = First(key: &key), let second = Second(key: &key) else { return nil }
        self.init(first, second)
    }
}

/// A key of three parts, ordered by the first, then by the second and the third one.
public struct Triple<First: StoreKey, Second: StoreKey, Third: StoreKey>: StoreKey {
    /// The first part.
    public var first: First
    /// The second part.
    public var second: Second
    /// The third part.
    public var third: Third

    /// Creates a key.
    public init(_ first: First, _ second: Second, _ third: Third) {
        self.first = first
        self.second = second
        self.third = third
    }

    /// The types of the parts.
    public static var keyParts: [StoreKeyPart] { First.keyParts + Second.keyParts + Third.keyParts }

    /// Writes the parts.
    public func writeKey(to key: inout StoreKeyWriter) {
        first.writeKey(to: &key)
        second.writeKey(to: &key)
        third.writeKey(to: &key)
    }

    /// Reads the parts.
    public init?(key: inout StoreKeyReader) {
        guard let first = First(key: &key), let second = Second(key: &key),
            let third = Third(key: &key)
        else { return nil }
        self.init(first, second, third)
    }
}

// MARK: Bytes

extension StoreKey {
    func append(to bytes: inout KeyBytes) {
        var key = StoreKeyWriter(writer: ByteWriter(capacity: bytes.count + 32))
        key.writer.raw(bytes)
        writeKey(to: &key)
        bytes = key.writer.bytes
    }

    /// On-disk format, do not change: each part is a byte with its type, and its value.
    package var keyBytes: KeyBytes {
        var bytes: KeyBytes = []
        append(to: &bytes)
        return bytes
    }

    package init?(keyBytes bytes: UnsafeRawBufferPointer) {
        var key = StoreKeyReader(reader: ByteReader(bytes))
        self.init(key: &key)
        if !key.reader.isAtEnd { return nil }
    }
}

extension KeyBytes {
    /// The key of a row in words; in hexadecimal digits if it cannot be decoded.
    var keyParts: [String] {
        withBytes { bytes in
            var reader = ByteReader(bytes)
            return (try? reader.keyParts()) ?? [hexadecimal]
        }
    }
}

extension ByteReader {
    fileprivate mutating func terminated() throws(Damage) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let byte = try byte()
            if byte != 0 {
                bytes.append(byte)
                continue
            }
            switch try self.byte() {
            case 0: return bytes
            case 0xFF: bytes.append(0)
            default: throw Damage(offset: offset - 1, expected: "the end of a part, or a zero byte")
            }
        }
    }

    fileprivate mutating func terminatedText() throws(Damage) -> String {
        let start = offset
        guard let text = try terminated().withBytes({ String(validUTF8: $0) }) else {
            throw Damage(offset: start, expected: "a text in UTF-8")
        }
        return text
    }

    package mutating func keyParts() throws(Damage) -> [String] {
        var parts: [String] = []
        while !isAtEnd {
            let start = offset
            switch StoreKeyPart(rawValue: try byte()) {
            case .text, .channel: parts.append(try terminatedText())
            case .integer:
                parts.append("\(Int64(bitPattern: try integer(UInt64.self) ^ (1 << 63)))")
            case .unsigned: parts.append("\(try integer(UInt64.self))")
            case .time: parts.append("\(try timestamp())")
            case .data: parts.append(try terminated().hexadecimal)
            case .bool: parts.append(try byte() == 0 ? "false" : "true")
            case nil: throw Damage(offset: start, expected: "the type of a part of a key")
            }
        }
        return parts
    }
}
