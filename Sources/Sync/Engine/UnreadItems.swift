import Models
import Store

/// The unread messages, unread mentions and pending invitations of each stored channel.
///
/// This is the only place that adds the counts of channels. Reading all channels is needed once;
/// then only changed channels are read.
struct UnreadItems {
    private var counts: [ChannelURL: UnreadItemCount] = [:]
    /// The sum over all stored channels.
    private(set) var total = UnreadItemCount()

    /// Reads the counts of all stored channels; `nil` if the store does not have all channels of
    /// the user.
    ///
    /// - Complexity: O(*n*) in the number of channels.
    init?(in reader: some StoreReader) throws(StoreError) {
        guard try reader.hasAllChannels() else { return nil }
        for url in try reader.channelURLs() {
            // A channel that cannot be decoded counts as having no unread items.
            set(try reader.groupChannel(url), of: url)
        }
    }

    /// Updates the counts of channels that were saved, or removed if their value is `nil`.
    mutating func update(_ channels: [ChannelURL: GroupChannel?]) {
        for (url, channel) in channels { set(channel, of: url) }
    }

    private mutating func set(_ channel: GroupChannel?, of url: ChannelURL) {
        let count = channel.map(UnreadItemCount.init)
        add(counts[url], -1)
        add(count, 1)
        counts[url] = count
    }

    private mutating func add(_ count: UnreadItemCount?, _ sign: Int) {
        guard let count else { return }
        // A server may report any number, so the sum must not trap.
        total.groupChannelUnreadMessageCount &+= sign &* count.groupChannelUnreadMessageCount
        total.groupChannelUnreadMentionCount &+= sign &* count.groupChannelUnreadMentionCount
        total.groupChannelInvitationCount &+= sign &* count.groupChannelInvitationCount
    }
}

extension UnreadItemCount {
    /// The unread items of one channel.
    fileprivate init(_ channel: GroupChannel) {
        self.init()
        groupChannelUnreadMessageCount = channel.unreadMessageCount
        groupChannelUnreadMentionCount = channel.unreadMentionCount
        groupChannelInvitationCount = channel.myMemberState == .invited ? 1 : 0
    }
}
