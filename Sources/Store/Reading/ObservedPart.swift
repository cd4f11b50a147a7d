public import Models

/// The part of a store that somebody observes.
///
/// News of the connection belongs to every part.
public struct ObservedPart: Hashable, Sendable {
    private enum Value: Hashable {
        case everything
        case channel(ChannelURL)
        case channels
        case drafts
    }

    private let value: Value

    /// All there is.
    public static let everything = ObservedPart(value: .everything)

    /// One channel: the channel itself, its messages, gaps, stale ranges and drafts, who is typing,
    /// and what comes of uploads.
    public static func channel(_ url: ChannelURL) -> ObservedPart {
        ObservedPart(value: .channel(url))
    }

    /// The channels themselves, all of them, who is typing in them, enters and exits, without their
    /// messages.
    public static let channels = ObservedPart(value: .channels)

    /// What is in the outbox, and what comes of uploads.
    public static let drafts = ObservedPart(value: .drafts)

    func contains(_ operation: Change.Operation) -> Bool {
        if operation == .missed { return true }
        if operation == .clearedCachedData { return value != .drafts }
        if case .told(.connection) = operation { return true }
        switch value {
        case .everything: return true
        case .channel(let url): return operation.channelURL == url
        case .channels:
            switch operation {
            case .savedGroupChannel, .savedOpenChannel, .removedChannel, .told(.typing),
                .told(.participants):
                return true
            default: return false
            }
        case .drafts:
            switch operation {
            case .savedDraft, .removedDraft, .told(.uploadProgress): return true
            default: return false
            }
        }
    }
}
