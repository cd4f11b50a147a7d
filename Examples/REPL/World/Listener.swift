import Scrollback

/// Writes down what a device is told, an event each, whose line begins with `+` for what came, `*` for
/// what changed, `-` for what is gone, `!` for what failed, and `=` for all else.
@MainActor
final class Listener {
    /// Is called with each event.
    var onNews: (Event, News.Source) -> Void = { _, _ in }

    private func tell(
        _ name: Event.Name, _ text: String, _ values: Values = [:], by source: News.Source = .store
    ) { onNews(Event(name, text, values), source) }

    private func tell(
        _ name: Event.Name, of channel: GroupChannel, _ text: String, _ values: Values = [:]
    ) { tell(name, in: channel.url, text, values) }

    private func tell(
        _ name: Event.Name, of channel: OpenChannel, _ text: String, _ values: Values = [:]
    ) { tell(name, in: channel.url, text, values) }

    private func tell(
        _ name: Event.Name, in channelURL: ChannelURL, _ text: String, _ values: Values
    ) {
        let url: Values = [.channelURL: channelURL]
        tell(name, text, url.merging(values) { $1 })
    }

    /// How far the engine is, as it was told last.
    private(set) var state: SyncState?

    private let userID: UserID
    /// What channels were called when they were last told of.
    private var names: [ChannelURL: String] = [:]
    private var unread: UnreadItemCount?

    init(_ userID: UserID) { self.userID = userID }

    private func isOwn(_ message: Message) -> Bool { message.sender?.userID == userID }
}

// MARK: The engine

extension Listener {
    func hear(_ event: SyncEvent) {
        switch event {
        case .state(let state): self.state = state
        case .sessionExpired: break
        case .hugeGap(let url):
            tell(
                .hugeGap, "= much is missing in \(url): see coverage, fill and restart",
                [.channelURL: url], by: .engine)
        case .historyLost(let loss):
            tell(
                .historyLost, "= \(loss.sentence); it is being asked for again",
                [.text: loss.sentence], by: .engine)
        case .failed(let url, let error):
            tell(
                .syncFailed, "! \(url) could not be brought up to date: \(sentence(of: error))",
                [.channelURL: url, .error: sentence(of: error)], by: .engine)
        case .evicted(let eviction):
            tell(
                .messagesEvicted,
                "= \(counted(eviction.messageCount, "message")) left the cache, which is limited",
                [.count: eviction.messageCount], by: .engine)
        case .fate(.sent(let message), let draft) where draft.operation == .send:
            tell(
                .messageSent, "= sent \(draft.requestID) as \(message.messageID?.rawValue ?? "?")",
                [.requestID: draft.requestID, .message: message], by: .engine)
        case .fate(.failed(let draft), _):
            tell(
                .messageFailed,
                "! \(draft.requestID) failed: \(draft.reason); resend \(draft.requestID) tries again",
                [.requestID: draft.requestID, .error: draft.reason], by: .engine)
        case .fate(.canceled, let draft):
            tell(
                .messageCanceled, "= \(draft.requestID) is not sent any more",
                [.requestID: draft.requestID], by: .engine)
        case .fate: break
        }
    }
}

extension HistoryLoss {
    fileprivate var sentence: String {
        switch self {
        case .expiredCursor: "this device was away for longer than the server remembers"
        case .newEpoch: "the server was put back to an earlier state"
        }
    }
}

extension Draft {
    /// Why it failed, in words.
    var reason: String {
        let code = errorCode.map { "error \($0)" }
        guard let errorMessage, !errorMessage.isEmpty else { return code ?? "nobody knows why" }
        return errorMessage + (code.map { " (\($0))" } ?? "")
    }
}

// MARK: The connection

extension Listener: ConnectionDelegate, UserEventDelegate {
    func didConnect(userID: UserID) { tellOfUser(.connected, "= \(userID) is connected") }
    func didDisconnect(userID: UserID) { tellOfUser(.disconnected, "= \(userID) is disconnected") }
    func didStartReconnection() {
        tellOfUser(.connectionLost, "= the connection is lost; it is tried again")
    }
    func didSucceedReconnection() {
        tellOfUser(.connectionRestored, "= the connection is back")
    }
    func didFailReconnection() {
        tellOfUser(.connectionStopped, "= the connection is not tried any more: reconnect does")
    }
    func didCancelReconnection() {
        tellOfUser(.connectionStopped, "= the connection is not tried any more")
    }
    func sessionWasClosed() {
        tellOfUser(.sessionClosed, "! the server does not let \(userID) in any more")
    }
    func sessionTokenDidRequire() {
        tellOfUser(.sessionRenewed, "= the session has expired; new credentials are given")
    }

