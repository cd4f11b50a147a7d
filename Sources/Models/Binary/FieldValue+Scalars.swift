public import Foundation

extension SingularValue where Self: Encodable {
    func encodeJSON(to encoder: any Encoder) throws { try encode(to: encoder) }
}

// MARK: Text

extension String: SingularValue {
    static var element: FieldKind.Element { .text }
    static var wireType: WireType { .lengthDelimited }
    static var defaultValue: String { "" }
    var isDefault: Bool { isEmpty }

    var payloadSize: Int {
        @inline(__always) get { Wire.size(ofDelimited: utf8.count) }
    }

    @inline(__always)
    func writePayload(to writer: inout FieldWriter) {
        writer.text(self, count: utf8.count)
    }

    @inline(__always)
    static func readPayload(_ storage: RecordBytes, at offset: inout Int) -> String {
        let count = Int(truncatingIfNeeded: storage.bytes.span.bytes.varint(at: &offset))
        let range = offset..<offset + count
        offset += count
        return String(checked: storage.bytes.span, range)
    }

    @inline(never)
    private init(checked bytes: Span<UInt8>, _ range: Range<Int>) {
        let bytes = bytes.extracting(range)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            // Strings of up to 15 bytes are stored inline; their initializer checks for ASCII
            // itself.
            let isASCII = bytes.count > 15 && bytes.bytes.isASCII
            self.init(copying: UTF8Span(unchecked: bytes, isKnownASCII: isASCII))
        } else {
            self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Decodes a text, a number or a Boolean as text.
    static func decode(from decoder: any Decoder) throws -> String {
        let container = try decoder.singleValueContainer()
        do {
            return try container.decode(String.self)
        } catch {
            if let value = try? container.decode(Bool.self) { return value ? "true" : "false" }
            if let value = try? container.decode(Int64.self) { return String(value) }
            // Read unsigned 64-bit IDs exactly, and reject other numbers that `Double` rounds.
            if let value = try? container.decode(UInt64.self) { return String(value) }
            if let value = try? container.decode(Double.self), abs(value) < 0x1p53 {
                return String(value)
            }
            throw error
        }
    }
}

extension String: MapKey {
    var text: String { self }
    init(text: String) { self = text }
}

// MARK: Bool

extension Bool: SingularValue {
    static var element: FieldKind.Element { .bool }
    static var wireType: WireType { .varint }
    static var defaultValue: Bool { false }
    var isDefault: Bool { !self }
    var payloadSize: Int { 1 }

    @inline(__always)
    func writePayload(to writer: inout FieldWriter) { writer.byte(self ? 1 : 0) }

    @inline(__always)
    static func readPayload(_ storage: RecordBytes, at offset: inout Int) -> Bool {
        storage.bytes.span.bytes.varint(at: &offset) != 0
    }

    /// Decodes a Boolean, a number, of which only 0 is `false`, or a text of `init(lenient:)`.
    static func decode(from decoder: any Decoder) throws -> Bool {
        let container = try decoder.singleValueContainer()
        do {
            return try container.decode(Bool.self)
        } catch {
            if let value = try? container.decode(Int64.self) { return value != 0 }
            let text = try? container.decode(String.self)
            guard let value = text.flatMap(Bool.init(lenient:)) else { throw error }
            return value
        }
    }

    init?(lenient text: String) {
        switch text {
        case "true", "1", "Y": self = true
        case "false", "0", "N", "": self = false
        default: return nil
        }
    }
}

// MARK: Integers

protocol IntegerValue: SingularValue {
    var int64: Int64 { get }
    init(int64: Int64)
}

extension IntegerValue {
    static var element: FieldKind.Element { .integer }
    static var wireType: WireType { .varint }
    static var defaultValue: Self { Self(int64: 0) }
    var isDefault: Bool { int64 == 0 }

    var payloadSize: Int {
        @inline(__always) get { Wire.size(ofVarint: UInt64(bitPattern: int64)) }
    }

    @inline(__always)
    func writePayload(to writer: inout FieldWriter) { writer.varint(UInt64(bitPattern: int64)) }

    @inline(__always)
    static func readPayload(_ storage: RecordBytes, at offset: inout Int) -> Self {
        Self(int64: Int64(bitPattern: storage.bytes.span.bytes.varint(at: &offset)))
    }

    static func decode(from decoder: any Decoder) throws -> Self {
        Self(int64: try decoder.singleValueContainer().decodeLenientInt64())
    }
}

extension Int: IntegerValue {
    var int64: Int64 { Int64(self) }
    init(int64: Int64) { self = Int(truncatingIfNeeded: int64) }
}

extension Int64: IntegerValue {
    var int64: Int64 { self }
    init(int64: Int64) { self = int64 }
}

extension Timestamp: IntegerValue {
    /// In all fields with an optional time, the time 0 means "never".
    static var defaultIsNone: Bool { true }
    var int64: Int64 { milliseconds }
    init(int64: Int64) { self.init(milliseconds: int64) }
}

// MARK: Double

extension Double: SingularValue {
    static var element: FieldKind.Element { .double }
    static var wireType: WireType { .fixed64 }
    static var defaultValue: Double { 0 }
    /// Negative zero is not the default: its sign is preserved.
    var isDefault: Bool { bitPattern == 0 }
    var payloadSize: Int { 8 }

