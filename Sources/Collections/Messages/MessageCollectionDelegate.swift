public import Models

/// Receives the notifications of a message collection.
///
/// All methods are optional. They are called on the main actor, in the order of the store's
/// commits, and never after ``MessageCollection/dispose()``. They may call any method, including
/// ``MessageCollection/dispose()``.
///
/// For each commit, ``messageCollection(_:didChange:)`` is called first. The methods for added,
/// updated and deleted messages follow, once for each source and sending status.
@MainActor
public protocol MessageCollectionDelegate: AnyObject {
    /// The rows have changed; apply the change to the list that a view shows.
    ///
    /// ``MessageCollection/items`` is the list after the change. If the app has requested the
    /// change, as by ``MessageCollection/loadPrevious()``, only this method is called.
    func messageCollection(
        _ collection: MessageCollection, didChange change: CollectionChange<MessageItem>)

    /// Messages were added: they arrived, or the user has just written them.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [Message])

    /// Messages have changed: they were edited, sent or canceled, have failed, or are being resent.
    ///
    /// Canceled messages are first reported here, and then immediately as deleted.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [Message])

    /// Messages were removed from the list: they were deleted or evicted, or no longer match its
    /// parameters.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [Message])

    /// The channel, or the set of users who are typing in it, has changed.
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext, updatedChannel: GroupChannel)

    /// The open channel has changed.
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        updatedOpenChannel: OpenChannel)

    /// The channel was deleted, or the user left it or was banned from it; close its view.
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL)

    /// The parent message has changed, or was deleted.
    ///
    /// `updatedParentMessage` is `nil` if the message was deleted: see
    /// ``MessageCollection/isParentMessageDeleted``.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, updatedParentMessage: Message?)

    /// The number of messages that are missing in a visible gap is above
    /// `SyncOptions.hugeGapThreshold`.
    ///
    /// The rows on both sides of the gap stay. The engine fills the rest of the gap only if the app
    /// requests it, and reports the gap once, so that neither a restarted collection nor a new one
    /// receives this call for it again. To start over, call ``MessageCollection/restart(at:)`` with
    /// the time of the first visible message, or dispose the collection and create another one.
    func messageCollectionDidDetectHugeGap(_ collection: MessageCollection)

    /// An edit, a deletion or a reaction of the user has failed.
    ///
    /// ``MessageCollection/failedChanges`` contains it.
    func messageCollection(_ collection: MessageCollection, didFail change: OutboxItem)

    /// A part of the file of the pending message `requestID` was uploaded.
    ///
    /// `bytes` is the number of bytes uploaded so far, and `total` is the size of the file.
    func messageCollection(
        _ collection: MessageCollection, uploaded bytes: Int, of total: Int,
        for requestID: RequestID)
}

extension MessageCollectionDelegate {
    /// Does nothing.
    public func messageCollection(
        _ collection: MessageCollection, didChange change: CollectionChange<MessageItem>
    ) {}

    /// Does nothing.
    public func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [Message]
    ) {}

    /// Does nothing.
    public func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [Message]
    ) {}

    /// Does nothing.
    public func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [Message]
    ) {}

    /// Does nothing.
    public func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext, updatedChannel: GroupChannel
    ) {}

    /// Does nothing.
    public func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        updatedOpenChannel: OpenChannel
    ) {}

    /// Does nothing.
    public func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL
    ) {}

    /// Does nothing.
    public func messageCollection(
        _ collection: MessageCollection, context: MessageContext, updatedParentMessage: Message?
    ) {}

    /// Does nothing.
    public func messageCollectionDidDetectHugeGap(_ collection: MessageCollection) {}

    /// Does nothing.
    public func messageCollection(_ collection: MessageCollection, didFail change: OutboxItem) {}

    /// Does nothing.
    public func messageCollection(
        _ collection: MessageCollection, uploaded bytes: Int, of total: Int,
        for requestID: RequestID
    ) {}
}
