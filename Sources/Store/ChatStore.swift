public import Foundation
public import Models

/// The messages, channels, gaps and drafts of one user on this device.
///
/// Two LevelDB databases in a directory: the cache, which the server can give again, and the outbox,
/// which it cannot. Safe for several threads: reads run on the thread of their caller and wait for
/// nobody, writes come one after the other.
///
/// ```swift
/// let store = try ChatStore(at: directory)
/// try store.write { batch in try batch.save(message) }
/// let newest = try store.messages(in: "general", limit: 30)
/// ```
///
/// What is written to the cache survives the end of the process at once, and a loss of power a little
/// later; what is written to the outbox is on the disk when ``write(_:)`` returns.
public final class ChatStore: StoreReader, Sendable {
    /// Where the files are; `nil` for a store in memory.
    public let directory: URL?

    /// What was found when the store was opened.
    public let openingReport: OpeningReport

    private let cache: LevelDB
    private let outbox: LevelDB
    /// Held by the one who writes.
    private let writer: Locked<Writer>
    /// Held for moments, to take or to exchange what readers read.
    private let state: Locked<State>
    /// The thread that writes, to tell a nested write from one that has to wait.
    private let writingThread = Locked<pthread_t?>(nil)

    private struct Writer {
        var next: Batch.NextNumbers
        var knownStates: [ChannelNumber: ChannelState] = [:]
        /// Whether rows of cleared channels may be left.
        var hasCleared = true
    }

    /// How many rows of cleared channels leave the disk with each write.
    private static let purgedWithEachWrite = 256

    private struct State {
        /// `nil` once the store is closed, and while files that failed cannot be opened.
        var version: Version?
        /// What the version was that was let go of for that.
        var resumed: Resumed?
        /// Why the files cannot be opened.
        var failure: StoreError?
        var observers: [ObjectIdentifier: WeakObservation] = [:]

        /// Makes the version anew that was let go of, if the files can be read.
        mutating func resume(_ cache: LevelDB, _ outbox: LevelDB) {
            guard let resumed else { return }
            do throws(StoreError) {
                version = Version(
                    number: resumed.number, cache: try cache.snapshot(),
                    outbox: try outbox.snapshot(), names: resumed.names, derived: resumed.derived)
                self.resumed = nil
                failure = nil
            } catch {
                // Thrown to each reader, until a write succeeds in opening the files.
                failure = cache.failure ?? outbox.failure ?? error
            }
        }
    }

    private struct WeakObservation {
        weak var observation: Observation?
    }

    init(
        at directory: URL?, cache: LevelDB, outbox: LevelDB, next: Batch.NextNumbers,
        report: OpeningReport
    ) throws(StoreError) {
        self.directory = directory
        self.cache = cache
        self.outbox = outbox
        openingReport = report
        writer = Locked(Writer(next: next))
        let version = Version(
            number: 0, cache: try cache.snapshot(), outbox: try outbox.snapshot(),
            names: ChannelNames())
        state = Locked(State(version: version))
    }

    deinit {
        // Nobody can write any more, so who waits would wait for ever.
        let observers = state.withLock { $0.observers.values.compactMap(\.observation) }
        for observer in observers { observer.cancel() }
    }

    /// Closes the store; closing twice is once.
    ///
    /// Every later call fails with `closed`, and observations end. A read under way, and a
    /// ``Snapshot`` that somebody holds, go on, and the files are let go of when the last is gone.
    /// A write under way is waited for.
    ///
    /// - Precondition: Not called within a write.
    public func close() {
        precondition(!isWriting, "ChatStore.close waits for writes: call it after this one.")
        writer.withLock { _ in
            let observers = state.withLock { state -> [Observation] in
                state.version = nil
                state.resumed = nil
                state.failure = nil
                defer { state.observers = [:] }
                return state.observers.values.compactMap(\.observation)
            }
            for observer in observers { observer.cancel() }
            cache.close()
            outbox.close()
        }
    }
}

// MARK: Reading

extension ChatStore {
    /// What is seen: the store after the last commit.
    public var view: StoreView {
        get throws(StoreError) { StoreView(version: try version(), batch: nil) }
    }

    /// Returns the store as of now, whatever is written later.
    ///
    /// - Throws: ``StoreError`` with code `closed`.
    public func snapshot() throws(StoreError) -> Snapshot { Snapshot(version: try version()) }

