public import Models

/// Receives the notifications of a channel collection.
///
/// The methods are called on the main actor, in the order of the store's commits, and never after
/// ``GroupChannelCollection/dispose()``. They may call any method. None has a default
/// implementation: the compiler reports a wrong name or type.
///
/// For each commit, ``channelCollection(_:didChange:)`` is called first. The methods for added,
/// updated and deleted channels follow, once for each source of the changes.
@MainActor
public protocol GroupChannelCollectionDelegate: AnyObject {
    /// The list has changed: apply the change to the list that a view shows.
    ///
    /// ``GroupChannelCollection/channels`` is the list after the change. If the app has requested
    /// the change, as by ``GroupChannelCollection/loadMore()``, only this method is called.
    func channelCollection(
        _ collection: GroupChannelCollection, didChange change: CollectionChange<GroupChannel>)

    /// Channels were inserted because they are new, or match the query now.
    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        addedChannels channels: [GroupChannel])

    /// Channels have changed, and may have moved in the list.
    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        updatedChannels channels: [GroupChannel])

    /// Channels were removed from the list, because they were deleted, left or hidden, or no longer
    /// match the query.
    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        deletedChannelURLs channelURLs: [ChannelURL])
}
