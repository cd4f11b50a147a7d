public import Foundation

/// A value of the data model, such as a message, a channel, a user, a query, or a part of one of
/// these.
///
/// A record consists of its binary form: canonical bytes in protobuf's wire format, which are
/// validated once, when it is decoded. Copying increments a reference count, and comparing compares
/// bytes. Unknown fields survive every change.
///
/// A getter searches the bytes and creates the text or array that it returns: keep a value that you
/// need often in a variable. A setter writes all bytes again. A nested record keeps all bytes of
/// its container in memory.
///
/// Only Scrollback's own types conform to this protocol.
public protocol Record: Hashable, Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Creates an empty record.
    init()

    /// The binary form.
    var fields: RecordFields<Self> { get set }

    /// The fields of this record type.
    static var schema: Schema { get }
}

/// The fields of a record in their binary form.
public struct RecordFields<Root: Record>: Sendable {
    var bytes: RecordBytes

    /// Creates an empty set of fields.
    public init() {
        bytes = .empty
    }

    init(_ bytes: RecordBytes) {
        self.bytes = bytes
    }
}

// MARK: Properties

extension Record {
    subscript<Value: FieldValue>(number: Int) -> Value {
        @inline(__always) get { fields.bytes.read(number) }
        set { fields.bytes.write(number, newValue) }
    }

    /// Accesses a field that is not written if it equals `standard`.
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

    /// Creates a record with one allocation; see ``RecordBytes/of(_:)`` for the precondition.
    @inline(__always)
    init(of fields: (inout FieldSink) -> Void) {
        self.init(RecordBytes.of(fields))
    }
}

// MARK: Comparing

extension Record {
    /// Returns the names of differing fields in the schema's order; `extra` for unknown fields.
    package func namesOfFields(differentFrom other: Self) -> [String] {
        let (mine, theirs) = (fields.bytes, other.fields.bytes)
        let different = Set(mine.numbers).union(theirs.numbers).filter { number in
            !mine.bytes[mine.run(of: number)].elementsEqual(theirs.bytes[theirs.run(of: number)])
        }
        let known = Self.schema.fields.filter { different.contains($0.number) }
        let names = known.map(\.name)
        return known.count == different.count ? names : names + ["extra"]
    }
}

// MARK: Binary form

extension Record {
    /// Returns a copy of the binary form, as defined by Docs/scrollback.proto.
    ///
    /// Equal records have equal bytes.
    public func serialize() -> Data {
        withSerializedBytes { bytes in
            bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
        }
    }

    /// The binary form as an array; a copy only if the record is nested in another one.
    public var serializedBytes: [UInt8] {
        let bytes = fields.bytes
        return bytes.count == bytes.bytes.count
            ? Array(bytes.bytes) : Array(bytes.bytes[bytes.range])
    }

    /// The number of bytes of the binary form.
    public var serializedByteCount: Int { fields.bytes.count }

    /// Calls a closure with the bytes of the binary form, valid only during the call.
    public func withSerializedBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = fields.bytes
        return try bytes.bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[bytes.range]))
        }
    }

    /// Creates a record from its binary form, as defined by Docs/scrollback.proto.
    ///
    /// Empty data is a record without any fields.
    ///
    /// - Throws: ``SerializationError`` with the offset of the damage if the input is truncated, is
    ///   not protobuf, contradicts the schema, or contains a text that is not UTF-8.
    /// - Complexity: O(*n*) in the number of bytes, which are copied once, and again if they differ
    ///   from the form of ``serialize()``.
    public init(serialized data: Data) throws(SerializationError) {
        try self.init(serialized: data.withUnsafeBytes { [UInt8]($0) })
    }

    /// Creates a record from its binary form, without copying bytes that have the form of
    /// ``serialize()``.
    ///
    /// - Throws: ``SerializationError``, as `init(serialized: Data)`.
    public init(serialized bytes: [UInt8]) throws(SerializationError) {
        self.init(try RecordBytes(checking: ContiguousArray(bytes), layout: Self.schema.layout))
    }

    /// Creates a record from a copy of borrowed bytes.
    ///
    /// - Throws: ``SerializationError``, as `init(serialized: Data)`.
    public init(serialized bytes: UnsafeRawBufferPointer) throws(SerializationError) {
        try self.init(serialized: [UInt8](bytes))
    }
}

// MARK: Equality

extension Record {
    /// Compares all fields, including unknown ones.
    public static func == (left: Self, right: Self) -> Bool {
        left.fields.bytes == right.fields.bytes
    }

    /// Hashes the binary form.
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

// The requirements of `SingularValue`. A public protocol cannot refine an internal one, so each
// nested record type declares the conformance.
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
    func nestedRecord(at offset: inout Int) -> RecordBytes {
        let count = Int(truncatingIfNeeded: bytes.span.bytes.varint(at: &offset))
        defer { offset += count }
        return RecordBytes(bytes: bytes, range: offset..<offset + count)
    }

    /// Returns an empty record if the field is missing.
    func nestedRecord(in number: Int) -> RecordBytes {
        guard let location = location(of: number) else { return .empty }
        var offset = location.payload
        return nestedRecord(at: &offset)
    }
}

// MARK: Description

extension Record {
    /// The present fields under their JSON names, such as "Reaction(key: "+1")".
    public var description: String {
        let parts = Self.schema.fields(in: fields.bytes)
            .map { "\($0.name): \($0.describe(fields.bytes))" }
        return "\(Self.schema.name)(\(parts.joined(separator: ", ")))"
    }

    /// The present fields, for debuggers.
    public var customMirror: Mirror {
        let children: [Mirror.Child] = Self.schema.fields(in: fields.bytes)
            .map { ($0.name, $0.value(in: fields.bytes)) }
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
