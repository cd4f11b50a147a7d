import Scrollback

/// Creates an event from each notification of a device.
///
/// The line starts with `+` for something new, `*` for a change, `-` for a removal, `!` for a
/// failure, and `=` for anything else.
@MainActor
final class Listener {
    var onEvent: (Event, EventBuffer.Source) -> Void = { _, _ in }

    private(set) var state: SyncState?

    /// True while a stream reports the progress of all uploads.
    var ignoresUploadsOfTheCollection = false

    private let userID: UserID
    private var names: [ChannelURL: String] = [:]
    private var unread = 0
    private var wasOffline = false

    init(_ userID: UserID) { self.userID = userID }

    private func isOwn(_ message: Message) -> Bool { message.sender?.userID == userID }

    private func report(
        _ name: String, _ text: String, _ values: Values = [:], by source: EventBuffer.Source
    ) { onEvent(Event(name, text, values), source) }

    // MARK: The engine

    func report(_ event: SyncEvent) {
        switch event {
        case .state(let state): self.state = state
        case .sessionExpired: break
        case .hugeGap(let url):
            report(
                "huge_gap", "= a huge gap in \(url): see coverage, fill and restart",
                ["channel_url": url], by: .engine)
        case .historyLost(let loss):
            let text =
                switch loss {
                case .expiredCursor:
                    "the device was offline for longer than the server keeps its feed"
                case .newEpoch: "the server was restored to an earlier state"
                }
            report("history_lost", "= \(text); fetching it again", by: .engine)
        case .failed(let url, let error):
            report(
                "sync_failed", "! syncing \(url) failed: \(sentence(of: error))",
                ["channel_url": url, "error": sentence(of: error)], by: .engine)
        case .evicted(let eviction):
            let count = counted(eviction.messageCount, "message")
            report(
                "messages_evicted", "= \(count) evicted: the cache has reached its limit",
                ["count": eviction.messageCount], by: .engine)
        case .deliveryResult(.sent(let message), let item) where item.operation == .send:
            report(
                "message_sent", "= sent \(item.requestID) as \(message.messageID?.rawValue ?? "?")",
                ["request_id": item.requestID, "message": message], by: .engine)
        case .deliveryResult(.failed(let item), _):
            let id = item.requestID
            report(
                "message_failed",
                "! \(id) failed: \(item.reason.oneLine); resend \(id) tries again",
                ["request_id": id, "error": item.reason], by: .engine)
        case .deliveryResult(.canceled, let item):
            report(
                "message_canceled", "= \(item.requestID) was canceled",
                ["request_id": item.requestID], by: .engine)
        case .deliveryResult: break
        }
    }
}

extension OutboxItem {
    fileprivate var reason: String {
        let code = errorCode.map { "error \($0)" }
        guard let errorMessage, !errorMessage.isEmpty else { return code ?? "unknown reason" }
        return errorMessage + (code.map { " (\($0))" } ?? "")
    }
}

// MARK: The connection

extension Listener: ConnectionDelegate, UserEventDelegate {
    func client(_ client: ChatClient, didReceive event: ConnectionEvent) {
        wasOffline = wasOffline || event == .disconnected || event == .reconnectionStarted
        func report(_ name: String, _ text: String) {
            self.report(name, text, ["user_id": userID], by: .client)
        }
        switch event {
        case .connected: report("connected", "= \(userID) is connected")
        case .disconnected: report("disconnected", "= \(userID) is disconnected")
        case .reconnectionStarted: report("connection_lost", "= connection lost; retrying")
        case .reconnectionSucceeded: report("connection_restored", "= connected again")
        case .reconnectionFailed:
            report("connection_stopped", "= no longer retrying: type reconnect")
        case .reconnectionCanceled: report("connection_stopped", "= no longer retrying")
        case .sessionRevoked:
            report("session_closed", "! the server has revoked the session of \(userID)")
        case .sessionExpired: report("session_renewed", "= the session expired and was renewed")
        default: break
        }
    }

