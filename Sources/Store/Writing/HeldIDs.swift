import Models

/// The ranges of the stored message IDs of channels, which save the lookup of most new messages.
///
/// A lookup before each new message would take a third of the time of a write. Most servers assign
/// increasing IDs, so that new messages, and pages of older ones, are outside the range. IDs are
/// compared by bytes, as in ``Table/creationTime``, so an ID with one more digit may be inside the
/// range, and is looked up.
///
/// A range may be too large, but never too small: each batch extends it, even if it is not
/// committed, and removals do not change it. All ranges are discarded when the files are closed.
struct HeldIDs {
    /// The number of channels above which all are discarded before the next batch.
    static let limit = 1024

    private var channels: [ChannelNumber: Channel] = [:]
    private var batch = 0

    fileprivate struct Channel {
        /// The range as of the commit on which a batch is based; `nil` if it cannot be read.
        var stored: Span?
        var saved = Span()
        var batch: Int

        mutating func begin(_ number: Int) {
            if batch == number { return }
            batch = number
            stored?.formUnion(saved)
            saved = Span()
        }
    }

    fileprivate struct Span {
        var first = ""
        var last = ""
        var isEmpty = true
    }

    mutating func beginBatch() {
        batch += 1
        if channels.count > HeldIDs.limit { channels = [:] }
    }

    mutating func recordNew(_ number: ChannelNumber) {
        channels[number] = Channel(stored: Span(), batch: batch)
    }

    /// Returns whether the commit before the batch may contain a message.
    mutating func mayHold(_ id: MessageID, in number: ChannelNumber) -> Bool {
        guard let index = channels.index(forKey: number) else { return true }
        channels.values[index].begin(batch)
        return channels.values[index].stored?.contains(id.rawValue) ?? true
    }

    /// Records a new ID, which was passed to ``mayHold(_:in:)``; reads an unknown range from
    /// `rows`.
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

    /// Returns `nil` if the range cannot be read: a lookup of the damaged row throws the error.
    fileprivate init?(of number: ChannelNumber, in rows: Rows) {
        let table = KeyRange(.creationTime, number)
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
        // Most IDs are greater than all stored IDs.
        !isEmpty && !last.precedesByBytes(id) && !id.precedesByBytes(first)
    }

    fileprivate mutating func formUnion(_ other: Self) {
        if other.isEmpty { return }
        if isEmpty || last.precedesByBytes(other.last) { last = other.last }
        if isEmpty || other.first.precedesByBytes(first) { first = other.first }
        isEmpty = false
    }
}
