import CScrollbackLevelDB
import Foundation

/// The uncommitted writes and removals of a batch, in order.
///
/// One buffer contains all keys and values. A hash table finds them or, if they are few, a scan.
package final class Overlay {
    fileprivate typealias Entry = scrollback_row

    /// One struct, so that each method accesses only one property of the class.
    fileprivate struct Contents {
        var bytes = ByteWriter()
        var entries: [Entry] = []
        /// A hash table with the index of each key's newest entry plus one; zero is a free slot;
        /// empty while there are few entries.
        var slots: [Int32] = []
        /// The newest of the first ``sortedCount`` entries for each key, sorted by key.
        var sorted: [Int32] = []
        var sortedCount = 0
        /// The number of bytes of entries that newer ones replace, if there is a hash table.
        var replacedByteCount = 0
        var writeCount = 0
    }

    private var contents = Contents()

    var released: [ChannelNumber] = []
    fileprivate(set) var mayContainDamage = false

    package init() {}

    package var isEmpty: Bool { contents.entries.isEmpty }

    /// The number of writes and removals, including those that later ones have replaced.
    var writeCount: Int { contents.writeCount }

    package var size: Int { contents.bytes.count }

    /// Whether a long scan should write the batch and continue with another one.
    var isLarge: Bool { size > 1 << 20 }

    @inline(__always)
    package func put(
        _ key: (inout ByteWriter) -> Void, _ value: (inout ByteWriter) -> Void = { _ in }
    ) {
        contents.put(key, value)
    }

    /// Removes a row, which need not exist.
    @inline(__always)
    package func remove(_ key: (inout ByteWriter) -> Void) { contents.remove(key) }

    /// Puts a row that its reader cannot read; tests damage a store with it.
    func putDamaged(_ key: (inout ByteWriter) -> Void, _ value: (inout ByteWriter) -> Void) {
        mayContainDamage = true
        put(key, value)
    }
}

extension Overlay.Contents {
    private static let fewEntries = 16
    private static let toleratedReplacedByteCount = 4 << 20

    @inline(__always)
    fileprivate mutating func put(
        _ key: (inout ByteWriter) -> Void, _ value: (inout ByteWriter) -> Void
    ) {
        if entries.isEmpty { makeRoom() }
        let start = bytes.count
        key(&bytes)
        let middle = bytes.count
        value(&bytes)
        add(Overlay.Entry(key: start, value: middle, end: bytes.count))
    }

    @inline(__always)
    fileprivate mutating func remove(_ key: (inout ByteWriter) -> Void) {
        let start = bytes.count
        key(&bytes)
        add(Overlay.Entry(key: start, value: bytes.count, end: -1))
    }

    private mutating func makeRoom() {
        bytes.reserve(1024)
        entries.reserveCapacity(8)
    }

    private mutating func add(_ entry: Overlay.Entry) {
        entries.append(entry)
        writeCount += 1
        if entries.count <= Self.fewEntries { return }
        if entries.count * 2 > slots.count {
            makeSlots(count: max(64, slots.count * 2))
        } else {
            insertSlot(entries.count - 1)
        }
        if replacedByteCount > max(Self.toleratedReplacedByteCount, bytes.count / 2) { compact() }
    }

    private mutating func makeSlots(count: Int) {
        slots = Array(repeating: 0, count: count)
        replacedByteCount = 0
        for index in entries.indices { insertSlot(index) }
    }

    /// Removes the replaced entries: a batch may change one large row thousands of times.
    private mutating func compact() {
        let kept = slots.filter { $0 != 0 }.map { entries[Int($0) - 1] }.sorted { $0.key < $1.key }
        let old = bytes
        bytes = ByteWriter()
        bytes.reserve(old.count - replacedByteCount)
        entries = []
        old.bytes.withBytes { old in
            for entry in kept {
                let offset = bytes.count - entry.key
                bytes.raw(UnsafeRawBufferPointer(rebasing: old[entry.key..<entry.lastByte]))
                entries.append(
                    Overlay.Entry(
                        key: entry.key + offset, value: entry.value + offset,
                        end: entry.end < 0 ? entry.end : entry.end + offset))
            }
        }
        (sorted, sortedCount) = ([], 0)
        makeSlots(count: slots.count)
    }
}

// MARK: Passing rows to LevelDB

extension Overlay {
    func withRows<Result>(
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<scrollback_row>) -> Result
    ) -> Result {
        let contents = contents
        return contents.bytes.bytes.withUnsafeBufferPointer { bytes in
            contents.entries.withUnsafeBufferPointer { body(bytes, $0) }
        }
    }

    package func forEachInOrderOfWriting(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) -> Void
    ) {
        let contents = contents
        contents.bytes.bytes.withBytes { bytes in
            for entry in contents.entries { body(entry.key(in: bytes), entry.value(in: bytes)) }
        }
    }
}

// MARK: Looking up

extension Overlay {
    enum Found {
        case untouched
        case removed
        case written(UnsafeRawBufferPointer)
    }

