/// The protocol is internal: each field has exactly one form on the wire and one in JSON.
protocol FieldValue: Sendable {
    static var fieldKind: FieldKind { get }
    static var absent: Self { get }
    static func read(_ storage: RecordBytes, at location: FieldLocation, _ number: Int) -> Self
    /// Returns the size with tags; 0 if the field is omitted.
    func size(inField number: Int) -> Int
    func write(inField number: Int, to writer: inout FieldWriter)
    static func decode(from decoder: any Decoder) throws -> Self
    func encodeJSON(to encoder: any Encoder) throws
}

/// A type that is encoded as one payload.
///
/// Its fields can be optional, repeated, or the values of a map; any other is implicit, with
/// `defaultValue` if missing.
protocol SingularValue: FieldValue {
    static var element: FieldKind.Element { get }
    static var wireType: WireType { get }
    /// `true` if the default value means "none".
    ///
    /// In an optional of the type, a missing field is then `nil`, and the default value is not
    /// written.
    static var defaultIsNone: Bool { get }
    static var defaultValue: Self { get }
    var isDefault: Bool { get }
    /// The size of the payload with its length prefix.
    var payloadSize: Int { get }
    func writePayload(to writer: inout FieldWriter)
    static func readPayload(_ storage: RecordBytes, at offset: inout Int) -> Self
}

extension SingularValue {
    static var fieldKind: FieldKind { FieldKind(element) }
    static var defaultIsNone: Bool { false }
    static var absent: Self { defaultValue }

    @inline(__always)
    static func read(_ storage: RecordBytes, at location: FieldLocation, _ number: Int) -> Self {
        var offset = location.payload
        return readPayload(storage, at: &offset)
    }

    @inline(__always)
    func size(inField number: Int) -> Int {
        isDefault ? 0 : Wire.size(ofTag: number) + payloadSize
    }

    @inline(__always)
    func write(inField number: Int, to writer: inout FieldWriter) {
        if isDefault { return }
        writer.tag(number, Self.wireType)
        writePayload(to: &writer)
    }
}

// MARK: Optional

extension Optional: FieldValue where Wrapped: SingularValue {
    static var fieldKind: FieldKind {
        FieldKind(Wrapped.element, Wrapped.defaultIsNone ? .implicit : .optional)
    }

    static var absent: Self { nil }

    private var isPresent: Bool {
        guard let self else { return false }
        return !(Wrapped.defaultIsNone && self.isDefault)
    }

    @inline(__always)
    static func read(_ storage: RecordBytes, at location: FieldLocation, _ number: Int) -> Self {
        Wrapped.read(storage, at: location, number)
    }

    @inline(__always)
    func size(inField number: Int) -> Int {
        guard let self, isPresent else { return 0 }
        return Wire.size(ofTag: number) + self.payloadSize
    }

    @inline(__always)
    func write(inField number: Int, to writer: inout FieldWriter) {
        guard let self, isPresent else { return }
        writer.tag(number, Wrapped.wireType)
        self.writePayload(to: &writer)
    }

    static func decode(from decoder: any Decoder) throws -> Self {
        try Wrapped.decode(from: decoder)
    }

    func encodeJSON(to encoder: any Encoder) throws {
        try self?.encodeJSON(to: encoder)
    }
}

// MARK: Repeated

extension Array: FieldValue where Element: SingularValue {
    static var fieldKind: FieldKind { FieldKind(Element.element, .repeated) }
    static var absent: Self { [] }

    private static var isPacked: Bool { Element.wireType == .varint }

    static func read(_ storage: RecordBytes, at location: FieldLocation, _ number: Int) -> Self {
        let span = storage.bytes.span.bytes
        var elements: Self = []
        if isPacked {
            var offset = location.payload
            let count = Int(truncatingIfNeeded: span.varint(at: &offset))
            let end = offset + count
            while offset < end {
                elements.append(Element.readPayload(storage, at: &offset))
            }
            return elements
        }
        var offset = location.tag
        while offset < storage.range.upperBound {
            guard span.varint(at: &offset) >> 3 == UInt64(number) else { break }
            elements.append(Element.readPayload(storage, at: &offset))
        }
        return elements
    }

