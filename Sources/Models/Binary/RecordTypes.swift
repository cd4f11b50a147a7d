/// All record types, for tests, fuzzers and tools.
package let recordTypes: [any Record.Type] = [
    // People
    User.self, Sender.self, Member.self, Participant.self, RestrictedUser.self,
    RestrictionInfo.self,

    // Messages
    Message.self, FileInfo.self, Thumbnail.self, Reaction.self, ReactionEvent.self,
    ThreadInfo.self, ThreadInfoUpdateEvent.self, ParentMessageInfo.self, MetaArray.self,
    OGMetaData.self, OGImage.self, Plugin.self, Poll.self, PollOption.self, MessageEvents.self,
    AppleCriticalAlertOptions.self,

    // Channels
    GroupChannel.self, OpenChannel.self, DisappearingMessage.self, SMSFallback.self,
    MemberCountUpdate.self, ReadReceipt.self, UnreadItemCount.self, MessageChangelog.self,
    DeletedMessage.self, GroupChannelChangelog.self, AppInfo.self, Emoji.self,
    EmojiCategory.self,

    // Queries and parameters
    MessageListParams.self, ThreadedMessageListParams.self, MessageChangelogParams.self,
    GroupChannelChangelogParams.self, GroupChannelListQuery.self,
    UserMessageCreateParams.self, FileMessageCreateParams.self,
    MultipleFilesMessageCreateParams.self, UserMessageUpdateParams.self,
    FileMessageUpdateParams.self, UploadableFile.self, ThumbnailSize.self,

    // The outbox
    OutboxItem.self, FileCopy.self,
]
