/// The bytes of a record: an array or, if it is nested, a range of the outer record's array.
///
/// They are always in the canonical form that `Validator` describes. A setter writes a new array.
struct RecordBytes: Sendable {
    // `Array.span` requires macOS 26 and iOS 26; converting an array copies nothing.
    let bytes: ContiguousArray<UInt8>
    private let lower: Int32
    private let upper: Int32

    static let empty = RecordBytes(bytes: [], range: 0..<0)

    /// - Precondition: The range holds a canonical record and ends below `Wire.maximumSize`.
    init(bytes: ContiguousArray<UInt8>, range: Range<Int>) {
        self.bytes = bytes
        self.lower = Int32(range.lowerBound)
        self.upper = Int32(range.upperBound)
    }

    var range: Range<Int> {
        // The bounds were valid at creation, and never change.
        @inline(__always) get { Range(uncheckedBounds: (Int(lower), Int(upper))) }
    }

    var count: Int { Int(upper - lower) }
}

// MARK: From foreign bytes

extension RecordBytes {
    init(checking bytes: ContiguousArray<UInt8>, layout: Layout) throws(SerializationError) {
        guard bytes.count < Wire.maximumSize else {
            throw SerializationError(.tooLarge, at: Wire.maximumSize)
        }
        let span = bytes.span.bytes
        let isCanonical = try Validator.check(
            span, from: 0, to: bytes.count, layout: layout, depth: 0)
        if isCanonical {
            self.init(bytes: bytes, range: 0..<bytes.count)
        } else {
            var canonical: [UInt8] = []
            canonical.reserveCapacity(bytes.count)
            Canonicalizer.append(span, bytes.indices, layout: layout, to: &canonical)
            guard canonical.count < Wire.maximumSize else {
                throw SerializationError(.tooLarge, at: bytes.count)
            }
            self.init(bytes: ContiguousArray(canonical), range: canonical.indices)
        }
    }
}

// MARK: Fields

struct FieldLocation {
    let tag: Int
    /// The offset at which ``tag`` ends.
    let payload: Int
}

extension RecordBytes {
    /// The time is O(*f*) in the number of fields with lower numbers.
    @inline(never)
    func location(of number: Int) -> FieldLocation? {
        let span = bytes.span.bytes
        var offset = range.lowerBound
        let end = range.upperBound
        // The unchecked reads in the loop rely on this check.
        precondition(0 <= offset && end <= span.byteCount)
        let wanted = UInt64(truncatingIfNeeded: number) << 3
        while offset < end {
            let start = offset
            var tag = UInt64(span.uncheckedByte(at: offset))
            offset &+= 1
            if tag >= 0x80 {
                offset = start
                tag = span.varint(at: &offset)
            }
            if tag >= wanted {
                return tag &- wanted < 8 ? FieldLocation(tag: start, payload: offset) : nil
            }
            if tag & 7 == UInt64(WireType.lengthDelimited.rawValue), offset < end {
                let count = Int(span.uncheckedByte(at: offset))
                if count < 0x80 {
                    offset &+= 1 &+ count
                    continue
                }
            }
            span.skipPayload(UInt8(truncatingIfNeeded: tag & 7), at: &offset)
        }
        return nil
    }

    /// Returns the range of a field; for a missing one, an empty range where it would be inserted.
    func run(of number: Int) -> Range<Int> {
        let span = bytes.span.bytes
        var start = range.upperBound
        var offset = range.lowerBound
        while offset < range.upperBound {
            let tagOffset = offset
            let tag = span.varint(at: &offset)
            let found = Int(truncatingIfNeeded: tag >> 3)
            if found >= number { start = min(start, tagOffset) }
            if found > number { return start..<tagOffset }
            span.skipPayload(UInt8(truncatingIfNeeded: tag & 7), at: &offset)
        }
        return start..<range.upperBound
    }

    @inline(__always)
    func read<Value: FieldValue>(_ number: Int) -> Value {
        guard let location = location(of: number) else { return Value.absent }
        return Value.read(self, at: location, number)
    }

    mutating func write<Value: FieldValue>(_ number: Int, _ value: Value) {
        let run = run(of: number)
        let size = value.size(inField: number)
        if size == 0 && run.isEmpty { return }
        replace(run, size: size) { value.write(inField: number, to: &$0) }
    }

