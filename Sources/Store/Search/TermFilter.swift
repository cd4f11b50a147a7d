import Models

/// A Bloom filter, with which a search skips most segments without a rare word.
///
/// On-disk format, do not change: a new format needs a new number in ``SearchIndex/format``.
struct TermFilter: Hashable, Sendable {
    /// The filter wrongly contains about 1 % of missing terms.
    private static let bitsPerTerm = 10
    private static let probeCount = 6

    private(set) var bytes: [UInt8]

    init(_ hashes: [UInt64]) {
        bytes = [UInt8](repeating: 0, count: max(8, (hashes.count * Self.bitsPerTerm + 7) / 8))
        for hash in hashes {
            for bit in probes(hash) { bytes[bit >> 3] |= 1 << UInt8(bit & 7) }
        }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        bytes = try reader.rest()
        if bytes.isEmpty { throw ByteReader.Damage(endOfDataAt: reader.offset) }
    }

    /// If false, the segment certainly lacks the term.
    func mayContain(_ hash: UInt64) -> Bool {
        probes(hash).allSatisfy { bytes[$0 >> 3] & 1 << UInt8($0 & 7) != 0 }
    }

    @inline(__always)
    private func probes(_ hash: UInt64) -> some Sequence<Int> {
        let count = UInt64(bytes.count) * 8
        let (first, step) = (UInt32(truncatingIfNeeded: hash), UInt32(hash >> 32) | 1)
        return (0..<UInt32(Self.probeCount)).lazy.map {
            Int((UInt64(first &+ $0 &* step) * count) >> 32)
        }
    }

    /// FNV-1a, whose bits are then mixed.
    static func hash(_ term: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in term { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        return hash ^ hash >> 33
    }
}
