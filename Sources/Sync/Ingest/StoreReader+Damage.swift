import Models
import Store

// Reads for callers that replace corrupted rows. A corrupted row counts as missing. If the row of a
// gap is corrupted, the channel's whole history counts as a gap.
extension StoreReader {
    func message(orNil id: MessageID, in url: ChannelURL) throws(StoreError) -> Message? {
        try readable(or: nil) { (reader) throws(StoreError) in try reader.message(id, in: url) }
    }

    func storedUserOrNil() throws(StoreError) -> User? {
        try readable(or: nil) { (reader) throws(StoreError) in try reader.storedUser() }
    }

    func outboxItem(orNil id: RequestID) throws(StoreError) -> OutboxItem? {
        try readable(or: nil) { (reader) throws(StoreError) in try reader.outboxItem(id) }
    }

    /// Returns the position of the next older message; `nil` if there is none.
    func positionOrNil(before position: Position, in url: ChannelURL) throws(StoreError)
        -> Position?
    {
        try readable(or: nil) { (reader) throws(StoreError) in
            try reader.neighbor(of: position, in: url, isOlder: true)
        }
    }

    /// Returns the position of the next newer message; `nil` if there is none.
    func positionOrNil(after position: Position, in url: ChannelURL) throws(StoreError) -> Position?
    {
        try readable(or: nil) { (reader) throws(StoreError) in
            try reader.neighbor(of: position, in: url, isOlder: false)
        }
    }

    func newestMessages(orNone url: ChannelURL, limit: Int) throws(StoreError) -> [Message] {
        try readable(or: []) { (reader) throws(StoreError) in
            try reader.messages(in: url, limit: limit)
        }
    }

    func newestPosition(orNil url: ChannelURL) throws(StoreError) -> Position? {
        try readable(or: nil) { (reader) throws(StoreError) in
            try reader.newestPosition(in: url)
        }
    }

    func storedAppInfoOrNil() throws(StoreError) -> AppInfo? {
        try readable(or: nil) { (reader) throws(StoreError) in try reader.storedAppInfo() }
    }

    /// Returns the position of the next newer message, or `position` itself if the row cannot be
    /// read.
    func position(after position: Position, in url: ChannelURL) throws(StoreError) -> Position? {
        try readable(or: position) { (reader) throws(StoreError) in
            try reader.neighbor(of: position, in: url, isOlder: false)
        }
    }

    func tombstone(orNil id: MessageID, in url: ChannelURL) throws(StoreError) -> Tombstone? {
        try readable(or: nil) { (reader) throws(StoreError) in
            try reader.tombstone(of: id, in: url)
        }
    }

    func tombstones(orNone url: ChannelURL) throws(StoreError) -> [Tombstone] {
        try readable(or: []) { (reader) throws(StoreError) in try reader.tombstones(in: url) }
    }

    func groupChannel(orNil url: ChannelURL) throws(StoreError) -> GroupChannel? {
        try readable(or: nil) { (reader) throws(StoreError) in try reader.groupChannel(url) }
    }

    func openChannel(orNil url: ChannelURL) throws(StoreError) -> OpenChannel? {
        try readable(or: nil) { (reader) throws(StoreError) in try reader.openChannel(url) }
    }

    func staleRanges(orNone url: ChannelURL) throws(StoreError) -> [StaleRange] {
        try readable(or: []) { (reader) throws(StoreError) in try reader.staleRanges(in: url) }
    }

    func gaps(orAll url: ChannelURL) throws(StoreError) -> [Gap] {
        try readable(or: [Gap(in: url)]) { (reader) throws(StoreError) in
            try reader.gaps(in: url)
        }
    }

    func newestGap(in url: ChannelURL) throws(StoreError) -> Gap? {
        try readable(or: Gap(in: url)) { (reader) throws(StoreError) in
            try reader.firstGap(below: .end, in: url)
        }
    }

    /// Returns a Boolean value that indicates whether a position is, or may be, in a gap.
    func isInGap(_ position: Position, in url: ChannelURL) throws(StoreError) -> Bool {
        try readable(or: true) { (reader) throws(StoreError) in
            try reader.gap(around: position, in: url) != nil
        }
    }

    private func readable<Value>(
        or substitute: Value, _ read: (Self) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        do throws(StoreError) {
            return try read(self)
        } catch {
            guard error.code == .corruption else { throw error }
            return substitute
        }
    }
}
