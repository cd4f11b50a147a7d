public import Models

/// What a message collection tells; each call is optional.
///
/// Calls come on the main actor, in the order of the commits of the store, and none after
/// ``MessageCollection/dispose()``. Within a call everything may be called, ``MessageCollection/dispose()``
/// too. Of one commit, ``messageCollection(_:didChange:)`` comes first, then what was added, updated and
/// deleted, each with its reason.
@MainActor
public protocol MessageCollectionDelegate: AnyObject {
    /// The rows changed, for whatever reason: fold this into what a view shows.
    ///
    /// ``MessageCollection/items`` is the list after it. Pages that were asked for are told here alone.
    func messageCollection(
        _ collection: MessageCollection, didChange change: CollectionChange<MessageItem>)

    /// Messages came: live, by sync, or from the user, who has just written them.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [Message])

    /// Messages are no more what they were: edited, sent, failed, being sent again, or canceled.
    ///
    /// Those that were canceled are deleted right after it.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [Message])

    /// Messages are gone: deleted, taken out, or no more what the collection is to show.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [Message])

    /// The channel changed, or somebody is typing in it.
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext, updatedChannel: GroupChannel)

    /// The channel is the user's no more, so its view has nothing to show.
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL)

    /// Much more is missing than one would like to wait for.
    ///
    /// The rows on both sides of the gap stay, and the gap is one of ``MessageCollection/items``. Whoever
    /// would rather begin anew calls ``MessageCollection/restart(at:)``, or disposes of the collection and
    /// makes another one, at the time of the first message that is seen.
    func messageCollectionDidDetectHugeGap(_ collection: MessageCollection)

    /// So many bytes of a file of a pending message are uploaded.
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
        deletedChannel channelURL: ChannelURL
    ) {}

    /// Does nothing.
    public func messageCollectionDidDetectHugeGap(_ collection: MessageCollection) {}

    /// Does nothing.
    public func messageCollection(
        _ collection: MessageCollection, uploaded bytes: Int, of total: Int,
        for requestID: RequestID
    ) {}
}
