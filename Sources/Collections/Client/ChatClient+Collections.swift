public import Models
public import Sync

extension ChatClient {
    /// Creates a collection of a channel's messages.
    ///
    /// - Parameters:
    ///   - channelURL: The URL of a group channel, or of an open channel that the user has entered:
    ///     see ``enter(_:)``.
    ///   - startingPoint: The initial position of the window. The default is the newest message.
    ///   - params: The messages to show, their order, and the page sizes.
    ///   - capacity: The maximum number of sent messages, and of messages in a page; less than 1
    ///     counts as 1.
    /// - Returns: A collection, which is empty until ``MessageCollection/start(_:)``. The client
    ///   disposes it when another user connects.
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet.
    public func makeMessageCollection(
        of channelURL: ChannelURL, startingPoint: StartingPoint = .latest,
        params: MessageListParams = MessageListParams(),
        capacity: Int = MessageCollection.defaultCapacity
    ) throws(SyncError) -> MessageCollection {
        let collection = MessageCollection(
            of: channelURL, startingPoint: startingPoint, params: params,
            userID: session?.userID, capacity: capacity, engine: try engine)
        add(collection)
        return collection
    }

    /// Creates a collection of the replies to a message.
    ///
    /// - Parameters:
    ///   - parentMessageID: The ID of the parent message.
    ///   - channelURL: The URL of its channel.
    ///   - startingPoint: The initial position of the window. The default is the newest reply.
    ///   - params: The replies to show, their order, and the page sizes.
    ///   - capacity: The maximum number of sent replies, and of replies in a page; less than 1
    ///     counts as 1.
    /// - Returns: A collection, which is empty until ``MessageCollection/start(_:)``. The client
    ///   disposes it when another user connects.
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet.
    public func makeThreadCollection(
        ofRepliesTo parentMessageID: MessageID, in channelURL: ChannelURL,
        startingPoint: StartingPoint = .latest,
        params: ThreadedMessageListParams = ThreadedMessageListParams(),
        capacity: Int = MessageCollection.defaultCapacity
    ) throws(SyncError) -> MessageCollection {
        let collection = MessageCollection(
            ofRepliesTo: parentMessageID, in: channelURL, startingPoint: startingPoint,
            params: params, userID: session?.userID, capacity: capacity, engine: try engine)
        add(collection)
        return collection
    }

    /// Creates a collection of the user's group channels.
    ///
    /// - Parameter query: The filters and the order of the list, and the page size.
    /// - Returns: A collection, which is empty until ``GroupChannelCollection/start()``. The client
    ///   disposes it when another user connects.
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet.
    public func makeGroupChannelCollection(
        _ query: GroupChannelListQuery = GroupChannelListQuery()
    ) throws(SyncError) -> GroupChannelCollection {
        let collection = GroupChannelCollection(
            query: query, userID: session?.userID, engine: try engine)
        add(collection)
        return collection
    }

    /// Creates a live list of the messages that match a search, newest first.
    ///
    /// - Parameters:
    ///   - params: The words, and the messages to search. The order of the parameters is ignored.
    ///   - pageSize: The number of messages in a page; less than 1 counts as 1. The default is 20.
    /// - Returns: A search, which is empty until ``MessageSearch/loadMore()``. The client disposes
    ///   it when another user connects.
    /// - Throws: ``/Sync/SyncError`` with code `noUser` if no user has connected yet.
    public func makeMessageSearch(
        _ params: MessageSearchParams, pageSize: Int = MessageSearchParams.defaultPageSize
    ) throws(SyncError) -> MessageSearch {
        let search = MessageSearch(params, pageSize: pageSize, engine: try engine)
        add(search)
        return search
    }
}

extension MessageCollection: ChatClient.Collection {}
extension GroupChannelCollection: ChatClient.Collection {}
