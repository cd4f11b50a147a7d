/// Identifies a group or open channel within an application.
public struct ChannelURL: Identifier {
    /// The text of the identifier.
    public let rawValue: String

    /// Creates a channel URL from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes of two channel URLs.
    public static func == (left: ChannelURL, right: ChannelURL) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Identifies a user within an application.
public struct UserID: Identifier {
    /// The text of the identifier.
    public let rawValue: String

    /// Creates a user ID from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes of two user IDs.
    public static func == (left: UserID, right: UserID) -> Bool { left.hasSameBytes(as: right) }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Identifies a message from the moment the user writes it, even before a server has received it.
///
/// The client creates a unique ID for each message and never changes it. A server that deduplicates
/// creates one message for all requests with the same ID.
public struct RequestID: Identifier {
    /// The text of the identifier.
    public let rawValue: String

    /// Creates a request ID from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes of two request IDs.
    public static func == (left: RequestID, right: RequestID) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Identifies a message that a server has accepted.
///
/// IDs are ordered by length and then by bytes, as keys on disk are: `9 < 10 < 11 < "$abc"`.
/// Decimal integers are thus in numeric order.
public struct MessageID: Identifier {
    /// The text of the identifier.
    public let rawValue: String

    /// Creates a message ID from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes of two message IDs.
    public static func == (left: MessageID, right: MessageID) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }

    /// Compares the lengths of two IDs and, if they are equal, their bytes.
    public static func < (left: MessageID, right: MessageID) -> Bool {
        let (size, otherSize) = (left.rawValue.utf8.count, right.rawValue.utf8.count)
        if size != otherSize { return size < otherSize }
        return left.rawValue.precedesByBytes(right.rawValue)
    }

    /// Encodes an ID that is a decimal integer as an integer, and any other as a text.
    public func encode(to encoder: any Encoder) throws {
        if let integer = Int64(rawValue), String(integer) == rawValue {
            try integer.encode(to: encoder)
        } else {
            try rawValue.encode(to: encoder)
        }
    }
}
