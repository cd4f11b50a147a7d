import Scrollback

/// Creates a line of text from each notification of a device.
///
/// A line starts with `+` for something new, `*` for a change, `-` for a removal, `!` for a failure,
/// and `=` for anything else.
@MainActor
final class Listener {
    var onEvent: (String, EventBuffer.Source) -> Void = { _, _ in }

    /// The state of the engine at the last notification.
    private(set) var state: SyncState?

    private let userID: UserID
    /// The names of channels at their last notification.
    private var names: [ChannelURL: String] = [:]
    private var unread = 0
    /// A Boolean value that indicates whether the client was offline since it was first online.
    private var wasOffline = false

    init(_ userID: UserID) { self.userID = userID }

    private func isOwn(_ message: Message) -> Bool { message.sender?.userID == userID }

    // MARK: The engine

    func report(_ event: SyncEvent) {
        func report(_ text: String) { onEvent(text, .engine) }
        switch event {
        case .state(let state): self.state = state
        case .sessionExpired: break
        case .hugeGap(let url): report("= a huge gap in \(url): see coverage, fill and restart")
        case .historyLost(.expiredCursor):
            report("= the device was offline for longer than the server keeps its feed")
        case .historyLost(.newEpoch): report("= the server was restored to an earlier state")
        case .failed(let url, let error): report("! syncing \(url) failed: \(sentence(of: error))")
        case .evicted(let eviction):
            let count = counted(eviction.messageCount, "message")
            report("= \(count) evicted: the cache has reached its limit")
        case .deliveryResult(.sent(let message), let item) where item.operation == .send:
            report("= sent \(item.requestID) as \(message.messageID?.rawValue ?? "?")")
        case .deliveryResult(.failed(let item), _):
            let id = item.requestID
            report("! \(id) failed: \(item.reason); resend \(id) tries again")
        case .deliveryResult(.canceled, let item): report("= \(item.requestID) was canceled")
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
        switch event {
        case .connected: onEvent("= \(userID) is connected", .client)
        case .disconnected: onEvent("= \(userID) is disconnected", .client)
        case .reconnectionStarted: onEvent("= connection lost; retrying", .client)
        case .reconnectionSucceeded: onEvent("= connected again", .client)
        case .reconnectionFailed: onEvent("= no longer retrying: type reconnect", .client)
        case .reconnectionCanceled: onEvent("= no longer retrying", .client)
        case .sessionRevoked:
            onEvent("! the server has revoked the session of \(userID)", .client)
        case .sessionExpired: onEvent("= the session expired and was renewed", .client)
        default: break
        }
    }

    func client(_ client: ChatClient, didFind damage: StorageDamage) {
        for sentence in damage.sentences { onEvent("! \(sentence)", .client) }
    }

    func client(_ client: ChatClient, didUpdateUnreadCount count: UnreadItemCount) {
        guard unread != count.groupChannelUnreadMessageCount else { return }
        unread = count.groupChannelUnreadMessageCount
        onEvent("= \(unread) unread", .client)
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
            onEvent("- \(url) \(messageID)", .store)
        } else if event.channel == nil {
            onEvent("- \(url): \(event.source.words)", .store)
        } else if event.source == .channelBackgroundSync {
            // Do not report channels at the first connection, because all of them are new then.
            if wasOffline { onEvent("* \(url) changed while \(userID) was offline", .store) }
        } else if event.source == .eventTypingStatusUpdated {
            onEvent("= \(url): \(users.isEmpty ? "nobody" : users) is typing", .store)
        } else if event.source == .eventChannelChanged, case .group(let channel)? = event.channel {
            // Report only a changed name: a channel that is new on this device has not changed.
            let before = names.updateValue(channel.name, forKey: url)
            if let before, before != channel.name { onEvent("* \(url) is \(channel.name)", .store) }
        } else {
            let actor = event.actor.flatMap {
                event.users.map(\.userID).contains($0.userID) ? nil : " by \($0.userID)"
            }
            let about = users.isEmpty ? "" : ": \(users)\(actor ?? "")"
            onEvent("* \(url): \(event.source.words)\(about)", .store)
        }
    }

    private func report(_ event: ChannelEvent, of message: Message) {
        let url = event.channelURL
        let id = message.messageID?.rawValue ?? "?"
        let summary =
            "\(url) \(id)  \(message.sender?.userID.rawValue ?? "(channel)"): \(message.text.oneLine)"
        switch event.source {
        case .eventMessageReceived, .eventMention:
            if !isOwn(message) { onEvent("+ \(summary)", .store) }
            if event.isMention { onEvent("= you are mentioned in \(id)", .store) }
        case .eventReactionUpdated:
            let reactions = message.reactions.map { "\($0.key) \($0.count)" }
            let text = reactions.isEmpty ? "no reactions" : "[\(reactions.joined(separator: ", "))]"
            onEvent("* \(url) \(id)  \(text)", .store)
        case .eventThreadInfoUpdated:
            let count = message.threadInfo?.replyCount ?? 0
            onEvent("* \(url) \(id)  " + (count == 1 ? "1 reply" : "\(count) replies"), .store)
        case .eventMessageUpdated, .eventPollUpdated, .eventPollVoted:
            if !isOwn(message) { onEvent("* \(summary)", .store) }
        default: break
        }
    }
}

extension CollectionEventSource {
    /// The name of the source in words, such as `user muted` for `eventUserMuted`.
    fileprivate var words: String {
        let spaced = "\(self)".flatMap { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }
        let text = String(spaced)
        return text.hasPrefix("event ") ? String(text.dropFirst(6)) : text
    }
}

// MARK: The channel that is open

extension Listener: MessageCollectionDelegate {
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL
    ) {
        onEvent("- \(channelURL) can no longer be shown: close it", .collection)
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, updatedParentMessage: Message?
    ) {
        guard updatedParentMessage == nil, let id = collection.parentMessageID else { return }
        onEvent("- message \(id) was deleted: its replies get no more", .collection)
    }

    func messageCollection(
        _ collection: MessageCollection, uploaded bytes: Int, of total: Int,
        for requestID: RequestID
    ) {
        onEvent("= uploaded \(bytes) of \(counted(total, "byte")) of \(requestID)", .upload)
    }
}
