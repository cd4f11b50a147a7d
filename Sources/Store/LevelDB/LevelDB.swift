import CScrollbackLevelDB
import Foundation
import Models

/// A wrapper of LevelDB, which no other code calls.
///
/// The class is thread-safe, but writes must not be concurrent. After a failed write, reads
/// continue, but writes fail until ``reopen(isChecked:waiting:)``.
package final class LevelDB: Sendable {
    package let path: String
    let options: StoreOptions
    let environment: Environment
    let firstDamage = FirstDamage()
    let state: Locked<State>

    struct State {
        /// The open files; `nil` if closed or suspended, or if reopening has failed.
        var handle: Handle?
        var isClosed = false
        var isSuspended = false
        /// The error of the failed write; `nil` again after the files were reopened.
        var failure: StoreError?
        var purge = Purge()
        var bytesWritten = 0
        var throttle = Throttle()

        var isUnused: Bool {
            mutating get { handle == nil || isKnownUniquelyReferenced(&handle) }
        }
    }

    package static var version: (major: Int, minor: Int) {
        (Int(scrollback_leveldb_major), Int(scrollback_leveldb_minor))
    }

    /// Opens or creates a database in a directory, whose parent must exist.
    ///
    /// Damaged or missing parts of the logs are `corruption`, unless `skippingDamage` is true.
    package init(
        at path: String, options: StoreOptions = StoreOptions(),
        environment: Environment = .disk(), skippingDamage: Bool = false
    ) throws(StoreError) {
        self.path = path
        self.options = options
        self.environment = environment
        let handle = try Handle(
            at: path, options: options, environment: environment, firstDamage: firstDamage,
            skippingDamage: skippingDamage)
        state = Locked(State(handle: handle))
    }

    /// Closes the files, immediately or when the last snapshot is released.
    ///
    /// Large logs are written to a table first, to make the next opening fast. A failed write is
    /// rolled back, unless a snapshot still keeps the files open.
    package func close() {
        shortenLogs()
        state.withLock { state in
            if state.isClosed { return }
            state.isClosed = true
            let isLast = state.isUnused
            state.handle = nil
            // After an error, the next opening may find the complete failed batch.
            if isLast && state.failure != nil { _ = environment.rollBack() }
            state.failure = nil
        }
    }

    /// Closes the files without preparing the next opening, and then calls a closure.
    func retire(_ didClose: @escaping @Sendable () -> Void) {
        let handle = state.withLock { state in
            (state.isClosed, state.failure) = (true, nil)
            return state.handle.take()
        }
        guard let handle else { return didClose() }
        handle.didClose.withLock { $0 = didClose }
    }

    package func takeLogReport() -> LogReport { LogReport(environment.takeLogReport()) }

    var purge: Purge {
        get { state.withLock { $0.purge } }
        set { state.withLock { $0.purge = newValue } }
    }

    func handle(toWrite isWriting: Bool = false) throws(StoreError) -> Handle {
        try state.withLock { (state) throws(StoreError) in
            if isWriting, let failure = state.failure { throw failure }
            if let handle = state.handle { return handle }
            if let failure = state.failure { throw failure }
            if state.isSuspended {
                throw StoreError(
                    .suspended, "the store is suspended: call resume() first", path: path)
            }
            throw StoreError(closedAt: path)
        }
    }
}

// MARK: Reading and writing

extension LevelDB {
    package func snapshot() throws(StoreError) -> Snapshot { Snapshot(try handle()) }

    /// Writes a batch atomically.
    ///
    /// A durable batch is on disk when the call returns; any other batch then survives a crash of
    /// the process, but not yet a power failure.
    package func write(_ batch: Overlay, isDurable: Bool) throws(StoreError) {
        let handle = try handle(toWrite: true)
        do {
            try LevelDB.check(path) { error in
                batch.withRows { bytes, rows in
                    scrollback_db_write(
                        handle.pointer, bytes.baseAddress, bytes.count, rows.baseAddress,
                        rows.count, isDurable, error)
                }
            }
            environment.mark()
        } catch {
            state.withLock { $0.failure = error }
            throw error
        }
        let delay = state.withLock { state in
            state.bytesWritten += batch.size
            if !batch.released.isEmpty { state.purge.add(batch.released) }
            return state.throttle.delay(afterWriting: batch.size) { handle.unmergedTableCount }
        }
        // LevelDB can then keep up with merging tables.
        if delay > .zero { usleep(UInt32(delay / .microseconds(1))) }
    }

    var bytesWritten: Int { state.withLock { $0.bytesWritten } }

    package var failure: StoreError? { state.withLock { $0.failure } }

    package var hasFailed: Bool { failure != nil }
}

// MARK: The open database

extension LevelDB {
    /// An open database, which is closed when its last reference is released.
    final class Handle: Sendable {
        let path: String
        private let database: Pointer
        let firstDamage: FirstDamage
        let mainActorReads = MainActorReads()
        /// Must outlive the database.
        private let environment: Environment
        let didClose = Locked<(@Sendable () -> Void)?>(nil)

        init(
            at path: String, options: StoreOptions, environment: Environment,
            firstDamage: FirstDamage, skippingDamage: Bool
        ) throws(StoreError) {
            if environment.isOnDisk { try DatabaseFiles(path).checkNames() }
            var native = options.native
            native.skips_damage = skippingDamage
            native.reuses_logs = true
            let database = try LevelDB.check(path) {
                scrollback_db_open(environment.pointer, path, &native, $0)
            }
            guard let database else {
                throw StoreError(.io, "cannot open the database", path: path)
            }
            self.database = Pointer(database)
            self.path = path
            self.environment = environment
            self.firstDamage = firstDamage
        }

        deinit {
            scrollback_db_close(pointer)
            didClose.withLock { $0 }?()
        }

        var pointer: OpaquePointer { @inline(__always) get { database.raw } }

        func property(_ name: String) -> String? {
            guard let text = scrollback_db_property(pointer, name) else { return nil }
            defer { free(text) }
            return String(cString: text)
        }

        var unmergedTableCount: Int {
            property("leveldb.num-files-at-level0").flatMap { Int($0) } ?? 0
        }
    }
}

extension StoreOptions {
    var native: scrollback_db_options {
        let options = clamped
        var native = scrollback_db_options()
        native.bloom_bits_per_key = Int32(options.bloomFilterBitsPerKey)
        native.max_open_files = Int32(options.maxOpenFiles)
        native.write_buffer_size = options.writeBufferByteCount
        native.block_cache_size = options.blockCacheByteCount
        return native
    }
}
