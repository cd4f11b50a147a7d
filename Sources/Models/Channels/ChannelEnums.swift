/// The kinds of channels.
public enum ChannelType: Int, CaseIterable, Sendable {
    /// A channel that users enter and exit.
    case open = 0
    /// A channel that users are members of.
    case group = 1
    /// A channel that carries notifications to one user.
    case feed = 2
}

extension ChannelType: WireEnum {
    static var names: [String] { ["open", "group", "feed"] }
}

/// The state that determines whether a user has hidden a channel.
public enum HiddenState: Int, CaseIterable, Sendable {
    /// The channel is visible.
    case unhidden = 0
    /// The channel is hidden until its next message.
    case hiddenAllowAutoUnhide = 1
    /// The channel is hidden until the user shows it again.
    case hiddenPreventAutoUnhide = 2
}

extension HiddenState: WireEnum {
    static var names: [String] {
        ["unhidden", "hidden_allow_auto_unhide", "hidden_prevent_auto_unhide"]
    }
}

/// A setting for which unread counts the server maintains for a user in a channel.
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