    func size(inField number: Int) -> Int {
        if isEmpty { return 0 }
        let payloads = reduce(0) { $0 + $1.payloadSize }
        let tag = Wire.size(ofTag: number)
        return Self.isPacked ? tag + Wire.size(ofDelimited: payloads) : count * tag + payloads
    }

    func write(inField number: Int, to writer: inout FieldWriter) {
        if isEmpty { return }
        if Self.isPacked {
            writer.tag(number, .lengthDelimited)
            writer.varint(UInt64(reduce(0) { $0 + $1.payloadSize }))
            for element in self { element.writePayload(to: &writer) }
        } else {
            for element in self {
                writer.tag(number, Element.wireType)
                element.writePayload(to: &writer)
            }
        }
    }

    static func decode(from decoder: any Decoder) throws -> Self {
        var container = try decoder.unkeyedContainer()
        var elements: Self = []
        while !container.isAtEnd {
            if Element.self != JSONValue.self, try container.decodeNil() { continue }
            elements.append(try container.decode(JSONField<Element>.self).value)
        }
        return elements
    }

    func encodeJSON(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(JSONField(value: element)) }
    }
}

// MARK: Map

protocol MapKey: Hashable, Sendable {
    var text: String { get }
    init(text: String)
}

extension Dictionary: FieldValue where Key: MapKey, Value: SingularValue {
    static var fieldKind: FieldKind { FieldKind(Value.element, .map) }
    static var absent: Self { [:] }

    static func read(_ storage: RecordBytes, at location: FieldLocation, _ number: Int) -> Self {
        let span = storage.bytes.span.bytes
        var entries: Self = [:]
        var offset = location.tag
        while offset < storage.range.upperBound {
            guard span.varint(at: &offset) >> 3 == UInt64(number) else { break }
            let count = Int(truncatingIfNeeded: span.varint(at: &offset))
            let entry = RecordBytes(
                bytes: storage.bytes, range: offset..<offset + count)
            let key: String = entry.read(1)
            entries[Key(text: key)] =
                entry.location(of: 2).map { Value.read(entry, at: $0, 2) } ?? Value.defaultValue
            offset += count
        }
        return entries
    }

    /// A scalar zero is omitted from the entry; a record is always written.
    private static func size(of key: Key, _ value: Value) -> Int {
        key.text.size(inField: 1) + (value.isDefault ? 0 : 1 + value.payloadSize)
    }

    func size(inField number: Int) -> Int {
        let tag = Wire.size(ofTag: number)
        return reduce(0) { $0 + tag + Wire.size(ofDelimited: Self.size(of: $1.key, $1.value)) }
    }

    func write(inField number: Int, to writer: inout FieldWriter) {
        let entries = sorted { $0.key.text.precedesByBytes($1.key.text) }
        for (key, value) in entries {
            writer.tag(number, .lengthDelimited)
            writer.varint(UInt64(Self.size(of: key, value)))
            key.text.write(inField: 1, to: &writer)
            value.write(inField: 2, to: &writer)
        }
    }

    static func decode(from decoder: any Decoder) throws -> Self {
        let container = try decoder.container(keyedBy: JSONKey.self)
        var entries: Self = [:]
        for key in container.allKeys {
            // `null` is missing, except in a map of arbitrary JSON values.
            if Value.self != JSONValue.self, try container.decodeNil(forKey: key) { continue }
            entries[Key(text: key.stringValue)] =
                try container.decode(JSONField<Value>.self, forKey: key).value
        }
        return entries
    }

    func encodeJSON(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        for (key, value) in self {
            try container.encode(JSONField(value: value), forKey: JSONKey(key.text))
        }
    }
}
