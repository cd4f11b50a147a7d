import Models
import Store
import Sync

/// Observes a part of a store, and processes its changes on the main actor.
@MainActor
final class StoreFollower {
    private let store: ChatStore
    private let changes: ObservedChanges
    private let process: (Change) -> Void
    private var queued: ArraySlice<Change> = []
    /// The snapshot of the read in progress, while the changes that precede it are processed.
    private var reading: Snapshot?
    private var isProcessing = false
    private var isStopped = false

    init(
        _ part: ObservedPart, of store: ChatStore, process: @escaping (Change) -> Void
    ) throws(SyncError) {
        self.store = store
        self.process = process
        changes = try translatingStoreErrors { () throws(StoreError) in
            try store.observe(part).changes
        }
        // Process the changes since `observe` in a task, after the owner has stored this object.
        StoreFollower.wake(self)
    }

    /// Processes all changes that precede a new snapshot, and then reads the snapshot.
    ///
    /// Later changes stay queued until the caller calls ``processQueued()``, after applying the
    /// result.
    func read<Value>(
        _ body: (Snapshot) throws(StoreError) -> Value
    ) throws(SyncError) -> Value {
        try translatingStoreErrors { () throws(StoreError) in
            // Take the snapshot before draining the queue: the store has then reported all commits
            // that the snapshot contains, except possibly the last one, whose change is processed
            // later although the snapshot contains it.
            let snapshot = try store.snapshot()
            queued += changes.drain()
            reading = snapshot
            processAll(through: snapshot.number)
            reading = nil
            return try body(snapshot)
        }
    }

    /// Reads the store again while a change is processed, for example after dropped changes or
    /// after a gap below the list has closed.
    ///
    /// Queued changes that the snapshot contains are skipped, because replaying them would bring
    /// back deleted rows and apply replacements twice. The closure receives them, to find the
    /// sources of edits before its reads replace the rows. If it throws, they are not skipped.
    func readAgain<Value>(
        _ body: (Snapshot, _ skipped: [Change]) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        // A read in progress returns its result later, and must not return older data: use its
        // snapshot.
        let snapshot: Snapshot
        if let reading { snapshot = reading } else { snapshot = try store.snapshot() }
        queued += changes.drain()
        let skipped = Array(queued.prefix { $0.number <= snapshot.number })
        let value = try body(snapshot, skipped)
        queued.removeFirst(skipped.count)
        return value
    }

    func processQueued() {
        queued += changes.drain()
        processAll(through: .max)
    }

    func stop() {
        isStopped = true
        changes.cancel()
    }

    /// Processes the queued changes, and is called again after the next one.
    ///
    /// A detached task does not inherit the priority and task-local values of the committing task.
    private nonisolated static func wake(_ follower: StoreFollower?) {
        Task.detached(priority: .userInitiated) { @MainActor [weak follower] in
            guard let follower, !follower.isStopped else { return }
            follower.queued += follower.changes.drain { [weak follower] in wake(follower) }
            follower.processAll(through: .max)
        }
    }

    private func processAll(through number: Int) {
        // If `process` calls this method, finish the current change before the next one.
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        while !isStopped, let first = queued.first, first.number <= number {
            queued.removeFirst()
            process(first)
        }
    }
}