    @inline(__always)
    func withRow<Result>(
        of key: KeyBytes, _ body: (Found) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let contents = contents
        guard !contents.entries.isEmpty else { return try body(.untouched) }
        return try contents.bytes.bytes.withBytes { (bytes) throws(StoreError) in
            guard let index = key.withBytes({ contents.newestEntry(of: $0, in: bytes) }) else {
                return try body(.untouched)
            }
            guard let value = contents.entries[index].value(in: bytes) else {
                return try body(.removed)
            }
            return try body(.written(value))
        }
    }

    struct Row {
        let key: KeyBytes
        /// The value; `nil` if the row is removed.
        let value: [UInt8]?
    }

    /// Returns each row of a range that the batch changes once, in the order of the keys.
    func rows(in range: KeyRange) -> [Row] {
        contents.sortNewEntries()
        let contents = contents
        return contents.bytes.bytes.withBytes { bytes in
            var rows: [Row] = []
            var index = range.lower.withBytes { lower in
                contents.sorted.countBefore(lower, in: contents.entries, bytes)
            }
            while index < contents.sorted.count {
                let entry = contents.entries[Int(contents.sorted[index])]
                let key = entry.key(in: bytes)
                guard key.precedes(range.upper) else { break }
                rows.append(Row(key: Array(key), value: entry.value(in: bytes).map(Array.init)))
                index += 1
            }
            return rows
        }
    }
}

extension Overlay.Contents {
    fileprivate mutating func sortNewEntries() {
        if sortedCount == entries.count { return }
        // `self` cannot be accessed while `sorted` is changed.
        let (all, entries) = (bytes.bytes, entries)
        all.withBytes { bytes in
            let new = (sortedCount..<entries.count).filter {
                newestEntry(of: entries[$0].key(in: bytes), in: bytes) == $0
            }
            if sorted.isEmpty {
                sorted = new.map { Int32($0) }
                sorted.sort {
                    entries[Int($0)].key(in: bytes).precedes(entries[Int($1)].key(in: bytes))
                }
            } else {
                for index in new { insert(Int32(index), entries, bytes) }
            }
        }
        sortedCount = entries.count
    }

    /// Replaces an older entry with the same key.
    private mutating func insert(
        _ entry: Int32, _ entries: [Overlay.Entry], _ bytes: UnsafeRawBufferPointer
    ) {
        let key = entries[Int(entry)].key(in: bytes)
        let index = sorted.countBefore(key, in: entries, bytes)
        if index < sorted.count,
            entries[Int(sorted[index])].key(in: bytes).hasSameBytes(as: key)
        {
            sorted[index] = entry
        } else {
            sorted.insert(entry, at: index)
        }
    }
}

extension [Int32] {
    fileprivate func countBefore(
        _ key: UnsafeRawBufferPointer, in entries: [Overlay.Entry],
        _ bytes: UnsafeRawBufferPointer
    ) -> Int {
        countOfFirst { entries[Int($0)].key(in: bytes).precedes(key) }
    }
}

extension Overlay.Contents {
    fileprivate func newestEntry(
        of key: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer
    ) -> Int? {
        if slots.isEmpty {
            return entries.lastIndex { $0.key(in: bytes).hasSameBytes(as: key) }
        }
        var slot = key.hash & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if entries[index].key(in: bytes).hasSameBytes(as: key) { return index }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func insertSlot(_ index: Int) {
        let slot = bytes.bytes.withBytes { bytes in
            let key = entries[index].key(in: bytes)
            var slot = key.hash & (slots.count - 1)
            while slots[slot] != 0,
                !entries[Int(slots[slot]) - 1].key(in: bytes).hasSameBytes(as: key)
            {
                slot = (slot + 1) & (slots.count - 1)
            }
            return slot
        }
        if slots[slot] != 0 {
            let replaced = entries[Int(slots[slot]) - 1]
            replacedByteCount += replaced.lastByte - replaced.key
        }
        slots[slot] = Int32(index + 1)
    }
}

extension Overlay.Entry {
    /// The end of the value or, if the row is removed, of the key.
    fileprivate var lastByte: Int { max(value, end) }

    @inline(__always)
    fileprivate func key(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[key..<value])
    }

    @inline(__always)
    fileprivate func value(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        // The end is negative if the row is removed.
        end < 0 ? nil : UnsafeRawBufferPointer(rebasing: bytes[value..<end])
    }
}

extension UnsafeRawBufferPointer {
    /// Valid only in this process.
    var hash: Int {
        var hash = UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset + 8 <= count {
            hash.mix(loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < count {
            rest = rest << 8 | UInt64(self[offset])
            offset += 1
        }
        hash.mix(rest)
        return Int(truncatingIfNeeded: hash)
    }
}

extension UInt64 {
    fileprivate mutating func mix(_ other: UInt64) {
        let product = (self ^ other).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        self = product.high ^ product.low
    }
}
