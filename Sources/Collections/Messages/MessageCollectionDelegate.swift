public import Models

/// Receives the notifications of a message collection.
///
/// The methods are called on the main actor, in the order of the store's commits, and never after
/// ``MessageCollection/dispose()``. They may call any method. None has a default implementation:
/// the compiler reports a wrong name or type.
///
/// For each commit, ``messageCollection(_:didChange:)`` is called first. The methods for added,
/// updated and deleted messages follow, for each source and sending status.
@MainActor
public protocol MessageCollectionDelegate: AnyObject {
    /// The rows have changed: apply the change to the list that a view shows.
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
    /// Canceled messages are then immediately reported as deleted.
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

    /// The channel was deleted, or the user left it or was banned: close its view.
    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL)

    /// The number of messages that are missing in a visible gap is above
    /// `SyncOptions.hugeGapThreshold`.
    ///
    /// The engine fills the rest of the gap only if the app requests it, and reports a gap once,
    /// also across collections. To start over, call ``MessageCollection/restart(at:)`` with the
    /// time of the first visible message.
    func messageCollectionDidDetectHugeGap(_ collection: MessageCollection)

    /// Another event has happened in the collection.
    func messageCollection(
        _ collection: MessageCollection, didReceive event: MessageCollectionEvent)
}

/// An event for which ``MessageCollectionDelegate`` has no method of its own.
public enum MessageCollectionEvent: Sendable {
    /// The open channel has changed.
    case openChannel(OpenChannel, GroupChannelContext)

    /// The parent message has changed; `nil` if it was deleted.
    case parentMessage(Message?, MessageContext)

    /// An edit, a deletion or a reaction has failed: see ``MessageCollection/failedChanges``.
    case failedChange(OutboxItem)

    /// A part of a pending message's file was uploaded.
    case upload(UploadProgress)
}