    func writePayload(to writer: inout FieldWriter) { writer.fixed64(bitPattern) }

    static func readPayload(_ storage: RecordBytes, at offset: inout Int) -> Double {
        defer { offset += 8 }
        let bits = storage.bytes.span.bytes.unsafeLoadUnaligned(
            fromByteOffset: offset, as: UInt64.self)
        return Double(bitPattern: UInt64(littleEndian: bits))
    }

    static func decode(from decoder: any Decoder) throws -> Double {
        let container = try decoder.singleValueContainer()
        do {
            return try container.decode(Double.self)
        } catch {
            guard let text = try? container.decode(String.self), let value = Double(text) else {
                throw error
            }
            return value
        }
    }
}

// MARK: Data

extension Data: SingularValue {
    static var element: FieldKind.Element { .bytes }
    static var wireType: WireType { .lengthDelimited }
    static var defaultValue: Data { Data() }
    var isDefault: Bool { isEmpty }
    var payloadSize: Int { Wire.size(ofDelimited: count) }

    func writePayload(to writer: inout FieldWriter) {
        writer.varint(UInt64(count))
        withUnsafeBytes { writer.copy($0) }
    }

    static func readPayload(_ storage: RecordBytes, at offset: inout Int) -> Data {
        let count = Int(truncatingIfNeeded: storage.bytes.span.bytes.varint(at: &offset))
        defer { offset += count }
        return Data(storage.bytes[offset..<offset + count])
    }

    static func decode(from decoder: any Decoder) throws -> Data {
        try decoder.singleValueContainer().decode(Data.self)
    }

    func encodeJSON(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self)
    }
}

// MARK: Enumerations

/// An enumeration in a record field: a number in the binary form, a name in JSON.
///
/// The numbers are 0, 1, 2… in the order of the names; a missing field has the value 0. DO NOT
/// CHANGE a number or a name.
protocol WireEnum: Hashable, SingularValue {
    /// The number in the binary form.
    var number: Int { get }
    init?(number: Int)
    /// The names in JSON, indexed by number, and in upper case in Docs/scrollback.proto.
    static var names: [String] { get }
    static var aliases: [String: Self] { get }
    /// Returns the value for an unknown number; −1 stands for an unknown name.
    static func unknown(_ number: Int) -> Self
}

extension WireEnum {
    static var aliases: [String: Self] { [:] }

    static var element: FieldKind.Element {
        .enumeration(Self.self)
    }

    /// In a closed enumeration, unknown numbers and names become the first case.
    static func unknown(_ number: Int) -> Self { defaultValue }

    static var wireType: WireType { .varint }
    static var defaultValue: Self { Self(number: 0).unsafelyUnwrapped }
    var isDefault: Bool { number == 0 }
    var payloadSize: Int { Wire.size(ofVarint: UInt64(bitPattern: Int64(number))) }

    @inline(__always)
    func writePayload(to writer: inout FieldWriter) {
        writer.varint(UInt64(bitPattern: Int64(number)))
    }

    @inline(__always)
    static func readPayload(_ storage: RecordBytes, at offset: inout Int) -> Self {
        value(Int(truncatingIfNeeded: storage.bytes.span.bytes.varint(at: &offset)))
    }

    private static func value(_ number: Int) -> Self { Self(number: number) ?? unknown(number) }

    static func decode(from decoder: any Decoder) throws -> Self {
        let container = try decoder.singleValueContainer()
        guard let name = try? container.decode(String.self) else {
            return value(Int(truncatingIfNeeded: try container.decodeLenientInt64()))
        }
        if let index = names.firstIndex(of: name) { return value(index) }
        return aliases[name] ?? unknown(-1)
    }

    func encodeJSON(to encoder: any Encoder) throws {
        if Self.names.indices.contains(number) {
            try Self.names[number].encode(to: encoder)
        } else {
            try number.encode(to: encoder)
        }
    }
}

extension WireEnum where Self: RawRepresentable<Int> {
    var number: Int { rawValue }
    init?(number: Int) { self.init(rawValue: number) }
}

/// An enumeration without raw values, whose number is the index of the case.
///
/// The number is on disk: DO NOT REORDER the cases.
protocol IndexedWireEnum: WireEnum, CaseIterable where AllCases == [Self] {}

extension IndexedWireEnum {
    var number: Int { Self.allCases.firstIndex(of: self).unsafelyUnwrapped }

    init?(number: Int) {
        guard Self.allCases.indices.contains(number) else { return nil }
        self = Self.allCases[number]
    }
}

protocol OpenWireEnum: WireEnum, OpenEnumeration {
    /// The names of the Swift constants, indexed by raw value; by default the JSON names in camel
    /// case.
    static var identifiers: [String] { get }
}

extension OpenWireEnum {
    static var identifiers: [String] {
        names.map { name in
            let words = name.lowercased().split(separator: "_")
            return words[0] + words.dropFirst().map(\.capitalized).joined()
        }
    }

    static func unknown(_ number: Int) -> Self { Self(rawValue: number) }

    static func identifier(of number: Int) -> String? {
        identifiers.indices.contains(number) ? identifiers[number] : nil
    }
}
