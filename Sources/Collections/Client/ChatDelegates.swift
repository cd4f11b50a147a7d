public import Models

/// What is told of the connection; each call is optional, and comes on the main actor.
@MainActor
public protocol ConnectionDelegate: AnyObject {
    /// The user is connected.
    func didConnect(userID: UserID)
    /// The connection was ended on purpose.
    func didDisconnect(userID: UserID)
    /// The connection was lost, or not made; it is tried again.
    func didStartReconnection()
    /// The connection is back.
    func didSucceedReconnection()
    /// It is not tried any more.
    func didFailReconnection()
    /// The connection was ended on purpose while it was being made again.
    func didCancelReconnection()
    /// The server does not let the user in any more: nothing of what is held may be shown.
    func sessionWasClosed()
    /// The session has expired, and new credentials are being asked for.
    func sessionTokenDidRequire()
}

extension ConnectionDelegate {
    /// Does nothing.
    public func didConnect(userID: UserID) {}
    /// Does nothing.
    public func didDisconnect(userID: UserID) {}
    /// Does nothing.
    public func didStartReconnection() {}
    /// Does nothing.
    public func didSucceedReconnection() {}
    /// Does nothing.
    public func didFailReconnection() {}
    /// Does nothing.
    public func didCancelReconnection() {}
    /// Does nothing.
    public func sessionWasClosed() {}
    /// Does nothing.
    public func sessionTokenDidRequire() {}
}

/// What is told of the user; each call is optional, and comes on the main actor.
@MainActor
public protocol UserEventDelegate: AnyObject {
    /// The user has another number of unread messages, over all channels.
    func didUpdateTotalUnreadMessageCount(_ count: UnreadItemCount)
}

extension UserEventDelegate {
    /// Does nothing.
    public func didUpdateTotalUnreadMessageCount(_ count: UnreadItemCount) {}
}

/// What happens in all channels, live; each call is optional, and comes on the main actor.
///
/// Told of what the cache has taken over: a message can be read from it when a call comes.
@MainActor
public protocol ChannelDelegate: AnyObject {
    /// A message came, from somebody or from another device of the user.
    func channel(_ channel: GroupChannel, didReceive message: Message)
    /// A message was edited.
    func channel(_ channel: GroupChannel, didUpdate message: Message)
    /// A message was deleted.
    func channel(_ channel: GroupChannel, messageWasDeleted messageID: MessageID)
    /// A message that mentions the user came.
    func channel(_ channel: GroupChannel, didReceiveMention message: Message)
    /// A reaction was given to a message, or taken back.
    func channel(_ channel: GroupChannel, didUpdateReactionsOf message: Message)
    /// A thread has a reply more or less.
    func channel(_ channel: GroupChannel, didUpdateThreadInfoOf message: Message)

    /// What a channel says of itself changed.
    func channelWasChanged(_ channel: GroupChannel)
    /// A channel is the user's no more, since it was deleted.
    func channelWasDeleted(_ channelURL: ChannelURL)
    /// The user hid a channel.
    func channelWasHidden(_ channel: GroupChannel)
    /// Only who moderates a channel may write in it.
    func channelWasFrozen(_ channel: GroupChannel)
    /// A channel is frozen no more.
    func channelWasUnfrozen(_ channel: GroupChannel)
    /// A channel has more members, or fewer.
    func channelDidChangeMemberCount(_ channel: GroupChannel)
    /// A channel's operators changed.
    func channelDidUpdateOperators(_ channel: GroupChannel)
    /// A channel's pinned messages changed.
    func channelDidUpdatePinnedMessages(_ channel: GroupChannel)
    /// Metadata was added to a channel, changed, or taken from it.
    func channelDidUpdateMetaData(_ channel: GroupChannel)
    /// Somebody has read.
    func channelDidUpdateReadReceipt(_ channel: GroupChannel)
    /// Messages were delivered to somebody.
    func channelDidUpdateDeliveryReceipt(_ channel: GroupChannel)
    /// These users are typing, and no others.
    func channel(_ channel: GroupChannel, didUpdateTypingStatus users: [User])
    /// The user's history of a channel begins anew.
    func channelDidResetHistory(_ channel: GroupChannel)

