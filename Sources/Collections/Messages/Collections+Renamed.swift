public import Models

// Names of other chat SDKs, for which the compiler suggests the calls of this one.

extension MessageCollection {
    /// Loads older messages.
    @available(*, unavailable, renamed: "loadPrevious()")
    public func loadOlder() async throws -> [Message] { [] }

    /// Loads newer messages.
    @available(*, unavailable, renamed: "loadNext()")
    public func loadNewer() async throws -> [Message] { [] }

    /// A stream of the changes.
    @available(*, unavailable, renamed: "allChanges()")
    public var changes: AsyncStream<CollectionChange<MessageItem>> { allChanges() }
}

extension GroupChannelCollection {
    /// Lists more channels.
    @available(*, unavailable, renamed: "loadMore()")
    public func loadNext() {}

    /// The listed channels.
    @available(*, unavailable, renamed: "channels")
    public var items: [GroupChannel] { channels }

    /// A stream of the changes.
    @available(*, unavailable, renamed: "allChanges()")
    public var changes: AsyncStream<CollectionChange<GroupChannel>> { allChanges() }
}