    /// Reads several things as of the same commit.
    public func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
        try body(snapshot())
    }

    /// Returns the present and the future of a part of the store, with no crack between.
    ///
    /// Each commit is either in the snapshot or told, never both, never neither.
    ///
    /// - Parameters:
    ///   - part: What changes are told of.
    ///   - limit: The most entries that wait for the observer. Beyond, they are replaced by
    ///     ``Change/Operation/missed``, and the observer has to read again.
    /// - Throws: ``StoreError`` with code `closed`.
    public func observe(
        _ part: ObservedPart, limit: Int = Observation.defaultLimit
    ) throws(StoreError) -> (snapshot: Snapshot, changes: Observation) {
        let observation = Observation(of: part, limit: limit)
        let version = try state.withLock { (state) throws(StoreError) in
            guard let version = state.version else { throw state.failure ?? isClosed }
            state.observers = state.observers.filter { $0.value.observation != nil }
            state.observers[ObjectIdentifier(observation)] = WeakObservation(
                observation: observation)
            return version
        }
        return (Snapshot(version: version), observation)
    }

    private func version() throws(StoreError) -> Version {
        try state.withLock { (state) throws(StoreError) in
            guard let version = state.version else { throw state.failure ?? isClosed }
            return version
        }
    }

    private var isClosed: StoreError {
        StoreError(.closed, "the store was closed before", path: directory?.path ?? cache.path)
    }
}

// MARK: Writing

extension ChatStore {
    /// Writes what a closure puts into a batch, all or nothing, and tells those who observe it.
    ///
    /// Runs on the thread of its caller; one write at a time, others wait. If the closure throws,
    /// nothing is written. A batch that did something to the outbox is on the disk when the call
    /// returns.
    ///
    /// Where a batch does something to both databases, the cache is written first. If only the
    /// outbox fails then, the error is thrown, and what the cache took is told and stays.
    ///
    /// After a failure of the disk, reads go on. Each write first opens the files anew, without what
    /// the failed one left in them, which has to wait as long as somebody holds a ``Snapshot`` of
    /// before. If the process ends first, the failed batch may be there, whole, when the store is
    /// opened again.
    ///
    /// - Returns: What was done, under the number that observers see; empty, under the number of the
    ///   last change, if nothing was.
    /// - Throws: What the closure throws; ``StoreError`` if the disk fails.
    /// - Precondition: Not called within another write.
    @discardableResult
    public func write(_ body: (Batch) throws -> Void) throws -> Change {
        precondition(!isWriting, "ChatStore.write is not reentrant: use the batch you were given.")
        return try writer.withLock { writer in
            writingThread.withLock { $0 = pthread_self() }
            defer { writingThread.withLock { $0 = nil } }
            // Not at once after the failure: reads go on until somebody needs to write.
            try mend()
            return try perform(body, &writer)
        }
    }

    private func perform(
        _ body: (Batch) throws -> Void, _ writer: inout Writer
    ) throws -> Change {
        var known: [ChannelNumber: ChannelState] = [:]
        swap(&known, &writer.knownStates)
        let batch = Batch(try version(), writer.next, known)
        known = [:]
        let change: Change
        do {
            try body(batch)
            batch.finish()
            change = try commit(batch, &writer)
        } catch {
            writer.knownStates = batch.takeKnownStates(isWritten: false)
            throw error
        }
        writer.knownStates = batch.takeKnownStates(isWritten: true)
        if writer.hasCleared {
            // The commit stands, whether or not this fails. If it does, the next write tries again.
            writer.hasCleared =
                (try? cache.purgeCleared(atMost: ChatStore.purgedWithEachWrite)) ?? true
        }
        return change
    }

    /// Whether this thread is within a write; what waits for the writer would wait for itself.
    private var isWriting: Bool {
        let thread = pthread_self()
        return writingThread.withLock { $0.map { pthread_equal($0, thread) != 0 } ?? false }
    }

