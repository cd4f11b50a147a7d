public import Models

/// A part of a store to observe.
///
/// Observers of any part also receive changes of the connection's state.
public struct ObservedPart: Hashable, Sendable {
    private enum Value: Hashable {
        case everything
        case channel(ChannelURL)
        case channels
        case outboxItems
    }

    private let value: Value

    /// The whole store.
    public static let everything = ObservedPart(value: .everything)

    /// One channel: the channel itself, its messages, gaps, stale ranges, outbox items and draft,
    /// the users who are typing in it, and the progress of its uploads.
    public static func channel(_ url: ChannelURL) -> ObservedPart {
        ObservedPart(value: .channel(url))
    }

    /// All channels with their drafts and the users who type, enter and exit, but without messages.
    public static let channels = ObservedPart(value: .channels)

    /// The outbox, and the progress of uploads.
    public static let outboxItems = ObservedPart(value: .outboxItems)

    func contains(_ operation: Change.Operation) -> Bool {
        if operation == .missed { return true }
        if operation == .clearedCachedData || operation == .replacedCache {
            return value != .outboxItems
        }
        if case .ephemeral(.connection) = operation { return true }
        switch value {
        case .everything: return true
        case .channel(let url): return operation.channelURL == url
        case .channels:
            switch operation {
            case .savedGroupChannel, .savedOpenChannel, .removedChannel, .savedDraft,
                .ephemeral(.typing), .ephemeral(.participants), .ephemeral(.caughtUp):
                return true
            default: return false
            }
        case .outboxItems:
            switch operation {
            case .savedOutboxItem, .removedOutboxItem, .ephemeral(.uploadProgress): return true
            default: return false
            }
        }
    }
}
