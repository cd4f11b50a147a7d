import Models

/// Between which ids the messages of some channels lie, so that a write need not look for one that is new.
///
/// Whether a message is held has to be known before it is written, and to look for it is a third of
/// what a put costs. But servers count their ids up: the id of a new message lies behind all that are
/// held, and those of a page further back before them. What counts is the order of the bytes, as in
/// ``Table/place``: an id that has one more digit than those before lies among them, and is looked for.
///
/// What is known of a channel may say too much, never too little. Each batch widens it, whether or not
/// the disk takes it, and a removal leaves it as it is. Reading the ends makes it what the commit has
/// that the batch builds on, and nothing of a batch that failed is in a later commit. Nothing is known
/// any more where files were let go of: see ``ChatStore/Writer``.
struct HeldIDs {
    /// How many messages are looked for in vain in a channel before its ends are read.
    ///
    /// That takes two seeks, as long as several lookups, which a filter answers; and where many
    /// messages were removed, LevelDB steps over each until it has merged its tables.
    static let patience = 8

    /// The most channels of which something is known from batch to batch; with more, it begins anew.
    static let limit = 1024

    private var channels: [ChannelNumber: Channel] = [:]
    /// The number of the batch under way.
    private var batch = 0

    /// What is known of a channel.
    fileprivate struct Channel {
        /// Where the ids lie as of the commit that a batch builds on; `nil` if nobody knows.
        var stored: Span?
        /// Where those lie that this batch has put.
        var put = Span()
        /// Which batch that is.
        var batch: Int
        /// How many were looked for in vain.
        var misses = 0

        /// Takes what the batch before has put for stored.
        mutating func begin(_ number: Int) {
            if batch == number { return }
            batch = number
            stored?.formUnion(put)
            put = Span()
        }
    }

    /// From the first id to the last, both included; or nowhere.
    fileprivate struct Span {
        var first = ""
        var last = ""
        var isEmpty = true
    }

    /// A batch begins: those before are written, or are not.
    mutating func beginBatch() {
        batch += 1
        if channels.count > HeldIDs.limit { channels = [:] }
    }

    /// Notes a channel that nothing was ever stored of.
    mutating func noteNew(_ number: ChannelNumber) {
        channels[number] = Channel(stored: Span(), batch: batch)
    }

    /// Whether a message may be held under an id as of the commit that the batch builds on.
    mutating func mayHold(_ id: MessageID, in number: ChannelNumber) -> Bool {
        guard let index = channels.index(forKey: number) else { return true }
        channels.values[index].begin(batch)
        return channels.values[index].stored?.contains(id.rawValue) ?? true
    }

    /// Notes that the batch puts a message under an id where none was.
    ///
    /// - Parameters:
    ///   - id: The id, of which ``mayHold(_:in:)`` was asked.
    ///   - number: The channel.
    ///   - wasLookedFor: Whether the rows had to be asked.
    ///   - stored: The rows of the commit that the batch builds on.
    mutating func notePut(
        _ id: MessageID, in number: ChannelNumber, wasLookedFor: Bool, stored: Rows
    ) {
        guard let index = channels.index(forKey: number) else {
            channels[number] = Channel(put: Span(of: id), batch: batch, misses: 1)
            return
        }
        channels.values[index].put.formUnion(Span(of: id))
        if !wasLookedFor { return }
        channels.values[index].misses += 1
        if channels.values[index].misses == HeldIDs.patience {
            channels.values[index].stored = Span(of: number, in: stored)
        }
    }
}

extension HeldIDs.Span {
    fileprivate init(of id: MessageID) {
        self.init(first: id.rawValue, last: id.rawValue, isEmpty: false)
    }

    /// Reads the ends; `nil` if they cannot be read.
    ///
    /// A lookup that meets the same damage throws it.
    fileprivate init?(of number: ChannelNumber, in rows: Rows) {
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
            self.init()
            guard let first = try outermost(isDescending: false),
                let last = try outermost(isDescending: true)
            else { return }
            (self.first, self.last, isEmpty) = (first, last, false)
        } catch {
            return nil
        }
    }

    fileprivate func contains(_ id: String) -> Bool {
        // Most ids lie behind all others.
        !isEmpty && !last.precedesByBytes(id) && !id.precedesByBytes(first)
    }

    fileprivate mutating func formUnion(_ other: Self) {
        if other.isEmpty { return }
        if isEmpty || last.precedesByBytes(other.last) { last = other.last }
        if isEmpty || other.first.precedesByBytes(first) { first = other.first }
        isEmpty = false
    }
}
