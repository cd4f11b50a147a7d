import Scrollback

/// Creates an event from each notification of a device.
///
/// The line of an event begins with `+` for something new, `*` for a change, `-` for a removal, `!`
/// for a failure, and `=` for everything else.
@MainActor
final class Listener {
    /// Called with each event.
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

    /// The engine's state at the last notification.
    private(set) var state: SyncState?

    private let userID: UserID
    /// The names of channels at their last notification.
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
                .hugeGap, "= a large gap in \(url): see coverage, fill and restart",
                [.channelURL: url], by: .engine)
        case .historyLost(let loss):
            tell(
                .historyLost, "= \(loss.sentence); fetching it again",
                [.text: loss.sentence], by: .engine)
        case .failed(let url, let error):
            tell(
                .syncFailed, "! syncing \(url) failed: \(sentence(of: error))",
                [.channelURL: url, .error: sentence(of: error)], by: .engine)
        case .evicted(let eviction):
            tell(
                .messagesEvicted,
                "= \(counted(eviction.messageCount, "message")) evicted: the cache has reached its limit",
                [.count: eviction.messageCount], by: .engine)
        case .deliveryResult(.sent(let message), let item) where item.operation == .send:
            tell(
                .messageSent, "= sent \(item.requestID) as \(message.messageID?.rawValue ?? "?")",
                [.requestID: item.requestID, .message: message], by: .engine)
        case .deliveryResult(.failed(let item), _):
            tell(
                .messageFailed,
                "! \(item.requestID) failed: \(item.reason); resend \(item.requestID) tries again",
                [.requestID: item.requestID, .error: item.reason], by: .engine)
        case .deliveryResult(.canceled, let item):
            tell(
                .messageCanceled, "= \(item.requestID) was canceled",
                [.requestID: item.requestID], by: .engine)
        case .deliveryResult: break
        }
    }
}

extension HistoryLoss {
    fileprivate var sentence: String {
        switch self {
        case .expiredCursor: "the device was offline for longer than the server keeps its feed"
        case .newEpoch: "the server was restored to an earlier state"
        }
    }
}

extension OutboxItem {
    /// The reason of the failure.
    var reason: String {
        let code = errorCode.map { "error \($0)" }
        guard let errorMessage, !errorMessage.isEmpty else { return code ?? "unknown reason" }
        return errorMessage + (code.map { " (\($0))" } ?? "")
    }
}

// MARK: The connection

extension Listener: ConnectionDelegate, UserEventDelegate {
    func didConnect(userID: UserID) { tellOfUser(.connected, "= \(userID) is connected") }
    func didDisconnect(userID: UserID) { tellOfUser(.disconnected, "= \(userID) is disconnected") }
    func didStartReconnection() {
        tellOfUser(.connectionLost, "= connection lost; retrying")
    }
    func didSucceedReconnection() {
        tellOfUser(.connectionRestored, "= connected again")
    }
    func didFailReconnection() {
        tellOfUser(.connectionStopped, "= no longer retrying: type reconnect")
    }
    func didCancelReconnection() {
        tellOfUser(.connectionStopped, "= no longer retrying")
    }
    func sessionWasClosed() {
        tellOfUser(.sessionClosed, "! the server has revoked the session of \(userID)")
    }
    func sessionTokenDidRequire() {
        tellOfUser(.sessionRenewed, "= the session expired and was renewed")
    }

    private func tellOfUser(_ name: Event.Name, _ text: String) {
        tell(name, text, [.userID: userID], by: .client)
    }

    func didFindStorageDamage(_ damage: StorageDamage) {
        for sentence in damage.sentences {
            tell(.damageFound, "! \(sentence)", [.damage: [sentence]], by: .client)
        }
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
        // A channel that is new on this device is not reported as changed.
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
        tell(.historyReset, of: channel, "* \(channel.url) has a new beginning for you")
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
        tell(.userUnmuted, user, in: channel, "is no longer muted")
    }

    func channel(_ channel: GroupChannel, userWasBanned user: User) {
        tell(.userBanned, user, in: channel, "is banned")
    }

    func channel(_ channel: GroupChannel, userWasUnbanned user: User) {
        tell(.userUnbanned, user, in: channel, "is no longer banned")
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
    /// The message's id, sender and text.
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
            .channelRemoved, "- \(channelURL) can no longer be shown: close it",
            [.channelURL: channelURL], by: .collection)
    }

    func messageCollection(
        _ collection: MessageCollection, uploaded bytes: Int, of total: Int,
        for requestID: RequestID
    ) {
        tell(
            .uploaded, "= uploaded \(bytes) of \(counted(total, "byte")) of \(requestID)",
            [.requestID: requestID, .bytes: bytes, .total: total], by: .upload)
    }
}
