public import Models

/// Receives the notifications of a message collection.
///
/// All methods are optional.
///
/// Methods are called on the main actor, in the order of the store's commits, and never after
/// ``MessageCollection/dispose()``. They may call any method, including
/// ``MessageCollection/dispose()``. For each commit, ``messageCollection(_:didChange:)`` is called
/// first, followed by the methods for added, updated and deleted messages, once for each source and
/// sending status.
@MainActor
public protocol MessageCollectionDelegate: AnyObject {
    /// The rows have changed, for whatever reason. Apply the change to the list that a view shows.
    ///
    /// ``MessageCollection/items`` is the list after the change. For pages that the app has
    /// requested, this is the only method that is called.
    func messageCollection(
        _ collection: MessageCollection, didChange change: CollectionChange<MessageItem>)

    /// Messages were added: live, by sync, or by the user who has just written them.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [Message])

    /// Messages have changed: they were edited, sent, canceled, have failed, or are being resent.
    ///
    /// Canceled messages are deleted immediately afterwards.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [Message])

    /// Messages were removed from the list: they were deleted, evicted, or no longer match the
    /// parameters of the list.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [Message])

    /// The channel has changed, or the set of users who are typing in it.
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext, updatedChannel: GroupChannel)

    /// The open channel has changed.
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        updatedOpenChannel: OpenChannel)

    /// The channel was deleted, or the user left it or was banned from it. Close its view.
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL)

    /// The message whose replies are listed has changed, or was deleted.
    ///
    /// The message is `nil` if it was deleted: see ``MessageCollection/isParentMessageDeleted``.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, updatedParentMessage: Message?)

    /// More messages are missing in a visible gap than `SyncOptions.hugeGapThreshold`.
    ///
    /// The rows on both sides of the gap stay, and the gap is one of ``MessageCollection/items``.
    /// To start over instead, call ``MessageCollection/restart(at:)`` with the time of the first
    /// visible message, or dispose the collection and create another one.
    func messageCollectionDidDetectHugeGap(_ collection: MessageCollection)

    /// An edit, a deletion or a reaction of the user has failed, and is in
    /// ``MessageCollection/failedChanges``.
    func messageCollection(_ collection: MessageCollection, didFail change: OutboxItem)

    /// A number of bytes of a pending message's file was uploaded.
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
