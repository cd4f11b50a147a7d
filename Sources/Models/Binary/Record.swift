public import Foundation

/// A value of the model: a message, a channel, a user, a query, and what they are made of.
///
/// A record *is* its binary form: canonical bytes in protobuf's wire format, checked once when
/// they are decoded. Copying one costs a reference count, comparing two compares bytes,
/// ``serialize()`` hands the bytes out, and a property is found in them when it is read. Fields
/// that this version does not know stay where they are, whatever is changed around them.
///
/// A getter costs a walk over the fields before its own (some nanoseconds), and for a text or an
/// array the making of it; keep the value in a local where you need it often. A setter writes
/// the bytes anew: O(*n*) in the size of the record. A nested record shares the bytes of the one it
/// was read from, and keeps them alive.
///
/// The protocol is for Scrollback's own types.
public protocol Record: Hashable, Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Creates a record without any field.
    init()

    /// The fields, in the binary form.
    var fields: RecordFields<Self> { get set }

    /// The fields that the type has: their numbers, names and types.
    static var schema: Schema { get }
}

/// The fields of one record, in the binary form.
public struct RecordFields<Root: Record>: Sendable {
    var bytes: RecordBytes

    /// Creates no fields.
    public init() {
        bytes = .empty
    }

    init(_ bytes: RecordBytes) {
        self.bytes = bytes
    }
}

// MARK: Properties

extension Record {
    /// The value of a field, by the number it has in the schema.
    subscript<Value: FieldValue>(number: Int) -> Value {
        @inline(__always) get { fields.bytes.read(number) }
        set { fields.bytes.write(number, newValue) }
    }

    /// The value of a field that is written only where it differs from a default.
    subscript<Value: SingularValue & Equatable>(
        number: Int, default standard: Value
    ) -> Value {
        get { fields.bytes.read(number) ?? standard }
        set { fields.bytes.write(number, newValue == standard ? nil : newValue) }
    }

    init(_ bytes: RecordBytes) {
        self.init()
        fields = RecordFields(bytes)
    }

    /// Creates a record of several fields at once.
    ///
    /// - Precondition: As for ``RecordBytes/of(_:)``.
    @inline(__always)
    init(of fields: (inout FieldSink) -> Void) {
        self.init(RecordBytes.of(fields))
    }
}

// MARK: Binary form

extension Record {
    /// Returns the binary form: protobuf's wire format, described in Docs/scrollback.proto.
    ///
    /// Equal records have equal bytes.
    ///
    /// - Complexity: One copy of the bytes.
    public func serialize() -> Data {
        withSerializedBytes { bytes in
            bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
        }
    }

    /// The binary form as an array, without a copy where the record is not a part of another.
    public var serializedBytes: [UInt8] {
        let bytes = fields.bytes
        return bytes.count == bytes.bytes.count ? bytes.bytes : Array(bytes.bytes[bytes.range])
    }

    /// How many bytes the binary form has.
    public var serializedSize: Int { fields.bytes.count }

    /// Lends the binary form for the time of a call.
    public func withSerializedBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = fields.bytes
        return try bytes.bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[bytes.range]))
        }
    }

    /// Creates a record from its binary form.
    ///
    /// Takes what any protobuf writer makes of Docs/scrollback.proto. No bytes at all are a
    /// record without any field.
    ///
    /// - Throws: ``SerializationError`` with the offset of the damage: the input is cut short,
    ///   is not protobuf, contradicts the schema, or holds a text that is not UTF-8.
    /// - Complexity: O(*n*) in the bytes. Allocates one copy of them, and a second one if
    ///   the fields are not in the order that ``serialize()`` writes.
    public init(serialized data: Data) throws(SerializationError) {
        try self.init(serialized: data.withUnsafeBytes { [UInt8]($0) })
    }

    /// Creates a record from its binary form, without a copy of the bytes if they are as
    /// ``serialize()`` writes them.
    ///
    /// - Throws: ``SerializationError``, as `init(serialized: Data)`.
    public init(serialized bytes: [UInt8]) throws(SerializationError) {
        self.init(try RecordBytes(checking: bytes, layout: Self.schema.layout))
    }

    /// Creates a record from its binary form in memory that someone lends, such as a cursor.
    ///
    /// - Throws: ``SerializationError``, as `init(serialized: Data)`.
    public init(serialized bytes: UnsafeRawBufferPointer) throws(SerializationError) {
        try self.init(serialized: [UInt8](bytes))
    }
}

// MARK: Equality

extension Record {
    /// Whether two records have the same fields, those included that this version does not know.
    public static func == (left: Self, right: Self) -> Bool {
        left.fields.bytes == right.fields.bytes
    }

    /// Feeds the binary form into a hasher.
    public func hash(into hasher: inout Hasher) {
        withSerializedBytes { hasher.combine(bytes: $0) }
    }
}

extension RecordBytes {
    static func == (left: RecordBytes, right: RecordBytes) -> Bool {
        guard left.count == right.count else { return false }
        return left.bytes.withUnsafeBytes { leftBytes in
            right.bytes.withUnsafeBytes { rightBytes in
                guard let leftBase = leftBytes.baseAddress, let rightBase = rightBytes.baseAddress
                else { return true }
                return memcmp(
                    leftBase + left.range.lowerBound, rightBase + right.range.lowerBound,
                    left.count) == 0
            }
        }
    }
}

// MARK: Records in records

// All that `SingularValue` asks for. A type that may be in a field of another one says so by
// `extension Poll: SingularValue {}`, since a public protocol cannot ask for an internal one.
extension Record {
    static var element: FieldKind.Element {
        .record(name: schema.name) { Self.schema.layout }
    }

    static var wireType: WireType { .lengthDelimited }
    static var defaultValue: Self { Self() }
    var isDefault: Bool { false }
    var payloadSize: Int { Wire.size(ofDelimited: fields.bytes.count) }

    func writePayload(to writer: inout FieldWriter) {
        writer.varint(UInt64(fields.bytes.count))
        writer.copy(fields.bytes.bytes, fields.bytes.range)
    }

    static func readPayload(_ storage: RecordBytes, at offset: inout Int) -> Self {
        Self(storage.nestedRecord(at: &offset))
    }

    static func decode(from decoder: any Decoder) throws -> Self {
        try Self(from: decoder)
    }
}

extension RecordBytes {
    /// The record whose length is at an offset, sharing the bytes; moves `offset` behind it.
    func nestedRecord(at offset: inout Int) -> RecordBytes {
        let count = Int(truncatingIfNeeded: bytes.span.bytes.varint(at: &offset))
        defer { offset += count }
        return RecordBytes(bytes: bytes, range: offset..<offset + count)
    }

    /// The record in a field; an empty one if it is not there.
    func nestedRecord(in number: Int) -> RecordBytes {
        guard let place = place(of: number) else { return .empty }
        var offset = place.payload
        return nestedRecord(at: &offset)
    }
}

// MARK: Description

extension Record {
    /// The fields that are there under their names in JSON, such as "Reaction(key: "+1")".
    public var description: String {
        let parts = Self.schema.fields(in: fields.bytes)
            .map { "\($0.name): \($0.describe(fields.bytes))" }
        return "\(Self.schema.name)(\(parts.joined(separator: ", ")))"
    }

    /// The fields that are there, as a debugger shows them.
    public var customMirror: Mirror {
        let children: [Mirror.Child] = Self.schema.fields(in: fields.bytes)
            .map { ($0.name, $0.value(in: fields.bytes)) }
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
