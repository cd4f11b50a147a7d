extension GroupChannelListQuery {
    /// Returns a Boolean value that indicates whether the left channel precedes the right one in
    /// the list.
    ///
    /// Of two channels with different URLs, exactly one precedes the other.
    public func precedes(_ left: GroupChannel, _ right: GroupChannel) -> Bool {
        order.precedes(left, right, metaDataKey: metaDataOrderKeyFilter)
    }
}

extension GroupChannelListOrder {
    /// Returns a Boolean value that indicates whether the left channel precedes the right one.
    ///
    /// Channels that are equal in this order are ordered by creation time, newest first, and then
    /// by URL. Names, values and URLs are compared in byte order, so that the order is the same in
    /// every language and on every device. No channel precedes itself.
    ///
    /// For `metaDataValueAlphabetical`, the values of `metaDataKey` order the list. If the key is
    /// `nil`, no channel has a value.
    public func precedes(
        _ left: GroupChannel, _ right: GroupChannel, metaDataKey: String? = nil
    ) -> Bool {
        switch self {
        case .chronological:
            break
        case .latestLastMessage:
            let times = (left.lastMessage?.createdAt, right.lastMessage?.createdAt)
            if let decided = decide(times, { $0 > $1 }) { return decided }
        case .oldestLastMessage:
            let times = (left.lastMessage?.createdAt, right.lastMessage?.createdAt)
            if let decided = decide(times, { $0 < $1 }) { return decided }
        case .channelNameAlphabetical:
            if let decided = decide((left.name, right.name), { $0.precedesByBytes($1) }) {
                return decided
            }
        case .metaDataValueAlphabetical:
            let values = (
                metaDataKey.flatMap { left.metadata[$0] },
                metaDataKey.flatMap { right.metadata[$0] }
            )
            if let decided = decide(values, { $0.precedesByBytes($1) }) { return decided }
        }
        if left.createdAt != right.createdAt { return left.createdAt > right.createdAt }
        return left.url < right.url
    }

    /// Returns `true` if the left value precedes the right one, `false` if the right one precedes
    /// the left one, and `nil` if they are equal.
    ///
    /// Missing values are last.
    private func decide<Value>(
        _ values: (Value?, Value?), _ precede: (Value, Value) -> Bool
    ) -> Bool? {
        switch values {
        case (let left?, let right?):
            precede(left, right) ? true : precede(right, left) ? false : nil
        case (nil, nil): nil
        case (nil, _): false
        case (_, nil): true
        }
    }
}
