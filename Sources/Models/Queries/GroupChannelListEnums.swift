/// The orders of a group channel list.
public enum GroupChannelListOrder: Int, CaseIterable, Sendable {
    /// By creation, newest first.
    case chronological = 0
    /// By last message, newest first; channels without one come after all others.
    case latestLastMessage = 1
    /// By name, byte by byte.
    case channelNameAlphabetical = 2
    /// By the value of a metadata key, byte by byte; channels without it come last.
    case metaDataValueAlphabetical = 3
}

extension GroupChannelListOrder: WireEnum {
    static var names: [String] {
        [
            "chronological", "latest_last_message", "channel_name_alphabetical",
            "metadata_value_alphabetical",
        ]
    }
}

/// Whether all users of a filter must be members, or any.
public enum QueryType: Int, CaseIterable, Sendable {
    /// All of them.
    case and = 0
    /// Any of them.
    case or = 1
}

extension QueryType: WireEnum {
    static var names: [String] { ["AND", "OR"] }
    static var aliases: [String: Self] { ["and": .and, "or": .or] }
}

/// Which channels a list has, by the current user's membership.
public enum MemberStateFilter: Int, CaseIterable, Sendable {
    /// Those that the user has joined or is invited to.
    case all = 0
    /// Those that the user has joined.
    case joinedOnly = 1
    /// Those that the user is invited to.
    case invitedOnly = 2
    /// Those that a friend invited the user to.
    case invitedByFriend = 3
    /// Those that somebody else invited the user to.
    case invitedByNonFriend = 4
}

extension MemberStateFilter: WireEnum {
    static var names: [String] {
        ["all", "joined_only", "invited_only", "invited_by_friend", "invited_by_non_friend"]
    }
}

/// Which channels a list has, by their size.
public enum SuperChannelFilter: Int, CaseIterable, Sendable {
    /// All.
    case all = 0
    /// Supergroups.
    case superOnly = 1
    /// Channels that are no supergroups.
    case nonSuperOnly = 2
    /// Broadcast channels.
    case broadcastOnly = 3
    /// Exclusive supergroups.
    case exclusiveOnly = 4
}

extension SuperChannelFilter: WireEnum {
    static var names: [String] { ["all", "super", "nonsuper", "broadcast_only", "exclusive_only"] }
}

/// Which channels a list has, by who may join.
public enum PublicChannelFilter: Int, CaseIterable, Sendable {
    /// All.
    case all = 0
    /// Those that anybody may join.
    case publicOnly = 1
    /// Those that one is invited to.
    case privateOnly = 2
}

extension PublicChannelFilter: WireEnum {
    static var names: [String] { ["all", "public", "private"] }
}

/// Which channels a list has, by what is unread in them.
public enum UnreadChannelFilter: Int, CaseIterable, Sendable {
    /// All.
    case all = 0
    /// Those with unread messages.
    case unreadMessage = 1
}

extension UnreadChannelFilter: WireEnum {
    static var names: [String] { ["all", "unread_message"] }
}

/// Which channels a list has, by whether the current user has hidden them.
public enum HiddenStateFilter: Int, CaseIterable, Sendable {
    /// Those that are shown.
    case unhiddenOnly = 0
    /// Those that are hidden.
    case hiddenOnly = 1
    /// Those that are hidden until their next message.
    case hiddenAllowAutoUnhide = 2
    /// Those that are hidden until the user shows them.
    case hiddenPreventAutoUnhide = 3
    /// All.
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

/// Where a channel list looks for a text.
public enum SearchField: Int, CaseIterable, Sendable {
    /// In the nicknames of other members.
    case memberNickname = 0
    /// In the name of the channel.
    case channelName = 1
}

extension SearchField: WireEnum {
    static var names: [String] { ["member_nickname", "channel_name"] }
}
