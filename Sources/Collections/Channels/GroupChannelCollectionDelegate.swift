public import Models

/// What a collection of channels tells; each call is optional.
///
/// Calls come on the main actor, in the order of the commits of the store, and none after
/// ``GroupChannelCollection/dispose()``. Within a call everything may be called,
/// ``GroupChannelCollection/dispose()`` too. Of one commit, ``channelCollection(_:didChange:)`` comes first,
/// then what was added, updated and deleted, each with its reason.
@MainActor
public protocol GroupChannelCollectionDelegate: AnyObject {
    /// The list changed, for whatever reason: fold this into what a view shows.
    ///
    /// ``GroupChannelCollection/channels`` is the list after it. Pages that were asked for are told here
    /// alone.
    func channelCollection(
        _ collection: GroupChannelCollection, didChange change: CollectionChange<GroupChannel>)

    /// Channels came: new ones, or such that are now what the collection is to list.
    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        addedChannels channels: [GroupChannel])

    /// Channels changed, and may have moved.
    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        updatedChannels channels: [GroupChannel])

    /// Channels are gone: deleted, left, hidden, or no more what the collection is to list.
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
