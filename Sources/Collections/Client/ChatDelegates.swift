public import Models

/// Receives the notifications of the connection.
///
/// All methods are optional and are called on the main actor.
@MainActor
public protocol ConnectionDelegate: AnyObject {
    /// The user is connected.
    func didConnect(userID: UserID)
    /// The connection was ended by the app.
    func didDisconnect(userID: UserID)
    /// The connection was lost or could not be established, and is retried.
    func didStartReconnection()
    /// The connection was established again.
    func didSucceedReconnection()
    /// The connection is no longer retried.
    func didFailReconnection()
    /// The app ended the connection while it was being reestablished.
    func didCancelReconnection()
    /// The server has revoked the session: the cached data must no longer be shown.
    func sessionWasClosed()
    /// The session has expired, and new credentials are being requested.
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

/// Receives the notifications about the user.
///
/// All methods are optional and are called on the main actor.
@MainActor
public protocol UserEventDelegate: AnyObject {
    /// The number of the user's unread messages over all channels has changed.
    func didUpdateTotalUnreadMessageCount(_ count: UnreadItemCount)
    /// The files that are kept of the user are damaged, or something that the user wrote was lost.
    ///
    /// Called by ``ChatClient/connect(as:)`` for what was found when the store was opened, and
    /// later when more is found. `damage` has all that is known, as ``ChatClient/storageDamage``
    /// has.
    func didFindStorageDamage(_ damage: StorageDamage)
}

extension UserEventDelegate {
    /// Does nothing.
    public func didUpdateTotalUnreadMessageCount(_ count: UnreadItemCount) {}
    /// Does nothing.
    public func didFindStorageDamage(_ damage: StorageDamage) {}
}

/// Receives the live events of all channels.
///
/// All methods are optional and are called on the main actor.
///
/// Events are reported after the cache has stored them: a message can be read from the cache in the
/// call.
@MainActor
public protocol ChannelDelegate: AnyObject {
    /// A message was received from another user or from another device of the user.
    func channel(_ channel: GroupChannel, didReceive message: Message)
    /// A message was edited.
    func channel(_ channel: GroupChannel, didUpdate message: Message)
    /// A message was deleted.
    func channel(_ channel: GroupChannel, messageWasDeleted messageID: MessageID)
    /// A message that mentions the user was received.
    func channel(_ channel: GroupChannel, didReceiveMention message: Message)
    /// A reaction to a message was added or removed.
    func channel(_ channel: GroupChannel, didUpdateReactionsOf message: Message)
    /// A thread has gained or lost a reply.
    func channel(_ channel: GroupChannel, didUpdateThreadInfoOf message: Message)

    /// The properties of a channel have changed.
    func channelWasChanged(_ channel: GroupChannel)
    /// A channel was deleted, so that the user is no longer a member.
    func channelWasDeleted(_ channelURL: ChannelURL)
    /// The user hid a channel.
    func channelWasHidden(_ channel: GroupChannel)
    /// A channel was frozen: only operators can send messages.
    func channelWasFrozen(_ channel: GroupChannel)
    /// A channel was unfrozen.
    func channelWasUnfrozen(_ channel: GroupChannel)
    /// The number of members of a channel has changed.
    func channelDidChangeMemberCount(_ channel: GroupChannel)
    /// A channel's operators changed.
    func channelDidUpdateOperators(_ channel: GroupChannel)
    /// A channel's pinned messages changed.
    func channelDidUpdatePinnedMessages(_ channel: GroupChannel)
    /// Metadata of a channel was added, changed or removed.
    func channelDidUpdateMetaData(_ channel: GroupChannel)
    /// A user has read a channel.
    func channelDidUpdateReadReceipt(_ channel: GroupChannel)
    /// Messages were delivered to a user.
    func channelDidUpdateDeliveryReceipt(_ channel: GroupChannel)
    /// The users who are typing have changed; the list is complete.
    func channel(_ channel: GroupChannel, didUpdateTypingStatus users: [User])
    /// The user's history of a channel was reset.
    func channelDidResetHistory(_ channel: GroupChannel)

    /// Users were invited.
    func channel(_ channel: GroupChannel, didReceiveInvitation invitees: [User], by inviter: User?)
    /// A user declined an invitation.
    func channel(_ channel: GroupChannel, didDeclineInvitation invitee: User, by inviter: User?)
    /// A user joined.
    func channel(_ channel: GroupChannel, userDidJoin user: User)
    /// A user left.
    func channel(_ channel: GroupChannel, userDidLeave user: User)
    /// The current user has left a channel, on this device or another one.
    func channelWasLeft(_ channelURL: ChannelURL)
    /// A user was muted.
    func channel(_ channel: GroupChannel, userWasMuted user: User)
    /// A user was unmuted.
    func channel(_ channel: GroupChannel, userWasUnmuted user: User)
    /// A user was banned.
    func channel(_ channel: GroupChannel, userWasBanned user: User)
    /// A user was unbanned.
    func channel(_ channel: GroupChannel, userWasUnbanned user: User)
    /// The current user was banned from a channel.
    func channelBannedCurrentUser(_ channelURL: ChannelURL)

    /// An open channel that the user has entered has changed, such as its number of participants.
    func openChannelWasChanged(_ channel: OpenChannel)
    /// A message was received in an open channel, from another user or from another device of the
    /// user.
    func openChannel(_ channel: OpenChannel, didReceive message: Message)
    /// A message of an open channel was edited, or its reactions have changed.
    func openChannel(_ channel: OpenChannel, didUpdate message: Message)
    /// A message of an open channel was deleted.
    func openChannel(_ channel: OpenChannel, messageWasDeleted messageID: MessageID)
    /// Another user entered an open channel.
    func openChannel(_ channel: OpenChannel, userDidEnter user: User)
    /// Another user exited an open channel.
    func openChannel(_ channel: OpenChannel, userDidExit user: User)
    /// The users who are typing in an open channel have changed; the list is complete.
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
