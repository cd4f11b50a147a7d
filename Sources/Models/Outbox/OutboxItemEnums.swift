/// The operation of an outbox item.
public enum OutboxOperation: Int, CaseIterable, Sendable {
    /// Send a new message.
    case send = 0
    /// Edit a message.
    case update = 1
    /// Delete a message.
    case delete = 2
    /// Add a reaction to a message.
    case addReaction = 3
    /// Remove a reaction from a message.
    case deleteReaction = 4
    /// Run a request, such as a receipt.
    case request = 5
}

extension OutboxOperation: WireEnum {
    static var names: [String] {
        ["send", "update", "delete", "add_reaction", "delete_reaction", "request"]
    }
}

/// The state of an outbox item; the outbox contains neither canceled nor acknowledged items.
public enum OutboxItemState: Int, CaseIterable, Sendable {
    /// The item is waiting to be sent or in flight.
    case pending = 0
    /// The server rejected the item, or the outbox stopped retrying: see the error code.
    case failed = 1
}

extension OutboxItemState: WireEnum {
    static var names: [String] { ["pending", "failed"] }
}
