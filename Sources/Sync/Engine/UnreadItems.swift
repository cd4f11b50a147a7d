import Models
import Store

/// The unread items of each stored channel, which are read once, and then only if they change.
struct UnreadItems {
    private var counts: [ChannelURL: UnreadItemCount] = [:]
    private(set) var total = UnreadItemCount()

    /// `nil` if the store does not have all channels of the user.
    init?(in reader: some StoreReader) throws(StoreError) {
        guard try reader.hasAllChannels() else { return nil }
        for url in try reader.channelURLs() {
            // Otherwise, a damaged channel would make each step read all channels again.
            set(
                try reader.unlessDamaged { () throws(StoreError) in try reader.groupChannel(url) },
                of: url)
        }
    }

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
    fileprivate init(_ channel: GroupChannel) {
        self.init()
        groupChannelUnreadMessageCount = channel.unreadMessageCount
        groupChannelUnreadMentionCount = channel.unreadMentionCount
        groupChannelInvitationCount = channel.myMemberState == .invited ? 1 : 0
    }
}
