public import Models
public import Sync

// What an app shows of the user's channels.
extension ChatClient {
    /// Makes a collection of a channel's messages.
    ///
    /// - Parameters:
    ///   - channelURL: The channel.
    ///   - startingPoint: Where it begins. The default is the newest message.
    ///   - params: Which messages are shown, in which order, and how many are loaded at once.
    ///   - capacity: How many rows are kept at most.
    /// - Returns: The collection, to be started. It is disposed of when another user connects.
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected.
    public func makeMessageCollection(
        of channelURL: ChannelURL, startingPoint: StartingPoint = .latest,
        params: MessageListParams = MessageListParams(), capacity: Int = 10_000
    ) throws(SyncError) -> MessageCollection {
        let collection = MessageCollection(
            of: channelURL, startingPoint: startingPoint, params: params,
            userID: session?.userID, capacity: capacity, engine: try engine())
        add(collection)
        return collection
    }

    /// Makes a collection of the user's group channels.
    ///
    /// - Parameter query: Which channels are listed, in which order, and how many are loaded at once.
    /// - Returns: The collection; `loadMore()` begins it. It is disposed of when another user connects.
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` before anybody has connected.
    public func makeGroupChannelCollection(
        _ query: GroupChannelListQuery = GroupChannelListQuery()
    ) throws(SyncError) -> GroupChannelCollection {
        let collection = GroupChannelCollection(
            query: query, userID: session?.userID, engine: try engine())
        add(collection)
        return collection
    }
}

extension MessageCollection: ChatClient.Collection {}
extension GroupChannelCollection: ChatClient.Collection {}
