/// Names a channel, group or open, within an application.
public struct ChannelURL: Identifier {
    /// The text itself.
    public let rawValue: String

    /// Creates the name of a channel.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether two names have the same bytes.
    public static func == (left: ChannelURL, right: ChannelURL) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Feeds the bytes into a hasher.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Names a user within an application.
public struct UserID: Identifier {
    /// The text itself.
    public let rawValue: String

    /// Creates the name of a user.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether two names have the same bytes.
    public static func == (left: UserID, right: UserID) -> Bool { left.hasSameBytes(as: right) }

    /// Feeds the bytes into a hasher.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Names a message from the moment its sender wrote it, before any server has seen it.
///
/// Made by the client, unique for each message, and never changed: sending the same request id
/// twice makes one message.
public struct RequestID: Identifier {
    /// The text itself.
    public let rawValue: String

    /// Creates the name of a request.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether two names have the same bytes.
    public static func == (left: RequestID, right: RequestID) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Feeds the bytes into a hasher.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Names a message that a server has accepted.
///
/// Ordered by length and then by bytes, so that decimal integers sort as numbers and any other
/// text has one fixed order: `9 < 10 < 11 < "$abc"`. In keys on disk they have the same order.
public struct MessageID: Identifier {
    /// The text itself.
    public let rawValue: String

    /// Creates the name of a message.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether two names have the same bytes.
    public static func == (left: MessageID, right: MessageID) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Feeds the bytes into a hasher.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }

    /// Whether the left id is shorter, or of the same length and first byte by byte.
    public static func < (left: MessageID, right: MessageID) -> Bool {
        let (size, otherSize) = (left.rawValue.utf8.count, right.rawValue.utf8.count)
        if size != otherSize { return size < otherSize }
        return left.rawValue.precedesByBytes(right.rawValue)
    }

    /// Writes an integer where the id is one as servers write them, else a text.
    public func encode(to encoder: any Encoder) throws {
        if let integer = Int64(rawValue), String(integer) == rawValue {
            try integer.encode(to: encoder)
        } else {
            try rawValue.encode(to: encoder)
        }
    }
}
