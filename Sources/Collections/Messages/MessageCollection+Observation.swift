import Models
import Store

// The window has all values of a list, so the collection finds out which of its properties have
// changed, and notifies the observers of these alone.
extension MessageCollection {
    struct ObservedValues {
        fileprivate var (hasPrevious, hasNext) = (false, false)
        fileprivate var (pending, failed): ([Message], [Message]) = ([], [])
        fileprivate var unsentGeneration = 0
    }

    func set<Value: Equatable>(
        _ property: ReferenceWritableKeyPath<MessageCollection, Value>, to value: Value
    ) {
        if self[keyPath: property] != value { self[keyPath: property] = value }
    }

    func notifyObservers(of diff: ListDiff<MessageItem>? = nil) {
        if let diff, !diff.isEmpty {
            withMutation(keyPath: \.items) {}
            if diff.hasMessages { withMutation(keyPath: \.messages) {} }
            if diff.hasSentMessages { withMutation(keyPath: \.succeededMessages) {} }
        }
        let known = observed
        (observed.hasPrevious, observed.hasNext) = (hasPrevious, hasNext)
        if observed.hasPrevious != known.hasPrevious { withMutation(keyPath: \.hasPrevious) {} }
        if observed.hasNext != known.hasNext { withMutation(keyPath: \.hasNext) {} }
        guard shownWindow.unsentGeneration != known.unsentGeneration else { return }
        observed.unsentGeneration = shownWindow.unsentGeneration
        (observed.pending, observed.failed) = (pendingMessages, failedMessages)
        if observed.pending != known.pending { withMutation(keyPath: \.pendingMessages) {} }
        if observed.failed != known.failed { withMutation(keyPath: \.failedMessages) {} }
        let uploads = uploadProgress.filter { id, _ in
            shownWindow.outboxItems[id]?.item.state == .pending
        }
        set(\.uploadProgress, to: uploads)
    }
}

extension ListDiff<MessageItem> {
    var hasMessages: Bool { contains { $0.message != nil } }

    fileprivate var hasSentMessages: Bool { contains { $0.message?.messageID != nil } }

    private func contains(where isIncluded: (MessageItem) -> Bool) -> Bool {
        insertions.contains { isIncluded($0.element) }
            || deletions.contains { isIncluded($0.element) }
            || updates.contains { isIncluded($0.old) || isIncluded($0.element) }
            || moves.contains { isIncluded($0.old) || isIncluded($0.element) }
    }
}
