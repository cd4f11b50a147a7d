import CScrollbackLevelDB

/// The parts of a LevelDB log: fragments of records, and the damaged bytes between them.
///
/// A fragment has a header (four bytes of checksum, two of length, one of kind) and a payload, and
/// never crosses the end of a block of 32 KiB. A record is one full fragment, or a first fragment,
/// any number of middle ones, and a last one. After a wrong checksum, LevelDB skips the rest of the
/// block, but this reader continues with the next valid fragment.
///
/// On-disk format, do not change: it is defined in leveldb/doc/log_format.md.
struct LogParts {
    enum Part: Equatable {
        /// The payload of a record of one fragment.
        case record(Range<Int>)
        /// A fragment of a longer record or of an unknown kind.
        case fragment
        /// At least as many bytes as a header has.
        case damage(Range<Int>)
    }

    private(set) var parts: [Part] = []
    private let bytes: [UInt8]

    private static let blockSize = Int(scrollback_log_block_size)
    static let headerSize = Int(scrollback_log_header_size)
    private static let fullKind: UInt8 = 1
    private static let lastKind: UInt8 = 4
    private static let bridgeKind: UInt8 = 0xFF

    var damaged: [Range<Int>] {
        parts.compactMap { if case .damage(let range) = $0 { range } else { nil } }
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        for block in stride(from: 0, to: bytes.count, by: LogParts.blockSize) { readBlock(block) }
    }

    private mutating func readBlock(_ block: Int) {
        let end = min(block + LogParts.blockSize, bytes.count)
        var header = block
        while header + LogParts.headerSize <= end {
            if let next = endOfFragment(at: header, in: end) {
                let isRecord = bytes[header + 6] == LogParts.fullKind
                parts.append(isRecord ? .record(header + LogParts.headerSize..<next) : .fragment)
                header = next
                continue
            }
            // The rest of the block is empty, or a crash left zeros.
            if bytes[header..<end].allSatisfy({ $0 == 0 }) { return }
            let next = nextFragment(after: header, in: end)
            if next == nil, isTorn(at: header, block: block, end: end) { return }
            parts.append(.damage(header..<(next ?? end)))
            header = next ?? end
        }
    }

    /// Returns `nil` if the checksum of the fragment is wrong.
    private func endOfFragment(at header: Int, in end: Int) -> Int? {
        let kind = bytes[header + 6]
        guard (LogParts.fullKind...LogParts.lastKind).contains(kind) || kind == LogParts.bridgeKind
        else { return nil }
        let next = header + LogParts.headerSize + length(at: header)
        guard next <= end else { return nil }
        let stored = (0..<4).reduce(0) { $0 | UInt32(bytes[header + $1]) << (8 * $1) }
        return LogParts.checksum(bytes, header + 6..<next) == stored ? next : nil
    }

    private func nextFragment(after header: Int, in end: Int) -> Int? {
        let first = header + LogParts.headerSize
        let last = end - LogParts.headerSize
        return first > last ? nil : (first...last).first { endOfFragment(at: $0, in: end) != nil }
    }

    /// Whether the file ends within the fragment, as after a crash.
    private func isTorn(at header: Int, block: Int, end: Int) -> Bool {
        let next = header + LogParts.headerSize + length(at: header)
        return end == bytes.count && next > end && next <= block + LogParts.blockSize
    }

    private func length(at header: Int) -> Int {
        Int(bytes[header + 4]) | Int(bytes[header + 5]) << 8
    }

    private static func checksum(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        bytes[range].withUnsafeBytes { scrollback_checksum($0.baseAddress!, $0.count) }
    }

    static func bridge(_ range: Range<Int>, in bytes: inout [UInt8]) {
        let length = range.count - headerSize
        bytes[range.lowerBound + 4] = UInt8(truncatingIfNeeded: length)
        bytes[range.lowerBound + 5] = UInt8(truncatingIfNeeded: length >> 8)
        bytes[range.lowerBound + 6] = bridgeKind
        let sum = checksum(bytes, range.lowerBound + 6..<range.upperBound)
        for index in 0..<4 {
            bytes[range.lowerBound + index] = UInt8(truncatingIfNeeded: sum >> (8 * index))
        }
    }
}

// MARK: Write batches

/// The operations of a write batch, which is the content of a record in the log.
///
/// On-disk format of LevelDB, do not change: twelve bytes of header, then the operations. Each is
/// the byte 1, a key and a value, or the byte 0 and a key, which follow their lengths as varints.
struct LoggedBatch {
    struct Operation {
        let key: ArraySlice<UInt8>
        let value: ArraySlice<UInt8>?
    }

    private(set) var operations: [Operation] = []

    private static let headerSize = 12

    /// Reads a payload up to the first operation that cannot be read.
    init(_ payload: ArraySlice<UInt8>) {
        var rest = payload.dropFirst(LoggedBatch.headerSize)
        while let operation = LoggedBatch.operation(&rest) { operations.append(operation) }
    }

    /// Searches a damaged record for operations that `isRow` accepts.
    init(
        salvaging bytes: ArraySlice<UInt8>, where isRow: (Operation) -> Bool
    ) {
        var rest = bytes
        while !rest.isEmpty {
            var end = rest
            if let operation = LoggedBatch.operation(&end), isRow(operation) {
                operations.append(operation)
                rest = end
            } else {
                rest = rest.dropFirst()
            }
        }
    }

    private static func operation(_ bytes: inout ArraySlice<UInt8>) -> Operation? {
        switch bytes.popFirst() {
        case 1:
            guard let key = text(&bytes), let value = text(&bytes) else { return nil }
            return Operation(key: key, value: value)
        case 0: return text(&bytes).map { Operation(key: $0, value: nil) }
        default: return nil
        }
    }

    private static func text(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var count = 0
        for shift in stride(from: 0, through: 28, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            count |= Int(byte & 0x7F) << shift
            guard byte < 0x80 else { continue }
            guard count <= bytes.count else { return nil }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }
        return nil
    }
}
