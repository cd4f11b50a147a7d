public import Foundation
package import Models

/// The messages, channels, gaps and drafts of one user on this device.
///
/// Two LevelDB databases in a directory: the cache, which the server can give again, and the outbox,
/// which it cannot. Safe for several threads: reads run on the thread of their caller and wait for
/// no write, writes come one after the other.
///
/// ```swift
/// let store = try ChatStore(at: directory)
/// try store.write { batch in try batch.save(message) }
/// let newest = try store.messages(in: "general", limit: 30)
/// ```
///
/// What is written to the cache survives the end of the process at once, and a loss of power a little
/// later; what is written to the outbox is on the disk when ``write(_:)`` returns.
///
/// When the disk has failed a write, reads go on, and the next write opens the files anew. That is
/// the one thing that reads wait for: some milliseconds, up to half a second where somebody else is
/// reading for as long. Should the files not open then, every read fails with the reason, until a
/// later write succeeds in opening them; each tries it.
public final class ChatStore: StoreReader, Sendable {
    /// Where the files are; `nil` for a store in memory.
    public let directory: URL?

    /// What was found when the store was opened.
    public let openingReport: OpeningReport

    let cache: LevelDB
    let outbox: LevelDB
    /// What the files are sealed by; `nil` if they are plain.
    let keys: DataKeys?
    /// The copies of files that wait to be sent; `nil` for a store in memory.
    package let outboxFiles: OutboxFiles?
    /// Held by the one who writes.
    let writer: Locked<Writer>
    /// Held for moments, to take or to exchange what readers read.
    let state: Locked<State>
    /// The thread that writes, to tell a nested write from one that has to wait.
    let writingThread = Locked<UInt?>(nil)
    /// Is called with each commit, before any other can follow; for tests that cut between two.
    package let didCommit = Locked<(@Sendable (Snapshot) -> Void)?>(nil)

    struct Writer {
        var next: Batch.NextNumbers
        var known = Batch.Known()
        /// Whether rows of cleared channels may be left.
        var hasCleared = true
        /// Whether it may be saved how lists begin.
        var hasSavedLists = true
        /// Whether the files were let go of since a write failed, so that others may have written to them.
        var hasLostFiles = false
        /// Whether the last attempt to open files anew met somebody who held them.
        var isHeldUp = false
    }

    struct State {
        /// `nil` once the store is closed, and while files that failed cannot be opened.
        var version: Version?
        /// What the version was that was let go of for that.
        var resumed: Resumed?
        /// Why the files cannot be opened.
        var failure: StoreError?
        var observers: [ObjectIdentifier: WeakObservedChanges] = [:]
    }

    struct WeakObservedChanges {
        weak var observation: ObservedChanges?
    }

    init(
        at directory: URL?, cache: LevelDB, outbox: LevelDB, next: Batch.NextNumbers,
        report: OpeningReport, keys: DataKeys? = nil, outboxFiles: OutboxFiles? = nil
    ) throws(StoreError) {
        self.keys = keys
        self.outboxFiles = outboxFiles
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

    deinit { end() }

    /// Closes the store; closing twice is once.
    ///
    /// Every later call fails with `closed`, and observations end. A read under way, and a
    /// ``Snapshot`` that somebody holds, go on, and the files are let go of when the last is gone.
    /// A write under way is waited for. A store that nobody holds any more is closed.
    ///
    /// - Precondition: Not called within a write.
    /// - Complexity: Waits for the disk. Where a log holds more than 256 KiB, makes a table of it, so that
    ///   the next opening has nothing to replay: O(*n*) in the log, which is no longer than
    ///   ``StoreOptions/writeBufferSize``. Saves how the last lists of channels begin that were asked for,
    ///   so that the next first page of each is read without all others: one row, and, where channels have
    ///   changed since anybody had the list, reading them all.
    public func close() {
        precondition(!isWriting, "ChatStore.close waits for writes: call it after this one.")
        end()
    }

    /// Lets go of everything, and takes back what a failed write left.
    private func end() {
        writer.withLock { end(&$0) }
    }

    private func end(_ writer: inout Writer) {
        saveLists(&writer)
        let observers = state.withLock { state -> [ObservedChanges] in
            state.version = nil
            state.resumed = nil
            state.failure = nil
            defer { state.observers = [:] }
            return state.observers.values.compactMap(\.observation)
        }
        // Nobody can write any more, so who waits would wait for ever.
        for observer in observers { observer.cancel() }
        cache.close()
        outbox.close()
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
    ///
    /// - Throws: What the closure throws; ``StoreError`` with code `closed`.
    public func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
        try body(snapshot())
    }

    /// Returns the present and the future of a part of the store, with no crack between.
    ///
    /// Each commit is either in the snapshot or told, never both, never neither. The observation
    /// ends with its owner: the store does not hold it. Let go of the snapshot when it is read.
    ///
    /// - Parameters:
    ///   - part: What changes are told of.
    ///   - limit: The most entries that wait for the observer. Beyond, they are replaced by
    ///     ``Change/Operation/missed``: read again then, from a new snapshot, and skip changes that
    ///     are not newer than its number.
    /// - Returns: The store as it is, and what changes from now on.
    /// - Throws: ``StoreError`` with code `closed`; `noSpace` or `io` while files that failed cannot
    ///   be opened.
    public func observe(
        _ part: ObservedPart, limit: Int = ObservedChanges.defaultLimit
    ) throws(StoreError) -> (snapshot: Snapshot, changes: ObservedChanges) {
        let observation = ObservedChanges(of: part, limit: limit)
        let version = try state.withLock { (state) throws(StoreError) in
            guard let version = state.version else {
                throw state.failure ?? StoreError(closedAt: path)
            }
            state.observers = state.observers.filter { $0.value.observation != nil }
            state.observers[ObjectIdentifier(observation)] = WeakObservedChanges(
                observation: observation)
            return version
        }
        return (Snapshot(version: version), observation)
    }

    func version() throws(StoreError) -> Version {
        try state.withLock { (state) throws(StoreError) in
            guard let version = state.version else {
                throw state.failure ?? StoreError(closedAt: path)
            }
            return version
        }
    }

    /// What errors name where it is neither of the databases.
    var path: String { directory?.path ?? cache.path }
}
