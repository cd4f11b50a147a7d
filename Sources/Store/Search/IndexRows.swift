import Models

// On-disk format of the search index, do not change: see Docs/Format.md. With a new number in
// ``SearchIndex/format``, the messages are indexed again.

typealias SegmentNumber = UInt32

enum SearchIndex {
    static let format: UInt8 = 3
    /// In bytes; a longer word is indexed by its first bytes.
    static let termSize = 32
    static let documentsPerRow = 256
    /// The size in bytes at which the next row of terms begins.
    static let blockSize = 1024
    static let segmentMessageCount = 512
    /// A limit that is never reached: each row has at least one message.
    static let maximumUnsegmentedRowCount: UInt32 = 1 << 16
    /// The number of documents below which a segment belongs to the first size class.
    static let firstSizeClassBound = 256
    /// The number of segments of about the same size that are merged into one.
    static let mergedCount = 8
    static let maximumSegmentSize = 1 << 18
}

/// An entry of a segment: the messages of a channel that were created at the same time.
struct Document: Hashable {
    let time: Timestamp
    let channel: ChannelNumber

    /// Documents are ordered by time, newest first.
    @inline(__always)
    func precedes(_ other: Document) -> Bool {
        time == other.time ? channel < other.channel : time > other.time
    }
}

/// An occurrence of a term in a document: the document's index, and the numbers of the words that
/// equal the term.
///
/// The numbers are a set of eight bits: bit *n* is set if the number of an equal word is *n* modulo
/// 8. A search for two adjacent words thereby excludes most documents in which they are not
///    adjacent.
struct Posting: Hashable {
    /// The document's index in the upper 24 bits, the set of words in the lower eight.
    var bits: UInt32

    @inline(__always)
    init(bits: UInt32) { self.bits = bits }

    @inline(__always)
    init(_ index: Int, words: UInt8) { bits = UInt32(index) << 8 | UInt32(words) }

    @inline(__always)
    var index: Int { Int(bits >> 8) }

    @inline(__always)
    var words: UInt8 { UInt8(truncatingIfNeeded: bits) }

    @inline(__always)
    func with(words: UInt8) -> Posting { Posting(bits: bits & ~0xFF | UInt32(words)) }
}

struct IndexSegment: Sendable {
    let number: SegmentNumber
    let documentCount: Int
    let newest: Timestamp
    let oldest: Timestamp
    let filter: TermFilter
}

// MARK: Keys

extension ByteWriter {
    mutating func unsegmentedKey(_ row: UInt32) { table(.unsegmented, row) }

    mutating func segmentKey(_ number: SegmentNumber) { table(.segment, number) }

    mutating func documentsKey(_ segment: SegmentNumber, row: Int) {
        table(.documents, segment)
        integer(UInt32(row))
    }

    /// The last entry of the row is an occurrence of `term` in the document `last`.
    mutating func termsKey(
        _ segment: SegmentNumber, _ term: UnsafeBufferPointer<UInt8>, _ last: Int
    ) {
        table(.terms, segment)
        raw(UnsafeRawBufferPointer(term))
        // Terms contain no zero byte, so the keys have the order of the terms.
        byte(0)
        integer(UInt32(last))
    }

    /// Writes groups of seven bits, the lowest first.
    @inline(__always)
    mutating func varint(_ value: UInt64) {
        var value = value
        while value > 0x7F {
            byte(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        byte(UInt8(truncatingIfNeeded: value))
    }
}

// MARK: Values

extension IndexSegment {
    func write(to writer: inout ByteWriter) {
        writer.integer(UInt32(documentCount))
        writer.timestamp(newest)
        writer.timestamp(oldest)
        writer.raw(filter.bytes)
    }

    init(_ number: SegmentNumber, _ reader: inout ByteReader) throws(ByteReader.Damage) {
        self.number = number
        documentCount = Int(try reader.integer(UInt32.self))
        newest = try reader.timestamp()
        oldest = try reader.timestamp()
        filter = try TermFilter(&reader)
        guard 1...SearchIndex.maximumSegmentSize ~= documentCount, oldest <= newest else {
            throw ByteReader.Damage(offset: 0, expected: "a segment")
        }
    }
}

struct IndexedPart: Hashable {
    /// Of the messages that were stored before the index existed, the key of the one that was
    /// indexed last; empty if none is indexed, and `nil` if all are.
    var last: KeyBytes?

    func write(to writer: inout ByteWriter) {
        writer.byte(SearchIndex.format)
        writer.byte(last == nil ? 1 : 0)
        writer.raw(last ?? [])
    }

    init(last: KeyBytes?) { self.last = last }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        guard try reader.byte() == SearchIndex.format else {
            throw ByteReader.Damage(offset: 0, expected: "the format of this version")
        }
        switch try reader.byte() {
        case 0: last = try reader.rest()
        case 1: last = nil
        default: throw ByteReader.Damage(offset: 1, expected: "a Boolean value")
        }
    }
}

struct DocumentRow {
    private(set) var documents: [Document] = []

    static func write(_ documents: ArraySlice<Document>, to writer: inout ByteWriter) {
        guard var time = documents.first?.time else { return }
        writer.timestamp(time)
        for document in documents {
            writer.varint(UInt64(bitPattern: time.milliseconds &- document.time.milliseconds))
            writer.varint(UInt64(document.channel))
            time = document.time
        }
    }

