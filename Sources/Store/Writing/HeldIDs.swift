import Models

/// The ranges of the stored message IDs of channels, with which a write can skip the lookup of a
/// new message.
///
/// Before a message is written, the writer must know whether it is already stored, and looking it
/// up takes a third of the time of a write. Most servers assign increasing IDs: the ID of a new
/// message is greater than all stored ones, and the IDs of older pages are less. A message whose ID
/// is outside of the range of stored IDs cannot be stored, and needs no lookup. IDs are compared by
/// bytes, as in ``Table/place``. If an ID has one more digit than the others, it may therefore be
/// inside the range, and is looked up.
///
/// A range may be larger than necessary, but never too small. Each batch extends it, whether or not
/// the batch is committed, and removing messages does not change it. The range is first read as of
/// the commit on which a batch is based; no later commit contains anything from a failed batch. All
/// ranges are discarded when the files are closed; see ``ChatStore/Writer``.
struct HeldIDs {
    /// After this number of lookups in a channel that found nothing, the channel's range is read.
    ///
    /// Reading the range takes two seeks, which cost as much as several lookups that a Bloom filter
    /// answers. If many messages were removed, the seeks take longer: LevelDB skips each of them
    /// until it has merged its tables.
    static let patience = 8

    /// The maximum number of channels that are kept from batch to batch.
    ///
    /// If it is exceeded, all of them are discarded.
    static let limit = 1024

    private var channels: [ChannelNumber: Channel] = [:]
    /// The number of the current batch.
    private var batch = 0

    /// The ranges of IDs of one channel.
    fileprivate struct Channel {
        /// The range as of the commit on which a batch is based; `nil` if it is unknown.
        var stored: Span?
        /// The range of the IDs that the batch has saved.
        var put = Span()
        /// The number of the batch that has saved them.
        var batch: Int
        /// The number of lookups that found nothing.
        var misses = 0

        /// Adds the IDs of an earlier batch to the stored range.
        mutating func begin(_ number: Int) {
            if batch == number { return }
            batch = number
            stored?.formUnion(put)
            put = Span()
        }
    }

    /// A closed range of IDs, or an empty one.
    fileprivate struct Span {
        var first = ""
        var last = ""
        var isEmpty = true
    }

    /// Starts a batch.
    ///
    /// The previous batch was committed or has failed.
    mutating func beginBatch() {
        batch += 1
        if channels.count > HeldIDs.limit { channels = [:] }
    }

    /// Records that a channel has no stored data.
    mutating func recordNew(_ number: ChannelNumber) {
        channels[number] = Channel(stored: Span(), batch: batch)
    }

    /// Returns a Boolean value that indicates whether a message with an ID may be stored as of the
    /// commit on which the batch is based.
    mutating func mayHold(_ id: MessageID, in number: ChannelNumber) -> Bool {
        guard let index = channels.index(forKey: number) else { return true }
        channels.values[index].begin(batch)
        return channels.values[index].stored?.contains(id.rawValue) ?? true
    }

    /// Records that the batch saves a message with a new ID.
    ///
    /// - Parameters:
    ///   - id: The ID, which was passed to ``mayHold(_:in:)``.
    ///   - number: The number of the channel.
    ///   - wasLookedFor: A Boolean value that indicates whether a lookup was necessary.
    ///   - stored: The rows of the commit on which the batch is based.
    mutating func recordPut(
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

    /// Reads the range of the stored IDs; `nil` if it cannot be read.
    ///
    /// Errors are ignored here: a lookup that reads the same corrupted row throws.
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
        // Compare with the upper end first, because most IDs are greater than all stored ones.
        !isEmpty && !last.precedesByBytes(id) && !id.precedesByBytes(first)
    }

    fileprivate mutating func formUnion(_ other: Self) {
        if other.isEmpty { return }
        if isEmpty || last.precedesByBytes(other.last) { last = other.last }
        if isEmpty || other.first.precedesByBytes(first) { first = other.first }
        isEmpty = false
    }
}
