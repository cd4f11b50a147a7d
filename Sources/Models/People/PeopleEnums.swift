/// The role of a user in a channel.
public enum Role: Int, CaseIterable, Sendable {
    /// An ordinary user.
    case none = 0
    /// A user who can moderate the channel.
    case `operator` = 1
}

extension Role: WireEnum {
    static var names: [String] { ["none", "operator"] }
}

/// The membership state of a user in a group channel.
public enum MemberState: Int, CaseIterable, Sendable {
    /// The user is a member.
    case joined = 0
    /// The user is invited and has not replied.
    case invited = 1
    /// The user is not a member: the user has left the channel, or only views a public one.
    case none = 2
}

extension MemberState: WireEnum {
    static var names: [String] { ["joined", "invited", "none"] }
}

/// The state that determines whether a user can send messages in a channel.
public enum MutedState: Int, CaseIterable, Sendable {
    /// The user can send messages.
    case unmuted = 0
    /// The user can only read.
    case muted = 1
}

extension MutedState: WireEnum {
    static var names: [String] { ["unmuted", "muted"] }
}

/// The kind of a user's restriction.
public enum RestrictionType: Int, CaseIterable, Sendable {
    /// The user can only read.
    case muted = 0
    /// The user is excluded from the channel.
    case banned = 1
}

extension RestrictionType: WireEnum {
    static var names: [String] { ["muted", "banned"] }
}

/// A setting for which messages of a channel a user gets push notifications.
public enum GroupChannelPushTriggerOption: Int, CaseIterable, Sendable {
    /// Those that the user's general setting selects.
    case `default` = 0
    /// All messages.
    case all = 1
    /// No messages.
    case off = 2
    /// Only messages that mention the user.
    case mentionOnly = 3
}

extension GroupChannelPushTriggerOption: WireEnum {
    static var names: [String] { ["default", "all", "off", "mention_only"] }
}

/// The state of a user's connection.
public enum UserConnectionStatus: Int, CaseIterable, Sendable {
    /// The status is unknown.
    case nonAvailable = 0
    /// The user is connected.
    case online = 1
    /// The user is not connected.
    case offline = 2
}

extension UserConnectionStatus: WireEnum {
    static var names: [String] { ["non_available", "online", "offline"] }
}
