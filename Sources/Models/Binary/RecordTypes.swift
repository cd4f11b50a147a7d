/// All record types, for tests, fuzzers and tools.
package let recordTypes: [any Record.Type] = [
    User.self, Sender.self, Member.self, RestrictedUser.self,
    RestrictionInfo.self,

    Message.self, FileInfo.self, Thumbnail.self, Reaction.self, ReactionEvent.self,
    ThreadInfo.self, ThreadInfoUpdateEvent.self, ParentMessageInfo.self, MetaArray.self,
    LinkPreview.self, LinkPreviewImage.self, Poll.self, PollOption.self, MessageEvents.self,

    GroupChannel.self, OpenChannel.self, UnreadItemCount.self, MessageChangelog.self,
    DeletedMessage.self, GroupChannelChangelog.self, AppInfo.self,

    MessageListParams.self, ThreadedMessageListParams.self, MessageChangelogParams.self,
    GroupChannelChangelogParams.self, GroupChannelListQuery.self,
    NewMessage.self, UserMessageUpdateParams.self, FileMessageUpdateParams.self,
    UploadableFile.self,

    OutboxItem.self, FileCopy.self,
]
