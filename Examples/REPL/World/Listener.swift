import Scrollback

/// Writes down what a device is told, a line each: `+` for what came, `*` for what changed, `-` for what
/// is gone, and `=` for all else.
@MainActor
final class Listener {
    /// Is called with each line.
    var onNews: (String, News.Source) -> Void = { _, _ in }

    private func tell(_ line: String) { onNews(line, .store) }

    private func tellOfCollection(_ line: String) { onNews(line, .collection) }

    private func tellOfClient(_ line: String) { onNews(line, .client) }

    private func tellOfEngine(_ line: String) { onNews(line, .engine) }

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
            tellOfEngine("= much is missing in \(url): see coverage, fill and restart")
        case .historyLost(let loss):
            tellOfEngine("= \(loss.sentence); it is being asked for again")
        case .failed(let url, let error):
            tellOfEngine("! \(url) could not be brought up to date: \(sentence(of: error))")
        case .evicted(let eviction):
            tellOfEngine(
                "= \(eviction.messageCount) messages left this device's cache, which is limited")
        case .fate(.sent(let message), let draft) where draft.operation == .send:
            tellOfEngine("= sent \(draft.requestID) as \(message.messageID?.rawValue ?? "?")")
        case .fate(.failed(let draft), _):
            tellOfEngine(
                "! \(draft.requestID) failed: \(draft.reason); resend \(draft.requestID) tries again"
            )
        case .fate(.canceled, let draft): tellOfEngine("= \(draft.requestID) is not sent any more")
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
    func didConnect(userID: UserID) { tellOfClient("= \(userID) is connected") }
    func didDisconnect(userID: UserID) { tellOfClient("= \(userID) is disconnected") }
    func didStartReconnection() { tellOfClient("= the connection is lost; it is tried again") }
    func didSucceedReconnection() { tellOfClient("= the connection is back") }
    func didFailReconnection() {
        tellOfClient("= the connection is not tried any more: reconnect does")
    }
    func didCancelReconnection() { tellOfClient("= the connection is not tried any more") }
    func sessionWasClosed() { tellOfClient("! the server does not let \(userID) in any more") }
    func sessionTokenDidRequire() {
        tellOfClient("= the session has expired; new credentials are given")
    }

    func didUpdateTotalUnreadMessageCount(_ count: UnreadItemCount) {
        let number = count.groupChannelUnreadMessageCount
        defer { unread = count }
        guard unread?.groupChannelUnreadMessageCount ?? 0 != number else { return }
        tellOfClient("= \(number) unread")
    }
}

// MARK: Channels

extension Listener: ChannelDelegate {
    func channel(_ channel: GroupChannel, didReceive message: Message) {
        guard !isOwn(message) else { return }
        tell("+ \(channel.url) \(message.said)")
    }

    func channel(_ channel: GroupChannel, didUpdate message: Message) {
        guard !isOwn(message) else { return }
        tell("* \(channel.url) \(message.said)")
    }

    func channel(_ channel: GroupChannel, messageWasDeleted messageID: MessageID) {
        tell("- \(channel.url) \(messageID)")
    }

    func channel(_ channel: GroupChannel, didReceiveMention message: Message) {
        tell("= you are mentioned in \(message.messageID?.rawValue ?? "?")")
    }

    func channel(_ channel: GroupChannel, didUpdateReactionsOf message: Message) {
        let reactions = message.reactions.map { "\($0.key) \($0.count)" }.joined(separator: ", ")
        tell(
            "* \(channel.url) \(message.messageID?.rawValue ?? "?")  "
                + (reactions.isEmpty ? "no reactions" : "[\(reactions)]"))
    }

    func channel(_ channel: GroupChannel, didUpdateThreadInfoOf message: Message) {
        let count = message.threadInfo?.replyCount ?? 0
        tell(
            "* \(channel.url) \(message.messageID?.rawValue ?? "?")  \(count == 1 ? "1 reply" : "\(count) replies")"
        )
    }

    func channelWasChanged(_ channel: GroupChannel) {
        // A channel that comes for the first time was not changed.
        let before = names.updateValue(channel.name, forKey: channel.url)
        guard let before, before != channel.name else { return }
        tell("* \(channel.url) is \(channel.name.isEmpty ? "without a name" : channel.name)")
    }

    func channelWasDeleted(_ channelURL: ChannelURL) { tell("- channel \(channelURL)") }
    func channelWasHidden(_ channel: GroupChannel) { tell("* \(channel.url) is hidden") }
    func channelWasFrozen(_ channel: GroupChannel) { tell("* \(channel.url) is frozen") }
    func channelWasUnfrozen(_ channel: GroupChannel) { tell("* \(channel.url) is not frozen") }

