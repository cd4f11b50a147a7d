import Models
import Store

/// Takes over what a store tells of a part of it: one change after the other, each to its end.
@MainActor
final class StoreFollower {
    private let store: ChatStore
    private let changes: ObservedChanges
    private let take: (Change) -> Void
    private var untaken: ArraySlice<Change> = []
    /// What is read next, while what was done before is taken.
    private var reading: Snapshot?
    private var isTaking = false
    private var isStopped = false

    /// Begins to follow; what was done before is not told.
    ///
    /// - Parameters:
    ///   - part: What is followed.
    ///   - store: Of which store.
    ///   - take: Is called with each change, as soon as the main actor has time.
    /// - Throws: What the store says.
    init(
        _ part: ObservedPart, of store: ChatStore, take: @escaping (Change) -> Void
    ) throws(CollectionError) {
        self.store = store
        self.take = take
        do throws(StoreError) {
            changes = try store.observe(part).changes
        } catch {
            throw CollectionError(error)
        }
        // What came meanwhile is not taken before the owner has this.
        StoreFollower.wake(self)
    }

    /// Reads the store, after all is taken that was done before.
    ///
    /// What is done meanwhile is taken with ``catchUp()``, once it is seen to what was read.
    ///
    /// - Parameter body: Reads.
    /// - Returns: What it returns.
    /// - Throws: What it throws, or the store says.
    func read<Value>(
        _ body: (Snapshot) throws(StoreError) -> Value
    ) throws(CollectionError) -> Value {
        do throws(StoreError) {
            // The snapshot first: but for its last commit, which may be taken twice, all of it was told.
            let snapshot = try store.snapshot()
            untaken += changes.drain()
            reading = snapshot
            takeAll(through: snapshot.number)
            reading = nil
            return try body(snapshot)
        } catch {
            throw CollectionError(error)
        }
    }

    /// Reads the store again, within a change after which nobody knows what was done.
    ///
    /// The snapshot is ahead of what is still to be taken. What it has of that is not taken any more: folded into
    /// what was read, it would bring back what is gone since, and what became another one a second time.
    ///
    /// - Parameter body: Reads the snapshot, and takes note of the changes that are in it already, as for
    ///   their reasons. If it throws, they are taken as all others.
    /// - Returns: What it returns.
    /// - Throws: What it throws, or the store says.
    func readAgain<Value>(
        _ body: (Snapshot, _ ahead: [Change]) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        // What is read next must not be older than what is shown then.
        let snapshot: Snapshot
        if let reading { snapshot = reading } else { snapshot = try store.snapshot() }
        untaken += changes.drain()
        let ahead = Array(untaken.prefix { $0.number <= snapshot.number })
        let value = try body(snapshot, ahead)
        untaken.removeFirst(ahead.count)
        return value
    }

    /// Takes over what the store has told so far.
    func catchUp() {
        untaken += changes.drain()
        takeAll(through: .max)
    }

    /// Takes nothing from here on.
    func stop() {
        isStopped = true
        changes.cancel()
    }

    /// Takes over what the store has told so far, and what it tells next as soon as the main actor has time.
    private func takeNext() {
        guard !isStopped else { return }
        untaken += changes.drain { [weak self] in StoreFollower.wake(self) }
        takeAll(through: .max)
    }

    /// Has it take what is next; not with the priority of who writes, nor with what that has in its task.
    private nonisolated static func wake(_ follower: StoreFollower?) {
        Task.detached(priority: .userInitiated) { @MainActor [weak follower] in
            follower?.takeNext()
        }
    }

    private func takeAll(through number: Int) {
        // Within a callback, the change that it is about is told to its end first.
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        while !isStopped, let first = untaken.first, first.number <= number {
            untaken.removeFirst()
            take(first)
        }
    }
}
