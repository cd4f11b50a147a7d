import Models
import Store

/// The truncations for a device that was offline; each replaces its first omitted entry.
final class FeedTruncations {
    private let absence: LogCursor.Absence
    private let userID: UserID
    /// The last omitted entries; 0 for a channel without omissions.
    private var lastHidden: [ChannelNumber: LogSequence] = [:]
    private var reported: Set<ChannelNumber> = []

    init(_ absence: LogCursor.Absence, _ userID: UserID) {
        self.absence = absence
        self.userID = userID
    }

    /// Returns whether an entry is omitted, and adds a truncation for a channel's first one.
    func hides(
        _ entry: LogEntry, at sequence: LogSequence, of state: ServerState,
        _ builder: inout FeedBuilder
    ) throws(BackendError) -> Bool {
        guard entry.isOfMessages, let channel = state.channels[entry.channel], !channel.isOpen,
            let member = channel.members[userID],
            sequence <= (try lastHidden(in: channel, state))
        else { return false }
        let start = max(absence.after, member.visibleFrom)
        guard reported.insert(channel.number).inserted,
            try isFirst(sequence, after: start, in: channel, state)
        else { return true }
        builder.addTruncation(in: channel)
        return true
    }

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
}

extension LogEntry {
    fileprivate var isOfMessages: Bool {
        switch event {
        case .received, .updated, .deleted, .reacted, .threadChanged: only == nil
        default: false
        }
    }
}
