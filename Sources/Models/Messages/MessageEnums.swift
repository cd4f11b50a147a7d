/// What kind of message a message is.
public enum MessageType: Int, CaseIterable, Sendable {
    /// A user's text.
    case user = 0
    /// A user's files.
    case file = 1
    /// What the channel or its administrators say; it has no sender.
    case admin = 2
}

extension MessageType: WireEnum {
    static var names: [String] { ["MESG", "FILE", "ADMM"] }
    static var aliases: [String: Self] {
        ["user": .user, "file": .file, "admin": .admin, "BRDM": .admin]
    }
}

/// How far a message has come from this device to the server.
public enum MessageSendingStatus: Int, CaseIterable, Sendable {
    /// Nothing is known of it.
    case none = 0
    /// Waits to be sent, or is being sent.
    case pending = 1
    /// Was refused, or given up; its error code says why.
    case failed = 2
    /// The server has it.
    case succeeded = 3
    /// Its sender took it back before it was sent; such a message is never stored.
    case canceled = 4
    /// The server will send it later.
    case scheduled = 5
}

extension MessageSendingStatus: WireEnum {
    static var names: [String] {
        ["none", "pending", "failed", "succeeded", "canceled", "scheduled"]
    }
}

/// Whom a message mentions.
public enum MentionType: Int, CaseIterable, Sendable {
    /// Single users.
    case users = 0
    /// Everybody in the channel.
    case channel = 1
}

extension MentionType: WireEnum {
    static var names: [String] { ["users", "channel"] }
}
