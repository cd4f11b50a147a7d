import Models
import Store

extension ServerState {
    func createOpenChannel(
        _ params: OpenChannelCreateParams, by userID: UserID
    ) throws(BackendError) -> OpenChannel {
        let creator = try account(userID)
        let number = counters.nextChannel
        let url = params.url ?? freeURL("open_channel_", number)
        try checkIsFree(url)
        counters.nextChannel += 1
        var open = OpenChannel(url: url, name: params.name, createdAt: now())
        open.data = params.data
        open.customType = params.customType
        open.createdBy = creator.user
        open.operators = [creator.user]
        let channel = ServerChannel(number, open)
        register(channel)
        return view(channel)
    }

    func openChannels(
        after cursor: PageCursor?, limit: Int
    ) throws(BackendError) -> Page<OpenChannel> {
        let numbers = channels.values.filter(\.isOpen).map(\.number).sorted(by: >)
        var rest = numbers[...]
        if let cursor {
            guard let last = ChannelNumber(try counters.pageText(cursor)) else {
                throw .cannotResume(from: cursor.rawValue)
            }
            rest = rest.drop { $0 >= last }
        }
        let page = rest.prefix(min(max(limit, 1), conditions.listLimit))
        let next = page.count < rest.count ? page.last : nil
        return Page(
            page.compactMap { channels[$0].map { view($0) } },
            next: next.map { counters.pageCursor(String($0)) })
    }

    func enter(_ url: ChannelURL, _ session: Session) throws(BackendError) -> OpenChannel {
        let channel = try openChannelState(url)
        if let ban = ban(of: session.userID, from: channel) { throw ban }
        if session.entered[channel.number] == nil {
            session.entered[channel.number] = counters.sequence
            channel.participants[session.userID, default: 0] += 1
            if channel.participants[session.userID] == 1 {
                notifyOthers(that: session.userID, hasEntered: true, channel)
            }
            notifyParticipants(of: channel)
        }
        return view(channel)
    }

    func exit(_ url: ChannelURL, _ session: Session) throws(BackendError) {
        let channel = try openChannelState(url)
        guard session.entered.removeValue(forKey: channel.number) != nil else {
            _ = try readableChannel(url, for: session.userID)
            return
        }
        removeParticipant(session.userID, from: channel)
    }

    func removeParticipant(_ userID: UserID, from channel: ServerChannel) {
        guard let count = channel.participants[userID] else { return }
        channel.participants[userID] = count > 1 ? count - 1 : nil
        if count == 1 {
            if channel.typing.contains(userID) { endTyping(of: userID, in: channel) }
            notifyOthers(that: userID, hasEntered: false, channel)
        }
        notifyParticipants(of: channel)
    }

    /// Records that a user has entered or exited.
    ///
    /// If the user exits before a feed has reported it, the feed reports neither.
    private func notifyOthers(
        that userID: UserID, hasEntered: Bool, _ channel: ServerChannel
    ) {
        for session in sessions.values
        where session.entered[channel.number] != nil && session.userID != userID {
            var changed = session.participantsChanged[channel.number] ?? [:]
            changed[userID] = changed[userID] == nil ? hasEntered : nil
            session.participantsChanged[channel.number] = changed.isEmpty ? nil : changed
        }
    }

    private func notifyParticipants(of channel: ServerChannel) {
        for (client, session) in sessions where session.entered[channel.number] != nil {
            session.openChannelsChanged.insert(channel.number)
            touched.clients.insert(client)
        }
    }
}