    func client(_ client: ChatClient, didFind damage: StorageDamage) {
        for sentence in damage.sentences {
            report("damage_found", "! \(sentence)", ["damage": [sentence]], by: .client)
        }
    }

    func client(_ client: ChatClient, didUpdateUnreadCount count: UnreadItemCount) {
        guard unread != count.groupChannelUnreadMessageCount else { return }
        unread = count.groupChannelUnreadMessageCount
        report("unread_changed", "= \(unread) unread", ["unread": unread], by: .client)
    }
}

extension Listener {
    func report(_ event: UserEvent, of client: ChatClient) {
        switch event {
        case .unreadCount(let count): self.client(client, didUpdateUnreadCount: count)
        case .damage(let damage): self.client(client, didFind: damage)
        }
    }
}

// MARK: Channels

extension Listener: ChannelDelegate {
    func client(_ client: ChatClient, didReceive event: ChannelEvent) {
        let url = event.channelURL
        let users = event.users.map(\.userID.rawValue).joined(separator: ", ")
        if let message = event.message {
            report(event, of: message)
        } else if let messageID = event.messageID {
            report(event, "message_deleted", "- \(url) \(messageID)")
        } else if event.channel == nil {
            reportRemoval(event)
        } else if event.source == .channelBackgroundSync {
            // At the first connection, all channels are new.
            guard wasOffline else { return }
            report(event, "channel_caught_up", "* \(url) changed while \(userID) was offline")
        } else if event.source == .eventTypingStatusUpdated {
            report(event, "typing", "= \(url): \(users.isEmpty ? "no one" : users) is typing")
        } else if event.source == .eventChannelChanged, case .group(let channel)? = event.channel {
            // Report only a changed name of a known channel.
            let before = names.updateValue(channel.name, forKey: url)
            guard let before, before != channel.name else { return }
            report(event, "channel_changed", "* \(url) is \(channel.name)")
        } else if event.source == .eventUserReceivedInvitation {
            let actor = event.actor?.userID.rawValue ?? "another user"
            report(event, "invited", "= \(url): \(actor) invites \(users)\(event.explanation)")
        } else {
            reportOther(event, users)
        }
    }

    private func reportRemoval(_ event: ChannelEvent) {
        let url = event.channelURL
        let (name, text) =
            switch event.source {
            case .eventUserLeft where event.actor == nil:
                ("channel_left", "- you have left \(url)")
            case .eventUserLeft: ("channel_left", "- you were removed from \(url)")
            case .eventUserBanned: ("channel_banned", "- you are banned from \(url)")
            default: ("channel_removed", "- channel \(url)")
            }
        report(event, name, text + event.explanation)
    }

    private func reportOther(_ event: ChannelEvent, _ users: String) {
        let url = event.channelURL
        if let (name, verb) = Listener.actions[event.source] {
            report(event, name, "= \(url): \(users) \(verb)\(event.explanation)")
        } else if let (name, change) = Listener.changes[event.source] {
            report(event, name, "* \(url) \(change)")
        } else if case .open(let channel)? = event.channel {
            let count = counted(channel.participantCount, "participant")
            report(event, "participant_count_changed", "* \(url) has \(count)")
        }
    }

    private static let actions: [CollectionEventSource: (name: String, verb: String)] = [
        .eventUserJoined: ("user_joined", "joins"), .eventUserLeft: ("user_left", "leaves"),
        .eventUserEntered: ("user_entered", "enters"), .eventUserExited: ("user_exited", "exits"),
        .eventUserDeclinedInvitation: ("invitation_declined", "declines"),
        .eventUserMuted: ("user_muted", "is muted"),
        .eventUserUnmuted: ("user_unmuted", "is no longer muted"),
        .eventUserBanned: ("user_banned", "is banned"),
        .eventUserUnbanned: ("user_unbanned", "is no longer banned"),
        .eventUserRequestedToJoin: ("user_requested_to_join", "asks to join"),
    ]

