/// What a user may do in a channel.
public enum Role: Int, CaseIterable, Sendable {
    /// An ordinary user.
    case none = 0
    /// May moderate the channel.
    case `operator` = 1
}

extension Role: WireEnum {
    static var names: [String] { ["none", "operator"] }
}

/// How a user belongs to a group channel.
public enum MemberState: Int, CaseIterable, Sendable {
    /// A member.
    case joined = 0
    /// Invited, and has not answered.
    case invited = 1
    /// Not a member: a public channel one looks at, or one that was left.
    case none = 2
}

extension MemberState: WireEnum {
    static var names: [String] { ["joined", "invited", "none"] }
}

/// Whether a user may send messages in a channel.
public enum MutedState: Int, CaseIterable, Sendable {
    /// May send.
    case unmuted = 0
    /// May only read.
    case muted = 1
}

extension MutedState: WireEnum {
    static var names: [String] { ["unmuted", "muted"] }
}

/// What was done to a restricted user.
public enum RestrictionType: Int, CaseIterable, Sendable {
    /// May only read.
    case muted = 0
    /// May not be in the channel.
    case banned = 1
}

extension RestrictionType: WireEnum {
    static var names: [String] { ["muted", "banned"] }
}

/// Which messages of a channel are pushed to a user.
public enum GroupChannelPushTriggerOption: Int, CaseIterable, Sendable {
    /// Those that the user's general setting says.
    case `default` = 0
    /// All of them.
    case all = 1
    /// None.
    case off = 2
    /// Those that mention the user.
    case mentionOnly = 3
}

extension GroupChannelPushTriggerOption: WireEnum {
    static var names: [String] { ["default", "all", "off", "mention_only"] }
}

/// Whether a user is connected.
public enum UserConnectionStatus: Int, CaseIterable, Sendable {
    /// Nobody said.
    case nonAvailable = 0
    /// Connected.
    case online = 1
    /// Not connected.
    case offline = 2
}

extension UserConnectionStatus: WireEnum {
    static var names: [String] { ["non_available", "online", "offline"] }
}
