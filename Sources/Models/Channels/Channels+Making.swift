extension GroupChannel {
    /// Creates a group channel.
    public init(url: ChannelURL, name: String = "", createdAt: Timestamp) {
        self.init { fields in
            fields.put(1, url)
            fields.put(2, name)
            fields.put(5, createdAt)
        }
    }

    /// A Boolean value that indicates whether the current user has hidden the channel.
    public var isHidden: Bool { hiddenState != .unhidden }

    /// The inclusive lower bound of the history that the current user can see; `nil` if neither the
    /// user has reset nor the server has purged it.
    package var historyOffset: Timestamp? {
        [messageOffset, messagePurgeOffset].compactMap(\.self).max()
    }
}

extension OpenChannel {
    /// Creates an open channel.
    public init(url: ChannelURL, name: String = "", createdAt: Timestamp) {
        self.init { fields in
            fields.put(1, url)
            fields.put(2, name)
            fields.put(5, createdAt)
        }
    }
}