    init(_ reader: inout ByteReader, count: Int? = nil) throws(ByteReader.Damage) {
        var time = try reader.timestamp().milliseconds
        documents.reserveCapacity(count ?? 1)
        while !reader.isAtEnd {
            time = time &- Int64(bitPattern: try reader.varint())
            guard let channel = ChannelNumber(exactly: try reader.varint()) else {
                throw ByteReader.Damage(offset: reader.offset, expected: "the number of a channel")
            }
            documents.append(Document(time: Timestamp(milliseconds: time), channel: channel))
        }
        if let count, documents.count != count {
            throw ByteReader.Damage(
                offset: reader.offset, expected: "the end of \(count) documents")
        }
    }
}

// MARK: Terms

/// Writes the rows of a segment's terms, in order.
///
/// A row consists of entries, one for each term. An entry consists of:
/// - the number of bytes that the term shares with the previous term of the row,
/// - the number of its other bytes, and these bytes,
/// - the number of bytes of its occurrences, and the occurrences.
///
/// The key of a row contains the row's last term and that term's last document, so that a seek
/// finds the row in which a term begins.
///
/// An occurrence is an integer: 16 times the distance from the previous occurrence's document (for
/// the first occurrence, from -1), plus the word number modulo 8. If the document contains the term
/// at several word numbers that differ modulo 8, 8 is added instead, and a byte with the set of
/// word numbers follows.
struct TermWriter {
    private let segment: SegmentNumber
    private var block = ByteWriter(capacity: 2 * SearchIndex.blockSize)
    private var list = ByteWriter(capacity: SearchIndex.blockSize)
    private var last: [UInt8] = []
    private var lastIndex = 0
    private var hashes: [UInt64] = []

    init(_ segment: SegmentNumber) { self.segment = segment }

    var filter: TermFilter { TermFilter(hashes) }

    /// Writes a term with its occurrences, one for each document, in order.
    ///
    /// - Precondition: The term is greater than the previous one, and has at least one occurrence.
    mutating func write(
        _ term: UnsafeBufferPointer<UInt8>, _ postings: [Posting], to overlay: Overlay
    ) {
        hashes.append(TermFilter.hash(term))
        var next = 0
        while next < postings.count {
            list.removeAll()
            var previous = -1
            while next < postings.count, block.count + list.count < SearchIndex.blockSize {
                let posting = postings[next]
                let distance = UInt64(posting.index - previous) << 4
                if posting.words.nonzeroBitCount == 1 {
                    list.varint(distance | UInt64(posting.words.trailingZeroBitCount))
                } else {
                    list.varint(distance | 8)
                    list.byte(posting.words)
                }
                previous = posting.index
                next += 1
            }
            if list.count > 0 {
                var shared = 0
                while shared < min(last.count, term.count), last[shared] == term[shared] {
                    shared += 1
                }
                block.varint(UInt64(shared))
                block.varint(UInt64(term.count - shared))
                block.raw(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(term)[shared...]))
                block.varint(UInt64(list.count))
                list.bytes.withBytes { block.raw($0) }
                last.replaceSubrange(shared..., with: term[shared...])
                lastIndex = previous
            }
            if block.count >= SearchIndex.blockSize { finish(to: overlay) }
        }
    }

    mutating func finish(to overlay: Overlay) {
        if block.count == 0 { return }
        let (segment, lastIndex) = (segment, lastIndex)
        last.withUnsafeBufferPointer { last in
            overlay.put({ $0.termsKey(segment, last, lastIndex) }, { $0.raw(block.bytes) })
        }
        block.removeAll()
        last.removeAll(keepingCapacity: true)
    }
}

struct TermRow {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int
    var term: [UInt8]
    private(set) var listRange = 0..<0

    /// To begin at an offset, set ``term`` to the term before that entry.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
        term = []
    }

    var list: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[listRange]) }

    /// Returns `false` at the end.
    @inline(__always)
    mutating func next() throws(ByteReader.Damage) -> Bool {
        if offset == bytes.count {
            if bytes.isEmpty { throw ByteReader.Damage(endOfDataAt: 0) }
            return false
        }
        let start = offset
        let shared = try bytes.varint(at: &offset)
        let count = try bytes.varint(at: &offset)
        guard shared <= UInt64(term.count), count <= UInt64(SearchIndex.termSize),
            Int(count) <= bytes.count - offset
        else { throw ByteReader.Damage(offset: start, expected: "the size of a term") }
        term.removeLast(term.count - Int(shared))
        term.append(contentsOf: bytes[offset..<offset + Int(count)])
        offset += Int(count)
        let size = try bytes.varint(at: &offset)
        guard size <= UInt64(bytes.count - offset) else {
            throw ByteReader.Damage(offset: start, expected: "the size of a list")
        }
        listRange = offset..<offset + Int(size)
        offset = listRange.upperBound
        return true
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    func varint(at offset: inout Int) throws(ByteReader.Damage) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        let start = offset
        while offset < count, shift < 64 {
            let byte = self[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw ByteReader.Damage(offset: start, expected: "an integer")
    }

    /// Passes the occurrences in a list to a closure, until it returns `false`; `count` is the
    /// number of documents in the segment.
    @inline(__always)
    func forEachPosting(
        below count: Int, _ body: (Posting) -> Bool
    ) throws(ByteReader.Damage) {
        var offset = 0
        var index = -1
        while offset < self.count {
            let start = offset
            let value = try varint(at: &offset)
            let distance = value >> 4
            guard distance > 0, distance <= UInt64(SearchIndex.maximumSegmentSize),
                index + Int(distance) < count, value & 0xF <= 8
            else { throw ByteReader.Damage(offset: start, expected: "a document") }
            index += Int(distance)
            var words = UInt8(1) << UInt8(value & 7)
            if value & 8 != 0 {
                guard offset < self.count else {
                    throw ByteReader.Damage(endOfDataAt: offset)
                }
                words = self[offset]
                offset += 1
            }
            if !body(Posting(index, words: words)) { return }
        }
    }
}