    private static let changes: [CollectionEventSource: (name: String, text: String)] = [
        .eventChannelHidden: ("channel_hidden", "is hidden"),
        .eventChannelFrozen: ("channel_frozen", "is frozen"),
        .eventChannelUnfrozen: ("channel_unfrozen", "is not frozen"),
        .eventOperatorUpdated: ("operators_changed", "has changed its operators"),
        .eventPinnedMessageUpdated: ("pinned_messages_changed", "has other pinned messages"),
        .eventReadReceiptUpdated: ("channel_read", "was read"),
        .eventUserMarkedRead: ("channel_read", "was read"),
        .eventUserMarkedUnread: ("channel_unread", "was marked as unread"),
        .eventDeliveryReceiptUpdated: ("channel_delivered", "was delivered"),
        .eventChannelResetHistory: ("history_reset", "no longer shows you its older messages"),
    ]

    private func report(_ event: ChannelEvent, _ name: String, _ text: String) {
        var values: Values = ["channel_url": event.channelURL]
        values["message"] = event.message
        values["message_id"] = event.message == nil ? event.messageID : nil
        values["user_id"] = event.actor?.userID
        values["reason"] = event.reason
        if !event.users.isEmpty { values["user_ids"] = event.users.map(\.userID) }
        report(name, text, values, by: .store)
    }

    private func report(_ event: ChannelEvent, of message: Message) {
        let url = event.channelURL
        let id = message.messageID?.rawValue ?? "?"
        let author = message.sender?.displayName ?? "(channel)"
        let summary = "\(url) \(id)  \(author.oneLine): \(message.text.oneLine)"
        switch event.source {
        case .eventMessageReceived:
            if !isOwn(message) { report(event, "message_received", "+ \(summary)") }
            if event.isMention { report(event, "mentioned", "= you are mentioned in \(id)") }
        case .eventReactionUpdated:
            let reactions = message.reactions.map { "\($0.key) \($0.count)" }
            let text = reactions.isEmpty ? "no reactions" : "[\(reactions.joined(separator: ", "))]"
            report(event, "reactions_changed", "* \(url) \(id)  \(text)")
        case .eventThreadInfoUpdated:
            let count = message.threadInfo?.replyCount ?? 0
            let replies = count == 1 ? "1 reply" : "\(count) replies"
            report(event, "thread_changed", "* \(url) \(id)  \(replies)")
        case .eventMessageUpdated, .eventPollVoted:
            if !isOwn(message) { report(event, "message_updated", "* \(summary)") }
        default: break
        }
    }
}

// MARK: The channel that is open

extension Listener: MessageCollectionDelegate {
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL
    ) {
        report(
            "channel_removed", "- \(channelURL) can no longer be shown: close it",
            ["channel_url": channelURL], by: .collection)
    }

    func messageCollection(
        _ collection: MessageCollection, didReceive event: MessageCollectionEvent
    ) {
        switch event {
        case .parentMessage(nil, _):
            guard let id = collection.parentMessageID else { return }
            report(
                "thread_ended", "- message \(id) was deleted: no more replies can be loaded",
                ["message_id": id], by: .collection)
        case .upload(let progress):
            if !ignoresUploadsOfTheCollection { report(progress) }
        default: break
        }
    }

    func report(_ progress: UploadProgress) {
        let (bytes, total) = (progress.bytesTransferred, progress.bytesInAll)
        let id = progress.requestID
        report(
            "uploaded", "= uploaded \(bytes) of \(counted(total, "byte")) of \(id)",
            ["request_id": id, "bytes": bytes, "total_bytes": total], by: .upload)
    }

    // Events of the client and the engine report the rest.

    func messageCollection(
        _ collection: MessageCollection, didChange change: CollectionChange<MessageItem>
    ) {}

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [Message]
    ) {}

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [Message]
    ) {}

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [Message]
    ) {}

    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext, updatedChannel: GroupChannel
    ) {}

    func messageCollectionDidDetectHugeGap(_ collection: MessageCollection) {}
}

extension ChannelEvent {
    fileprivate var explanation: String { reason.map { " (\($0.oneLine))" } ?? "" }
}
