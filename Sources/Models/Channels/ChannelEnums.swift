/// The kinds of channels.
public enum ChannelType: Int, CaseIterable, Sendable {
    /// One that users enter and leave.
    case open = 0
    /// One that users are members of.
    case group = 1
    /// One that carries notifications to one user.
    case feed = 2
}

extension ChannelType: WireEnum {
    static var names: [String] { ["open", "group", "feed"] }
}

/// Whether a user has hidden a channel.
public enum HiddenState: Int, CaseIterable, Sendable {
    /// It is shown.
    case unhidden = 0
    /// Hidden until its next message.
    case hiddenAllowAutoUnhide = 1
    /// Hidden until the user shows it again.
    case hiddenPreventAutoUnhide = 2
}

extension HiddenState: WireEnum {
    static var names: [String] {
        ["unhidden", "hidden_allow_auto_unhide", "hidden_prevent_auto_unhide"]
    }
}

/// What is counted in a channel for a user.
public enum CountPreference: Int, CaseIterable, Sendable {
    /// Unread messages and mentions.
    case all = 0
    /// Unread messages only.
    case unreadMessageCountOnly = 1
    /// Mentions only.
    case unreadMentionCountOnly = 2
    /// Nothing.
    case off = 3
}

extension CountPreference: WireEnum {
    static var names: [String] {
        ["all", "unread_message_count_only", "unread_mention_count_only", "off"]
    }
}
