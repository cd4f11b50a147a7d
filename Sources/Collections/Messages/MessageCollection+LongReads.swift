import Models
import Store
import Sync

// If a filter matches few messages of a long history, or if a long list has to be read again, the
// collection reads a copy of its window on another thread without a limit, and then applies to that
// copy the changes that were committed in the meantime.
extension MessageCollection {
    /// The maximum number of messages that a read on the main actor visits; the largest usual page.
    static let visitLimit = 1_000

    struct LongReads {
        /// The number of changes of the window that the store has not caused.
        ///
        /// After each, a running read begins again.
        fileprivate var generation = 0
        fileprivate var count = 0
        /// The changes that the window has applied since the first of these reads began.
        fileprivate var changes: [Change] = []

        mutating func invalidate() { generation += 1 }

        mutating func record(_ change: Change) { if count > 0 { changes.append(change) } }

        fileprivate mutating func begin() { count += 1 }

        fileprivate mutating func end() {
            count -= 1
            if count == 0 { changes = [] }
        }
    }

    func completeWindow(crossesGaps: Bool) async throws(SyncError) {
        guard !isDisposed, isStarted, window.visits.stop != nil else { return }
        let start = windowStart
        try await loadElsewhere(trimming: .oldest, .reported) {
            (window, reader) throws(StoreError) in
            (try window.open(at: start, crossesGaps: crossesGaps, in: reader), ())
        }
    }

    func readAgainElsewhere(after earlier: WindowEdits) {
        var sources = WindowEdits()
        (sources.sources, sources.canceled, sources.accepted) =
            (earlier.sources, earlier.canceled, earlier.accepted)
        tasks.add(
            Task { @MainActor [weak self, sources] in
                // Ignore the error: the engine reports it.
                _ = try? await self?.loadElsewhere(trimming: .oldest, .reported) {
                    (window, reader) throws(StoreError) in
                    (try window.readAgain(in: reader, after: sources), ())
                }
            })
    }

    /// Changes the window as ``changeWindow(trimming:_:_:)`` does, but on another thread, without a
    /// limit.
    @discardableResult
    func loadElsewhere<Value: Sendable>(
        trimming end: Window.End, _ reporting: Reporting,
        _ read:
            @escaping @Sendable (inout Window, Snapshot) throws(StoreError) -> (
                edits: WindowEdits, Value
            )
    ) async throws(SyncError) -> (value: Value, shown: [Message]) {
        longReads.begin()
        defer { longReads.end() }
        while true {
            try checkIsStarted()
            let (begun, snapshot) = try follow().read { (window, $0) }
            let generation = longReads.generation
            let (read, edits, value) = try await onDisk { () throws(StoreError) in
                var next = begun
                next.visits = .unlimited
                var (edits, value) = try read(&next, snapshot)
                _ = next.apply(&edits, trimming: end)
                return (next, edits, value)
            }
            try checkIsStarted()
            var next = read
            var mustReadAgain = false
            for change in longReads.changes where change.number > snapshot.number {
                var edits = next.record(change)
                mustReadAgain = mustReadAgain || edits.mustReadAgain
                _ = next.apply(&edits)
            }
            guard generation == longReads.generation, !mustReadAgain else { continue }
            return (value, adopt(next, edits, reporting))
        }
    }

    private func adopt(
        _ next: Window, _ edits: WindowEdits, _ reporting: Reporting
    ) -> [Message] {
        var edits = edits
        edits.rows = window.list.edits(to: next.list)
        let list = window.list
        longReads.invalidate()
        window = next
        window.list = list
        window.visits = VisitLimit(Self.visitLimit)
        let diff = showEdits(edits, reporting)
        processQueued()
        return diff.insertions.compactMap(\.element.message)
    }
}
