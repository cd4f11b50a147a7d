import Models
import Store

extension Ingest {
    /// Applies a change of a channel, and returns whether it is new or was just joined.
    mutating func applyUpdate(_ update: ChannelUpdate) throws(StoreError) -> Bool {
        let url = update.channelURL
        let stored = try batch.groupChannel(url)
        var channel = stored ?? GroupChannel()
        channel.url = url
        update.patch.apply(to: &channel)
        let people = EventPeople(
            users: update.users, actor: update.actor, reason: update.reason)
        try save(channel, over: stored, channelSource(update.source), people: people.ifAny)
        for user in update.users { try batch.save(user, source: channelSource(update.source)) }
        return stored == nil || stored?.myMemberState == .invited
    }

    /// Saves a channel, and removes messages that are older than the user's history.
    mutating func save(
        _ channel: GroupChannel, over stored: GroupChannel?, _ source: CollectionEventSource,
        people: EventPeople? = nil
    ) throws(StoreError) {
        try batch.save(channel, source: source, people: people)
        flights.recordChannel(channel.url)
        if stored == nil { addedChannels.append(channel.url) }
        let before = stored?.historyBeginning
        guard channel.historyBeginning != before else { return }
        invalidateKnowledge(of: channel.url)
        if let before, channel.historyBeginning ?? .beginning < before {
            try batch.open(Gap(in: channel.url, from: .beginning, to: before))
        }
        guard let beginning = channel.historyBeginning else { return }
        try batch.removeMessages(
            in: channel.url, through: beginning, source: messageSource(.eventChannelResetHistory))
        try batch.cover(channel.url, from: .beginning, through: beginning)
        try batch.markVerified(channel.url, from: .beginning, through: beginning)
    }

    mutating func removeAll(
        but urls: some Sequence<ChannelURL>, keepsInvitations: Bool = false,
        _ report: inout FeedReport
    ) throws(StoreError) {
        let kept = Set(urls)
        for url in try batch.channelURLs() where !kept.contains(url) {
            guard try batch.openChannel(url) == nil else { continue }
            if keepsInvitations, try batch.groupChannel(url)?.myMemberState == .invited {
                continue
            }
            try remove(url, .channelBackgroundSync)
            report.removedChannels.append(url)
        }
    }

    mutating func remove(
        _ url: ChannelURL, _ source: CollectionEventSource, people: EventPeople? = nil
    ) throws(StoreError) {
        flights.void(url)
        flights.recordChannel(url)
        invalidateKnowledge(of: url)
        batch.setUnreported(nil, of: url)
        batch.setMessageChangelogToken(nil, of: url)
        try batch.removeChannel(url, source: source, people: people)
    }

    mutating func changeChannel(
        _ url: ChannelURL, _ source: CollectionEventSource, _ change: (inout GroupChannel) -> Void
    ) throws(StoreError) {
        guard var channel = try batch.groupChannel(url) else { return }
        change(&channel)
        try batch.save(channel, source: source)
        flights.recordChannel(url)
    }
}

extension EventPeople {
    var ifAny: EventPeople? {
        users.isEmpty && actor == nil && reason == nil ? nil : self
    }
}
