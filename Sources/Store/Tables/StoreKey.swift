public import Foundation
public import Models

/// A key of a ``StoreTable``.
///
/// Keys are values of the types in the table below; a ``Pair`` combines two keys, each of which may
/// be a pair. A type with a key as its raw value is a key if it declares the conformance; its
/// values have the order of their raw values.
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
/// | pairs | by the first part, then by the second one |
///
/// Two texts that Swift treats as equal, such as "é" as one scalar and as two, are different keys.
public protocol StoreKey: Hashable, Sendable {
    /// Lists, writes or reads the parts of a key, and returns the key that was written or read.
    ///
    /// Types without a raw value cannot implement it: ``StoreKeyCoder`` has no public members.
    static func codeKey(_ key: Self?, with coder: inout StoreKeyCoder) -> Self?
}

/// The type of a part of a key.
///
/// On-disk format, do not change.
package enum StoreKeyPart: UInt8, Hashable, Sendable, CaseIterable {
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

/// Lists the types of the parts of a key, writes the parts, or reads them.
public struct StoreKeyCoder {
    private enum Mode { case listing, writing, reading }

    private let mode: Mode
    fileprivate private(set) var types: [StoreKeyPart] = []
    fileprivate private(set) var writer: ByteWriter
    fileprivate private(set) var reader: ByteReader

    private init(
        _ mode: Mode, writer: ByteWriter = ByteWriter(),
        reader: ByteReader = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))
    ) {
        (self.mode, self.writer, self.reader) = (mode, writer, reader)
    }

    fileprivate static var listing: Self { Self(.listing) }

    fileprivate static func writing(after bytes: KeyBytes) -> Self {
        var writer = ByteWriter(capacity: bytes.count + 32)
        writer.raw(bytes)
        return Self(.writing, writer: writer)
    }

    fileprivate static func reading(_ bytes: UnsafeRawBufferPointer) -> Self {
        Self(.reading, reader: ByteReader(bytes))
    }

    /// Codes a part of a key, which has a value if it is to be written.
    fileprivate mutating func part<Value>(
        _ type: StoreKeyPart, _ value: Value?, write: (inout ByteWriter, Value) -> Void,
        read: (inout ByteReader) throws(ByteReader.Damage) -> Value?
    ) -> Value? {
        switch mode {
        case .listing:
            types.append(type)
            return nil
        case .writing:
            guard let value else { return nil }
            writer.byte(type.rawValue)
            write(&writer, value)
            return value
        case .reading:
            // The damage is reported as an unreadable key.
            guard (try? reader.byte()) == type.rawValue else { return nil }
            return (try? read(&reader)) ?? nil
        }
    }

    fileprivate mutating func text(_ type: StoreKeyPart, _ text: String?) -> String? {
        part(type, text) {
            $0.terminated($1)
        } read: { (reader) throws(ByteReader.Damage) in
            try reader.terminatedText()
        }
    }

    /// Codes all parts of a key as their bytes.
    mutating func rest(_ bytes: KeyBytes?) -> KeyBytes? {
        switch mode {
        case .listing: return nil
        case .writing:
            if let bytes { writer.raw(bytes) }
            return bytes
        // The damage is reported as an unreadable key.
        case .reading: return try? reader.rest()
        }
    }
}

// MARK: Texts and data

extension String: StoreKey {
    /// Codes a text.
    public static func codeKey(_ key: String?, with coder: inout StoreKeyCoder) -> String? {
        coder.text(.text, key)
    }
}

extension ChannelURL: StoreKey {
    /// Codes a URL.
    public static func codeKey(
        _ key: ChannelURL?, with coder: inout StoreKeyCoder
    ) -> ChannelURL? {
        coder.text(.channel, key?.rawValue).map { ChannelURL($0) }
    }
}

extension MessageID: StoreKey {}
extension UserID: StoreKey {}
extension RequestID: StoreKey {}

extension Data: StoreKey {
    /// Codes data.
    public static func codeKey(_ key: Data?, with coder: inout StoreKeyCoder) -> Data? {
        coder.part(.data, key) { writer, data in
            data.withUnsafeBytes { writer.terminated($0) }
        } read: { (reader) throws(ByteReader.Damage) in
            Data(try reader.terminated())
        }
    }
}

// MARK: Numbers

extension StoreKey where Self: FixedWidthInteger {
    /// Codes a number.
    public static func codeKey(_ key: Self?, with coder: inout StoreKeyCoder) -> Self? {
        let bits = key.map { isSigned ? UInt64(bitPattern: Int64($0)) ^ (1 << 63) : UInt64($0) }
        let coded = coder.part(isSigned ? .integer : .unsigned, bits) {
            $0.integer($1)
        } read: { (reader) throws(ByteReader.Damage) in
            try reader.integer(UInt64.self)
        }
        return coded.flatMap {
            isSigned ? Self(exactly: Int64(bitPattern: $0 ^ (1 << 63))) : Self(exactly: $0)
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
    /// Codes a time.
    public static func codeKey(_ key: Timestamp?, with coder: inout StoreKeyCoder) -> Timestamp? {
        coder.part(.time, key) {
            $0.timestamp($1)
        } read: { (reader) throws(ByteReader.Damage) in
            try reader.timestamp()
        }
    }
}

extension Bool: StoreKey {
    /// Codes a Boolean value.
    public static func codeKey(_ key: Bool?, with coder: inout StoreKeyCoder) -> Bool? {
        coder.part(.bool, key) {
            $0.byte($1 ? 1 : 0)
        } read: { (reader) throws(ByteReader.Damage) in
            switch try reader.byte() {
            case 0: false
            case 1: true
            default: nil
            }
        }
    }
}

// MARK: Raw values and pairs

extension StoreKey where Self: RawRepresentable, RawValue: StoreKey {
    /// Codes the raw value.
    public static func codeKey(_ key: Self?, with coder: inout StoreKeyCoder) -> Self? {
        RawValue.codeKey(key?.rawValue, with: &coder).flatMap { Self(rawValue: $0) }
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

    /// Codes the first part, then the second one.
    public static func codeKey(_ key: Pair?, with coder: inout StoreKeyCoder) -> Pair? {
        let first = First.codeKey(key?.first, with: &coder)
        let second = Second.codeKey(key?.second, with: &coder)
        guard let first, let second else { return nil }
        return Pair(first, second)
    }
}

// MARK: Bytes

extension StoreKey {
    /// The types of the parts.
    package static var keyParts: [StoreKeyPart] {
        var coder = StoreKeyCoder.listing
        _ = codeKey(nil, with: &coder)
        return coder.types
    }

    func append(to bytes: inout KeyBytes) {
        var coder = StoreKeyCoder.writing(after: bytes)
        _ = Self.codeKey(self, with: &coder)
        bytes = coder.writer.bytes
    }

    /// On-disk format, do not change: each part is a byte with its type, and its value.
    package var keyBytes: KeyBytes {
        var bytes: KeyBytes = []
        append(to: &bytes)
        return bytes
    }

    package init?(keyBytes bytes: UnsafeRawBufferPointer) {
        var coder = StoreKeyCoder.reading(bytes)
        guard let key = Self.codeKey(nil, with: &coder), coder.reader.isAtEnd else { return nil }
        self = key
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
