extension Channel {
    /// The same as ``url``.
    public var id: ChannelURL { url }
}

extension AnyChannel: Identifiable {
    /// The same as ``url``.
    public var id: ChannelURL { url }
}

extension Person {
    /// The same as ``userID``.
    public var id: UserID { userID }
}

extension Reaction: Identifiable {
    /// The same as ``key``.
    public var id: String { key }
}

extension MetaArray: Identifiable {
    /// The same as ``key``.
    public var id: String { key }
}

extension OutboxItem: Identifiable {
    /// The same as ``requestID``.
    public var id: RequestID { requestID }
}

extension Poll: Identifiable {}

extension PollOption: Identifiable {}