    mutating func remove(_ number: Int) {
        let run = run(of: number)
        if !run.isEmpty { replace(run, size: 0) { _ in } }
    }

    mutating func copyField(_ number: Int, from source: RecordBytes) {
        let copied = source.run(of: number)
        replace(run(of: number), size: copied.count) { $0.copy(source.bytes, copied) }
    }

    @inline(__always)
    private mutating func replace(
        _ run: Range<Int>, size: Int, with write: (inout FieldWriter) -> Void
    ) {
        let old = self
        self = RecordBytes(count: count - run.count + size) { writer in
            writer.copy(old.bytes, old.range.lowerBound..<run.lowerBound)
            write(&writer)
            writer.copy(old.bytes, run.upperBound..<old.range.upperBound)
        }
    }

    /// The present numbers, ascending and without duplicates.
    var numbers: [Int] {
        var numbers: [Int] = []
        forEachRun { number, _ in numbers.append(number) }
        return numbers
    }

    /// Calls a closure with the present numbers, ascending, and with the bytes of their fields.
    private func forEachRun(_ body: (_ number: Int, _ run: Range<Int>) -> Void) {
        let span = bytes.span.bytes
        var offset = range.lowerBound
        var open: (number: Int, start: Int)?
        while offset < range.upperBound {
            let start = offset
            let tag = span.varint(at: &offset)
            let number = Int(truncatingIfNeeded: tag >> 3)
            if let last = open, last.number != number { body(last.number, last.start..<start) }
            if open?.number != number { open = (number, start) }
            span.skipPayload(UInt8(truncatingIfNeeded: tag & 7), at: &offset)
        }
        if let open { body(open.number, open.start..<range.upperBound) }
    }

    func keeping(_ isKept: (Int) -> Bool) -> RecordBytes {
        var kept: ContiguousArray<UInt8> = []
        forEachRun { number, run in if isKept(number) { kept += bytes[run] } }
        return RecordBytes(bytes: kept, range: kept.indices)
    }

    /// Copies some of the fields that these bytes lack, in O(*f*) of all fields.
    mutating func addMissing(from source: RecordBytes, where isIncluded: (Int) -> Bool) {
        var added: [(number: Int, run: Range<Int>)] = []
        source.forEachRun { number, run in if isIncluded(number) { added.append((number, run)) } }
        guard !added.isEmpty else { return }
        var result: ContiguousArray<UInt8> = []
        var next = added.startIndex
        func add(before number: Int) {
            while next < added.endIndex, added[next].number < number {
                result += source.bytes[added[next].run]
                next += 1
            }
        }
        forEachRun { number, run in
            add(before: number)
            if next < added.endIndex, added[next].number == number { next += 1 }
            result += bytes[run]
        }
        add(before: .max)
        precondition(result.count < Wire.maximumSize, "A record must stay below 1 GiB.")
        self = RecordBytes(bytes: result, range: result.indices)
    }
}

// MARK: Building

extension RecordBytes {
    init(count: Int, _ write: (inout FieldWriter) -> Void) {
        precondition(count < Wire.maximumSize, "A record must stay below 1 GiB.")
        // All empty arrays share their storage, and the initializer below writes the count into it:
        // a harmless data race.
        guard count > 0 else {
            self = .empty
            return
        }
        let bytes = ContiguousArray<UInt8>(unsafeUninitializedCapacity: count) {
            buffer, initializedCount in
            var writer = FieldWriter(UnsafeMutableRawBufferPointer(buffer))
            write(&writer)
            precondition(writer.offset == count, "A field was measured and written differently.")
            initializedCount = count
        }
        self.init(bytes: bytes, range: 0..<count)
    }

    /// Creates a record from several fields with one allocation.
    ///
    /// It calls `fields` to measure, and again to write.
    ///
    /// - Precondition: Both calls pass the same fields, in ascending order of numbers.
    @inline(__always)
    static func of(_ fields: (inout FieldSink) -> Void) -> RecordBytes {
        var measure = FieldSink(writer: nil)
        fields(&measure)
        return RecordBytes(count: measure.size) { writer in
            var sink = FieldSink(writer: writer)
            fields(&sink)
            sink.writer.map { writer = $0 }
        }
    }
}
