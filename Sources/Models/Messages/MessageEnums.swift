/// The kind of a message.
public enum MessageType: Int, CaseIterable, Sendable {
    /// A text of a user.
    case user = 0
    /// Files of a user.
    case file = 1
    /// A message of the channel or its administrators. It has no sender.
    case admin = 2
}

extension MessageType: WireEnum {
    static var names: [String] { ["MESG", "FILE", "ADMM"] }
    static var aliases: [String: Self] {
        ["user": .user, "file": .file, "admin": .admin, "BRDM": .admin]
    }
}

/// The progress of sending a message from this device.
public enum MessageSendingStatus: Int, CaseIterable, Sendable {
    /// The status is unknown.
    case none = 0
    /// The message is waiting to be sent or in flight.
    case pending = 1
    /// The server rejected the message, or the outbox stopped retrying. The error code is the
    /// reason.
    case failed = 2
    /// The server has accepted the message.
    case succeeded = 3
    /// The sender canceled the message before it was sent. Canceled messages are never stored.
    case canceled = 4
    /// The server will send the message later.
    case scheduled = 5
}

extension MessageSendingStatus: WireEnum {
    static var names: [String] {
        ["none", "pending", "failed", "succeeded", "canceled", "scheduled"]
    }
}

/// The users whom a message mentions.
public enum MentionType: Int, CaseIterable, Sendable {
    /// The listed users.
    case users = 0
    /// All users of the channel.
    case channel = 1
}

extension MentionType: WireEnum {
    static var names: [String] { ["users", "channel"] }
}
