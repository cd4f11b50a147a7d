import Models

/// The changes of a part of a store after a commit, in order and without omissions, until this
/// object is released.
///
/// Only one reader at a time may receive the changes: a `for await` loop, or a caller of
/// ``drain()``.
///
/// Every change is newer than the snapshot of `ChatStore.observe`. A snapshot that you take later,
/// such as after ``Change/Operation/missed``, may contain changes that are still buffered. Skip
/// these: their `number` is not greater than the snapshot's ``Snapshot/number``.
public final class ObservedChanges: AsyncSequence, Sendable {
    /// The observed part.
    public let part: ObservedPart

    private let inbox: Locked<Inbox>

    private struct Waiter {
        let isLoop: Bool
        let wake: @Sendable () -> Void
    }

    private struct Inbox {
        /// Oldest first; the first ``takenCount`` were already read.
        private var changes: [Change] = []
        private var takenCount = 0
        private(set) var entryCount = 0
        var hasEnded = false
        /// The reader to wake at the next change, or when the observation ends.
        var waiter: Waiter?

        var isEmpty: Bool { takenCount == changes.count }

        mutating func append(_ change: Change) {
            changes.append(change)
            entryCount += change.entries.count
        }

        mutating func takeFirst() -> Change? {
            if isEmpty { return nil }
            let change = changes[takenCount]
            entryCount -= change.entries.count
            takenCount += 1
            // Each change is moved at most once on average.
            if takenCount * 2 >= changes.count {
                changes.removeFirst(takenCount)
                takenCount = 0
            }
            return change
        }

        mutating func takeAll() -> [Change] {
            defer {
                changes = []
                takenCount = 0
                entryCount = 0
            }
            return Array(changes[takenCount...])
        }
    }

    /// The default maximum number of buffered entries.
    public static let defaultLimit = 10_000

    private let limit: Int

    init(of part: ObservedPart, limit: Int) {
        self.part = part
        self.limit = limit
        inbox = Locked(Inbox())
    }

    /// Removes and returns all buffered changes, oldest first, without waiting.
    public func drain() -> [Change] {
        inbox.withLock { $0.takeAll() }
    }

    /// Removes and returns all buffered changes, oldest first, and calls a closure once at the next
    /// change or when the observation ends.
    ///
    /// For readers that are isolated to an actor, this is faster than a `for await` loop: on Linux,
    /// its task first resumes on the global executor, which takes twice as long. The closure runs
    /// on the thread that writes, cancels, or closes the store, so it must neither write nor wait.
    /// No `for await` loop may be waiting.
    package func drain(thenCalling wake: @escaping @Sendable () -> Void) -> [Change] {
        inbox.withLock { inbox in
            precondition(
                inbox.waiter?.isLoop != true, "Changes have one reader: observe once more.")
            if !inbox.hasEnded { inbox.waiter = Waiter(isLoop: false, wake: wake) }
            return inbox.takeAll()
        }
    }

    /// Ends the observation; the reader can still receive the buffered changes.
    public func cancel() {
        inbox.withLock { inbox in
            inbox.hasEnded = true
            return inbox.waiter.take()
        }?.wake()
    }

    /// Buffers the entries of the observed part, or `missed` if the part contains an unreported
    /// table.
    func notify(_ change: Change, unreportedTables: Set<String> = []) {
        var entries = change.entries.filter { part.contains($0.operation) }
        if !unreportedTables.isEmpty {
            var tables = ObservedTables()
            part.add(to: &tables)
            if unreportedTables.contains(where: tables.contains) {
                entries.append(Change.Entry(operation: .missed))
            }
        }
        if entries.isEmpty { return }
        inbox.withLock { inbox -> Waiter? in
            if inbox.hasEnded { return nil }
            if inbox.entryCount + entries.count > limit {
                _ = inbox.takeAll()
                inbox.append(
                    Change(number: change.number, entries: [.init(operation: .missed, source: nil)])
                )
            } else {
                inbox.append(Change(number: change.number, entries: entries))
            }
            return inbox.waiter.take()
        }?.wake()
    }
}

// MARK: As a sequence

extension ObservedChanges {
    /// Creates an iterator, which continues where an earlier one stopped; use one at a time.
    public func makeAsyncIterator() -> Iterator { Iterator(observation: self) }

    /// An iterator over the changes of an observation.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let observation: ObservedChanges

        /// Waits for the next change; returns `nil` after the observation or the task was canceled,
        /// or the store was closed or released.
        public mutating func next() async -> Change? { await next(isolation: nil) }

        /// Returns the next change as ``next()`` does, without leaving the actor of the caller.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> Change? {
            while true {
                if let change = observation.takeFirst() { return change }
                if await observation.waitIsOver(isolation: actor) { return nil }
            }
        }
    }

    private func takeFirst() -> Change? { inbox.withLock { $0.takeFirst() } }

    /// Waits for a change; returns `true` if the observation has ended or the task was canceled.
    private func waitIsOver(isolation actor: isolated (any Actor)?) async -> Bool {
        await withTaskCancellationHandler {
            if Task.isCancelled { return true }
            await withCheckedContinuation(isolation: actor) { continuation in
                let isReady = inbox.withLock { inbox in
                    if !inbox.isEmpty || inbox.hasEnded || Task.isCancelled { return true }
                    precondition(
                        inbox.waiter == nil, "Changes have one reader: observe once more.")
                    inbox.waiter = Waiter(isLoop: true) { continuation.resume() }
                    return false
                }
                if isReady { continuation.resume() }
            }
            return inbox.withLock { Task.isCancelled || $0.hasEnded && $0.isEmpty }
        } onCancel: {
            inbox.withLock { $0.waiter.take() }?.wake()
        }
    }
}
