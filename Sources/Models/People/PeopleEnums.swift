/// A role of a user in a channel.
public struct Role: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value.
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

    /// Creates a value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The user is a member.
    public static let joined = Self(rawValue: 0)
    /// The user is invited and has not answered.
    public static let invited = Self(rawValue: 1)
    /// The user has left the channel, or only views a public one.
    public static let none = Self(rawValue: 2)
    /// The user has asked to join and is not a member yet.
    public static let requested = Self(rawValue: 3)
}

extension MemberState: OpenWireEnum {
    static var names: [String] { ["joined", "invited", "none", "requested"] }
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

extension Role: Codable {
    /// Decodes a name.
    public init(from decoder: any Decoder) throws { self = try Self.decode(from: decoder) }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws { try encodeJSON(to: encoder) }
}

extension RestrictionType: Codable {
    /// Decodes a name.
    public init(from decoder: any Decoder) throws { self = try Self.decode(from: decoder) }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws { try encodeJSON(to: encoder) }
}
