/// The cause of a change in a collection.
///
/// Raw values from 100 through 999 are live events, also those without a constant here.
public struct CollectionEventSource: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    // MARK: Sync

    /// The message changelog reported the change.
    public static let messageChangelog = Self(rawValue: 0)
    /// Messages in a gap were fetched.
    public static let messageFill = Self(rawValue: 1)
    /// The channel changelog reported the change.
    public static let channelChangelog = Self(rawValue: 2)

    // MARK: This device

    /// The user sent a message, which is now pending.
    public static let localMessagePendingCreated = Self(rawValue: 3)
    /// A message of the user failed.
    public static let localMessageFailed = Self(rawValue: 4)
    /// The user canceled a message before it was sent.
    public static let localMessageCanceled = Self(rawValue: 5)
    /// A failed message is being resent.
    public static let localMessageResendStarted = Self(rawValue: 6)
    /// The user edited a message.
    public static let localMessageUpdated = Self(rawValue: 7)
    /// The user deleted a message.
    public static let localMessageDeleted = Self(rawValue: 8)
    /// The user added or removed a reaction.
    public static let localReactionUpdated = Self(rawValue: 9)
    /// The app changed the local labels of a channel.
    public static let localLabelsUpdated = Self(rawValue: 10)

    // MARK: Live events

    /// The server acknowledged a message of the user.
    public static let eventMessageSent = Self(rawValue: 100)
    /// A message was received.
    public static let eventMessageReceived = Self(rawValue: 101)
    /// A message was edited.
    public static let eventMessageUpdated = Self(rawValue: 102)
    /// A message was deleted.
    public static let eventMessageDeleted = Self(rawValue: 103)
    /// A reaction was added or removed.
    public static let eventReactionUpdated = Self(rawValue: 104)
    /// A thread gained or lost a reply.
    public static let eventThreadInfoUpdated = Self(rawValue: 105)
    /// A channel's properties changed.
    public static let eventChannelChanged = Self(rawValue: 107)
    /// A channel was frozen.
    public static let eventChannelFrozen = Self(rawValue: 109)
    /// A channel was unfrozen.
    public static let eventChannelUnfrozen = Self(rawValue: 110)
    /// The user hid a channel.
    public static let eventChannelHidden = Self(rawValue: 111)
    /// A channel was deleted.
    public static let eventChannelDeleted = Self(rawValue: 112)
    /// The operators of a channel changed.
    public static let eventOperatorUpdated = Self(rawValue: 113)
    /// A user started or stopped typing.
    public static let eventTypingStatusUpdated = Self(rawValue: 114)
    /// Messages were delivered to a user.
    public static let eventDeliveryReceiptUpdated = Self(rawValue: 115)
    /// A user has read a channel.
    public static let eventReadReceiptUpdated = Self(rawValue: 116)
    /// A user was invited.
    public static let eventUserReceivedInvitation = Self(rawValue: 117)
    /// A user declined an invitation.
    public static let eventUserDeclinedInvitation = Self(rawValue: 118)
    /// A user joined.
    public static let eventUserJoined = Self(rawValue: 119)
    /// A user was muted.
    public static let eventUserMuted = Self(rawValue: 120)
    /// A user was unmuted.
    public static let eventUserUnmuted = Self(rawValue: 121)
    /// A user left.
    public static let eventUserLeft = Self(rawValue: 122)
    /// A user was banned.
    public static let eventUserBanned = Self(rawValue: 123)
    /// A user was unbanned.
    public static let eventUserUnbanned = Self(rawValue: 124)
    /// A user asked to join.
    public static let eventUserRequestedToJoin = Self(rawValue: 125)
    /// A message was pinned or unpinned.
    public static let eventPinnedMessageUpdated = Self(rawValue: 131)
    /// A user voted in a poll.
    public static let eventPollVoted = Self(rawValue: 133)
    /// The user marked a channel as read.
    public static let eventUserMarkedRead = Self(rawValue: 137)
    /// The user marked a channel as unread.
    public static let eventUserMarkedUnread = Self(rawValue: 138)
    /// The user's history in a channel was reset.
    public static let eventChannelResetHistory = Self(rawValue: 140)
    /// A user entered an open channel.
    public static let eventUserEntered = Self(rawValue: 141)
    /// A user exited an open channel.
    public static let eventUserExited = Self(rawValue: 142)

    // MARK: Catching up

    /// A channel changed while the client was offline.
    public static let channelBackgroundSync = Self(rawValue: 1000)
    /// A message was sent or changed while the client was offline.
    public static let messageBackgroundSync = Self(rawValue: 1001)

    // MARK: Requests

    /// The app fetched a channel.
    public static let requestChannel = Self(rawValue: 1004)
    /// The app fetched a message.
    public static let requestMessage = Self(rawValue: 1006)
    /// The app fetched replies.
    public static let requestThreadedMessages = Self(rawValue: 1009)
    /// A page of channels was loaded from the server.
    public static let channelLoadMore = Self(rawValue: 1012)
    /// The first messages were loaded from the server.
    public static let messageInitialize = Self(rawValue: 1014)
    /// Older messages were loaded from the server.
    public static let messageLoadPrevious = Self(rawValue: 1016)
    /// Newer messages were loaded from the server.
    public static let messageLoadNext = Self(rawValue: 1018)

    // MARK: The cache

    /// The app cleared the cache, or a channel's messages in it.
    public static let cacheCleared = Self(rawValue: 1019)
    /// Messages were evicted because of the limits of the cache.
    public static let cacheEvicted = Self(rawValue: 1020)
    /// The user has logged out, or the server has revoked the session.
    public static let sessionEnded = Self(rawValue: 1021)
    /// Messages left a full window; they can be loaded again.
    public static let windowTrimmed = Self(rawValue: 1022)

    /// A Boolean value that indicates whether the cause is a live event.
    public var isFromEvent: Bool { (100..<1000).contains(rawValue) }
}
