import Models
import Store

/// The channels, users and clients that a request affects.
struct Touched {
    var channels: Set<ChannelNumber> = []
    var users: Set<UserID> = []
    /// The clients with live events.
    var clients: Set<Int> = []

    var isEmpty: Bool { channels.isEmpty && users.isEmpty && clients.isEmpty }
}

extension ServerState {
    /// Appends an event of a channel to the log, for one user or for all users, and returns the
    /// number of the entry.
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

    /// Appends a log entry without an event, whose number separates the cursors that expire from
    /// later ones.
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

    /// Returns the number of the newest entry that concerns all users of a channel; 0 if there is
    /// none.
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

    /// Calls a closure with each entry of a channel in a range, until the closure returns `false`.
    func scanLog(
        of channel: ServerChannel, _ range: ClosedRange<LogSequence>, isDescending: Bool = false,
        _ body: (LogSequence, LogEntry) -> Bool
    ) throws(BackendError) {
        let keys = KeyRange(
            ByteWriter.key { $0.channelLog(channel.number, range.lowerBound) },
            ByteWriter.key { $0.channelLog(channel.number, range.upperBound) } + [0])
        try scanLog(keys, isDescending: isDescending, body)
    }

    /// Calls a closure with each entry of any channel, starting at a number, until the closure
    /// returns `false`.
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
        // Each key ends with the number of the entry, as the lower bound does.
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

    /// Returns the number of the first entry at or after a time; if there is none, the number that
    /// the next entry will have.
    ///
    /// - Complexity: A binary search with one seek per step.
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
