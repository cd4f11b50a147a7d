/// What a draft asks the server to do.
public enum DraftOperation: Int, CaseIterable, Sendable {
    /// Take a new message.
    case send = 0
    /// Change a message.
    case update = 1
    /// Delete a message.
    case delete = 2
    /// Add a reaction to a message.
    case addReaction = 3
    /// Take a reaction to a message back.
    case deleteReaction = 4
}

extension DraftOperation: WireEnum {
    static var names: [String] { ["send", "update", "delete", "add_reaction", "delete_reaction"] }
}

/// How far a draft has come.
///
/// One that was canceled or confirmed is a draft no more, and is not stored.
public enum DraftState: Int, CaseIterable, Sendable {
    /// Waits for its turn, or is on its way.
    case pending = 0
    /// Was refused, or given up; its error code says why.
    case failed = 1
}

extension DraftState: WireEnum {
    static var names: [String] { ["pending", "failed"] }
}
