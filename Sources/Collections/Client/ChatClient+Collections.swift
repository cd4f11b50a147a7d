public import Models
public import Sync

extension ChatClient {
    /// Creates a collection of a channel's messages, which is empty until
    /// ``MessageCollection/start(_:)``.
    ///
    /// An open channel must be entered first: see ``enter(_:)``. The other parameters are those of
    /// ``MessageCollection/init(of:startingPoint:params:userID:capacity:engine:)``. The client
    /// disposes the collection when another user connects.
    ///
    /// - Throws: `noUser`.
    public func makeMessageCollection(
        of channelURL: ChannelURL, startingPoint: StartingPoint = .latest,
        params: MessageListParams = MessageListParams(), capacity: Int = 10_000
    ) throws(SyncError) -> MessageCollection {
        let collection = MessageCollection(
            of: channelURL, startingPoint: startingPoint, params: params,
            userID: session?.userID, capacity: capacity, engine: try engine)
        add(collection)
        return collection
    }

    /// Creates a collection of the replies to a message, as
    /// ``makeMessageCollection(of:startingPoint:params:capacity:)`` does for a channel.
    ///
    /// - Throws: `noUser`.
    public func makeThreadCollection(
        ofRepliesTo parentMessageID: MessageID, in channelURL: ChannelURL,
        startingPoint: StartingPoint = .latest,
        params: ThreadedMessageListParams = ThreadedMessageListParams(),
        capacity: Int = 10_000
    ) throws(SyncError) -> MessageCollection {
        let collection = MessageCollection(
            ofRepliesTo: parentMessageID, in: channelURL, startingPoint: startingPoint,
            params: params, userID: session?.userID, capacity: capacity, engine: try engine)
        add(collection)
        return collection
    }

    /// Creates a collection of the user's group channels, which is empty until
    /// ``GroupChannelCollection/start()``.
    ///
    /// The client disposes it when another user connects.
    ///
    /// - Throws: `noUser`.
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
    /// It is empty until ``MessageSearch/loadMore()``. The client disposes it when another user
    /// connects. The order of the parameters is ignored.
    ///
    /// - Throws: `noUser`.
    public func makeMessageSearch(
        _ params: MessageSearchParams, pageSize: Int = 20
    ) throws(SyncError) -> MessageSearch {
        let search = MessageSearch(params, pageSize: pageSize, engine: try engine)
        add(search)
        return search
    }
}

extension MessageCollection: ChatClient.Collection {}
extension GroupChannelCollection: ChatClient.Collection {}
