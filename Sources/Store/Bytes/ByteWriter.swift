package import Models

/// Writes a key or a value, with bytes in the order of the values.
///
/// Integers are big-endian, and the sign bit of signed integers is inverted. On-disk format, DO NOT
/// CHANGE.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    package var count: Int { bytes.count }

    mutating func reserve(_ capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    @inline(__always)
    package mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    @inline(__always)
    package mutating func integer<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    @inline(__always)
    package mutating func raw(_ buffer: UnsafeRawBufferPointer) { bytes.append(contentsOf: buffer) }

    package mutating func raw(_ other: [UInt8]) { bytes.append(contentsOf: other) }

    @inline(__always)
    package mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Writes a text with a two-byte length prefix, so that other fields may follow the text.
    ///
    /// Such texts are ordered by length, then by bytes. Longer texts than ``Limits/nameSize`` are
    /// rejected; a lookup finds none.
    @inline(__always)
    package mutating func measured(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            integer(UInt16(clamping: utf8.count))
            // A longer text gets the length of one that may be stored. The byte 0xFF, which UTF-8
            // never contains, makes the keys different.
            if utf8.count > Limits.nameSize { byte(0xFF) }
            bytes.append(contentsOf: utf8)
        }
    }

    /// Writes an optional text: four bytes with its length plus one, and then the text; zero if the
    /// text is missing.
    mutating func optional(_ text: String?) {
        guard let text else { return integer(UInt32(0)) }
        integer(UInt32(text.utf8.count) + 1)
        self.text(text)
    }

    @inline(__always)
    package mutating func timestamp(_ time: Timestamp) {
        integer(UInt64(bitPattern: time.milliseconds) ^ (1 << 63))
    }

    @inline(__always)
    package mutating func position(_ position: Position) {
        timestamp(position.createdAt)
        measured(position.messageID.rawValue)
    }

    /// Inverts the bytes that `write` appends, so that greater values sort first.
    @inline(__always)
    package mutating func descending(_ write: (inout ByteWriter) -> Void) {
        let start = bytes.count
        write(&self)
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in start..<bytes.count { bytes[index] = ~bytes[index] }
        }
    }
}

package enum Limits {
    /// The maximum number of bytes of an ID or a URL in a key.
    package static let nameSize = 0xFFFF
}

// MARK: Keys as values

package typealias KeyBytes = [UInt8]

extension ByteWriter {
    package static func key(_ write: (inout ByteWriter) -> Void) -> KeyBytes {
        var writer = ByteWriter(capacity: 48)
        write(&writer)
        return writer.bytes
    }
}

/// A range of keys, from an inclusive lower bound to an exclusive upper bound.
package struct KeyRange: Hashable, Sendable {
    package var lower: KeyBytes
    package var upper: KeyBytes

    package init(prefix: KeyBytes) {
        lower = prefix
        upper = prefix.successorOfPrefix
    }

    package init(_ lower: KeyBytes, _ upper: KeyBytes) {
        self.lower = lower
        self.upper = upper
    }

    /// The range of all keys, because the letter of each table is less than 0xFF.
    package static let all = KeyRange([], [0xFF])
}

extension KeyBytes {
    /// The smallest key that is greater than all keys with this prefix.
    package var successorOfPrefix: KeyBytes {
        var successor = self
        while let last = successor.popLast() {
            if last < 0xFF { return successor + [last + 1] }
        }
        // This key follows the keys of all tables.
        return [0xFF]
    }
}
