import Models

/// The changes of a part of a store from one commit on, in order, without a crack.
///
/// Ends with its owner: nobody else holds it. One reader at a time, by `for await`, which takes
/// one change after the other, or by ``drain()``, which gives all there are at once and does not
/// wait. Collections ask to be called when there is something to drain.
///
/// `ChatStore.observe` gives a snapshot with it, and every change told is newer than that. Who reads
/// again later, as after ``Change/Operation/missed``, takes a snapshot that may be ahead of what is
/// still to be told: from then on, a change with a `number` of at most the snapshot's
/// ``Snapshot/number`` is in the snapshot already, and has to be skipped.
public final class ObservedChanges: AsyncSequence, Sendable {
    /// What is observed.
    public let part: ObservedPart

    private let inbox: Locked<Inbox>

    /// Who waits for a change.
    private struct Waiter {
        /// Whether that is a loop that is suspended, and not somebody who asked to be called.
        let isLoop: Bool
        let wake: @Sendable () -> Void
    }

    private struct Inbox {
        /// The changes, oldest first, and some before them that were taken.
        private var changes: [Change] = []
        private var takenCount = 0
        /// How many entries the changes have in all.
        private(set) var entryCount = 0
        var hasEnded = false
        /// Who is told once there is a change, or the end has come.
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
            // So that each change is moved once at most, however many wait.
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

    /// The most entries that wait for their reader; the default of `ChatStore.observe`.
    public static let defaultLimit = 10_000

    private let limit: Int

    init(of part: ObservedPart, limit: Int) {
        self.part = part
        self.limit = limit
        inbox = Locked(Inbox())
    }

    /// Takes all changes that were told since the last time, oldest first.
    ///
    /// Does not wait: if nothing was told, there are none.
    public func drain() -> [Change] {
        inbox.withLock { $0.takeAll() }
    }

    /// Takes all changes, as ``drain()``, and has a closure called once there are more, or the end has come.
    ///
    /// For who lives on an actor of its own and may be woken by what it likes: a task that waits there
    /// is woken on the global executor first, on Linux, which takes twice as long.
    ///
    /// - Parameter wake: Is called once, by who writes, cancels or closes the store; it must neither write
    ///   nor wait.
    /// - Returns: The changes, oldest first.
    /// - Precondition: Nobody waits in a loop.
    package func drain(thenCalling wake: @escaping @Sendable () -> Void) -> [Change] {
        inbox.withLock { inbox in
            precondition(
                inbox.waiter?.isLoop != true, "Changes have one reader: observe once more.")
            if !inbox.hasEnded { inbox.waiter = Waiter(isLoop: false, wake: wake) }
            return inbox.takeAll()
        }
    }

    /// Ends it: what was told can still be taken, nothing more will be.
    public func cancel() {
        inbox.withLock { inbox in
            inbox.hasEnded = true
            return inbox.waiter.take()
        }?.wake()
    }

    /// Puts what concerns this observer of a change into the inbox.
    func tell(_ change: Change) {
        let entries = change.entries.filter { part.contains($0.operation) }
        if entries.isEmpty { return }
        inbox.withLock { inbox -> Waiter? in
            if inbox.hasEnded { return nil }
            if inbox.entryCount + entries.count > limit {
                // Nobody has taken any for long. Rather than hold all, say that much was missed.
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
    /// Creates an iterator; use one at a time.
    ///
    /// It holds nothing: who leaves a loop and begins another goes on with the next change.
    public func makeAsyncIterator() -> Iterator { Iterator(observation: self) }

    /// Gives one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let observation: ObservedChanges

        /// Takes the next change, as soon as there is one.
        ///
        /// `nil` when the observation was canceled, its store was closed or let go of, or the task
        /// was canceled.
        public mutating func next() async -> Change? { await next(isolation: nil) }

        /// Takes the next change, as ``next()``, where the caller runs: what it takes, it hands over at once.
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

    /// Waits until there is a change, and returns false; or until there will be none any more.
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
