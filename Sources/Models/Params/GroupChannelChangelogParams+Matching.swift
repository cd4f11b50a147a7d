extension GroupChannelChangelogParams {
    /// Creates params for the changes of the channels that a list has.
    public init(_ query: GroupChannelListQuery) {
        self.init()
        customTypes = query.customTypesFilter
        includesEmptyChannel = query.includesEmptyChannel
        includesFrozenChannel = query.includesFrozenChannel
        includesMetaData = query.includesMetaData
        includesChatNotification = query.includesChatNotification
    }

    /// Whether a changelog with these params tells of a channel.
    public func belongsTo(_ channel: GroupChannel) -> Bool {
        if !customTypes.isEmpty && !customTypes.contains(channel.customType) { return false }
        if !includesEmptyChannel && channel.lastMessage == nil { return false }
        if !includesFrozenChannel && channel.isFrozen { return false }
        return includesChatNotification || !channel.isChatNotification
    }
}