    private func tellOfUser(_ name: Event.Name, _ text: String) {
        tell(name, text, [.userID: userID], by: .client)
    }

    func didUpdateTotalUnreadMessageCount(_ count: UnreadItemCount) {
        let number = count.groupChannelUnreadMessageCount
        defer { unread = count }
        guard unread?.groupChannelUnreadMessageCount ?? 0 != number else { return }
        tell(.unreadChanged, "= \(number) unread", [.unread: number], by: .client)
    }
}

// MARK: Channels

extension Listener: ChannelDelegate {
    func channel(_ channel: GroupChannel, didReceive message: Message) {
        guard !isOwn(message) else { return }
        tell(
            .messageReceived, of: channel, "+ \(channel.url) \(message.said)",
            [.message: message])
    }

    func channel(_ channel: GroupChannel, didUpdate message: Message) {
        guard !isOwn(message) else { return }
        tell(
            .messageUpdated, of: channel, "* \(channel.url) \(message.said)",
            [.message: message])
    }

    func channel(_ channel: GroupChannel, messageWasDeleted messageID: MessageID) {
        tell(
            .messageDeleted, of: channel, "- \(channel.url) \(messageID)",
            [.messageID: messageID])
    }

    func channel(_ channel: GroupChannel, didReceiveMention message: Message) {
        tell(
            .mentioned, of: channel,
            "= you are mentioned in \(message.messageID?.rawValue ?? "?")", [.message: message])
    }

    func channel(_ channel: GroupChannel, didUpdateReactionsOf message: Message) {
        let reactions = message.reactions.map { "\($0.key) \($0.count)" }.joined(separator: ", ")
        tell(
            .reactionsChanged, of: channel,
            "* \(channel.url) \(message.messageID?.rawValue ?? "?")  "
                + (reactions.isEmpty ? "no reactions" : "[\(reactions)]"), [.message: message])
    }

    func channel(_ channel: GroupChannel, didUpdateThreadInfoOf message: Message) {
        let count = message.threadInfo?.replyCount ?? 0
        tell(
            .threadChanged, of: channel,
            "* \(channel.url) \(message.messageID?.rawValue ?? "?")  "
                + (count == 1 ? "1 reply" : "\(count) replies"), [.message: message])
    }

    func channelWasChanged(_ channel: GroupChannel) {
        // A channel that comes for the first time was not changed.
        let before = names.updateValue(channel.name, forKey: channel.url)
        guard let before, before != channel.name else { return }
        tell(
            .channelChanged, of: channel,
            "* \(channel.url) is \(channel.name.isEmpty ? "without a name" : channel.name)",
            [.channel: channel])
    }

    func channelWasDeleted(_ channelURL: ChannelURL) {
        tell(.channelRemoved, "- channel \(channelURL)", [.channelURL: channelURL])
    }

    func channelWasHidden(_ channel: GroupChannel) {
        tell(.channelHidden, of: channel, "* \(channel.url) is hidden")
    }

    func channelWasFrozen(_ channel: GroupChannel) {
        tell(.channelFrozen, of: channel, "* \(channel.url) is frozen")
    }

    func channelWasUnfrozen(_ channel: GroupChannel) {
        tell(.channelUnfrozen, of: channel, "* \(channel.url) is not frozen")
    }

    func channelDidChangeMemberCount(_ channel: GroupChannel) {
        tell(
            .memberCountChanged, of: channel,
            "* \(channel.url) has \(counted(channel.memberCount, "member"))",
            [.count: channel.memberCount])
    }

    func channelDidUpdateOperators(_ channel: GroupChannel) {
        tell(.operatorsChanged, of: channel, "* \(channel.url) has other operators")
    }

    func channelDidUpdatePinnedMessages(_ channel: GroupChannel) {
        tell(.pinnedMessagesChanged, of: channel, "* \(channel.url) has other pinned messages")
    }

    func channelDidUpdateMetaData(_ channel: GroupChannel) {
        tell(.metadataChanged, of: channel, "* \(channel.url) has other metadata")
    }

    func channelDidUpdateReadReceipt(_ channel: GroupChannel) {
        tell(.channelRead, of: channel, "* \(channel.url) was read")
    }

    func channelDidUpdateDeliveryReceipt(_ channel: GroupChannel) {
        tell(.channelDelivered, of: channel, "* \(channel.url) was delivered")
    }

    func channel(_ channel: GroupChannel, didUpdateTypingStatus users: [User]) {
        let names = users.map(\.userID.rawValue).joined(separator: ", ")
        tell(
            .typing, of: channel,
            "= \(channel.url): \(names.isEmpty ? "nobody" : names) is typing",
            [.userIDs: users.map(\.userID)])
    }

