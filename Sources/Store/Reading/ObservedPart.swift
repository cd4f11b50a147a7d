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
        case table(String, StoreTableHome)
    }

    private let value: Value

    /// The whole store.
    public static let everything = ObservedPart(value: .everything)

    /// One channel: the channel itself, its messages, gaps, stale ranges, outbox items, draft,
    /// labels, typing users and uploads.
    public static func channel(_ url: ChannelURL) -> ObservedPart {
        ObservedPart(value: .channel(url))
    }

    /// All channels with their drafts, labels, typing users and participants, but without messages.
    public static let channels = ObservedPart(value: .channels)

    /// The outbox, and the progress of uploads.
    public static let outboxItems = ObservedPart(value: .outboxItems)

    /// The rows of a table of the app.
    public static func table<Key, Value>(_ table: StoreTable<Key, Value>) -> ObservedPart {
        ObservedPart(value: .table(table.name, table.home))
    }

    func add(to tables: inout ObservedTables) {
        switch value {
        case .everything: tables.isEverything = true
        case .table(let name, _): tables.names.insert(name)
        case .channel, .channels, .outboxItems: break
        }
    }

    func contains(_ operation: Change.Operation) -> Bool {
        if operation == .missed { return true }
        if operation == .clearedCachedData || operation == .replacedCache {
            switch value {
            case .outboxItems, .table(_, .kept): return false
            default: return true
            }
        }
        if case .ephemeral(.connection) = operation { return true }
        switch value {
        case .everything: return true
        case .channel(let url): return operation.channelURL == url
        case .channels:
            switch operation {
            case .savedGroupChannel, .savedOpenChannel, .removedChannel, .savedDraft,
                .savedLabels,
                .ephemeral(.typing), .ephemeral(.participants), .ephemeral(.caughtUp):
                return true
            default: return false
            }
        case .outboxItems:
            switch operation {
            case .savedOutboxItem, .removedOutboxItem, .ephemeral(.uploadProgress): return true
            default: return false
            }
        case .table(let name, let home):
            guard case .changedRow(let row) = operation else { return false }
            return row.tableName == name && row.home == home
        }
    }
}
