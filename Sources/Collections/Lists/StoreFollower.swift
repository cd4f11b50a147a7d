import Models
import Store
import Sync

/// Receives the changes of a part of a store, and processes them one after the other on the main
/// actor.
@MainActor
final class StoreFollower {
    private let store: ChatStore
    private let changes: ObservedChanges
    private let take: (Change) -> Void
    private var queued: ArraySlice<Change> = []
    /// The snapshot of the read in progress, while earlier changes are processed.
    private var reading: Snapshot?
    private var isProcessing = false
    private var isStopped = false

    /// Starts to observe the store.
    ///
    /// Earlier changes are not reported.
    ///
    /// - Parameters:
    ///   - part: The observed part of the store.
    ///   - store: The store.
    ///   - take: A closure that is called with each change, as soon as the main actor is available.
    /// - Throws: Errors of the store.
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
        // Changes that happened in the meantime are processed after the owner has stored this
        // object.
        StoreFollower.wake(self)
    }

    /// Reads the store, after all earlier changes were processed.
    ///
    /// Changes that happen during the read are processed by ``catchUp()``, after the caller has
    /// applied the result.
    ///
    /// - Parameter body: A closure that reads the snapshot.
    /// - Returns: The result of the closure.
    /// - Throws: Errors of the closure and of the store.
    func read<Value>(
        _ body: (Snapshot) throws(StoreError) -> Value
    ) throws(SyncError) -> Value {
        do throws(StoreError) {
            // Take the snapshot before the changes are processed. When it exists, the store has
            // reported all of its commits, except possibly the last one, which may therefore be
            // processed twice.
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

    /// Reads the store again while a change is processed, after changes were dropped.
    ///
    /// The snapshot may already contain queued changes. Those are skipped: replaying them would
    /// bring back deleted rows and apply replacements twice.
    ///
    /// - Parameter body: A closure that reads the snapshot. It receives the queued changes that the
    ///   snapshot already contains, for example to get their sources. If the closure throws, these
    ///   changes are processed as usual.
    /// - Returns: The result of the closure.
    /// - Throws: Errors of the closure and of the store.
    func readAgain<Value>(
        _ body: (Snapshot, _ ahead: [Change]) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        // If another read is in progress, use its snapshot, so that the other read does not return
        // older data than this one.
        let snapshot: Snapshot
        if let reading { snapshot = reading } else { snapshot = try store.snapshot() }
        queued += changes.drain()
        let ahead = Array(queued.prefix { $0.number <= snapshot.number })
        let value = try body(snapshot, ahead)
        queued.removeFirst(ahead.count)
        return value
    }

    /// Processes all changes that the store has reported so far.
    func catchUp() {
        queued += changes.drain()
        processAll(through: .max)
    }

    /// Stops processing changes.
    func stop() {
        isStopped = true
        changes.cancel()
    }

    /// Processes all changes reported so far, and schedules the next ones for when the main actor
    /// is available.
    private func processNext() {
        guard !isStopped else { return }
        queued += changes.drain { [weak self] in StoreFollower.wake(self) }
        processAll(through: .max)
    }

    /// Schedules the processing without inheriting the priority and the task-local values of the
    /// writer.
    private nonisolated static func wake(_ follower: StoreFollower?) {
        Task.detached(priority: .userInitiated) { @MainActor [weak follower] in
            follower?.processNext()
        }
    }

    private func processAll(through number: Int) {
        // A callback may call this method: the next change must wait until the current one is
        // processed.
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        while !isStopped, let first = queued.first, first.number <= number {
            queued.removeFirst()
            take(first)
        }
    }
}
