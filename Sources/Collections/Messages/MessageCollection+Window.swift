import Models
import Observation
import Store
import Sync

extension MessageCollection {
    func openWindow(crossesGaps: Bool) throws(SyncError) {
        let start = windowStart
        try load(trimming: .oldest, .requested) { (window, reader) throws(StoreError) in
            (try window.open(at: start, crossesGaps: crossesGaps, in: reader), ())
        }
        readUpTo = readUpTo ?? channel.myLastRead
        set(\.firstUnreadMessageID, to: readUpTo.flatMap { window.firstUnread(after: $0) })
    }

    /// Changes the window by reading from the store, and applies the resulting edits to the rows.
    ///
    /// Messages that exceed the capacity are removed at `end`. Returns the closure's value, and the
    /// newly listed messages.
    @discardableResult
    func load<Value>(
        trimming end: Window.End, _ reporting: Reporting,
        _ read: (inout Window, Snapshot) throws(StoreError) -> (edits: WindowEdits, Value)
    ) throws(SyncError) -> (value: Value, shown: [Message]) {
        try checkIsStarted()
        let follower = try follow()
        window.visits = VisitLimit(Self.visitLimit)
        let (edits, value) = try follower.read { (reader) throws(StoreError) in
            try read(&window, reader)
        }
        longReads.invalidate()
        try checkIsStarted()
        let diff = apply(edits, reporting, trimming: end)
        follower.catchUp()
        return (value, diff.insertions.compactMap(\.element.message))
    }

    var shownWindow: Window { window }

    func showWritten(_ id: RequestID) {
        longReads.invalidate()
        apply(window.showWritten(id), .reported)
    }

    func changeThread(_ change: (inout Window) -> WindowEdits) {
        longReads.invalidate()
        let edits = change(&window)
        guard edits.isMissed else {
            apply(edits, .requested)
            return
        }
        var skipped: [Change] = []
        // Ignore the error: the engine reports an unreadable store.
        if let edits = try? readAgain(after: edits, &skipped) { apply(edits, .requested) }
        for change in skipped { notify(change) }
    }

    func setThreadIsStale(_ isStale: Bool) {
        longReads.invalidate()
        window.thread?.isStale = isStale
    }

    @discardableResult
    func apply(
        _ edits: WindowEdits, _ reporting: Reporting, trimming end: Window.End = .oldest
    ) -> ListDiff<MessageItem> {
        let before = CollectionChange.checked(window.items)
        var edits = edits
        let diff = window.apply(&edits, trimming: end)
        // Report the shown range last, because that takes as long as the rest of this method.
        defer { reportShownRange() }
        if diff.hasMessages { knownMessages = nil }
        notifyObservers(of: diff)
        guard !diff.isEmpty else { return diff }
        let change = CollectionChange(diff, in: window.items)
        change.check(from: before, to: window.items)
        subscribers.notify(change)
        delegate?.messageCollection(self, didChange: change)
        guard reporting != .requested else { return diff }
        let rows = MessageChanges(
            diff, sources: edits.sources, canceled: edits.canceled, accepted: edits.accepted)
        for (context, messages) in rows.added.parts where !isDisposed && reporting == .reported {
            delegate?.messageCollection(
                self, context: context, channel: channel, addedMessages: messages)
        }
        for (context, messages) in rows.updated.parts where !isDisposed {
            delegate?.messageCollection(
                self, context: context, channel: channel, updatedMessages: messages)
        }
        for (context, messages) in rows.deleted.parts where !isDisposed {
            delegate?.messageCollection(
                self, context: context, channel: channel, deletedMessages: messages)
        }
        return diff
    }

    /// Reports the shown range to the engine, which fills the gaps in that range first.
    func reportShownRange() {
        // Without a range, the engine fetches the newest messages.
        let range =
            window.lower == .end || window.upper < window.lower
            ? nil : ShownRange(from: window.lower, to: window.upper)
        guard shownRange != .some(range) else { return }
        shownRange = .some(range)
        viewer?.show(range)
    }
}
