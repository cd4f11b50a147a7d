/// A kind of message.
public struct MessageType: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A text of a user.
    public static let text = Self(rawValue: 0)
    /// Files of a user.
    public static let file = Self(rawValue: 1)
    /// A message of the channel or its administrators, without a sender.
    public static let admin = Self(rawValue: 2)
}

extension MessageType: OpenWireEnum {
    static var names: [String] { ["MESG", "FILE", "ADMM"] }
    static var identifiers: [String] { ["text", "file", "admin"] }
    static var aliases: [String: Self] {
        ["user": .text, "text": .text, "file": .file, "admin": .admin, "BRDM": .admin]
    }
}

/// The progress of sending a message from this device.
public enum MessageSendingStatus: Int, CaseIterable, Sendable {
    /// The status is unknown.
    case none = 0
    /// The message is waiting to be sent or in flight.
    case pending = 1
    /// The server rejected the message, or the outbox stopped retrying: see the error code.
    case failed = 2
    /// The server has accepted the message.
    case succeeded = 3
    /// The sender canceled the message before it was sent; the store has no such messages.
    case canceled = 4
    // 5 was "scheduled": do not use it again.
}

extension MessageSendingStatus: WireEnum {
    static var names: [String] {
        ["none", "pending", "failed", "succeeded", "canceled"]
    }
}

/// The users whom a message mentions.
public struct MentionType: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The listed users.
    public static let users = Self(rawValue: 0)
    /// All users of the channel.
    public static let channel = Self(rawValue: 1)
}

extension MentionType: OpenWireEnum {
    static var names: [String] { ["users", "channel"] }
}
