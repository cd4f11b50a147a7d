/// A kind of channel.
public struct ChannelType: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A channel that users enter and exit.
    public static let open = Self(rawValue: 0)
    /// A channel that users are members of.
    public static let group = Self(rawValue: 1)
    /// A channel that carries notifications to one user.
    public static let feed = Self(rawValue: 2)
}

extension ChannelType: OpenWireEnum {
    static var names: [String] { ["open", "group", "feed"] }
}

/// Whether, and for how long, a user has hidden a channel.
public struct HiddenState: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The channel is visible.
    public static let unhidden = Self(rawValue: 0)
    /// The channel is hidden until it receives a new message.
    public static let hiddenAllowAutoUnhide = Self(rawValue: 1)
    /// The channel is hidden until the user shows it again.
    public static let hiddenPreventAutoUnhide = Self(rawValue: 2)
}

extension HiddenState: OpenWireEnum {
    static var names: [String] {
        ["unhidden", "hidden_allow_auto_unhide", "hidden_prevent_auto_unhide"]
    }
}

extension HiddenState: Codable {
    /// Decodes a name.
    public init(from decoder: any Decoder) throws { self = try Self.decode(from: decoder) }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws { try encodeJSON(to: encoder) }
}
