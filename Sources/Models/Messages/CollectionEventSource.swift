/// The cause of a change in a collection.
///
/// The raw values up to 130 are those of established chat SDKs. Values from 100 through 999 are
/// live events, which the server's feed reports.
public enum CollectionEventSource: Int, CaseIterable, Sendable {
    // MARK: Sync

    /// The message changelog reported the change.
    case messageChangelog = 0
    /// Messages in a gap were fetched.
    case messageFill = 1
    /// The channel changelog reported the change.
    case channelChangelog = 2

    // MARK: This device

    /// The user sent a message, which is now pending.
    case localMessagePendingCreated = 3
    /// A message of the user failed.
    case localMessageFailed = 4
    /// The user canceled a message before it was sent.
    case localMessageCanceled = 5
    /// A failed message is being resent.
    case localMessageResendStarted = 6
    /// The user edited a message.
    case localMessageUpdated = 7
    /// The user deleted a message.
    case localMessageDeleted = 8
    /// The user added or removed a reaction.
    case localReactionUpdated = 9

    // MARK: Live events

    /// The server acknowledged a message of the user.
    case eventMessageSent = 100
    /// A message was received.
    case eventMessageReceived = 101
    /// A message was edited.
    case eventMessageUpdated = 102
    /// A message was deleted.
    case eventMessageDeleted = 103
    /// A reaction was added or removed.
    case eventReactionUpdated = 104
    /// A thread gained or lost a reply.
    case eventThreadInfoUpdated = 105
    /// A message that mentions the user was received.
    case eventMention = 106
    /// A channel's properties changed.
    case eventChannelChanged = 107
    /// The number of members of a channel changed.
    case eventChannelMemberCountChanged = 108
    /// A channel was frozen.
    case eventChannelFrozen = 109
    /// A channel was unfrozen.
    case eventChannelUnfrozen = 110
    /// The user hid a channel.
    case eventChannelHidden = 111
    /// A channel was deleted.
    case eventChannelDeleted = 112
    /// The operators of a channel changed.
    case eventOperatorUpdated = 113
    /// A user started or stopped typing.
    case eventTypingStatusUpdated = 114
    /// Messages were delivered to a user.
    case eventDeliveryReceiptUpdated = 115
    /// A user has read a channel.
    case eventReadReceiptUpdated = 116
    /// A user was invited.
    case eventUserReceivedInvitation = 117
    /// A user declined an invitation.
    case eventUserDeclinedInvitation = 118
    /// A user joined.
    case eventUserJoined = 119
    /// A user was muted.
    case eventUserMuted = 120
    /// A user was unmuted.
    case eventUserUnmuted = 121
    /// A user left.
    case eventUserLeft = 122
    /// A user was banned.
    case eventUserBanned = 123
    /// A user was unbanned.
    case eventUserUnbanned = 124
    /// Metadata was added to a channel.
    case eventChannelMetaDataCreated = 125
    /// Metadata of a channel changed.
    case eventChannelMetaDataUpdated = 126
    /// Metadata was removed from a channel.
    case eventChannelMetaDataDeleted = 127
    /// A counter was added to a channel.
    case eventChannelMetaCounterCreated = 128
    /// A counter of a channel changed.
    case eventChannelMetaCounterUpdated = 129
    /// A counter was removed from a channel.
    case eventChannelMetaCounterDeleted = 130
    /// A message was pinned or unpinned.
    case eventPinnedMessageUpdated = 131
    /// A poll changed.
    case eventPollUpdated = 132
    /// A user voted in a poll.
    case eventPollVoted = 133
    /// A user gave feedback to a message.
    case eventMessageFeedbackAdded = 134
    /// Feedback to a message changed.
    case eventMessageFeedbackUpdated = 135
    /// Feedback to a message was removed.
    case eventMessageFeedbackDeleted = 136
    /// The user marked a channel as read.
    case eventUserMarkedRead = 137
    /// The user marked a channel as unread.
    case eventUserMarkedUnread = 138
    /// The lower bound of the user's history in a channel has changed.
    case eventMessageOffsetUpdated = 139
    /// The user's history in a channel was reset.
    case eventChannelResetHistory = 140
    /// A user entered an open channel.
    case eventUserEntered = 141
    /// A user exited an open channel.
    case eventUserExited = 142

    // MARK: Catching up

    /// A channel changed while the client was offline.
    case channelBackgroundSync = 1000
    /// A message was sent or changed while the client was offline.
    case messageBackgroundSync = 1001

    // MARK: Requests

    /// The poll changelog reported the change.
    case pollChangelog = 1002
    /// A channel was refreshed from the server.
    case channelRefresh = 1003
    /// The app fetched a channel.
    case requestChannel = 1004
    /// The app fetched a message.
    case requestMessage = 1006
    /// The app resent a message.
    case requestResendMessage = 1008
    /// The app fetched replies.
    case requestThreadedMessages = 1009
    /// A channel was opened on this device.
    case channelLastAccessedAtUpdated = 1010
    /// A page of channels was loaded from the cache.
    case channelCacheLoadMore = 1011
    /// A page of channels was loaded from the server.
    case channelLoadMore = 1012
    /// The first messages were loaded from the cache.
    case messageCacheInitialize = 1013
    /// The first messages were loaded from the server.
    case messageInitialize = 1014
    /// Older messages were loaded from the cache.
    case messageCacheLoadPrevious = 1015
    /// Older messages were loaded from the server.
    case messageLoadPrevious = 1016
    /// Newer messages were loaded from the cache.
    case messageCacheLoadNext = 1017
    /// Newer messages were loaded from the server.
    case messageLoadNext = 1018

    /// A Boolean value that indicates whether the change arrived as a live event, and not from sync
    /// or from this device.
    public var isFromEvent: Bool { (100..<1000).contains(rawValue) }
}
