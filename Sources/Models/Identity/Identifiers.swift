/// Identifies a group or open channel within an application.
public struct ChannelURL: Identifier {
    /// The text of the identifier.
    public let rawValue: String

    /// Creates a channel URL from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Returns a Boolean value that indicates whether two identifiers have the same bytes.
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

    /// Returns a Boolean value that indicates whether two identifiers have the same bytes.
    public static func == (left: UserID, right: UserID) -> Bool { left.hasSameBytes(as: right) }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Identifies a message from the moment the user writes it, even before a server has received it.
///
/// The client creates a unique ID for each message and never changes it. A server that deduplicates
/// creates only one message for several requests with the same ID.
public struct RequestID: Identifier {
    /// The text of the identifier.
    public let rawValue: String

    /// Creates a request ID from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Returns a Boolean value that indicates whether two identifiers have the same bytes.
    public static func == (left: RequestID, right: RequestID) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Identifies a message that a server has accepted.
///
/// IDs are ordered by length and then by bytes: `9 < 10 < 11 < "$abc"`. IDs that are decimal
/// integers are therefore in numeric order. Keys on disk have the same order.
public struct MessageID: Identifier {
    /// The text of the identifier.
    public let rawValue: String

    /// Creates a message ID from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Returns a Boolean value that indicates whether two identifiers have the same bytes.
    public static func == (left: MessageID, right: MessageID) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes of the text.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }

    /// Returns a Boolean value that indicates whether the left ID is shorter than the right one or,
    /// if both have the same length, precedes it in byte order.
    public static func < (left: MessageID, right: MessageID) -> Bool {
        let (size, otherSize) = (left.rawValue.utf8.count, right.rawValue.utf8.count)
        if size != otherSize { return size < otherSize }
        return left.rawValue.precedesByBytes(right.rawValue)
    }

    /// Encodes the ID as an integer if it is one in decimal notation, and as a text otherwise.
    public func encode(to encoder: any Encoder) throws {
        if let integer = Int64(rawValue), String(integer) == rawValue {
            try integer.encode(to: encoder)
        } else {
            try rawValue.encode(to: encoder)
        }
    }
}
