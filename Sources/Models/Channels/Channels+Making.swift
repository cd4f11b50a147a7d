extension GroupChannel {
    /// Creates a group channel.
    public init(url: ChannelURL, name: String = "", createdAt: Timestamp) {
        self.init { fields in
            fields.put(1, url)
            fields.put(2, name)
            fields.put(5, createdAt)
        }
    }

    /// Whether the current user has hidden it, in whichever way.
    public var isHidden: Bool { hiddenState != .unhidden }

    /// Whether the current user may send messages, as one of two.
    public var myMutedState: MutedState { isMuted ? .muted : .unmuted }

    /// Before when there is no history: it was reset, or the server has forgotten it; `nil` if it begins
    /// where the channel does.
    ///
    /// Messages of that very time are still there.
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
