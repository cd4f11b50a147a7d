package import Models

/// Bytes of a key or of a value, as they are written.
///
/// Keys are compared byte by byte, so what is written here orders as the values do: integers with
/// the highest byte first, signed ones with the sign flipped. DO NOT CHANGE: on people's disks.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    package var count: Int { bytes.count }

    /// Makes room for so many bytes in all.
    mutating func reserve(_ capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Begins anew, in the room there is.
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

    /// A text behind its length in two bytes, so that something may follow it.
    ///
    /// Orders by length, then by bytes. A text beyond ``Limits/nameSize`` is never stored; looked
    /// for, it is not found, and lies behind all others.
    @inline(__always)
    package mutating func measured(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            integer(UInt16(clamping: utf8.count))
            // What is stored may begin with the same bytes and go on, but never begins with this.
            if utf8.count > Limits.nameSize { byte(0xFF) }
            bytes.append(contentsOf: utf8)
        }
    }

    /// A text that may be missing: its length plus one in four bytes, or zero.
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

    /// Turns around the order of what a closure writes: what is greater comes first.
    @inline(__always)
    package mutating func descending(_ write: (inout ByteWriter) -> Void) {
        let start = bytes.count
        write(&self)
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in start..<bytes.count { bytes[index] = ~bytes[index] }
        }
    }
}

/// What a key can hold.
package enum Limits {
    /// The most bytes of a name in a key: an id, a channel's URL.
    package static let nameSize = 0xFFFF
}

// MARK: Keys as values

/// The bytes of a key that is looked up or walked to.
package typealias KeyBytes = [UInt8]

extension ByteWriter {
    package static func key(_ write: (inout ByteWriter) -> Void) -> KeyBytes {
        var writer = ByteWriter(capacity: 48)
        write(&writer)
        return writer.bytes
    }
}

/// The keys from a lower one, included, to an upper one, not included.
package struct KeyRange: Hashable, Sendable {
    package var lower: KeyBytes
    package var upper: KeyBytes

    /// All keys that begin with some bytes.
    package init(prefix: KeyBytes) {
        lower = prefix
        upper = prefix.successorOfPrefix
    }

    package init(_ lower: KeyBytes, _ upper: KeyBytes) {
        self.lower = lower
        self.upper = upper
    }

    /// All keys there are: no table's letter is 0xFF.
    package static let all = KeyRange([], [0xFF])
}

extension KeyBytes {
    /// The first key behind all that begin with these bytes.
    package var successorOfPrefix: KeyBytes {
        var successor = self
        while let last = successor.popLast() {
            if last < 0xFF { return successor + [last + 1] }
        }
        // Nothing is behind a prefix of 0xFF alone; no table's letter is that.
        return [0xFF]
    }
}
