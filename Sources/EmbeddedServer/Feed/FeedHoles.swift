import Models
import Store

/// The holes of a feed that tells only the newest messages of each channel after an absence.
///
/// Where the first entry would be told that lies in one, the hole is told instead.
final class FeedHoles {
    private let absence: LogCursor.Absence
    private let userID: UserID
    /// The last entry of each channel that is not told; 0 if all are.
    private var lastHidden: [ChannelNumber: LogSequence] = [:]
    private var told: Set<ChannelNumber> = []

    init(_ absence: LogCursor.Absence, _ userID: UserID) {
        self.absence = absence
        self.userID = userID
    }

    /// Whether an entry lies in a hole; tells the hole, if it is the first one that does.
    func hides(
        _ entry: LogEntry, _ sequence: LogSequence, _ state: ServerState,
        _ builder: inout FeedBuilder
    ) throws(BackendError) -> Bool {
        guard entry.isOfMessages, let channel = state.channels[entry.channel], !channel.isOpen,
            let member = channel.members[userID],
            sequence <= (try lastHidden(in: channel, state))
        else { return false }
        let start = max(absence.after, member.visibleFrom)
        guard told.insert(channel.number).inserted,
            try isFirst(sequence, after: start, in: channel, state)
        else { return true }
        let newest = try newestHidden(in: channel, after: start, state)
        let cursor = HistoryCursor(newest, isBehind: true).text(state.counters)
        builder.addHole(in: channel, walk: cursor)
        return true
    }

    /// The entry of the newest message but as many as are told.
    private func lastHidden(
        in channel: ServerChannel, _ state: ServerState
    ) throws(BackendError) -> LogSequence {
        if let known = lastHidden[channel.number] { return known }
        var found: LogSequence = 0
        var left = absence.limit
        try state.scanLog(of: channel, 0...absence.upTo, isDescending: true) { sequence, entry in
            guard case .received = entry.event else { return true }
            if left == 0 { found = sequence }
            left -= 1
            return left >= 0
        }
        lastHidden[channel.number] = found
        return found
    }

    private func isFirst(
        _ sequence: LogSequence, after start: LogSequence, in channel: ServerChannel,
        _ state: ServerState
    ) throws(BackendError) -> Bool {
        var isFirst = true
        guard start + 1 < sequence else { return true }
        try state.scanLog(of: channel, (start + 1)...(sequence - 1)) { _, entry in
            if entry.isOfMessages { isFirst = false }
            return isFirst
        }
        return isFirst
    }

    /// The newest position in the hole, of a message that came, or that only changed: walking goes on
    /// from there, whatever the clocks said.
    private func newestHidden(
        in channel: ServerChannel, after start: LogSequence, _ state: ServerState
    ) throws(BackendError) -> Position {
        let last = try lastHidden(in: channel, state)
        var newest = Position(createdAt: .distantPast, messageID: "")
        try state.scanLog(of: channel, (start + 1)...max(start + 1, last)) { _, entry in
            if let position = entry.position { newest = max(newest, position) }
            return true
        }
        return newest
    }
}

extension LogEntry {
    /// Whether it tells what became of a message.
    fileprivate var isOfMessages: Bool {
        switch event {
        case .received, .updated, .deleted, .reacted, .threadChanged: only == nil
        default: false
        }
    }

    /// Where the message lies that it is about; `nil` if it is about none, or one that is gone.
    fileprivate var position: Position? {
        switch event {
        case .received(let receipt): receipt.position
        case .updated(let position), .reacted(let position, _), .threadChanged(let position):
            position
        default: nil
        }
    }
}
