import Models

/// The range of keys, called the extent, that contains all messages of a channel.
///
/// LevelDB skips removed rows one by one until it merges its tables. An extent excludes them, so
/// that pages at the newest or the oldest end need not skip them. It may be too large, but never
/// too small.
///
/// A commit that removes a message creates an extent of all possible keys. Each commit enlarges the
/// extents by its messages. A scan from one end of an extent reduces it to the first message that
/// it finds.
struct MessageExtents: Sendable {
    /// At this number of channels, all are discarded.
    static let limit = 256

    private var extents: [ChannelNumber: KeyRange] = [:]

    var isEmpty: Bool { extents.isEmpty }

    subscript(number: ChannelNumber) -> KeyRange? { extents[number] }

    mutating func apply(_ rows: Overlay) {
        rows.forEachInOrderOfWriting { key, value in
            guard let number = key.channelOfMessage else { return }
            if value != nil {
                // The dictionary's subscript would allocate memory for a missing key.
                if !extents.isEmpty, let index = extents.index(forKey: number) {
                    extents.values[index].widen(to: key)
                }
            } else if extents[number] == nil {
                if extents.count == MessageExtents.limit { extents = [:] }
                // The same batch may have written a message before it removed this one.
                extents[number] = KeyRange(.message, number)
            }
        }
    }

    mutating func recordNone(in range: KeyRange, of number: ChannelNumber) {
        extents[number]?.remove(range)
    }
}

extension KeyRange {
    fileprivate mutating func widen(to key: UnsafeRawBufferPointer) {
        if key.precedes(lower) { lower = KeyBytes(key) }
        if !key.precedes(upper) { upper = KeyBytes(key) + [0] }
    }

    fileprivate mutating func remove(_ empty: KeyRange) {
        if !lower.precedes(empty.lower) {
            guard lower.precedes(empty.upper) else { return }
            lower = empty.upper.precedes(upper) ? empty.upper : upper
        } else if !empty.upper.precedes(upper) {
            guard empty.lower.precedes(upper) else { return }
            upper = empty.lower
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var channelOfMessage: ChannelNumber? {
        guard count > Table.prefixSize, self[0] == Table.message.rawValue else { return nil }
        return ChannelNumber(bigEndian: loadUnaligned(fromByteOffset: 1, as: ChannelNumber.self))
    }
}

// MARK: Reading

extension StoreView {
    @inline(__always)
    func scanMessages(
        _ range: KeyRange, of number: ChannelNumber, isDescending: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        // Extents lack the messages that the batch itself has written.
        guard batch == nil, committed.hasExtents,
            let extent = committed.derived.withLock({ $0.extents[number] })
        else { return try cache.scan(range, isDescending: isDescending, body) }
        try scanMessages(range, within: extent, of: number, isDescending: isDescending) {
            (key, value) throws(StoreError) in try body(key, value)
        }
    }

    private func scanMessages(
        _ range: KeyRange, within extent: KeyRange, of number: ChannelNumber,
        isDescending: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let part = KeyRange(
            range.lower.precedes(extent.lower) ? extent.lower : range.lower,
            range.upper.precedes(extent.upper) ? range.upper : extent.upper)
        guard part.lower.precedes(part.upper) else { return }
        func recordNone(_ lower: KeyBytes, _ upper: KeyBytes) {
            // An extent can be reduced only at its ends.
            guard lower == extent.lower || upper == extent.upper, lower.precedes(upper) else {
                return
            }
            committed.derived.withLock {
                $0.extents.recordNone(in: KeyRange(lower, upper), of: number)
            }
        }
        var isEmpty = true
        try cache.scan(part, isDescending: isDescending) { (key, value) throws(StoreError) in
            if isEmpty {
                isEmpty = false
                if isDescending {
                    recordNone(KeyBytes(key) + [0], part.upper)
                } else {
                    recordNone(part.lower, KeyBytes(key))
                }
            }
            return try body(key, value)
        }
        if isEmpty { recordNone(part.lower, part.upper) }
    }
}
