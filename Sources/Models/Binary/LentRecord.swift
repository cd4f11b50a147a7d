/// A record in memory that somebody lends, such as a cursor: read in place, for the time of a call.
///
/// What lists are sorted by is read of every row; making a record of each is what takes longest then.
package struct LentRecord<Root: Record> {
    private let bytes: UnsafeRawBufferPointer

    /// - Precondition: The bytes are a canonical record.
    fileprivate init(canonical bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Looks at a record in its binary form.
    ///
    /// - Throws: ``SerializationError``, as `Record.init(serialized:)` does.
    /// - Complexity: O(*n*) in the bytes, all of which are checked; nothing is allocated if they are as
    ///   `serialize()` writes them.
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
        return try Root(serialized: bytes).lend(body)
    }

    /// The record, with bytes of its own.
    package var record: Root {
        Root(RecordBytes(bytes: [UInt8](bytes), range: 0..<bytes.count))
    }

    /// The bytes of a text; none if it is not there.
    fileprivate func text(_ number: Int) -> UnsafeRawBufferPointer {
        delimited(number) ?? UnsafeRawBufferPointer(rebasing: bytes[..<0])
    }

    fileprivate func timestamp(_ number: Int) -> Timestamp {
        let span = bytes.bytes
        guard var offset = span.place(of: number, from: 0, to: bytes.count)?.payload else {
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
        guard var offset = span.place(of: number, from: 0, to: bytes.count)?.payload else {
            return nil
        }
        let count = Int(truncatingIfNeeded: span.varint(at: &offset))
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }
}

extension Record {
    /// Lends the record for the time of a call.
    @inline(__always)
    package func lend<Result>(_ body: (LentRecord<Self>) -> Result) -> Result {
        withSerializedBytes { body(LentRecord(canonical: $0)) }
    }
}

// MARK: What lists of channels are sorted by

extension LentRecord where Root: Channel {
    /// The bytes of ``Channel/url``.
    package var url: UnsafeRawBufferPointer { text(1) }

    /// The bytes of ``Channel/name``.
    package var name: UnsafeRawBufferPointer { text(2) }

    /// When it was created.
    package var createdAt: Timestamp { timestamp(5) }
}

extension LentRecord where Root == GroupChannel {
    /// When its last message was created; `nil` in an empty channel.
    package var lastMessageAt: Timestamp? {
        (nested(36) as LentRecord<Message>?).map { $0.timestamp(3) }
    }
}
