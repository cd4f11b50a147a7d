import Scrollback

/// Creates an event from each notification of a device.
///
/// The line of an event starts with `+` for something new, `*` for a change, `-` for a removal, `!`
/// for a failure, and `=` for anything else.
@MainActor
final class Listener {
    var onEvent: (Event, EventBuffer.Source) -> Void = { _, _ in }

    private func report(
        _ name: Event.Name, _ text: String, _ values: Values = [:],
        by source: EventBuffer.Source = .store
    ) { onEvent(Event(name, text, values), source) }

    private func report(
        _ name: Event.Name, in channelURL: ChannelURL, _ text: String, _ values: Values
    ) {
        let url: Values = [.channelURL: channelURL]
        report(name, text, url.merging(values) { $1 })
    }

    /// The state of the engine at the last notification.
    private(set) var state: SyncState?

    private let userID: UserID
    /// The names of channels at their last notification.
    private var names: [ChannelURL: String] = [:]
    private var unread: UnreadItemCount?
    /// A Boolean value that indicates whether the client was offline since it was first online.
    private var wasOffline = false

    init(_ userID: UserID) { self.userID = userID }

    private func isOwn(_ message: Message) -> Bool { message.sender?.userID == userID }
}

// MARK: The engine

extension Listener {
    func report(_ event: SyncEvent) {
        switch event {
        case .state(let state): self.state = state
        case .sessionExpired: break
        case .hugeGap(let url):
            report(
                .hugeGap, "= a huge gap in \(url): see coverage, fill and restart",
                [.channelURL: url], by: .engine)
        case .historyLost(let loss):
            report(
                .historyLost, "= \(loss.sentence); fetching it again",
                [.text: loss.sentence], by: .engine)
        case .failed(let url, let error):
            report(
                .syncFailed, "! syncing \(url) failed: \(sentence(of: error))",
                [.channelURL: url, .error: sentence(of: error)], by: .engine)
        case .evicted(let eviction):
            report(
                .messagesEvicted,
                "= \(counted(eviction.messageCount, "message")) evicted: the cache has reached its limit",
                [.count: eviction.messageCount], by: .engine)
        case .deliveryResult(.sent(let message), let item) where item.operation == .send:
            report(
                .messageSent, "= sent \(item.requestID) as \(message.messageID?.rawValue ?? "?")",
                [.requestID: item.requestID, .message: message], by: .engine)
        case .deliveryResult(.failed(let item), _):
            report(
                .messageFailed,
                "! \(item.requestID) failed: \(item.reason); resend \(item.requestID) tries again",
                [.requestID: item.requestID, .error: item.reason], by: .engine)
        case .deliveryResult(.canceled, let item):
            report(
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
    var reason: String {
        let code = errorCode.map { "error \($0)" }
        guard let errorMessage, !errorMessage.isEmpty else { return code ?? "unknown reason" }
        return errorMessage + (code.map { " (\($0))" } ?? "")
    }
}

// MARK: The connection

extension Listener: ConnectionDelegate, UserEventDelegate {
    func client(_ client: ChatClient, didReceive event: ConnectionEvent) {
        switch event {
        case .connected: reportUser(.connected, "= \(userID) is connected")
        case .disconnected:
            wasOffline = true
            reportUser(.disconnected, "= \(userID) is disconnected")
        case .reconnectionStarted:
            wasOffline = true
            reportUser(.connectionLost, "= connection lost; retrying")
        case .reconnectionSucceeded: reportUser(.connectionRestored, "= connected again")
        case .reconnectionFailed:
            reportUser(.connectionStopped, "= no longer retrying: type reconnect")
        case .reconnectionCanceled: reportUser(.connectionStopped, "= no longer retrying")
        case .sessionRevoked:
            reportUser(.sessionClosed, "! the server has revoked the session of \(userID)")
        case .sessionExpired:
            reportUser(.sessionRenewed, "= the session expired and was renewed")
        default: break
        }
    }

    private func reportUser(_ name: Event.Name, _ text: String) {
        report(name, text, [.userID: userID], by: .client)
    }

    func client(_ client: ChatClient, didFind damage: StorageDamage) {
        for sentence in damage.sentences {
            report(.damageFound, "! \(sentence)", [.damage: [sentence]], by: .client)
        }
    }

    func client(_ client: ChatClient, didUpdateUnreadCount count: UnreadItemCount) {
        let number = count.groupChannelUnreadMessageCount
        defer { unread = count }
        guard unread?.groupChannelUnreadMessageCount ?? 0 != number else { return }
        report(.unreadChanged, "= \(number) unread", [.unread: number], by: .client)
    }
}

// MARK: Channels

extension Listener: ChannelDelegate {
    func client(_ client: ChatClient, didReceive event: ChannelEvent) {
        if let message = event.message {
            report(event, of: message)
        } else if let messageID = event.messageID {
            report(
                .messageDeleted, in: event.channelURL, "- \(event.channelURL) \(messageID)",
                [.messageID: messageID])
        } else if case .open(let channel)? = event.channel {
            report(event, in: channel)
        } else if case .group(let channel)? = event.channel {
            report(event, in: channel)
        } else {
            reportRemoval(event)
        }
    }

    private func report(_ event: ChannelEvent, of message: Message) {
        let url = event.channelURL
        let id = message.messageID?.rawValue ?? "?"
        func report(_ name: Event.Name, _ text: String) {
            self.report(name, in: url, text, [.message: message])
        }
        switch event.source {
        case .eventMessageReceived, .eventMention:
            if !isOwn(message) { report(.messageReceived, "+ \(url) \(message.summary)") }
            if event.isMention { report(.mentioned, "= you are mentioned in \(id)") }
        case .eventReactionUpdated:
            let reactions = message.reactions.map { "\($0.key) \($0.count)" }
            report(
                .reactionsChanged,
                "* \(url) \(id)  "
                    + (reactions.isEmpty
                        ? "no reactions" : "[\(reactions.joined(separator: ", "))]"))
        case .eventThreadInfoUpdated:
            let count = message.threadInfo?.replyCount ?? 0
            report(
                .threadChanged, "* \(url) \(id)  " + (count == 1 ? "1 reply" : "\(count) replies"))
        case .eventMessageUpdated, .eventPollUpdated, .eventPollVoted:
            if !isOwn(message) { report(.messageUpdated, "* \(url) \(message.summary)") }
        default: break
        }
    }

    private func reportRemoval(_ event: ChannelEvent) {
        let url = event.channelURL
        switch event.source {
        case .eventUserLeft: report(.channelLeft, in: url, "- you have left \(url)", [:])
        case .eventUserBanned: report(.channelBanned, in: url, "- you are banned from \(url)", [:])
        default: report(.channelRemoved, in: url, "- channel \(url)", [:])
        }
    }

    private func report(_ event: ChannelEvent, in channel: OpenChannel) {
        switch event.source {
        case .eventTypingStatusUpdated: reportTyping(event)
        case .eventUserEntered: report(.userEntered, event, "enters")
        case .eventUserExited: report(.userExited, event, "exits")
        case .channelBackgroundSync: reportCatchUp(of: channel.url)
        default:
            report(
                .participantCountChanged, in: channel.url,
                "* \(channel.url) has \(counted(channel.participantCount, "participant"))",
                [.count: channel.participantCount])
        }
    }

    private func report(_ event: ChannelEvent, in channel: GroupChannel) {
        let url = channel.url
        func report(_ name: Event.Name, _ text: String) {
            self.report(name, in: url, "* \(url) \(text)", [:])
        }
        switch event.source {
        case .channelBackgroundSync: reportCatchUp(of: url)
        case .eventChannelChanged: reportChange(of: channel)
        case .eventChannelHidden: report(.channelHidden, "is hidden")
        case .eventChannelFrozen: report(.channelFrozen, "is frozen")
        case .eventChannelUnfrozen: report(.channelUnfrozen, "is not frozen")
        case .eventChannelMemberCountChanged:
            self.report(
                .memberCountChanged, in: url,
                "* \(url) has \(counted(channel.memberCount, "member"))",
                [.count: channel.memberCount])
        case .eventOperatorUpdated: report(.operatorsChanged, "has other operators")
        case .eventPinnedMessageUpdated: report(.pinnedMessagesChanged, "has other pinned messages")
        case .eventChannelMetaDataCreated, .eventChannelMetaDataUpdated,
            .eventChannelMetaDataDeleted:
            report(.metadataChanged, "has other metadata")
        case .eventReadReceiptUpdated, .eventUserMarkedRead, .eventUserMarkedUnread:
            report(.channelRead, "was read")
        case .eventDeliveryReceiptUpdated: report(.channelDelivered, "was delivered")
        case .eventChannelResetHistory, .eventMessageOffsetUpdated:
            report(.historyReset, "has a new beginning for you")
        case .eventTypingStatusUpdated: reportTyping(event)
        case .eventUserReceivedInvitation: reportInvitation(event)
        case .eventUserDeclinedInvitation: self.report(.invitationDeclined, event, "declines")
        case .eventUserJoined: self.report(.userJoined, event, "joins")
        case .eventUserLeft: self.report(.userLeft, event, "leaves")
        case .eventUserMuted: self.report(.userMuted, event, "is muted")
        case .eventUserUnmuted: self.report(.userUnmuted, event, "is no longer muted")
        case .eventUserBanned: self.report(.userBanned, event, "is banned")
        case .eventUserUnbanned: self.report(.userUnbanned, event, "is no longer banned")
        default: break
        }
    }

    private func reportCatchUp(of url: ChannelURL) {
        // Do not report channels at the first connection, because all of them are new then.
        guard wasOffline else { return }
        report(
            .channelCaughtUp, in: url, "* \(url) changed while \(userID) was offline", [:])
    }

    private func reportChange(of channel: GroupChannel) {
        // Report only a changed name: a channel that is new on this device has not changed.
        let before = names.updateValue(channel.name, forKey: channel.url)
        guard let before, before != channel.name else { return }
        report(
            .channelChanged, in: channel.url,
            "* \(channel.url) is \(channel.name.isEmpty ? "without a name" : channel.name)",
            [.channel: channel])
    }

    private func reportTyping(_ event: ChannelEvent) {
        let names = event.users.map(\.userID.rawValue).joined(separator: ", ")
        report(
            .typing, in: event.channelURL,
            "= \(event.channelURL): \(names.isEmpty ? "nobody" : names) is typing",
            [.userIDs: event.users.map(\.userID)])
    }

    private func reportInvitation(_ event: ChannelEvent) {
        let names = event.users.map(\.userID.rawValue).joined(separator: ", ")
        var values: Values = [.userIDs: event.users.map(\.userID)]
        values[.userID] = event.actor?.userID
        report(
            .invited, in: event.channelURL,
            "= \(event.channelURL): \(event.actor?.userID.rawValue ?? "somebody") invites \(names)",
            values)
    }

    /// Reports an event for each user whom a channel event concerns.
    private func report(_ name: Event.Name, _ event: ChannelEvent, _ verb: String) {
        for user in event.users {
            report(
                name, in: event.channelURL, "= \(event.channelURL): \(user.userID) \(verb)",
                [.userID: user.userID])
        }
    }
}

extension Message {
    /// The ID, the sender and the text of the message.
    fileprivate var summary: String {
        "\(messageID?.rawValue ?? "?")  \(sender?.userID.rawValue ?? "(channel)"): \(text.oneLine)"
    }
}

// MARK: The channel that is open

extension Listener: MessageCollectionDelegate {
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL
    ) {
        report(
            .channelRemoved, "- \(channelURL) can no longer be shown: close it",
            [.channelURL: channelURL], by: .collection)
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, updatedParentMessage: Message?
    ) {
        guard updatedParentMessage == nil, let id = collection.parentMessageID else { return }
        report(
            .threadEnded, "- message \(id) was deleted: its replies get no more",
            [.messageID: id], by: .collection)
    }

    func messageCollection(
        _ collection: MessageCollection, uploaded bytes: Int, of total: Int,
        for requestID: RequestID
    ) {
        report(
            .uploaded, "= uploaded \(bytes) of \(counted(total, "byte")) of \(requestID)",
            [.requestID: requestID, .bytes: bytes, .total: total], by: .upload)
    }
}
