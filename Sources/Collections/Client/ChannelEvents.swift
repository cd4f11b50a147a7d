import Models
import Store

/// Notifies a channel delegate of the live events in a change of the store.
@MainActor
struct ChannelEvents {
    let store: ChatStore
    /// The current user.
    let userID: UserID?

    /// Notifies the delegate of an entry of a change, if it is a live event.
    func notify(_ delegate: any ChannelDelegate, _ entry: Change.Entry) {
        guard let source = entry.source, source.isFromEvent else { return }
        switch entry.operation {
        case .savedMessage(let message): notify(delegate, message, source)
        case .removedMessage(let id, _, let url):
            guard source == .eventMessageDeleted else { return }
            if let channel = channel(url) {
                delegate.channel(channel, messageWasDeleted: id)
            } else if let channel = openChannel(url) {
                delegate.openChannel(channel, messageWasDeleted: id)
            }
        case .savedGroupChannel(let channel): notify(delegate, channel, source, entry.people)
        case .savedOpenChannel(let channel): delegate.openChannelWasChanged(channel)
        case .removedChannel(let url):
            switch source {
            case .eventUserLeft: delegate.channelWasLeft(url)
            case .eventUserBanned: delegate.channelBannedCurrentUser(url)
            default: delegate.channelWasDeleted(url)
            }
        case .ephemeral(.typing(let users, let url)):
            if let channel = channel(url) {
                delegate.channel(channel, didUpdateTypingStatus: users)
            } else if let channel = openChannel(url) {
                delegate.openChannel(channel, didUpdateTypingStatus: users)
            }
        case .ephemeral(.participants(let entered, let exited, let url)):
            guard let channel = openChannel(url) else { return }
            for user in entered { delegate.openChannel(channel, userDidEnter: user) }
            for user in exited { delegate.openChannel(channel, userDidExit: user) }
        default: break
        }
    }

    /// Returns the stored channel; `nil` if it cannot be read, in which case there is nothing to
    /// report.
    private func channel(_ url: ChannelURL) -> GroupChannel? { try? store.groupChannel(url) }

    private func openChannel(_ url: ChannelURL) -> OpenChannel? { try? store.openChannel(url) }

    private func notify(
        _ delegate: any ChannelDelegate, _ message: Message, _ source: CollectionEventSource
    ) {
        guard let channel = channel(message.channelURL) else {
            if let channel = openChannel(message.channelURL) {
                notify(delegate, message, in: channel, source)
            }
            return
        }
        switch source {
        case .eventMessageReceived, .eventMention:
            delegate.channel(channel, didReceive: message)
            if message.sender?.userID != userID, message.mentions(userID) {
                delegate.channel(channel, didReceiveMention: message)
            }
        case .eventMessageUpdated, .eventPollUpdated, .eventPollVoted:
            delegate.channel(channel, didUpdate: message)
        case .eventReactionUpdated: delegate.channel(channel, didUpdateReactionsOf: message)
        case .eventThreadInfoUpdated: delegate.channel(channel, didUpdateThreadInfoOf: message)
        default: break
        }
    }

    private func notify(
        _ delegate: any ChannelDelegate, _ message: Message, in channel: OpenChannel,
        _ source: CollectionEventSource
    ) {
        switch source {
        case .eventMessageReceived, .eventMention:
            delegate.openChannel(channel, didReceive: message)
        case .eventMessageUpdated, .eventPollUpdated, .eventPollVoted, .eventReactionUpdated,
            .eventThreadInfoUpdated:
            delegate.openChannel(channel, didUpdate: message)
        default: break
        }
    }

    private func notify(
        _ delegate: any ChannelDelegate, _ channel: GroupChannel, _ source: CollectionEventSource,
        _ people: EventPeople?
    ) {
        let users = people?.users ?? []
        switch source {
        case .eventChannelChanged: delegate.channelWasChanged(channel)
        case .eventChannelFrozen: delegate.channelWasFrozen(channel)
        case .eventChannelUnfrozen: delegate.channelWasUnfrozen(channel)
        case .eventChannelHidden: delegate.channelWasHidden(channel)
        case .eventChannelMemberCountChanged: delegate.channelDidChangeMemberCount(channel)
        case .eventOperatorUpdated: delegate.channelDidUpdateOperators(channel)
        case .eventPinnedMessageUpdated: delegate.channelDidUpdatePinnedMessages(channel)
        case .eventReadReceiptUpdated, .eventUserMarkedRead, .eventUserMarkedUnread:
            delegate.channelDidUpdateReadReceipt(channel)
        case .eventDeliveryReceiptUpdated: delegate.channelDidUpdateDeliveryReceipt(channel)
        case .eventChannelResetHistory, .eventMessageOffsetUpdated:
            delegate.channelDidResetHistory(channel)
        case .eventChannelMetaDataCreated, .eventChannelMetaDataUpdated,
            .eventChannelMetaDataDeleted:
            delegate.channelDidUpdateMetaData(channel)
        case .eventUserReceivedInvitation:
            delegate.channel(channel, didReceiveInvitation: users, by: people?.actor)
        case .eventUserDeclinedInvitation:
            for user in users {
                delegate.channel(channel, didDeclineInvitation: user, by: people?.actor)
            }
        case .eventUserJoined: for user in users { delegate.channel(channel, userDidJoin: user) }
        case .eventUserLeft: for user in users { delegate.channel(channel, userDidLeave: user) }
        case .eventUserMuted: for user in users { delegate.channel(channel, userWasMuted: user) }
        case .eventUserUnmuted:
            for user in users { delegate.channel(channel, userWasUnmuted: user) }
        case .eventUserBanned: for user in users { delegate.channel(channel, userWasBanned: user) }
        case .eventUserUnbanned:
            for user in users { delegate.channel(channel, userWasUnbanned: user) }
        default: break
        }
    }
}

extension Message {
    fileprivate func mentions(_ userID: UserID?) -> Bool {
        guard let userID else { return false }
        return mentionType == .channel || mentionedUserIDs.contains(userID)
            || mentionedUsers.contains { $0.userID == userID }
    }
}