    func channelDidChangeMemberCount(_ channel: GroupChannel) {
        tell("* \(channel.url) has \(counted(channel.memberCount, "member"))")
    }

    func channelDidUpdateOperators(_ channel: GroupChannel) {
        tell("* \(channel.url) has other operators")
    }

    func channelDidUpdatePinnedMessages(_ channel: GroupChannel) {
        tell("* \(channel.url) has other pinned messages")
    }

    func channelDidUpdateMetaData(_ channel: GroupChannel) {
        tell("* \(channel.url) has other metadata")
    }

    func channelDidUpdateReadReceipt(_ channel: GroupChannel) { tell("* \(channel.url) was read") }

    func channelDidUpdateDeliveryReceipt(_ channel: GroupChannel) {
        tell("* \(channel.url) was delivered")
    }

    func channel(_ channel: GroupChannel, didUpdateTypingStatus users: [User]) {
        let names = users.map(\.userID.rawValue).joined(separator: ", ")
        tell("= \(channel.url): \(names.isEmpty ? "nobody" : names) is typing")
    }

    func channelDidResetHistory(_ channel: GroupChannel) {
        tell("* \(channel.url) begins anew for you")
    }

    func channel(_ channel: GroupChannel, didReceiveInvitation invitees: [User], by inviter: User?)
    {
        let names = invitees.map(\.userID.rawValue).joined(separator: ", ")
        tell("= \(channel.url): \(inviter?.userID.rawValue ?? "somebody") invites \(names)")
    }

    func channel(_ channel: GroupChannel, didDeclineInvitation invitee: User, by inviter: User?) {
        tell("= \(channel.url): \(invitee.userID) declines")
    }

    func channel(_ channel: GroupChannel, userDidJoin user: User) {
        tell("= \(channel.url): \(user.userID) joins")
    }

    func channel(_ channel: GroupChannel, userDidLeave user: User) {
        tell("= \(channel.url): \(user.userID) leaves")
    }

    func channelWasLeft(_ channelURL: ChannelURL) { tell("- you have left \(channelURL)") }

    func channel(_ channel: GroupChannel, userWasMuted user: User) {
        tell("= \(channel.url): \(user.userID) is muted")
    }

    func channel(_ channel: GroupChannel, userWasUnmuted user: User) {
        tell("= \(channel.url): \(user.userID) is not muted any more")
    }

    func channel(_ channel: GroupChannel, userWasBanned user: User) {
        tell("= \(channel.url): \(user.userID) is banned")
    }

    func channel(_ channel: GroupChannel, userWasUnbanned user: User) {
        tell("= \(channel.url): \(user.userID) is not banned any more")
    }

    func channelBannedCurrentUser(_ channelURL: ChannelURL) {
        tell("- you are banned from \(channelURL)")
    }

    func openChannelWasChanged(_ channel: OpenChannel) {
        tell("* \(channel.url) has \(counted(channel.participantCount, "participant"))")
    }

    func openChannel(_ channel: OpenChannel, didReceive message: Message) {
        guard !isOwn(message) else { return }
        tell("+ \(channel.url) \(message.said)")
    }

    func openChannel(_ channel: OpenChannel, didUpdate message: Message) {
        guard !isOwn(message) else { return }
        tell("* \(channel.url) \(message.said)")
    }

    func openChannel(_ channel: OpenChannel, messageWasDeleted messageID: MessageID) {
        tell("- \(channel.url) \(messageID)")
    }

    func openChannel(_ channel: OpenChannel, userDidEnter user: User) {
        tell("= \(channel.url): \(user.userID) enters")
    }

    func openChannel(_ channel: OpenChannel, userDidExit user: User) {
        tell("= \(channel.url): \(user.userID) exits")
    }

    func openChannel(_ channel: OpenChannel, didUpdateTypingStatus users: [User]) {
        let names = users.map(\.userID.rawValue).joined(separator: ", ")
        tell("= \(channel.url): \(names.isEmpty ? "nobody" : names) is typing")
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
    ) { tellOfCollection("- \(channelURL) is no more to be shown: close it") }

    func messageCollection(
        _ collection: MessageCollection, uploaded bytes: Int, of total: Int,
        for requestID: RequestID
    ) { tellOfCollection("= uploaded \(bytes) of \(counted(total, "byte")) of \(requestID)") }
}
