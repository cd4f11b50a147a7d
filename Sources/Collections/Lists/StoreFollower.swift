import Models
import Store
import Sync

/// Observes a part of a store, and processes its changes one by one on the main actor.
@MainActor
final class StoreFollower {
    private let store: ChatStore
    private let changes: ObservedChanges
    private let take: (Change) -> Void
    private var queued: ArraySlice<Change> = []
    /// The snapshot of the read in progress, while the changes before it are processed.
    private var reading: Snapshot?
    private var isProcessing = false
    private var isStopped = false

    /// Starts to observe the store from now on, and to call `take` with each change as soon as the
    /// main actor is available.
    init(
        _ part: ObservedPart, of store: ChatStore, take: @escaping (Change) -> Void
    ) throws(SyncError) {
        self.store = store
        self.take = take
        do throws(StoreError) {
            changes = try store.observe(part).changes
        } catch {
            throw SyncError(error)
        }
        // Process changes since `observe` after the owner has stored this object.
        StoreFollower.wake(self)
    }

    /// Processes all earlier changes, and then reads the store.
    ///
    /// Changes that are committed during the read are not processed before the caller has applied
    /// the result and calls ``catchUp()``.
    func read<Value>(
        _ body: (Snapshot) throws(StoreError) -> Value
    ) throws(SyncError) -> Value {
        do throws(StoreError) {
            // The snapshot is taken first: by then, the store has reported all commits in it,
            // except possibly the last one, which may therefore be processed twice.
            let snapshot = try store.snapshot()
            queued += changes.drain()
            reading = snapshot
            processAll(through: snapshot.number)
            reading = nil
            return try body(snapshot)
        } catch {
            throw SyncError(error)
        }
    }

    /// Reads the store again, while processing a change that says that the store has dropped
    /// changes.
    ///
    /// Queued changes that the snapshot already contains are skipped: replaying them would bring
    /// back deleted rows and apply replacements twice. The closure receives them, for example to
    /// find the sources of edits. If it throws, they are processed as usual.
    func readAgain<Value>(
        _ body: (Snapshot, _ ahead: [Change]) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        // A read in progress must not return older data than this one: use its snapshot.
        let snapshot: Snapshot
        if let reading { snapshot = reading } else { snapshot = try store.snapshot() }
        queued += changes.drain()
        let ahead = Array(queued.prefix { $0.number <= snapshot.number })
        let value = try body(snapshot, ahead)
        queued.removeFirst(ahead.count)
        return value
    }

    func catchUp() {
        queued += changes.drain()
        processAll(through: .max)
    }

    func stop() {
        isStopped = true
        changes.cancel()
    }

    /// Processes all changes that the store has reported, and calls ``wake(_:)`` after the next
    /// commit.
    private func processNext() {
        guard !isStopped else { return }
        queued += changes.drain { [weak self] in StoreFollower.wake(self) }
        processAll(through: .max)
    }

    /// Processes changes as soon as the main actor is available.
    ///
    /// The detached task does not inherit the priority and the task-local values of the writer.
    private nonisolated static func wake(_ follower: StoreFollower?) {
        Task.detached(priority: .userInitiated) { @MainActor [weak follower] in
            follower?.processNext()
        }
    }

    private func processAll(through number: Int) {
        // The closure `take` may call this method: finish the current change before the next one.
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        while !isStopped, let first = queued.first, first.number <= number {
            queued.removeFirst()
            take(first)
        }
    }
}
