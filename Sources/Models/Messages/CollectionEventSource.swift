/// Why a collection changed.
///
/// The raw values up to 130 are those of the field's older interfaces; 100 and above, short of
/// 1,000, came as live events.
public enum CollectionEventSource: Int, CaseIterable, Sendable {
    // MARK: Sync

    /// The changelog of messages told it.
    case messageChangelog = 0
    /// A gap was filled.
    case messageFill = 1
    /// The changelog of channels told it.
    case channelChangelog = 2

    // MARK: This device

    /// The user sent a message; it is pending.
    case localMessagePendingCreated = 3
    /// A message of the user failed.
    case localMessageFailed = 4
    /// The user canceled a message before it was sent.
    case localMessageCanceled = 5
    /// A failed message is being sent again.
    case localMessageResendStarted = 6

    // MARK: Live events

    /// The server acknowledged a message of the user.
    case eventMessageSent = 100
    /// A message came.
    case eventMessageReceived = 101
    /// A message was edited.
    case eventMessageUpdated = 102
    /// A message was deleted.
    case eventMessageDeleted = 103
    /// A reaction was given or taken back.
    case eventReactionUpdated = 104
    /// A thread has a reply more or less.
    case eventThreadInfoUpdated = 105
    /// A message that mentions the user came.
    case eventMention = 106
    /// A channel's properties changed.
    case eventChannelChanged = 107
    /// A channel has more members, or fewer.
    case eventChannelMemberCountChanged = 108
    /// A channel was frozen.
    case eventChannelFrozen = 109
    /// A channel is frozen no more.
    case eventChannelUnfrozen = 110
    /// The user hid a channel.
    case eventChannelHidden = 111
    /// A channel was deleted.
    case eventChannelDeleted = 112
    /// A channel's operators changed.
    case eventOperatorUpdated = 113
    /// Somebody began or ceased to type.
    case eventTypingStatusUpdated = 114
    /// Messages were delivered to somebody.
    case eventDeliveryReceiptUpdated = 115
    /// Somebody has read.
    case eventReadReceiptUpdated = 116
    /// Somebody was invited.
    case eventUserReceivedInvitation = 117
    /// Somebody declined an invitation.
    case eventUserDeclinedInvitation = 118
    /// Somebody joined.
    case eventUserJoined = 119
    /// Somebody was muted.
    case eventUserMuted = 120
    /// Somebody is muted no more.
    case eventUserUnmuted = 121
    /// Somebody left.
    case eventUserLeft = 122
    /// Somebody was banned.
    case eventUserBanned = 123
    /// Somebody is banned no more.
    case eventUserUnbanned = 124
    /// Metadata was added to a channel.
    case eventChannelMetaDataCreated = 125
    /// Metadata of a channel changed.
    case eventChannelMetaDataUpdated = 126
    /// Metadata was taken from a channel.
    case eventChannelMetaDataDeleted = 127
    /// A counter was added to a channel.
    case eventChannelMetaCounterCreated = 128
    /// A counter of a channel changed.
    case eventChannelMetaCounterUpdated = 129
    /// A counter was taken from a channel.
    case eventChannelMetaCounterDeleted = 130
    /// A message was pinned, or is pinned no more.
    case eventPinnedMessageUpdated = 131
    /// A poll changed.
    case eventPollUpdated = 132
    /// Somebody voted.
    case eventPollVoted = 133
    /// Somebody gave feedback to a message.
    case eventMessageFeedbackAdded = 134
    /// Feedback to a message changed.
    case eventMessageFeedbackUpdated = 135
    /// Feedback to a message was taken back.
    case eventMessageFeedbackDeleted = 136
    /// The user marked a channel as read.
    case eventUserMarkedRead = 137
    /// The user marked a channel as unread.
    case eventUserMarkedUnread = 138
    /// The beginning of the user's history in a channel moved.
    case eventMessageOffsetUpdated = 139
    /// The user's history in a channel was reset.
    case eventChannelResetHistory = 140

    // MARK: Requests

    /// The background sync of channels told it.
    case channelBackgroundSync = 1000
    /// The background sync of messages told it.
    case messageBackgroundSync = 1001
    /// The changelog of polls told it.
    case pollChangelog = 1002
    /// A channel was fetched anew.
    case channelRefresh = 1003
    /// A channel was fetched because the application asked.
    case requestChannel = 1004
    /// The changelog of channels was fetched because the application asked.
    case requestChannelChangelog = 1005
    /// A message was fetched because the application asked.
    case requestMessage = 1006
    /// The changelog of messages was fetched because the application asked.
    case requestMessageChangelog = 1007
    /// A message was sent again because the application asked.
    case requestResendMessage = 1008
    /// Replies were fetched because the application asked.
    case requestThreadedMessages = 1009
    /// A channel was opened on this device.
    case channelLastAccessedAtUpdated = 1010
    /// A page of channels came from the cache.
    case channelCacheLoadMore = 1011
    /// A page of channels came from the server.
    case channelLoadMore = 1012
    /// The first messages came from the cache.
    case messageCacheInitialize = 1013
    /// The first messages came from the server.
    case messageInitialize = 1014
    /// Older messages came from the cache.
    case messageCacheLoadPrevious = 1015
    /// Older messages came from the server.
    case messageLoadPrevious = 1016
    /// Newer messages came from the cache.
    case messageCacheLoadNext = 1017
    /// Newer messages came from the server.
    case messageLoadNext = 1018

    /// Whether the change came as a live event, rather than from sync or from this device.
    public var isFromEvent: Bool { (100..<1000).contains(rawValue) }
}
