import Models

/// The range of keys, called the extent, that contains all messages of a channel.
///
/// LevelDB skips removed rows one by one until it merges its tables. If the newest or oldest
/// messages of a channel were removed, each page that starts or ends there would skip all of them.
/// With an extent, a scan skips none of them.
///
/// An extent may be larger than necessary, but never too small. It is enlarged before a message is
/// written outside of it. It is reduced when a scan finds no messages at one of its ends, unless a
/// message was written after the commit that was scanned. An extent is valid from one commit on:
/// earlier committed states may contain messages outside of it, and are read without it.
final class MessageExtents: Sendable {
    fileprivate struct Extent {
        /// The range of keys that contains all messages.
        var range: KeyRange
        /// The first commit for which the range is valid.
        var since: Int
        /// The last commit that has written a message, or a commit before the extent was created.
        var lastPut: Int
    }

    /// The maximum number of channels.
    ///
    /// When it is reached, all extents are discarded.
    static let limit = 256

    private let extents = Locked<[ChannelNumber: Extent]>([:])

    var isEmpty: Bool { extents.withLock { $0.isEmpty } }

    /// Returns the extent of a channel as of a commit; `nil` if it is unknown.
    func range(of number: ChannelNumber, asOf version: Int) -> KeyRange? {
        extents.withLock { extents in
            guard let extent = extents[number], extent.since <= version else { return nil }
            return extent.range
        }
    }

    /// Updates the extents for a commit.
    ///
    /// Call it before the commit is written.
    ///
    /// If the write fails, an extent is merely larger than necessary.
    func apply(_ rows: Overlay, asOf commit: Int) {
        extents.withLock { extents in
            rows.forEachInOrderOfWriting { key, value in
                guard let number = key.channelOfMessage else { return }
                if value != nil {
                    // The dictionary's subscript would allocate for a missing key.
                    if !extents.isEmpty, let index = extents.index(forKey: number) {
                        extents.values[index].widen(to: key, asOf: commit)
                    }
                } else if extents[number] == nil {
                    if extents.count == MessageExtents.limit { extents = [:] }
                    // Use the range of the whole table, because the same batch may have written a
                    // message before it removed this one.
                    let table = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
                    extents[number] = Extent(range: table, since: commit, lastPut: commit)
                }
            }
        }
    }

    /// Records that a reader found no message in a range.
    func recordNone(in range: KeyRange, of number: ChannelNumber, asOf version: Int) {
        extents.withLock { extents in
            // The range may contain a message that was written after the reader's commit.
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

    /// Returns the extent without `empty`, if that range is at one of its ends.
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
    /// The number of the channel; `nil` if this is not the key of a message.
    fileprivate var channelOfMessage: ChannelNumber? {
        guard count > Table.prefixSize, self[0] == Table.message.rawValue else { return nil }
        return ChannelNumber(bigEndian: loadUnaligned(fromByteOffset: 1, as: ChannelNumber.self))
    }
}

// MARK: Reading

extension StoreView {
    /// Passes the messages of a channel between two keys to a closure in order, until it returns
    /// `false`.
    @inline(__always)
    func scanMessages(
        _ range: KeyRange, of number: ChannelNumber, isDescending: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        // The extents do not include messages of the current batch.
        guard batch == nil, version.hasExtents,
            let extent = version.extents.range(of: number, asOf: version.number)
        else { return try cache.scan(range, isDescending: isDescending, body) }
        try scanMessages(range, within: extent, of: number, isDescending: isDescending) {
            (key, value) throws(StoreError) in try body(key, value)
        }
    }

    /// Passes the messages in the intersection of a range and the extent to a closure, and reduces
    /// the extent if possible.
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
            latest.copy(key)
            isStopped = try !body(key, value)
            return !isStopped
        }
        func recordNone(_ lower: KeyBytes, _ upper: KeyBytes) {
            // An extent can be reduced only at its ends.
            guard lower == extent.lower || upper == extent.upper, lower.precedes(upper) else {
                return
            }
            version.extents.recordNone(
                in: KeyRange(lower, upper), of: number, asOf: version.number)
        }
        guard let first else { return recordNone(part.lower, part.upper) }
        if isDescending {
            recordNone(first + [0], part.upper)
            if !isStopped { recordNone(part.lower, latest.bytes) }
        } else {
            recordNone(part.lower, first)
            if !isStopped { recordNone(latest.bytes + [0], part.upper) }
        }
    }
}

/// A copy of the latest key, in a buffer that is reused for each key.
private struct KeyCopy {
    private var room = KeyBytes(repeating: 0, count: 64)
    private var count = 0

    var bytes: KeyBytes { KeyBytes(room[..<count]) }

    @inline(__always)
    mutating func copy(_ key: UnsafeRawBufferPointer) {
        if key.count > room.count { room = KeyBytes(repeating: 0, count: key.count) }
        count = key.count
        room.withUnsafeMutableBytes { $0.copyMemory(from: key) }
    }
}
