import Models
import Store

/// Creates the feed events for a user from log entries.
///
/// Because the feed reports current versions, a message with several entries is reported once, and
/// a deleted one only as deleted.
struct FeedBuilder {
    let state: ServerState
    let userID: UserID
    /// The entered open channels, with the newest entry at that time.
    let entered: [ChannelNumber: LogSequence]
    private(set) var events: [FeedEvent] = []
    private var reported: Set<MessageID> = []
    private var reportedThreads: Set<MessageID> = []
    /// The channels whose last message or counts may have changed.
    private var touched: [ChannelNumber: CollectionEventSource] = [:]
    private var touchedOrder: [ChannelNumber] = []
    private var rewritten: Set<ChannelNumber> = []

    init(_ state: ServerState, _ userID: UserID, entered: [ChannelNumber: LogSequence]) {
        self.state = state
        self.userID = userID
        self.entered = entered
    }

    /// Returns `nil` if the entry does not concern the user.
    func channel(of entry: LogEntry, _ sequence: LogSequence) -> ServerChannel? {
        if let only = entry.only, only != userID { return nil }
        guard let channel = state.channels[entry.channel] else { return nil }
        if channel.isOpen {
            guard let since = entered[channel.number], since < sequence else { return nil }
            return channel
        }
        guard let member = channel.members[userID], member.visibleFrom <= sequence else {
            return nil
        }
        return channel
    }

    mutating func add(_ entry: LogEntry, _ sequence: LogSequence) throws(BackendError) {
        if case .lost(let url, let cause, by: let actor, let reason) = entry.event {
            guard entry.only == userID else { return }
            let removal = ChannelRemoval(
                cause, by: actor.flatMap { state.accounts[$0]?.user },
                reason: reason.isEmpty ? nil : reason)
            return events.append(.channelRemoved(url, removal))
        }
        guard let channel = channel(of: entry, sequence) else { return }
        switch entry.event {
        case .received(let receipt):
            guard let message = try message(at: receipt.position, in: channel) else { return }
            reported.insert(receipt.position.messageID)
            events.append(.messageReceived(message))
            let isOwn = receipt.sender == userID
            // A channel with another user's message has received a message, whatever came later.
            if !isOwn || touched[channel.number] != .eventMessageReceived {
                touch(channel, isOwn ? .eventMessageSent : .eventMessageReceived)
            }
        case .updated(let position):
            guard let message = try message(at: position, in: channel) else { return }
            touch(channel, .eventMessageUpdated)
            guard reported.insert(position.messageID).inserted else { return }
            events.append(.messageUpdated(message))
        case .deleted(let id):
            events.append(.messageDeleted(id, in: channel.url, at: entry.time))
            touch(channel, .eventMessageDeleted)
        case .reacted(let position, var event):
            guard try message(at: position, in: channel) != nil else { return }
            if event.userID != userID { event.requestID = nil }
            events.append(.reaction(event))
            touch(channel, .eventReactionUpdated)
        case .threadChanged(let position):
            guard let info = try message(at: position, in: channel)?.threadInfo,
                reportedThreads.insert(position.messageID).inserted
            else { return }
            events.append(
                .threadInfo(
                    ThreadInfoUpdateEvent(
                        parentMessageID: position.messageID, channelURL: channel.url,
                        channelType: channel.type, threadInfo: info)))
            touch(channel, .eventThreadInfoUpdated)
        case .read(let reader, let time):
            events.append(.read(by: reader, in: channel.url, at: time))
            if reader == userID { try addPart(.mine, of: channel, .eventUserMarkedRead) }
        case .delivered(let receiver, let time):
            events.append(.delivered(to: receiver, in: channel.url, at: time))
        case .changed(let part, let cause):
            try addPart(part, of: channel, cause.source, cause)
        case .gained(let cause):
            try addWhole(channel, cause.source, cause)
        case .historyChanged(let from, let through):
            events.append(.historyChanged(in: channel.url, from: from, through: through))
            touch(channel, .eventChannelChanged)
            rewritten.insert(channel.number)
        case .purged(let userID, _):
            events.append(.messagesDeleted(ofSender: userID, in: channel.url, at: entry.time))
            touch(channel, .eventMessageDeleted)
        case .lost, .mark: break
        }
    }

    private func message(
        at position: Position, in channel: ServerChannel
    ) throws(BackendError) -> Message? {
        guard let message = try state.message(at: position, in: channel),
            state.isVisible(message, in: channel, to: userID)
        else { return nil }
        return state.view(message, for: userID)
    }

    private mutating func touch(_ channel: ServerChannel, _ source: CollectionEventSource) {
        if touched.updateValue(source, forKey: channel.number) == nil {
            touchedOrder.append(channel.number)
        }
    }

    // MARK: Channels

    mutating func addWhole(
        _ channel: ServerChannel, _ source: CollectionEventSource = .eventChannelChanged,
        _ cause: LogEntry.Cause? = nil
    ) throws(BackendError) {
        let view = try state.view(channel, for: userID)
        add(Patch(whole: view), of: channel, source, cause)
    }

    private mutating func addPart(
        _ part: ChannelPart, of channel: ServerChannel, _ source: CollectionEventSource,
        _ cause: LogEntry.Cause? = nil
    ) throws(BackendError) {
        if channel.isOpen { return events.append(.openChannel(state.view(channel))) }
        let view = try state.view(channel, for: userID)
        add(Patch(part, of: view), of: channel, source, cause)
    }

    private mutating func add(
        _ patch: Patch<GroupChannel>, of channel: ServerChannel, _ source: CollectionEventSource,
        _ cause: LogEntry.Cause? = nil
    ) {
        events.append(
            .channel(
                ChannelUpdate(
                    channel.url, patch, source: source,
                    users: cause?.users.compactMap { state.accounts[$0]?.user } ?? [],
                    actor: cause?.actor.flatMap { state.accounts[$0]?.user },
                    reason: cause.flatMap { $0.reason.isEmpty ? nil : $0.reason })))
    }

    mutating func addTruncation(in channel: ServerChannel) {
        events.append(.truncation(in: channel.url))
        touch(channel, .eventMessageReceived)
    }

    mutating func addAllChannels() {
        let numbers = state.accounts[userID]?.channels ?? []
        events.append(.channels(Set(numbers.compactMap { state.channels[$0]?.url })))
    }

    mutating func add(live event: FeedEvent) { events.append(event) }

    mutating func finish() throws(BackendError) {
        for number in touchedOrder {
            guard let channel = state.channels[number], !channel.isOpen,
                let source = touched[number]
            else { continue }
            let patch: Patch<GroupChannel> =
                if rewritten.contains(number) {
                    Patch(whole: try state.view(channel, for: userID))
                } else {
                    Patch(messagesOf: try state.partialView(channel, for: userID))
                }
            add(patch, of: channel, source)
        }
    }
}