    func channelDidResetHistory(_ channel: GroupChannel) {
        tell(.historyReset, of: channel, "* \(channel.url) begins anew for you")
    }

    func channel(_ channel: GroupChannel, didReceiveInvitation invitees: [User], by inviter: User?)
    {
        let names = invitees.map(\.userID.rawValue).joined(separator: ", ")
        var values: Values = [.userIDs: invitees.map(\.userID)]
        values[.userID] = inviter?.userID
        tell(
            .invited, of: channel,
            "= \(channel.url): \(inviter?.userID.rawValue ?? "somebody") invites \(names)", values)
    }

    func channel(_ channel: GroupChannel, didDeclineInvitation invitee: User, by inviter: User?) {
        tell(.invitationDeclined, invitee, in: channel, "declines")
    }

    func channel(_ channel: GroupChannel, userDidJoin user: User) {
        tell(.userJoined, user, in: channel, "joins")
    }

    func channel(_ channel: GroupChannel, userDidLeave user: User) {
        tell(.userLeft, user, in: channel, "leaves")
    }

    func channelWasLeft(_ channelURL: ChannelURL) {
        tell(.channelLeft, "- you have left \(channelURL)", [.channelURL: channelURL])
    }

    func channel(_ channel: GroupChannel, userWasMuted user: User) {
        tell(.userMuted, user, in: channel, "is muted")
    }

    func channel(_ channel: GroupChannel, userWasUnmuted user: User) {
        tell(.userUnmuted, user, in: channel, "is not muted any more")
    }

    func channel(_ channel: GroupChannel, userWasBanned user: User) {
        tell(.userBanned, user, in: channel, "is banned")
    }

    func channel(_ channel: GroupChannel, userWasUnbanned user: User) {
        tell(.userUnbanned, user, in: channel, "is not banned any more")
    }

    func channelBannedCurrentUser(_ channelURL: ChannelURL) {
        tell(.channelBanned, "- you are banned from \(channelURL)", [.channelURL: channelURL])
    }

    func openChannelWasChanged(_ channel: OpenChannel) {
        tell(
            .participantCountChanged,
            "* \(channel.url) has \(counted(channel.participantCount, "participant"))",
            [.channelURL: channel.url, .count: channel.participantCount])
    }

    private func tell(
        _ name: Event.Name, _ user: User, in channel: GroupChannel, _ what: String
    ) {
        tell(
            name, of: channel, "= \(channel.url): \(user.userID) \(what)",
            [.userID: user.userID])
    }

    func openChannel(_ channel: OpenChannel, didReceive message: Message) {
        guard !isOwn(message) else { return }
        tell(.messageReceived, of: channel, "+ \(channel.url) \(message.said)", [.message: message])
    }

    func openChannel(_ channel: OpenChannel, didUpdate message: Message) {
        guard !isOwn(message) else { return }
        tell(.messageUpdated, of: channel, "* \(channel.url) \(message.said)", [.message: message])
    }

    func openChannel(_ channel: OpenChannel, messageWasDeleted messageID: MessageID) {
        tell(
            .messageDeleted, of: channel, "- \(channel.url) \(messageID)",
            [.messageID: messageID])
    }

    func openChannel(_ channel: OpenChannel, userDidEnter user: User) {
        tell(
            .userEntered, of: channel, "= \(channel.url): \(user.userID) enters",
            [.userID: user.userID])
    }

    func openChannel(_ channel: OpenChannel, userDidExit user: User) {
        tell(
            .userExited, of: channel, "= \(channel.url): \(user.userID) exits",
            [.userID: user.userID])
    }

    func openChannel(_ channel: OpenChannel, didUpdateTypingStatus users: [User]) {
        let names = users.map(\.userID.rawValue).joined(separator: ", ")
        tell(
            .typing, of: channel,
            "= \(channel.url): \(names.isEmpty ? "nobody" : names) is typing",
            [.userIDs: users.map(\.userID)])
    }
}

extension Message {
    /// Its id, who said it, and what.
    fileprivate var said: String {
        "\(messageID?.rawValue ?? "?")  \(sender?.userID.rawValue ?? "(channel)"): \(text.oneLine)"
    }
}

// MARK: The channel that is open

extension Listener: MessageCollectionDelegate {
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL
    ) {
        tell(
            .channelRemoved, "- \(channelURL) is no more to be shown: close it",
            [.channelURL: channelURL], by: .collection)
    }

    func messageCollection(
        _ collection: MessageCollection, uploaded bytes: Int, of total: Int,
        for requestID: RequestID
    ) {
        tell(
            .uploaded, "= uploaded \(bytes) of \(counted(total, "byte")) of \(requestID)",
            [.requestID: requestID, .bytes: bytes, .total: total], by: .collection)
    }
}
