/// An order of a group channel list.
public enum GroupChannelListOrder: Int, CaseIterable, Sendable {
    /// By the time of the last message, newest first, then channels without one; the default.
    case latestLastMessage = 0
    /// By creation time, newest first.
    case chronological = 1
    /// By name, in byte order.
    case channelNameAlphabetical = 2
    /// By the value of a metadata key, in byte order, then channels without the key.
    case metaDataValueAlphabetical = 3
    /// By the time of the last message, oldest first, then channels without one.
    case oldestLastMessage = 4
}

extension GroupChannelListOrder: WireEnum {
    static var names: [String] {
        [
            "latest_last_message", "chronological", "channel_name_alphabetical",
            "metadata_value_alphabetical", "oldest_last_message",
        ]
    }
}

/// The way in which a filter combines users.
public enum QueryType: Int, CaseIterable, Sendable {
    /// All users must be members.
    case and = 0
    /// At least one of the users must be a member.
    case or = 1
}

extension QueryType: WireEnum {
    static var names: [String] { ["AND", "OR"] }
    static var aliases: [String: Self] { ["and": .and, "or": .or] }
}

/// A channel filter by the current user's membership.
public enum MemberStateFilter: Int, CaseIterable, Sendable {
    /// Channels that the user has joined or is invited to.
    case all = 0
    /// Channels that the user has joined.
    case joinedOnly = 1
    /// Channels that the user is invited to.
    case invitedOnly = 2
}

extension MemberStateFilter: WireEnum {
    static var names: [String] { ["all", "joined_only", "invited_only"] }
}

/// A channel filter by kind of group channel.
public enum SuperChannelFilter: Int, CaseIterable, Sendable {
    /// All channels.
    case all = 0
    /// Supergroups.
    case superOnly = 1
    /// Channels that are not supergroups.
    case nonSuperOnly = 2
    /// Broadcast channels.
    case broadcastOnly = 3
    /// Exclusive supergroups.
    case exclusiveOnly = 4
}

extension SuperChannelFilter: WireEnum {
    static var names: [String] { ["all", "super", "nonsuper", "broadcast_only", "exclusive_only"] }
}

/// A channel filter by whether any user may join.
public enum PublicChannelFilter: Int, CaseIterable, Sendable {
    /// All channels.
    case all = 0
    /// Channels that any user may join.
    case publicOnly = 1
    /// Channels that require an invitation.
    case privateOnly = 2
}

extension PublicChannelFilter: WireEnum {
    static var names: [String] { ["all", "public", "private"] }
}

/// A channel filter by unread messages.
public enum UnreadChannelFilter: Int, CaseIterable, Sendable {
    /// All channels.
    case all = 0
    /// Channels with unread messages.
    case unreadMessage = 1
}

extension UnreadChannelFilter: WireEnum {
    static var names: [String] { ["all", "unread_message"] }
}

/// A channel filter by hidden state.
public enum HiddenStateFilter: Int, CaseIterable, Sendable {
    /// Channels that are not hidden.
    case unhiddenOnly = 0
    /// Channels that are hidden.
    case hiddenOnly = 1
    /// Channels that are hidden until their next message.
    case hiddenAllowAutoUnhide = 2
    /// Channels that are hidden until the user shows them again.
    case hiddenPreventAutoUnhide = 3
    /// All channels.
    case all = 4
}

extension HiddenStateFilter: WireEnum {
    static var names: [String] {
        [
            "unhidden_only", "hidden_only", "hidden_allow_auto_unhide",
            "hidden_prevent_auto_unhide", "all",
        ]
    }
}

/// A property in which a channel list searches for a text.
public enum SearchField: Int, CaseIterable, Sendable {
    /// The nicknames of other members.
    case memberNickname = 0
    /// The channel's name.
    case channelName = 1
}

extension SearchField: WireEnum {
    static var names: [String] { ["member_nickname", "channel_name"] }
}
