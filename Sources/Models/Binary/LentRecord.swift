/// A view of a record in borrowed memory, such as a database cursor's, valid only during the call
/// that lends it.
///
/// Sorting a list reads a few fields of every row: creating records would take most of the time.
package struct LentRecord<Root: Record> {
    private let bytes: UnsafeRawBufferPointer

    /// - Precondition: The bytes are a canonical record.
    fileprivate init(canonical bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Validates the bytes, and calls a closure with a view of the record.
    ///
    /// Allocates memory only if the bytes differ from the form of `serialize()`.
    @inline(__always)
    package static func read<Result>(
        _ bytes: UnsafeRawBufferPointer, _ body: (LentRecord) -> Result
    ) throws(SerializationError) -> Result {
        guard bytes.count < Wire.maximumSize else {
            throw SerializationError(.tooLarge, at: Wire.maximumSize)
        }
        let isCanonical = try Validator.check(
            bytes.bytes, from: 0, to: bytes.count, layout: Root.schema.layout, depth: 0)
        if isCanonical { return body(LentRecord(canonical: bytes)) }
        return try Root(serialized: bytes).withLentRecord(body)
    }

    /// A copy that owns its bytes.
    package var record: Root {
        Root(RecordBytes(bytes: ContiguousArray(bytes), range: 0..<bytes.count))
    }

    fileprivate func text(_ number: Int) -> UnsafeRawBufferPointer {
        delimited(number) ?? UnsafeRawBufferPointer(rebasing: bytes[..<0])
    }

    fileprivate func timestamp(_ number: Int) -> Timestamp {
        let span = bytes.bytes
        guard var offset = span.location(of: number, from: 0, to: bytes.count)?.payload else {
            return 0
        }
        return Timestamp(milliseconds: Int64(bitPattern: span.varint(at: &offset)))
    }

    fileprivate func nested<Part: Record>(_ number: Int) -> LentRecord<Part>? {
        delimited(number).map { LentRecord<Part>(canonical: $0) }
    }

    @inline(__always)
    private func delimited(_ number: Int) -> UnsafeRawBufferPointer? {
        let span = bytes.bytes
        guard var offset = span.location(of: number, from: 0, to: bytes.count)?.payload else {
            return nil
        }
        let count = Int(truncatingIfNeeded: span.varint(at: &offset))
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }
}

extension Record {
    @inline(__always)
    package func withLentRecord<Result>(_ body: (LentRecord<Self>) -> Result) -> Result {
        withSerializedBytes { body(LentRecord(canonical: $0)) }
    }
}

// MARK: Sort keys of channel lists

extension LentRecord where Root: Channel {
    package var url: UnsafeRawBufferPointer { text(1) }

    package var name: UnsafeRawBufferPointer { text(2) }

    package var createdAt: Timestamp { timestamp(5) }
}

extension LentRecord where Root == GroupChannel {
    package var lastMessageAt: Timestamp? {
        (nested(36) as LentRecord<Message>?).map { $0.timestamp(3) }
    }
}
