extension GroupChannel {
    /// Creates a group channel.
    public init(url: ChannelURL, name: String = "", createdAt: Timestamp) {
        self.init { fields in
            fields.put(1, url)
            fields.put(2, name)
            fields.put(5, createdAt)
        }
    }

    /// A Boolean value that indicates whether the current user has hidden the channel in either
    /// way.
    public var isHidden: Bool { hiddenState != .unhidden }

    /// The muted state of the current user: ``isMuted`` as an enumeration.
    public var myMutedState: MutedState { isMuted ? .muted : .unmuted }

    /// The lower bound of the channel's history, after a reset or a purge on the server; `nil` if
    /// the history starts with the channel.
    ///
    /// The bound is inclusive: messages of that time exist.
    public var historyOffset: Timestamp? {
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