    /// Users were invited.
    func channel(_ channel: GroupChannel, didReceiveInvitation invitees: [User], by inviter: User?)
    /// Somebody declined to join.
    func channel(_ channel: GroupChannel, didDeclineInvitation invitee: User, by inviter: User?)
    /// Somebody joined.
    func channel(_ channel: GroupChannel, userDidJoin user: User)
    /// Somebody left.
    func channel(_ channel: GroupChannel, userDidLeave user: User)
    /// The user has left a channel, on this device or another one.
    func channelWasLeft(_ channelURL: ChannelURL)
    /// Somebody may write no more.
    func channel(_ channel: GroupChannel, userWasMuted user: User)
    /// Somebody may write again.
    func channel(_ channel: GroupChannel, userWasUnmuted user: User)
    /// Somebody was banned.
    func channel(_ channel: GroupChannel, userWasBanned user: User)
    /// Somebody is banned no more.
    func channel(_ channel: GroupChannel, userWasUnbanned user: User)
    /// The user was banned from a channel.
    func channelBannedCurrentUser(_ channelURL: ChannelURL)

    /// An open channel that the user has entered changed, such as the number of its participants.
    func openChannelWasChanged(_ channel: OpenChannel)
    /// A message came in an open channel, from somebody or from another device of the user.
    func openChannel(_ channel: OpenChannel, didReceive message: Message)
    /// A message of an open channel was edited, or got a reaction.
    func openChannel(_ channel: OpenChannel, didUpdate message: Message)
    /// A message of an open channel was deleted.
    func openChannel(_ channel: OpenChannel, messageWasDeleted messageID: MessageID)
    /// Somebody else entered an open channel.
    func openChannel(_ channel: OpenChannel, userDidEnter user: User)
    /// Somebody else exited an open channel.
    func openChannel(_ channel: OpenChannel, userDidExit user: User)
    /// These users are typing in an open channel, and no others.
    func openChannel(_ channel: OpenChannel, didUpdateTypingStatus users: [User])
}

extension ChannelDelegate {
    /// Does nothing.
    public func channel(_ channel: GroupChannel, didReceive message: Message) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, didUpdate message: Message) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, messageWasDeleted messageID: MessageID) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, didReceiveMention message: Message) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, didUpdateReactionsOf message: Message) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, didUpdateThreadInfoOf message: Message) {}
    /// Does nothing.
    public func channelWasChanged(_ channel: GroupChannel) {}
    /// Does nothing.
    public func channelWasDeleted(_ channelURL: ChannelURL) {}
    /// Does nothing.
    public func channelWasHidden(_ channel: GroupChannel) {}
    /// Does nothing.
    public func channelWasFrozen(_ channel: GroupChannel) {}
    /// Does nothing.
    public func channelWasUnfrozen(_ channel: GroupChannel) {}
    /// Does nothing.
    public func channelDidChangeMemberCount(_ channel: GroupChannel) {}
    /// Does nothing.
    public func channelDidUpdateOperators(_ channel: GroupChannel) {}
    /// Does nothing.
    public func channelDidUpdatePinnedMessages(_ channel: GroupChannel) {}
    /// Does nothing.
    public func channelDidUpdateMetaData(_ channel: GroupChannel) {}
    /// Does nothing.
    public func channelDidUpdateReadReceipt(_ channel: GroupChannel) {}
    /// Does nothing.
    public func channelDidUpdateDeliveryReceipt(_ channel: GroupChannel) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, didUpdateTypingStatus users: [User]) {}
    /// Does nothing.
    public func channelDidResetHistory(_ channel: GroupChannel) {}
    /// Does nothing.
    public func channel(
        _ channel: GroupChannel, didReceiveInvitation invitees: [User], by inviter: User?
    ) {}
    /// Does nothing.
    public func channel(
        _ channel: GroupChannel, didDeclineInvitation invitee: User, by inviter: User?
    ) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, userDidJoin user: User) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, userDidLeave user: User) {}
    /// Does nothing.
    public func channelWasLeft(_ channelURL: ChannelURL) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, userWasMuted user: User) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, userWasUnmuted user: User) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, userWasBanned user: User) {}
    /// Does nothing.
    public func channel(_ channel: GroupChannel, userWasUnbanned user: User) {}
    /// Does nothing.
    public func channelBannedCurrentUser(_ channelURL: ChannelURL) {}
    /// Does nothing.
    public func openChannelWasChanged(_ channel: OpenChannel) {}
    /// Does nothing.
    public func openChannel(_ channel: OpenChannel, didReceive message: Message) {}
    /// Does nothing.
    public func openChannel(_ channel: OpenChannel, didUpdate message: Message) {}
    /// Does nothing.
    public func openChannel(_ channel: OpenChannel, messageWasDeleted messageID: MessageID) {}
    /// Does nothing.
    public func openChannel(_ channel: OpenChannel, userDidEnter user: User) {}
    /// Does nothing.
    public func openChannel(_ channel: OpenChannel, userDidExit user: User) {}
    /// Does nothing.
    public func openChannel(_ channel: OpenChannel, didUpdateTypingStatus users: [User]) {}
}
