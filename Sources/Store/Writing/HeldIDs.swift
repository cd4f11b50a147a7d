import Models

/// Between which ids the messages of some channels lie, so that a write need not look for one that is new.
///
/// Whether a message is held has to be known before it is written, and to look for it is a third of what a put
/// costs. But servers count their ids up: a new message's lies behind all that are held, and that of a page
/// further back before them. What counts is the order of the bytes, as in ``Table/place``: an id that has one
/// more digit than those before lies among them, and is looked for.
///
/// What is known of a channel may say too much, never too little. Each batch widens it, whether or not
/// the disk takes it, and a removal leaves it as it is.
struct HeldIDs {
    /// How many messages are looked for and not found in a channel before its ends are read, which takes as long
    /// as some of these lookups: a filter spares them the disk.
    static let patience = 8

    /// The most channels of which something is known from batch to batch; with more, it begins anew.
    static let limit = 1024

    private var channels: [ChannelNumber: Known] = [:]
    /// Counts the batches.
    private var batch = 0

    /// What is known of a channel.
    fileprivate struct Known {
        /// Where the ids lie as of the commit that the batch builds on.
        var stored: Extent
        /// Where those lie that a batch has put.
        var put = Extent()
        /// Which batch that is.
        var batch: Int
        /// How many were looked for in vain.
        var misses = 0

        mutating func mayHold(_ id: MessageID, before number: Int) -> Bool {
            if batch != number {
                batch = number
                stored.formUnion(put)
                put.isEmpty = true
            }
            return stored.contains(id.rawValue)
        }
    }

    /// Where ids lie: from the first to the last, both included; nowhere, or nobody knows where.
    fileprivate struct Extent {
        var first = ""
        var last = ""
        var isEmpty = true
        var isUnknown = false

        static let unknown = Extent(isEmpty: false, isUnknown: true)
    }

    /// A batch begins: those before are written, or are not.
    mutating func beginBatch() {
        batch += 1
        if channels.count > HeldIDs.limit { channels = [:] }
    }

    /// Notes a channel that nothing was ever stored of.
    mutating func noteNew(_ number: ChannelNumber) {
        channels[number] = Known(stored: Extent(), batch: batch)
    }

    /// Whether a message may be held under an id as of the commit that the batch builds on.
    mutating func mayHold(_ id: MessageID, in number: ChannelNumber) -> Bool {
        guard let index = channels.index(forKey: number) else { return true }
        return channels.values[index].mayHold(id, before: batch)
    }

    /// Notes that the batch puts a message under an id where none was.
    ///
    /// - Parameter wasLookedFor: Whether the rows had to be asked.
    mutating func notePut(
        _ id: MessageID, in number: ChannelNumber, wasLookedFor: Bool, _ stored: Rows
    ) {
        guard let index = channels.index(forKey: number) else {
            let put = Extent(of: id)
            channels[number] = Known(stored: .unknown, put: put, batch: batch, misses: 1)
            return
        }
        channels.values[index].put.formUnion(Extent(of: id))
        if !wasLookedFor { return }
        channels.values[index].misses += 1
        if channels.values[index].misses == HeldIDs.patience {
            channels.values[index].stored = Extent(of: number, in: stored)
        }
    }
}

extension HeldIDs.Extent {
    fileprivate init(of number: ChannelNumber, in rows: Rows) {
        let table = KeyRange(prefix: ByteWriter.key { $0.table(.place, number) })
        func outermost(isDescending: Bool) throws(StoreError) -> String? {
            var id: String?
            try rows.scan(table, isDescending: isDescending) { (key, _) throws(StoreError) in
                id = try rows.decode(key.behindChannel, as: "the place of a message") {
                    (reader) throws(ByteReader.Damage) in try reader.text()
                }
                return false
            }
            return id
        }
        do throws(StoreError) {
            guard let first = try outermost(isDescending: false),
                let last = try outermost(isDescending: true)
            else {
                self.init()
                return
            }
            self.init(first: first, last: last, isEmpty: false)
        } catch {
            // Who looks for the message is told.
            self = .unknown
        }
    }

    fileprivate init(of id: MessageID) {
        self.init(first: id.rawValue, last: id.rawValue, isEmpty: false)
    }

    fileprivate func contains(_ id: String) -> Bool {
        if isEmpty || isUnknown { return isUnknown }
        // Most ids lie behind all others.
        return !last.precedesByBytes(id) && !id.precedesByBytes(first)
    }

    fileprivate mutating func formUnion(_ other: Self) {
        if isUnknown || other.isEmpty { return }
        if isEmpty || last.precedesByBytes(other.last) { last = other.last }
        if isEmpty || other.first.precedesByBytes(first) { first = other.first }
        isEmpty = false
    }
}
