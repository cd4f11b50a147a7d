public import Foundation
package import Models

/// The messages, channels, gaps and outbox items of one user on this device.
///
/// A store consists of two LevelDB databases in a directory: the cache, whose data can be fetched
/// again, and the outbox, whose data cannot. It is thread-safe: reads run on the caller's thread
/// and do not wait for writes; writes run one at a time.
///
/// ```swift
/// let store = try ChatStore(at: directory)
/// try store.write { batch in
///     try batch.save(message)
/// }
/// let newest = try store.messages(in: "general", limit: 30)
/// ```
///
/// A write to the outbox is on disk when ``write(_:)`` returns. A write to the cache then survives
/// a crash of the process, but not yet a power failure.
///
/// After a failed write, reads continue, and the next write reopens the files. Readers wait only
/// while that happens: some milliseconds, at most half a second.
public final class ChatStore: StoreReader, Sendable {
    /// The directory of the files; `nil` for a store in memory.
    public let directory: URL?

    /// The report of opening the store.
    public let openingReport: OpeningReport

    let caches: Locked<LevelDB>
    var cache: LevelDB { caches.withLock { $0 } }
    let outbox: LevelDB
    let damageObservers = Locked<[@Sendable (StoreError) -> Void]>([])
    let replacementObservers = Locked<[@Sendable (StoreError) -> Void]>([])
    let keys: DataKeys?
    let isSearchIndexed: Bool
    /// The copies of files to send; `nil` in memory.
    package let outboxFiles: OutboxFiles?
    /// The downloaded files that are kept; `nil` in memory.
    package let downloads: DownloadedFiles?
    /// The lock is held during a write.
    let writer: Locked<Writer>
    /// The state that readers see; the lock is held only to read or replace it.
    let state: Locked<State>
    /// The thread of the running write, for detecting a write inside a write.
    let writingThread = Locked<UInt?>(nil)
    /// A closure with which tests simulate an interruption between two commits.
    package let didCommit = Locked<(@Sendable (Snapshot) -> Void)?>(nil)

    struct Writer {
        var next: Batch.NextNumbers
        var known = Batch.Known()
        var index: IndexState?
        /// Whether rows of cleared channels may exist on disk.
        var hasCleared = true
        /// Whether the saved lists may be current.
        var hasSavedLists = true
        /// Whether the files could not be reopened, so that another process may write to them.
        var hasLostFiles = false
        var hasLongLivedSnapshot = false
    }

    struct State {
        /// The committed state; `nil` after the store was closed, and while the files are closed.
        var committed: CommittedState?
        var resumed: Resumed?
        var failure: StoreError?
        var observers: [ObjectIdentifier: WeakObservedChanges] = [:]

        var observedTables: ObservedTables {
            var tables = ObservedTables()
            for observer in observers.values { observer.observation?.part.add(to: &tables) }
            return tables
        }
    }

    struct WeakObservedChanges {
        weak var observation: ObservedChanges?
    }

    init(
        at directory: URL?, cache: LevelDB, outbox: LevelDB, next: Batch.NextNumbers,
        report: OpeningReport, keys: DataKeys? = nil, outboxFiles: OutboxFiles? = nil,
        downloads: DownloadedFiles? = nil, isSearchIndexed: Bool = false
    ) throws(StoreError) {
        self.isSearchIndexed = isSearchIndexed
        self.keys = keys
        self.outboxFiles = outboxFiles
        self.downloads = downloads
        self.directory = directory
        caches = Locked(cache)
        self.outbox = outbox
        openingReport = report
        writer = Locked(Writer(next: next))
        let committed = CommittedState(
            number: 0, cache: try cache.snapshot(), outbox: try outbox.snapshot())
        state = Locked(State(committed: committed))
        cache.firstDamage.observe { [weak self] in self?.reportCacheDamage($0) }
    }

    deinit { end() }

    /// Closes the store; repeated calls have no effect.
    ///
    /// Later calls of other methods fail with `closed`, and observations end. Running reads and
    /// existing ``Snapshot``s stay valid; the files are closed when the last of them is released.
    /// The call waits for a running write and the disk. Releasing the last reference also closes
    /// the store.
    ///
    /// To make the next opening faster, a log of more than 256 KiB is written to a table, and the
    /// first channels of recently requested lists are saved; if channels have changed since a list
    /// was last requested, this reads all channels.
    ///
    /// - Precondition: The call is not inside a write.
    public func close() {
        precondition(!isWriting, "ChatStore.close waits for writes: call it after this one.")
        end()
    }

    private func end() {
        downloads?.close()
        writer.withLock { writer in
            saveLists(&writer)
            if (try? committed()) != nil { recordGeneration(&writer) }
            let observers = state.withLock { state -> [ObservedChanges] in
                state.committed = nil
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
    /// The data of the store in its latest commit.
    public var view: StoreView {
        get throws(StoreError) { StoreView(committed: try committed(), batch: nil) }
    }

    /// Returns the current state of the store, regardless of later writes.
    public func snapshot() throws(StoreError) -> Snapshot { Snapshot(committed: try committed()) }

    /// Reads several values in the same commit; rethrows errors of the closure.
    public func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
        try body(snapshot())
    }

    /// Returns a snapshot of the store, and an observation of the later changes to a part of it.
    ///
    /// Each commit is either in the snapshot or reported as a change, never both. The store does
    /// not retain the observation, which ends when it is released. Release the snapshot after
    /// reading it.
    ///
    /// If more than `limit` entries have to be buffered, ``Change/Operation/missed`` replaces all
    /// of them: read a new snapshot.
    ///
    /// - Throws: `closed`; `noSpace` or `io` while the files cannot be reopened after a failed
    ///   write.
    public func observe(
        _ part: ObservedPart, limit: Int = ObservedChanges.defaultLimit
    ) throws(StoreError) -> (snapshot: Snapshot, changes: ObservedChanges) {
        let observation = ObservedChanges(of: part, limit: limit)
        let committed = try state.withLock { (state) throws(StoreError) in
            guard let committed = state.committed else {
                throw state.failure ?? StoreError(closedAt: path)
            }
            state.observers = state.observers.filter { $0.value.observation != nil }
            state.observers[ObjectIdentifier(observation)] = WeakObservedChanges(
                observation: observation)
            return committed
        }
        return (Snapshot(committed: committed), observation)
    }

    func committed() throws(StoreError) -> CommittedState {
        try state.withLock { (state) throws(StoreError) in
            guard let committed = state.committed else {
                throw state.failure ?? StoreError(closedAt: path)
            }
            return committed
        }
    }

    /// The path that is reported in errors that concern both databases.
    var path: String { directory?.path ?? cache.path }
}
