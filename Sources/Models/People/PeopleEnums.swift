/// A role of a user in a channel.
public struct Role: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An ordinary user.
    public static let none = Self(rawValue: 0)
    /// A user who can moderate the channel.
    public static let `operator` = Self(rawValue: 1)
}

extension Role: OpenWireEnum {
    static var names: [String] { ["none", "operator"] }
}

/// A user's membership of a group channel.
public struct MemberState: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The user is a member.
    public static let joined = Self(rawValue: 0)
    /// The user is invited and has neither accepted nor declined.
    public static let invited = Self(rawValue: 1)
    /// The user is not a member, after leaving the channel, or while only viewing a public channel.
    public static let none = Self(rawValue: 2)
}

extension MemberState: OpenWireEnum {
    static var names: [String] { ["joined", "invited", "none"] }
}

/// A state that determines whether a user can send messages in a channel.
public struct MutedState: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The user can send messages.
    public static let unmuted = Self(rawValue: 0)
    /// The user can only read messages.
    public static let muted = Self(rawValue: 1)
}

extension MutedState: OpenWireEnum {
    static var names: [String] { ["unmuted", "muted"] }
}

/// A kind of restriction.
public enum RestrictionType: Int, CaseIterable, Sendable {
    /// The user can only read messages.
    case muted = 0
    /// The user is excluded from the channel.
    case banned = 1
}

extension RestrictionType: WireEnum {
    static var names: [String] { ["muted", "banned"] }
}

/// A setting that determines which messages of a channel cause push notifications for a user.
public struct GroupChannelPushTriggerOption: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The messages that the user's general setting selects.
    public static let `default` = Self(rawValue: 0)
    /// All messages.
    public static let all = Self(rawValue: 1)
    /// No messages.
    public static let off = Self(rawValue: 2)
    /// Only messages that mention the user.
    public static let mentionOnly = Self(rawValue: 3)
}

extension GroupChannelPushTriggerOption: OpenWireEnum {
    static var names: [String] { ["default", "all", "off", "mention_only"] }
}

/// The state of a user's connection.
public struct UserConnectionStatus: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The status is unknown.
    public static let nonAvailable = Self(rawValue: 0)
    /// The user is connected.
    public static let online = Self(rawValue: 1)
    /// The user is not connected.
    public static let offline = Self(rawValue: 2)
}

extension UserConnectionStatus: OpenWireEnum {
    static var names: [String] { ["non_available", "online", "offline"] }
}
