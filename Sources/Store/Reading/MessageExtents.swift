import Models

/// Between which keys the messages of some channels lie.
///
/// LevelDB steps over each removed row until it merges its tables, so where the newest messages of a
/// channel were removed, or the oldest, each page that begins or ends there would pay for all of them.
/// Readers begin behind them, and end before.
///
/// What is remembered of a channel may say too much, never too little, for each version from one on: a
/// put widens it before anybody can see the message, and a reader who met no message up to the first one
/// makes it narrower, unless one was put since. Older versions had messages that are gone, and are read
/// without it.
final class MessageExtents: Sendable {
    fileprivate struct Extent {
        /// All messages are in it.
        var range: KeyRange
        /// The first version for which that is so.
        var since: Int
        /// The last commit that put a message, or one before the extent was made.
        var lastPut: Int
    }

    /// The most channels that it has; when there are more, it begins anew.
    static let limit = 256

    private let extents = Locked<[ChannelNumber: Extent]>([:])

    var isEmpty: Bool { extents.withLock { $0.isEmpty } }

    /// Where all messages of a channel are as of a version; `nil` if nothing is remembered.
    func range(of number: ChannelNumber, asOf version: Int) -> KeyRange? {
        extents.withLock { extents in
            guard let extent = extents[number], extent.since <= version else { return nil }
            return extent.range
        }
    }

    /// Keeps up with a commit; to be called before it is written.
    ///
    /// If it fails, that does no harm: more was widened than has to be.
    func take(_ rows: Overlay, asOf commit: Int) {
        extents.withLock { extents in
            rows.forEachInOrderOfWriting { key, value in
                guard let number = key.channelOfMessage else { return }
                if value != nil {
                    // Not by the subscript, which takes memory for what is not there.
                    if !extents.isEmpty, let index = extents.index(forKey: number) {
                        extents.values[index].widen(to: key, asOf: commit)
                    }
                } else if extents[number] == nil {
                    if extents.count == MessageExtents.limit { extents = [:] }
                    // A put of the same batch may come before the removal, and is in it as well.
                    let table = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
                    extents[number] = Extent(range: table, since: commit, lastPut: commit)
                }
            }
        }
    }

    /// Takes in that a reader met no message in a range.
    func noteNone(in range: KeyRange, of number: ChannelNumber, asOf version: Int) {
        extents.withLock { extents in
            // A later put may be in the range.
            guard let extent = extents[number], extent.lastPut <= version else { return }
            extents[number] = extent.without(range, asOf: version)
        }
    }
}

extension MessageExtents.Extent {
    fileprivate mutating func widen(to key: UnsafeRawBufferPointer, asOf commit: Int) {
        if key.precedes(range.lower) { range.lower = KeyBytes(key) }
        if !key.precedes(range.upper) { range.upper = KeyBytes(key) + [0] }
        lastPut = commit
    }

    /// The same but for some keys, if they are at one of its ends.
    fileprivate func without(_ empty: KeyRange, asOf version: Int) -> Self {
        var extent = self
        if !range.lower.precedes(empty.lower) {
            guard range.lower.precedes(empty.upper) else { return self }
            extent.range.lower =
                empty.upper.precedes(range.upper) ? empty.upper : range.upper
        } else if !empty.upper.precedes(range.upper) {
            guard empty.lower.precedes(range.upper) else { return self }
            extent.range.upper = empty.lower
        } else {
            return self
        }
        extent.since = max(since, version)
        return extent
    }
}

extension UnsafeRawBufferPointer {
    /// The channel, if this is the key of a message.
    fileprivate var channelOfMessage: ChannelNumber? {
        guard count > Table.prefixSize, self[0] == Table.message.rawValue else { return nil }
        return ChannelNumber(bigEndian: loadUnaligned(fromByteOffset: 1, as: ChannelNumber.self))
    }
}

// MARK: Reading

extension StoreView {
    /// Lends the rows of a channel's messages between two keys, one after the other, until the closure
    /// returns false.
    @inline(__always)
    func scanMessages(
        _ range: KeyRange, of number: ChannelNumber, isDescending: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        // What a batch has put, it alone can see.
        guard batch == nil, version.hasExtents,
            let extent = version.extents.range(of: number, asOf: version.number)
        else { return try cache.scan(range, isDescending: isDescending, body) }
        try scanMessages(range, within: extent, of: number, isDescending: isDescending) {
            (key, value) throws(StoreError) in try body(key, value)
        }
    }

    /// Lends the rows of a range that are in an extent, and makes that narrower if it can be.
    private func scanMessages(
        _ range: KeyRange, within extent: KeyRange, of number: ChannelNumber,
        isDescending: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let part = KeyRange(
            range.lower.precedes(extent.lower) ? extent.lower : range.lower,
            range.upper.precedes(extent.upper) ? range.upper : extent.upper)
        guard part.lower.precedes(part.upper) else { return }
        var first: KeyBytes?
        var latest = KeyCopy()
        var isStopped = false
        try cache.scan(part, isDescending: isDescending) { (key, value) throws(StoreError) in
            if first == nil { first = KeyBytes(key) }
            latest.take(key)
            isStopped = try !body(key, value)
            return !isStopped
        }
        func noteNone(_ lower: KeyBytes, _ upper: KeyBytes) {
            // There is something to learn at the ends of the extent alone.
            guard lower == extent.lower || upper == extent.upper, lower.precedes(upper) else {
                return
            }
            version.extents.noteNone(
                in: KeyRange(lower, upper), of: number, asOf: version.number)
        }
        guard let first else { return noteNone(part.lower, part.upper) }
        if isDescending {
            noteNone(first + [0], part.upper)
            if !isStopped { noteNone(part.lower, latest.bytes) }
        } else {
            noteNone(part.lower, first)
            if !isStopped { noteNone(latest.bytes + [0], part.upper) }
        }
    }
}

/// A copy of the key that was lent last, in room that the next one is put into.
private struct KeyCopy {
    private var room = KeyBytes(repeating: 0, count: 64)
    private var count = 0

    var bytes: KeyBytes { KeyBytes(room[..<count]) }

    @inline(__always)
    mutating func take(_ key: UnsafeRawBufferPointer) {
        if key.count > room.count { room = KeyBytes(repeating: 0, count: key.count) }
        count = key.count
        room.withUnsafeMutableBytes { $0.copyMemory(from: key) }
    }
}
