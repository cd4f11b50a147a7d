package import Models

/// Reads the output of ``ByteWriter`` from bytes that may be corrupted.
package struct ByteReader {
    /// The error for bytes that are truncated, or that the store cannot have written.
    package struct Damage: Error, CustomStringConvertible {
        private let text: String

        package init(offset: Int, expected: String) {
            text = "expected \(expected) at byte \(offset)"
        }

        package init(endOfDataAt offset: Int) {
            text = "unexpected end of data at byte \(offset)"
        }

        package var description: String { text }
    }

    private let bytes: UnsafeRawBufferPointer
    package private(set) var offset = 0
    private var mask: UInt8 = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var isAtEnd: Bool { offset == bytes.count }

    package mutating func byte() throws(Damage) -> UInt8 {
        guard offset < bytes.count else { throw Damage(endOfDataAt: offset) }
        defer { offset += 1 }
        return bytes[offset] ^ mask
    }

    package mutating func integer<Value: FixedWidthInteger>(
        _ type: Value.Type = Value.self
    ) throws(Damage) -> Value {
        let size = MemoryLayout<Value>.size
        guard offset + size <= bytes.count else {
            throw Damage(offset: offset, expected: "an integer of \(size) bytes")
        }
        var value: Value = 0
        for index in offset..<offset + size { value = value << 8 | Value(bytes[index] ^ mask) }
        offset += size
        return value
    }

    /// Reads the next `count` bytes, inverted again within ``descending(_:)``.
    mutating func bytes(_ count: Int) throws(Damage) -> [UInt8] {
        guard count <= bytes.count - offset else {
            throw Damage(offset: offset, expected: "\(count) bytes")
        }
        defer { offset += count }
        return bytes[offset..<offset + count].map { $0 ^ mask }
    }

    mutating func rest() throws(Damage) -> [UInt8] { try bytes(bytes.count - offset) }

    /// Reads a text of `count` bytes; by default, of all remaining bytes.
    package mutating func text(_ count: Int? = nil) throws(Damage) -> String {
        let end = offset + (count ?? bytes.count - offset)
        guard end <= bytes.count else {
            throw Damage(offset: offset, expected: "a text of \(end - offset) bytes")
        }
        let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
        let text =
            mask == 0
            ? String(validUTF8: part) : part.map { $0 ^ mask }.withBytes { String(validUTF8: $0) }
        guard let text else { throw Damage(offset: offset, expected: "a text in UTF-8") }
        offset = end
        return text
    }

    /// Reads a text that ends before a byte, or with the data.
    mutating func text(before mark: UInt8) throws(Damage) -> String {
        let rest = bytes[offset...]
        return try text((rest.firstIndex(of: mark) ?? rest.endIndex) - offset)
    }

    package mutating func measured() throws(Damage) -> String {
        try text(Int(try integer(UInt16.self)))
    }

    mutating func optional() throws(Damage) -> String? {
        let size = try integer(UInt32.self)
        return size == 0 ? nil : try text(Int(size) - 1)
    }

    @inline(__always)
    mutating func varint() throws(Damage) -> UInt64 { try bytes.varint(at: &offset) }

    package mutating func timestamp() throws(Damage) -> Timestamp {
        Timestamp(milliseconds: Int64(bitPattern: try integer(UInt64.self) ^ (1 << 63)))
    }

    package mutating func position() throws(Damage) -> Position {
        Position(createdAt: try timestamp(), messageID: MessageID(try measured()))
    }

    package mutating func descending<Value>(
        _ read: (inout ByteReader) throws(Damage) -> Value
    ) throws(Damage) -> Value {
        mask = ~mask
        defer { mask = ~mask }
        return try read(&self)
    }

    package func end() throws(Damage) {
        if !isAtEnd { throw Damage(offset: offset, expected: "the end of the data") }
    }
}
