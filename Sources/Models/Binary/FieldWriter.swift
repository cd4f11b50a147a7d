/// A record passes its fields to two sinks: one without a `writer` adds up their sizes.
struct FieldSink {
    var writer: FieldWriter?
    var size = 0
    private var last = 0

    init(writer: FieldWriter?) {
        self.writer = writer
    }

    @inline(__always)
    mutating func put<Value: FieldValue>(_ number: Int, _ value: Value) {
        assert(number > last, "Field \(number) was put after field \(last).")
        last = number
        if writer == nil {
            size += value.size(inField: number)
        } else {
            value.write(inField: number, to: &writer!)
        }
    }
}

/// Every write checks the bounds, in release builds too.
struct FieldWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var offset = 0

    init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    @inline(__always)
    private mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        precondition(count <= buffer.count - offset, "A field was measured too small.")
        defer { offset += count }
        // Only an empty buffer has no address, and `count` is then 0.
        return (buffer.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 1).unsafelyUnwrapped)
            + offset
    }

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        reserve(1).storeBytes(of: byte, as: UInt8.self)
    }

    @inline(__always)
    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            byte(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest))
    }

    @inline(__always)
    mutating func tag(_ number: Int, _ type: WireType) {
        varint(UInt64(number) << 3 | UInt64(type.rawValue))
    }

    mutating func fixed64(_ bits: UInt64) {
        reserve(8).storeBytes(of: bits.littleEndian, as: UInt64.self)
    }

    @inline(__always)
    mutating func text(_ text: String, count: Int) {
        varint(UInt64(count))
        let target = reserve(count)
        var text = text
        text.withUTF8 { utf8 in
            precondition(utf8.count == count, "A text was measured and written differently.")
            if let source = utf8.baseAddress { target.copyMemory(from: source, byteCount: count) }
        }
    }

    mutating func copy(_ bytes: ContiguousArray<UInt8>, _ range: Range<Int>) {
        bytes.withUnsafeBytes { copy(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    mutating func copy(_ bytes: UnsafeRawBufferPointer) {
        let target = reserve(bytes.count)
        if let source = bytes.baseAddress {
            target.copyMemory(from: source, byteCount: bytes.count)
        }
    }
}
