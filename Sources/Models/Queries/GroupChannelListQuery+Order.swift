extension GroupChannelListQuery {
    /// Whether the left channel comes before the right one in the list that the query asks for.
    ///
    /// A strict total order: of two channels with different URLs exactly one comes first, whatever
    /// else they share.
    public func precedes(_ left: GroupChannel, _ right: GroupChannel) -> Bool {
        order.precedes(left, right, metaDataKey: metaDataOrderKeyFilter)
    }
}

extension GroupChannelListOrder {
    /// Whether the left channel comes before the right one.
    ///
    /// Ties are decided by creation, newest first, and then by URL, byte by byte. Names and
    /// values are compared byte by byte as well, so that the order is the same in every language
    /// and on every device.
    ///
    /// - Parameters:
    ///   - left: A channel.
    ///   - right: Another one.
    ///   - metaDataKey: By whose value `metaDataValueAlphabetical` goes; without a key no channel
    ///     has a value.
    /// - Returns: Whether the left channel comes first; false where both are the same channel.
    public func precedes(
        _ left: GroupChannel, _ right: GroupChannel, metaDataKey: String? = nil
    ) -> Bool {
        switch self {
        case .chronological:
            break
        case .latestLastMessage:
            let times = (left.lastMessage?.createdAt, right.lastMessage?.createdAt)
            if let decided = decide(times, { $0 > $1 }) { return decided }
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

    /// Which of two values comes first, `nil` if neither; what is missing comes last.
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
