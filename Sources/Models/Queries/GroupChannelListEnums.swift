/// An order of a group channel list.
public enum GroupChannelListOrder: CaseIterable, Sendable {
    /// By the time of the last message, newest first, then channels without one; the default.
    case latestLastMessage
    /// By creation time, newest first.
    case chronological
    /// By name, in byte order.
    case channelNameAlphabetical
    /// By the value of a metadata key, in byte order, then channels without the key.
    case metaDataValueAlphabetical
    /// By the time of the last message, oldest first, then channels without one.
    case oldestLastMessage
}

extension GroupChannelListOrder: IndexedWireEnum {
    static var names: [String] {
        [
            "latest_last_message", "chronological", "channel_name_alphabetical",
            "metadata_value_alphabetical", "oldest_last_message",
        ]
    }
}

/// The way in which a filter combines users.
public enum QueryType: CaseIterable, Sendable {
    /// All users must be members.
    case and
    /// At least one of the users must be a member.
    case or
}

extension QueryType: IndexedWireEnum {
    static var names: [String] { ["AND", "OR"] }
    static var aliases: [String: Self] { ["and": .and, "or": .or] }
}

/// A channel filter by the current user's membership.
public enum MemberStateFilter: CaseIterable, Sendable {
    /// Channels that the user has joined or is invited to.
    case all
    /// Channels that the user has joined.
    case joinedOnly
    /// Channels that the user is invited to.
    case invitedOnly
}

extension MemberStateFilter: IndexedWireEnum {
    static var names: [String] { ["all", "joined_only", "invited_only"] }
}

/// A channel filter by whether any user may join.
public enum PublicChannelFilter: CaseIterable, Sendable {
    /// All channels.
    case all
    /// Channels that any user may join.
    case publicOnly
    /// Channels that require an invitation.
    case privateOnly
}

extension PublicChannelFilter: IndexedWireEnum {
    static var names: [String] { ["all", "public", "private"] }
}

/// A channel filter by unread messages.
public enum UnreadChannelFilter: CaseIterable, Sendable {
    /// All channels.
    case all
    /// Channels with unread messages.
    case unreadMessage
}

extension UnreadChannelFilter: IndexedWireEnum {
    static var names: [String] { ["all", "unread_message"] }
}

/// A channel filter by hidden state.
public enum HiddenStateFilter: CaseIterable, Sendable {
    /// Channels that are not hidden.
    case unhiddenOnly
    /// Channels that are hidden.
    case hiddenOnly
    /// Channels that are hidden until their next message.
    case hiddenAllowAutoUnhide
    /// Channels that are hidden until the user shows them again.
    case hiddenPreventAutoUnhide
    /// All channels.
    case all
}

extension HiddenStateFilter: IndexedWireEnum {
    static var names: [String] {
        [
            "unhidden_only", "hidden_only", "hidden_allow_auto_unhide",
            "hidden_prevent_auto_unhide", "all",
        ]
    }
}

/// A property in which a channel list searches for a text.
public enum SearchField: CaseIterable, Sendable {
    /// The nicknames of other members.
    case memberNickname
    /// The channel's name.
    case channelName
}

extension SearchField: IndexedWireEnum {
    static var names: [String] { ["member_nickname", "channel_name"] }
}
