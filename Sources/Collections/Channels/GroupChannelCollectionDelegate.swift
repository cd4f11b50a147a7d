public import Models

/// Receives the notifications of a channel collection.
///
/// All methods are optional.
///
/// Methods are called on the main actor, in the order of the store's commits, and never after
/// ``GroupChannelCollection/dispose()``. They may call any method, including
/// ``GroupChannelCollection/dispose()``. For each commit, ``channelCollection(_:didChange:)`` is
/// called first, followed by the methods for added, updated and deleted channels, once for each
/// source.
@MainActor
public protocol GroupChannelCollectionDelegate: AnyObject {
    /// The list has changed, for whatever reason. Apply the change to the list that a view shows.
    ///
    /// ``GroupChannelCollection/channels`` is the list after the change. For pages that the app has
    /// requested, this is the only method that is called.
    func channelCollection(
        _ collection: GroupChannelCollection, didChange change: CollectionChange<GroupChannel>)

    /// Channels were inserted: new channels, or channels that now match the query.
    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        addedChannels channels: [GroupChannel])

    /// Channels have changed. They may have moved.
    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        updatedChannels channels: [GroupChannel])

    /// Channels were removed from the list: they were deleted, left or hidden, or no longer match
    /// the query.
    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        deletedChannelURLs channelURLs: [ChannelURL])
}

extension GroupChannelCollectionDelegate {
    /// Does nothing.
    public func channelCollection(
        _ collection: GroupChannelCollection, didChange change: CollectionChange<GroupChannel>
    ) {}

    /// Does nothing.
    public func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        addedChannels channels: [GroupChannel]
    ) {}

    /// Does nothing.
    public func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        updatedChannels channels: [GroupChannel]
    ) {}

    /// Does nothing.
    public func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        deletedChannelURLs channelURLs: [ChannelURL]
    ) {}
}
