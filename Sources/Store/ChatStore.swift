public import Foundation
package import Models

/// The messages, channels, gaps and outbox items of one user on this device.
///
/// A store consists of two LevelDB databases in a directory: the cache, whose data can be fetched
/// again, and the outbox, whose data cannot. It is thread-safe: reads run on the caller's thread
/// and do not wait for writes; writes are executed one after the other.
///
/// ```swift
/// let store = try ChatStore(at: directory)
/// try store.write { batch in try batch.save(message) }
/// let newest = try store.messages(in: "general", limit: 30)
/// ```
///
/// Writes to the cache survive the end of the process immediately, and a power failure soon
/// afterwards. Writes to the outbox are on disk when ``write(_:)`` returns.
///
/// After a failed write, reads continue, and the next write reopens the files. Only this makes
/// reads wait: some milliseconds, up to half a second if another reader takes that long. If the
/// files cannot be reopened, every read fails with the reason until a later write, each of which
/// tries it, succeeds.
public final class ChatStore: StoreReader, Sendable {
    /// The directory of the files; `nil` for a store in memory.
    public let directory: URL?

    /// The report of opening the store.
    public let openingReport: OpeningReport

    let cache: LevelDB
    let outbox: LevelDB
    /// The keys of the files; `nil` if they are not encrypted.
    let keys: DataKeys?
    /// The copies of files that wait to be sent; `nil` for a store in memory.
    package let outboxFiles: OutboxFiles?
    /// Locked during a write.
    let writer: Locked<Writer>
    /// Locked briefly, to read or to replace the state that readers see.
    let state: Locked<State>
    /// The thread of the running write, to distinguish a nested write from one that must wait.
    let writingThread = Locked<UInt?>(nil)
    /// A closure that is called with each commit before the next one, for tests that interrupt
    /// between two.
    package let didCommit = Locked<(@Sendable (Snapshot) -> Void)?>(nil)

    struct Writer {
        var next: Batch.NextNumbers
        var known = Batch.Known()
        /// A Boolean value that indicates whether rows of cleared channels may remain.
        var hasCleared = true
        /// A Boolean value that indicates whether there may be saved lists.
        var hasSavedLists = true
        /// A Boolean value that indicates whether the files were closed since a write failed, so
        /// that other processes may have written to them.
        var hasLostFiles = false
        /// A Boolean value that indicates whether the last attempt to reopen the files was
        /// prevented by a reader.
        var isHeldUp = false
    }

    struct State {
        /// `nil` after closing, and while failed files cannot be opened.
        var version: CommittedState?
        /// The part of the released committed state that is kept until then.
        var resumed: Resumed?
        /// The reason why the files cannot be opened.
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
        let version = CommittedState(
            number: 0, cache: try cache.snapshot(), outbox: try outbox.snapshot(),
            names: ChannelNames())
        state = Locked(State(version: version))
    }

    deinit { end() }

    /// Closes the store.
    ///
    /// Repeated calls have no effect.
    ///
    /// Later calls fail with `closed`, and observations end. A running read and an existing
    /// ``Snapshot`` stay valid; the files are closed when the last one is released. The call waits
    /// for a running write. A store that is released is closed.
    ///
    /// - Precondition: Not called inside a write.
    /// - Complexity: Waits for the disk. If a log has more than 256 KiB, writes a table from it, so
    ///   that the next opening has nothing to replay: O(*n*) in the size of the log, which is at
    ///   most ``StoreOptions/writeBufferByteCount``. Saves the first channels of the recently requested
    ///   lists, so that their first pages can be read without all other channels: one row and, if
    ///   channels have changed since the last request of the list, a read of all channels.
    public func close() {
        precondition(!isWriting, "ChatStore.close waits for writes: call it after this one.")
        end()
    }

    /// Releases everything, and rolls back a failed write.
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
        // There will be no more writes: end all waits.
        for observer in observers { observer.cancel() }
        cache.close()
        outbox.close()
    }
}

// MARK: Reading

extension ChatStore {
    /// The data that is read: the store after the last commit.
    public var view: StoreView {
        get throws(StoreError) { StoreView(version: try version(), batch: nil) }
    }

    /// Returns the current state of the store, regardless of later writes.
    ///
    /// - Throws: ``StoreError`` with code `closed`.
    public func snapshot() throws(StoreError) -> Snapshot { Snapshot(version: try version()) }

    /// Reads several values as of the same commit.
    ///
    /// - Throws: Errors of the closure; ``StoreError`` with code `closed`.
    public func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
        try body(snapshot())
    }

    /// Returns a snapshot of the store, and the later changes of a part of it, without omissions.
    ///
    /// Each commit is either in the snapshot or reported, never both, never neither. The
    /// observation ends when it is released: the store does not retain it. Release the snapshot
    /// after reading it.
    ///
    /// - Parameters:
    ///   - part: The observed part.
    ///   - limit: The maximum number of buffered entries. If it is exceeded, they are replaced by
    ///     ``Change/Operation/missed``: then read again from a new snapshot, and skip changes that
    ///     are not newer than its number.
    /// - Returns: A snapshot, and the changes from now on.
    /// - Throws: ``StoreError`` with code `closed`; `noSpace` or `io` while failed files cannot be
    ///   opened.
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

    func version() throws(StoreError) -> CommittedState {
        try state.withLock { (state) throws(StoreError) in
            guard let version = state.version else {
                throw state.failure ?? StoreError(closedAt: path)
            }
            return version
        }
    }

    /// The path in errors that concern neither of the databases alone.
    var path: String { directory?.path ?? cache.path }
}
