extension GroupChannelListQuery {
    /// Returns whether the left channel precedes the right one in the list; of two channels with
    /// different URLs, exactly one does.
    public func precedes(_ left: GroupChannel, _ right: GroupChannel) -> Bool {
        order.precedes(left, right, metaDataKey: metaDataOrderKeyFilter)
    }
}

extension GroupChannelListOrder {
    /// Returns whether the left channel precedes the right one; no channel precedes itself.
    ///
    /// Equal channels are ordered by creation time, newest first, and then by URL. Texts are
    /// compared in byte order, which is the same on every device.
    ///
    /// For `metaDataValueAlphabetical`, the values of `metaDataKey` order the list.
    package func precedes(
        _ left: GroupChannel, _ right: GroupChannel, metaDataKey: String? = nil
    ) -> Bool {
        sortKey(of: left, metaDataKey: metaDataKey)
            .precedes(sortKey(of: right, metaDataKey: metaDataKey))
    }

    private func sortKey(of channel: GroupChannel, metaDataKey: String?) -> ChannelSortKey {
        let criterion: ChannelSortKey.Criterion =
            switch self {
            case .chronological: .text(nil)
            case .latestLastMessage: .newestTime(channel.lastMessage?.createdAt)
            case .oldestLastMessage: .oldestTime(channel.lastMessage?.createdAt)
            case .channelNameAlphabetical: .text(channel.name)
            case .metaDataValueAlphabetical: .text(metaDataKey.flatMap { channel.metadata[$0] })
            }
        return ChannelSortKey(criterion, createdAt: channel.createdAt, url: channel.url)
    }
}

package struct ChannelSortKey: Hashable, Sendable {
    /// The first value to compare; channels without it are last.
    package enum Criterion: Hashable, Sendable {
        case newestTime(Timestamp?)
        case oldestTime(Timestamp?)
        case text(String?)
    }

    package let criterion: Criterion
    package let createdAt: Timestamp
    package let url: ChannelURL

    package init(_ criterion: Criterion, createdAt: Timestamp, url: ChannelURL) {
        self.criterion = criterion
        self.createdAt = createdAt
        self.url = url
    }

    package func precedes(_ other: ChannelSortKey) -> Bool {
        let isFirst: Bool? =
            switch (criterion, other.criterion) {
            case (.newestTime(let left), .newestTime(let right)): decide(left, right) { $0 > $1 }
            case (.oldestTime(let left), .oldestTime(let right)): decide(left, right) { $0 < $1 }
            case (.text(let left), .text(let right)):
                decide(left, right) { $0.precedesByBytes($1) }
            default: nil
            }
        if let isFirst { return isFirst }
        if createdAt != other.createdAt { return createdAt > other.createdAt }
        return url < other.url
    }

    /// Returns `nil` if the values are equal.
    private func decide<Value>(
        _ left: Value?, _ right: Value?, _ precedes: (Value, Value) -> Bool
    ) -> Bool? {
        switch (left, right) {
        case (let left?, let right?):
            precedes(left, right) ? true : precedes(right, left) ? false : nil
        case (nil, nil): nil
        case (nil, _): false
        case (_, nil): true
        }
    }
}
