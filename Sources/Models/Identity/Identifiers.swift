/// Identifies a group or open channel within an application.
public struct ChannelURL: Identifier {
    /// The text.
    public let rawValue: String

    /// Creates a channel URL.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes.
    public static func == (left: ChannelURL, right: ChannelURL) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Identifies a user within an application.
public struct UserID: Identifier {
    /// The text.
    public let rawValue: String

    /// Creates a user ID.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes.
    public static func == (left: UserID, right: UserID) -> Bool { left.hasSameBytes(as: right) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Identifies a message from the moment the user writes it, even before a server has received it.
///
/// The ID is unique and never changes. A server that deduplicates creates one message for all
/// requests with the same ID.
public struct RequestID: Identifier {
    /// The text.
    public let rawValue: String

    /// Creates a request ID.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes.
    public static func == (left: RequestID, right: RequestID) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }
}

/// Identifies a message that a server has accepted.
///
/// IDs are ordered by length and then by bytes, as keys on disk are: `9 < 10 < 11 < "$abc"`.
public struct MessageID: Identifier {
    /// The text.
    public let rawValue: String

    /// Creates a message ID.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Compares the bytes.
    public static func == (left: MessageID, right: MessageID) -> Bool {
        left.hasSameBytes(as: right)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hashBytes(into: &hasher) }

    /// Compares lengths and, if they are equal, bytes.
    public static func < (left: MessageID, right: MessageID) -> Bool {
        let (size, otherSize) = (left.rawValue.utf8.count, right.rawValue.utf8.count)
        if size != otherSize { return size < otherSize }
        return left.rawValue.precedesByBytes(right.rawValue)
    }

    /// Encodes a decimal integer as an integer, and any other ID as a text.
    public func encode(to encoder: any Encoder) throws {
        if let integer = Int64(rawValue), String(integer) == rawValue {
            try integer.encode(to: encoder)
        } else {
            try rawValue.encode(to: encoder)
        }
    }
}
