public import Models

extension EmbeddedClient {
    // MARK: Group channels

    /// Returns a page of the group channels that match a query, in the query's order.
    public func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        try connection.ask { state, session throws(BackendError) in
            try state.channels(matching: query, after: cursor, for: session.userID)
        }
    }

    /// Returns a group channel with its complete state.
    public func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try connection.ask { state, session throws(BackendError) in
            let channel = try state.groupChannel(url)
            _ = try state.readableChannel(url, for: session.userID)
            return try state.view(channel, for: session.userID)
        }
    }
}
