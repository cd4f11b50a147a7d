extension GroupChannelChangelogParams {
    /// Creates parameters for the channels of a query.
    public init(_ query: GroupChannelListQuery) {
        self.init()
        customTypes = query.customTypesFilter
        includesEmptyChannel = query.includesEmptyChannel
        includesFrozenChannel = query.includesFrozenChannel
    }

    /// Returns whether a changelog with these parameters reports a channel.
    public func belongsTo(_ channel: GroupChannel) -> Bool {
        if !customTypes.isEmpty && !customTypes.contains(channel.customType) { return false }
        if !includesEmptyChannel && channel.lastMessage == nil { return false }
        return includesFrozenChannel || !channel.isFrozen
    }
}
