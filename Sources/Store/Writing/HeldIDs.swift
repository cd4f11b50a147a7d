import Models

/// The ranges of the stored message IDs of channels, which save the lookup of most new messages.
///
/// Before a message is written, the writer must know whether it is already stored, and looking it
/// up takes a third of the time of a write. Most servers assign increasing IDs: the ID of a new
/// message is greater than all stored IDs, and the IDs on pages of older messages are less. A
/// message whose ID is outside the range of stored IDs is not stored yet, so no lookup is needed.
/// IDs are compared by bytes, as in ``Table/creationTime``. Therefore a new ID with one more digit
/// than the others may be inside the range, and is looked up.
///
/// A range may be larger than necessary, but never too small. Each batch extends it, whether or not
/// the batch is committed, and removing messages does not change it. All ranges are discarded when
/// the files are closed; see ``ChatStore/Writer``.
struct HeldIDs {
    /// The maximum number of channels that are kept from batch to batch.
    ///
    /// If the maximum is exceeded, all channels are discarded.
    static let limit = 1024

    private var channels: [ChannelNumber: Channel] = [:]
    /// The number of the current batch.
    private var batch = 0

    /// The ranges of IDs of one channel.
    fileprivate struct Channel {
        /// The range as of the commit on which a batch is based; `nil` if it cannot be read.
        var stored: Span?
        /// The range of the new IDs that the batch has saved.
        var saved = Span()
        /// The number of the batch.
        var batch: Int

        /// Adds the IDs of an earlier batch to the stored range.
        mutating func begin(_ number: Int) {
            if batch == number { return }
            batch = number
            stored?.formUnion(saved)
            saved = Span()
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

    /// Records that the batch saves a message with a new ID, which was passed to
    /// ``mayHold(_:in:)``.
    ///
    /// If the range of the channel is unknown, it is read from the rows of the commit on which the
    /// batch is based.
    mutating func recordPut(_ id: MessageID, in number: ChannelNumber, stored rows: Rows) {
        if let index = channels.index(forKey: number) {
            channels.values[index].saved.formUnion(Span(of: id))
        } else {
            channels[number] = Channel(
                stored: Span(of: number, in: rows), saved: Span(of: id), batch: batch)
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
        let table = KeyRange(prefix: ByteWriter.key { $0.table(.creationTime, number) })
        func outermost(isDescending: Bool) throws(StoreError) -> String? {
            var id: String?
            try rows.scan(table, isDescending: isDescending) { (key, _) throws(StoreError) in
                id = try rows.decode(key.afterChannelNumber, as: "the ID of a message") {
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
        // Compare with the upper end first, because most IDs are greater than all stored IDs.
        !isEmpty && !last.precedesByBytes(id) && !id.precedesByBytes(first)
    }

    fileprivate mutating func formUnion(_ other: Self) {
        if other.isEmpty { return }
        if isEmpty || last.precedesByBytes(other.last) { last = other.last }
        if isEmpty || other.first.precedesByBytes(first) { first = other.first }
        isEmpty = false
    }
}
