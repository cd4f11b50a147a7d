import Models
import Store

struct Touched {
    var channels: Set<ChannelNumber> = []
    var users: Set<UserID> = []
    var clients: Set<Int> = []

    var isEmpty: Bool { channels.isEmpty && users.isEmpty && clients.isEmpty }
}

extension ServerState {
    /// Appends an event of a channel, and returns the number of its entry.
    @discardableResult
    func append(
        _ event: LogEntry.Event, in channel: ServerChannel, only userID: UserID? = nil
    ) -> LogSequence {
        let entry = appendEntry(event, channel.number, only: userID)
        let sequence = counters.sequence
        database.put({ $0.channelLog(channel.number, sequence) }, { $0.raw(entry) })
        if let userID {
            channel.members[userID]?.lastSequence = sequence
            touched.users.insert(userID)
        } else {
            channel.lastSequence = sequence
            touched.channels.insert(channel.number)
        }
        return sequence
    }

    /// Appends an entry whose number separates expiring cursors from later ones.
    func appendMark() { appendEntry(.mark, 0, only: nil) }

    @discardableResult
    private func appendEntry(
        _ event: LogEntry.Event, _ channel: ChannelNumber, only userID: UserID?
    ) -> [UInt8] {
        counters.sequence += 1
        counters.time = max(now(), counters.time)
        let entry = LogEntry(time: counters.time, channel: channel, only: userID, event: event)
        let bytes = ByteWriter.key(entry.write)
        database.put({ $0.log(counters.sequence) }, { $0.raw(bytes) })
        return bytes
    }

    /// Returns the newest entry for all users; 0 if there is none.
    func lastSequence(of channel: ServerChannel) throws(BackendError) -> LogSequence {
        if let known = channel.lastSequence { return known }
        var found: LogSequence = 0
        try scanLog(of: channel, 0...LogSequence.max, isDescending: true) { sequence, entry in
            guard entry.only == nil else { return true }
            found = sequence
            return false
        }
        channel.lastSequence = found
        return found
    }

    /// Passes entries of a channel to a closure until it returns `false`.
    func scanLog(
        of channel: ServerChannel, _ range: ClosedRange<LogSequence>, isDescending: Bool = false,
        _ body: (LogSequence, LogEntry) -> Bool
    ) throws(BackendError) {
        let keys = KeyRange(
            ByteWriter.key { $0.channelLog(channel.number, range.lowerBound) },
            ByteWriter.key { $0.channelLog(channel.number, range.upperBound) } + [0])
        try scanLog(keys, isDescending: isDescending, body)
    }

    /// Passes entries of all channels to a closure until it returns `false`.
    func scanLog(
        from sequence: LogSequence, _ body: (LogSequence, LogEntry) -> Bool
    ) throws(BackendError) {
        let keys = KeyRange(
            ByteWriter.key { $0.log(sequence) },
            [ServerTable.log.rawValue].successorOfPrefix)
        try scanLog(keys, isDescending: false, body)
    }

    private func scanLog(
        _ keys: KeyRange, isDescending: Bool, _ body: (LogSequence, LogEntry) -> Bool
    ) throws(BackendError) {
        let prefixSize = keys.lower.count - MemoryLayout<LogSequence>.size
        try database.read { (rows) throws(StoreError) in
            guard keys.lower.precedes(keys.upper) else { return }
            try rows.scan(keys, isDescending: isDescending) { (key, value) throws(StoreError) in
                let sequence = try rows.decode(key.dropping(prefixSize), as: "a key of the log") {
                    (reader) throws(ByteReader.Damage) in try reader.integer(LogSequence.self)
                }
                let entry = try rows.decode(value, as: "entry \(sequence) of the log") {
                    (reader) throws(ByteReader.Damage) in try LogEntry(&reader)
                }
                return body(sequence, entry)
            }
        }
    }

    /// Returns the first entry at or after a time; without one, the number of the next entry.
    func firstSequence(at time: Timestamp) throws(BackendError) -> LogSequence {
        var low: LogSequence = 0
        var high = counters.sequence + 1
        while low < high {
            let middle = low + (high - low) / 2
            var found: (sequence: LogSequence, time: Timestamp)?
            try scanLog(from: middle) { sequence, entry in
                found = (sequence, entry.time)
                return false
            }
            if let found, found.time < time {
                low = found.sequence + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