    /// Tells something in order with the commits, without storing it; a full disk is no hindrance.
    ///
    /// - Throws: ``StoreError`` with code `closed`.
    /// - Precondition: Not called within a write, which has ``Batch/tell(_:source:)``.
    @discardableResult
    public func tell(
        _ news: Ephemeral, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Change {
        precondition(!isWriting, "ChatStore.tell waits for writes: tell it to the batch.")
        return try writer.withLock { (_) throws(StoreError) in
            let (change, observers) = try state.withLock { (state) throws(StoreError) in
                guard let number = state.version?.number ?? state.resumed?.number else {
                    throw isClosed
                }
                state.version = state.version.map { $0.numbered(number + 1) }
                state.resumed?.number = number + 1
                let entry = Change.Entry(operation: .told(news), source: source)
                return (
                    Change(number: number + 1, entries: [entry]),
                    state.observers.values.compactMap(\.observation)
                )
            }
            for observer in observers { observer.tell(change) }
            return change
        }
    }

    private func commit(_ batch: Batch, _ writer: inout Writer) throws(StoreError) -> Change {
        let old = batch.version
        var entries = batch.entries
        var snapshots = (cache: old.cache, outbox: old.outbox)
        var failure: StoreError?
        if !batch.rows.cache.isEmpty {
            // What was cleared must not be there again because a commit was lost.
            try cache.write(batch.rows.cache, isDurable: batch.hasCleared)
            writer.hasCleared = writer.hasCleared || batch.hasCleared
            snapshots.cache = try cache.snapshot()
        }
        if !batch.rows.outbox.isEmpty {
            do throws(StoreError) {
                try outbox.write(batch.rows.outbox, isDurable: true)
                snapshots.outbox = try outbox.snapshot()
            } catch {
                if batch.rows.cache.isEmpty { throw error }
                failure = error
                entries.removeAll { $0.operation.isOfOutbox }
            }
        }
        writer.next = batch.next
        if entries.isEmpty && batch.rows.cache.isEmpty && batch.rows.outbox.isEmpty {
            return Change(number: old.number, entries: [])
        }
        let change = Change(number: old.number + 1, entries: entries)
        for (url, numbering) in batch.rows.numbers {
            old.names.note(
                numbering.number, of: url, insteadOf: numbering.old, since: change.number)
        }
        publish(
            Version(
                number: change.number, cache: snapshots.cache, outbox: snapshots.outbox,
                names: old.names,
                derived: batch.hasReplacedUnreadable
                    ? Version.Derived()
                    : old.derived(
                        after: batch.channelChanges, addingMessages: batch.rows.addedMessages)),
            change)
        if let failure { throw failure }
        return change
    }

    private func publish(_ version: Version, _ change: Change) {
        let observers = state.withLock { state in
            state.version = version
            return state.observers.values.compactMap(\.observation)
        }
        // Still under the writer's lock, so that all observers see commits in their order.
        for observer in observers { observer.tell(change) }
    }

    /// Opens files anew whose last write failed. Readers wait meanwhile.
    private func mend() throws(StoreError) {
        guard cache.hasFailed || outbox.hasFailed else { return }
        try state.withLock { (state) throws(StoreError) in
            // What failed is not in the last version, so the new one is the same commit. The old one
            // has to be let go of first, since it holds the files.
            guard let resumed = state.version.map(Resumed.init) ?? state.resumed else {
                throw isClosed
            }
            state.resumed = resumed
            state.version = nil
            defer { state.resume(cache, outbox) }
            try cache.reopen()
            try outbox.reopen()
        }
    }
}

/// What of a version outlives its files.
private struct Resumed {
    var number: Int
    let names: ChannelNames
    let derived: Version.Derived

    init(_ version: Version) {
        number = version.number
        names = version.names
        derived = version.derived()
    }
}

extension ChatStore {
    /// Removes from the disk what is left of channels that were cleared or removed.
    ///
    /// Each write does a part of this; call it where the disk's space is wanted at once.
    ///
    /// - Precondition: Not called within a write.
    /// - Complexity: O(*n*) in the rows. Other writes wait meanwhile, readers do not.
    public func purgeCleared() throws(StoreError) {
        precondition(!isWriting, "ChatStore.purgeCleared is a write: call it after this one.")
        try writer.withLock { (writer) throws(StoreError) in
            try mend()
            _ = try version()
            // So that no table has both a row and its removal: that one would stay.
            try cache.flush()
            while try cache.purgeCleared(atMost: 10_000) {}
            writer.hasCleared = false
            try renewSnapshot()
            try cache.compact()
        }
    }

    /// Lets go of the rows on disk that only the last commit's snapshot holds.
    private func renewSnapshot() throws(StoreError) {
        let old = try version()
        let new = Version(
            number: old.number, cache: try cache.snapshot(), outbox: old.outbox, names: old.names,
            derived: old.derived())
        state.withLock { $0.version = new }
    }
}

extension Change.Operation {
    fileprivate var isOfOutbox: Bool {
        switch self {
        case .savedDraft, .removedDraft: true
        default: false
        }
    }
}
