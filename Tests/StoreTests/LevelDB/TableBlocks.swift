import Foundation

/// The data blocks of a table, which LevelDB's format defines (leveldb/doc/table_format.md).
///
/// The last 48 bytes of a table have the positions of two blocks, the second of which is the index.
/// An entry of the index has three lengths, a part of a key, and the position of a block. A
/// position is an offset and a size.
struct TableBlocks {
    /// The ranges of the blocks with their trailers.
    private(set) var ranges: [Range<Int>] = []

    /// The types of the blocks: 1 for those that are compressed with Snappy.
    var types: [UInt8] { ranges.map { bytes[$0.upperBound - 5] } }

    private let bytes: [UInt8]
    private var offset: Int

    init(_ file: Data) {
        bytes = [UInt8](file)
        offset = bytes.count - 48
        _ = position()
        let index = position()
        // The index ends with the offsets of its restarts, and their number.
        let restarts = bytes[index.upperBound - 4..<index.upperBound].reversed()
            .reduce(0) { $0 << 8 | Int($1) }
        offset = index.lowerBound
        while offset < index.upperBound - 4 * (restarts + 1) {
            let (_, keySize, _) = (integer(), integer(), integer())
            offset += keySize
            let block = position()
            ranges.append(block.lowerBound..<block.upperBound + 5)
        }
    }

    private mutating func position() -> Range<Int> {
        let start = integer()
        return start..<start + integer()
    }

    private mutating func integer() -> Int {
        var (value, shift) = (0, 0)
        while true {
            defer { offset += 1 }
            value |= Int(bytes[offset] & 0x7F) << shift
            if bytes[offset] < 0x80 { return value }
            shift += 7
        }
    }
}
