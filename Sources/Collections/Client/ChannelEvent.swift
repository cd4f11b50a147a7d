public import Models
import Store

/// A live event of a channel.
///
/// The client reports each event that arrives while it is connected. Once it has caught up after
/// being offline, it reports one event with the source `channelBackgroundSync` for each channel
/// that has changed.
public struct ChannelEvent: Hashable, Sendable {
    /// The kind of event, for example `eventMessageReceived` or `eventChannelFrozen`.
    public let source: CollectionEventSource

    /// The channel's URL.
    public let channelURL: ChannelURL

    /// The channel after the event; `nil` if the user can no longer read it.
    ///
    /// It was deleted (`eventChannelDeleted`), or the user left it or was removed by the ``actor``
    /// (`eventUserLeft`), or was banned (`eventUserBanned`).
    public let channel: AnyChannel?

    /// The stored message that was received or changed; otherwise `nil`.
    public let message: Message?

    /// The ID of the received, changed or deleted message; otherwise `nil`.
    public let messageID: MessageID?

    /// A Boolean value that indicates whether another user's ``message`` mentions the current user.
    public let isMention: Bool

    /// The users whom the event concerns, such as those who joined, or all who are typing now.
    ///
    /// Empty for most other events, and if ``channel`` is `nil`.
    public let users: [User]

    /// The user who caused the event; `nil` if unknown.
    public let actor: User?

    /// The reason that the ``actor`` gave, such as why a user was banned, if any.
    public let reason: String?
}

extension ChannelEvent {
    /// Returns the live events of an entry of a store change: usually one; none if it is not live.
    static func events(
        of entry: Change.Entry, in store: ChatStore, for userID: UserID?
    ) -> [ChannelEvent] {
        guard let source = entry.source, let url = entry.operation.channelURL else { return [] }
        let isCaughtUp = entry.operation == .ephemeral(.caughtUp(url))
        guard source.isFromEvent || isCaughtUp else { return [] }
        func event(
            _ source: CollectionEventSource, in channel: AnyChannel?, message: Message? = nil,
            messageID: MessageID? = nil, users: [User] = entry.people?.users ?? []
        ) -> ChannelEvent {
            ChannelEvent(
                source: source, channelURL: url, channel: channel, message: message,
                messageID: message?.messageID ?? messageID,
                isMention: message.map { $0.sender?.userID != userID && $0.mentions(userID) }
                    ?? false,
                users: users, actor: entry.people?.actor, reason: entry.people?.reason)
        }
        switch entry.operation {
        case .savedMessage(let message) where source.isAboutMessage:
            return [event(source, in: store.channel(url), message: message)]
        case .removedMessage(let id, _, _) where source == .eventMessageDeleted:
            return [event(source, in: store.channel(url), messageID: id)]
        case .savedGroupChannel(let channel) where !source.isAboutMessage:
            return [event(source, in: .group(channel))]
        case .savedOpenChannel(let channel) where !source.isAboutMessage:
            return [event(source, in: .open(channel))]
        case .removedChannel: return [event(source, in: nil)]
        case .ephemeral(.caughtUp): return [event(source, in: store.channel(url))]
        case .ephemeral(.typing(let users, _)):
            return [event(.eventTypingStatusUpdated, in: store.channel(url), users: users)]
        case .ephemeral(.participants(let entered, let exited, _)):
            let channel = store.channel(url)
            return [(.eventUserEntered, entered), (.eventUserExited, exited)]
                .filter { !$1.isEmpty }.map { event($0, in: channel, users: $1) }
        default: return []
        }
    }
}

extension CollectionEventSource {
    /// `true` if events of this source change a message; the channel's own change is then not
    /// reported.
    fileprivate var isAboutMessage: Bool {
        switch self {
        case .eventMessageSent, .eventMessageReceived, .eventMessageUpdated, .eventMessageDeleted,
            .eventReactionUpdated, .eventThreadInfoUpdated, .eventPollVoted:
            true
        default: false
        }
    }
}

extension ChatStore {
    fileprivate func channel(_ url: ChannelURL) -> AnyChannel? {
        if let channel = try? groupChannel(url) { return .group(channel) }
        return (try? openChannel(url)).map { .open($0) }
    }
}

extension Message {
    fileprivate func mentions(_ userID: UserID?) -> Bool {
        guard let userID else { return false }
        return mentionType == .channel || mentionedUserIDs.contains(userID)
            || mentionedUsers.contains { $0.userID == userID }
    }
}
