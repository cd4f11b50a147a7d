import CLevelDB
import CLevelDBEnvironment
import Foundation

/// An ordered map from bytes to bytes in files: LevelDB, and the only code that calls it.
///
/// Safe for several threads; writes have to come one at a time. After a write that failed, what was
/// there before can be read, and every later write fails too, until ``reopen(isChecked:waiting:)``
/// has closed the files, cut off what the failed one left in the log, and opened them anew.
package final class LevelDB: Sendable {
    package let path: String
    private let options: StoreOptions
    private let environment: Environment
    private let state: Locked<State>

    private struct State {
        /// `nil` once it is closed, while it is suspended, and after files could not be opened anew.
        var handle: Handle?
        var isClosed = false
        var isSuspended = false
        /// What the last write failed with, until the files were opened anew.
        var failure: StoreError?
        var purge = Purge()
        var bytesWritten = 0
        var throttle = Throttle()

        /// Whether nobody but this holds the files.
        var isUnused: Bool {
            mutating get { handle == nil || isKnownUniquelyReferenced(&handle) }
        }
    }

    /// The version of the library that this process is linked with, as in 1.23.
    package static var version: (major: Int, minor: Int) {
        (Int(leveldb_major_version()), Int(leveldb_minor_version()))
    }

    /// Opens a database, and creates it where there is none.
    ///
    /// - Parameters:
    ///   - path: The directory of the files. Its parent has to be there.
    ///   - options: How the files are kept.
    ///   - environment: Where they are: on the disk by default.
    ///   - skippingDamage: Whether to go on without what is damaged or missing in the logs. By
    ///     default that is an error, and nothing was changed.
    /// - Throws: `locked`, `permission`, `noSpace`, `io`, or `corruption`.
    package init(
        at path: String, options: StoreOptions = StoreOptions(),
        environment: Environment = .disk(), skippingDamage: Bool = false
    ) throws(StoreError) {
        self.path = path
        self.options = options
        self.environment = environment
        let handle = try Handle(
            at: path, options: options, environment: environment, skippingDamage: skippingDamage)
        state = Locked(State(handle: handle))
    }

    /// Lets go of the files, at once or as soon as the last snapshot is gone.
    ///
    /// Takes back what a failed write left, unless a snapshot still holds the files. Every later call
    /// fails with `closed`. Closing twice is once.
    package func close() {
        state.withLock { state in
            if state.isClosed { return }
            state.isClosed = true
            let isLast = state.isUnused
            state.handle = nil
            // Best effort: whoever cannot write now may find the failed batch there, whole.
            if isLast && state.failure != nil { _ = environment.rollBack() }
            state.failure = nil
        }
    }

    /// What LevelDB left out of its logs when the database was opened.
    package func takeLogReport() -> LogReport { LogReport(environment.takeLogReport()) }

    /// What ``purgeCleared(atMost:)`` has to do.
    var purge: Purge {
        get { state.withLock { $0.purge } }
        set { state.withLock { $0.purge = newValue } }
    }

    private func handle() throws(StoreError) -> Handle {
        try state.withLock { (state) throws(StoreError) in
            guard let handle = state.handle else {
                throw state.failure ?? (state.isSuspended ? isSuspended : isClosed)
            }
            return handle
        }
    }

    private var isSuspended: StoreError {
        StoreError(.suspended, "the store has let go of its files", path: path)
    }

    private var isClosed: StoreError {
        StoreError(.closed, "the store was closed before", path: path)
    }
}

// MARK: Reading and writing

extension LevelDB {
    /// The database as it is now, whatever is written later.
    package func snapshot() throws(StoreError) -> Snapshot { Snapshot(try handle()) }

    /// Writes a batch, all or nothing.
    ///
    /// - Parameters:
    ///   - batch: The rows to write and to remove.
    ///   - isDurable: Whether the batch is on the disk when the call returns. If not, it survives
    ///     the end of the process, and soon a loss of power too.
    /// - Throws: What the disk says, or `closed`. A failure is thrown again by every later call,
    ///   until the files were opened anew.
    package func write(_ batch: Overlay, isDurable: Bool) throws(StoreError) {
        if let failure { throw failure }
        let handle = try handle()
        let rows = leveldb_writebatch_create()
        defer { leveldb_writebatch_destroy(rows) }
        batch.forEachInOrderOfWriting { key, value in
            if let value {
                leveldb_writebatch_put(
                    rows, key.characters, key.count, value.characters, value.count)
            } else {
                leveldb_writebatch_delete(rows, key.characters, key.count)
            }
        }
        do {
            try LevelDB.check(path) {
                leveldb_write(
                    handle.pointer, isDurable ? handle.durably : handle.quickly, rows, $0)
            }
            environment.mark()
        } catch {
            state.withLock { $0.failure = error }
            throw error
        }
        let delay = state.withLock { state in
            state.bytesWritten += batch.size
            if !batch.givenUp.isEmpty { state.purge.add(batch.givenUp) }
            return state.throttle.delay(afterWriting: batch.size) { handle.unmergedTableCount }
        }
        // As long as a load has to wait for LevelDB to keep up.
        if delay > .zero { usleep(UInt32(delay / .microseconds(1))) }
    }

    /// How many bytes of keys and values were written since this was made.
    var bytesWritten: Int { state.withLock { $0.bytesWritten } }

    /// What the last write failed with, until the files were opened anew.
    package var failure: StoreError? { state.withLock { $0.failure } }

    /// Whether the last write failed.
    package var hasFailed: Bool { failure != nil }
}

// MARK: Letting go of the files

extension LevelDB {
    /// Makes sure that nobody reads.
    ///
    /// - Parameter time: How long to wait for those who do. Others have to be kept from beginning.
    /// - Throws: `busy`.
    func checkNobodyReads(waiting time: Duration) throws(StoreError) {
        let start = ContinuousClock.now
        while !state.withLock({ $0.isUnused }) {
            guard ContinuousClock.now - start < time else {
                throw StoreError(.busy, "a snapshot still holds the files", path: path)
            }
            usleep(200)
        }
    }

    /// Lets go of the files, which nobody may be reading, until ``resume()``.
    ///
    /// Takes back what a failed write left, as ``close()`` does.
    func suspend() {
        state.withLock { state in
            guard !state.isClosed, !state.isSuspended else { return }
            state.isSuspended = true
            state.handle = nil
            if state.failure != nil { _ = environment.rollBack() }
            state.failure = nil
        }
    }

    /// Opens the files again.
    ///
    /// - Throws: What opening throws; then it is still suspended.
    func resume() throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            guard state.isSuspended, !state.isClosed else { return }
            state.handle = try Handle(
                at: path, options: options, environment: environment, skippingDamage: false)
            state.isSuspended = false
            // Somebody else may have written.
            state.purge = Purge()
        }
    }
}

// MARK: After a write that failed

extension LevelDB {
    /// How long to wait for reads that are under way.
    static let longWait: Duration = .milliseconds(250)
    /// How long to wait if that was in vain before.
    static let shortWait: Duration = .milliseconds(20)

    /// Makes sure that nobody reads, if a write failed.
    ///
    /// - Parameter time: How long to wait for those who do. Others have to be kept from beginning.
    /// - Throws: `busy`.
    func checkIsUnused(waiting time: Duration) throws(StoreError) {
        let start = ContinuousClock.now
        while true {
            let failure = state.withLock { state -> StoreError? in
                guard let failure = state.failure, !state.isUnused else { return nil }
                return failure
            }
            guard let failure else { return }
            guard ContinuousClock.now - start < time else {
                throw isHeld(failure)
            }
            usleep(200)
        }
    }

    private func isHeld(_ failure: StoreError) -> StoreError {
        StoreError(
            .busy, "a write failed before, and a snapshot still holds the files", path: path,
            cause: failure)
    }

    /// Makes sure that ``reopen(isChecked:waiting:)`` will have the space it needs, if a write failed.
    ///
    /// Rather than be left with nothing, go on reading as long as nothing can be written.
    ///
    /// - Throws: What the disk says. The files are as before, and can be read.
    /// - Complexity: Writes as much as the logs have, and waits for the disk.
    package func checkCanReopen() throws(StoreError) {
        guard hasFailed, environment.isOnDisk else { return }
        try DatabaseFiles(path).checkTheyCanBeWritten()
    }

    /// Closes the files after a write that failed, takes back what it left, and opens them again.
    ///
    /// - Parameters:
    ///   - isChecked: Whether ``checkCanReopen()`` was called just before, where no reader had to
    ///     wait for it. By default, it is called here.
    ///   - time: How long to wait for those who read; by default not at all.
    /// - Throws: `busy` as long as somebody reads, or holds a snapshot; then the files are as before.
    ///   `closed`. Else what opening throws; then nothing can be read until it succeeds.
    package func reopen(
        isChecked: Bool = false, waiting time: Duration = .zero
    ) throws(StoreError) {
        if !isChecked { try checkCanReopen() }
        try checkIsUnused(waiting: time)
        try state.withLock { (state) throws(StoreError) in
            if state.isClosed { throw isClosed }
            guard let failure = state.failure else { return }
            guard state.isUnused else { throw isHeld(failure) }
            state.handle = nil
            let status = environment.rollBack()
            if status != 0 {
                throw status == EBUSY
                    ? StoreError(lockedAt: path)
                    : StoreError(errno: status, doing: "cut off a failed write", path: path)
            }
            state.handle = try Handle(
                at: path, options: options, environment: environment, skippingDamage: false)
            state.failure = nil
        }
    }
}

// MARK: Files

extension LevelDB {
    /// How many bytes on disk the keys of a range take, about; what is only in the log is not seen.
    func approximateSize(of range: KeyRange) throws(StoreError) -> Int {
        let handle = try handle()
        var size: UInt64 = 0
        range.lower.withCharacters { lower in
            range.upper.withCharacters { upper in
                var starts = Optional(lower.baseAddress!)
                var limits = Optional(upper.baseAddress!)
                var startSize = lower.count
                var limitSize = upper.count
                leveldb_approximate_sizes(
                    handle.pointer, 1, &starts, &startSize, &limits, &limitSize, &size)
            }
        }
        return Int(clamping: size)
    }

    /// Rewrites all tables, without what was deleted in them.
    ///
    /// - Complexity: Reads and writes all there is; seconds for a million messages.
    package func compact() throws(StoreError) {
        // LevelDB looks at the tables there are before it makes one of what is in memory.
        try flush()
        leveldb_compact_range(try handle().pointer, nil, 0, nil, 0)
    }

    /// Rewrites the tables of ranges, without what was deleted in them.
    ///
    /// - Complexity: Reads and writes what the tables hold that meet the ranges.
    func compact(_ ranges: [KeyRange]) throws(StoreError) {
        if ranges.isEmpty { return }
        try flush()
        for range in ranges {
            let handle = try handle()
            range.lower.withCharacters { lower in
                range.upper.withCharacters { upper in
                    leveldb_compact_range(
                        handle.pointer, lower.baseAddress, lower.count, upper.baseAddress,
                        upper.count)
                }
            }
        }
    }

    /// Makes a table of what is in memory, with what was deleted there meanwhile.
    func flush() throws(StoreError) {
        let handle = try handle()
        // No row is behind this, so nothing else is compacted.
        KeyRange.all.upper.withCharacters {
            leveldb_compact_range(
                handle.pointer, $0.baseAddress, $0.count, $0.baseAddress, $0.count)
        }
    }

    /// What LevelDB says of itself under a name such as `leveldb.stats`; `nil` if it has no such.
    package func property(_ name: String) throws(StoreError) -> String? {
        guard let text = leveldb_property_value(try handle().pointer, name) else { return nil }
        defer { leveldb_free(text) }
        return String(cString: text)
    }

    /// Removes a database that nobody has open, with all its files; one that is not there is removed.
    package static func destroy(
        at path: String, environment: Environment = .disk()
    ) throws(StoreError) {
        let configuration = Configuration(StoreOptions(), environment)
        try check(path) { leveldb_destroy_db(configuration.pointer, path, $0) }
    }

    /// Makes what can be read of a damaged database one that opens.
    ///
    /// Rows may be missing afterwards, and **rows that were deleted may be back**: LevelDB takes in
    /// every table that it finds. What is in a table has its checksum; in a log, maybe not. Takes no
    /// lock.
    package static func repair(
        at path: String, environment: Environment = .disk()
    ) throws(StoreError) {
        let configuration = Configuration(StoreOptions(), environment)
        // Else it takes blocks of tables without a look at their checksums, too.
        leveldb_options_set_paranoid_checks(configuration.pointer, 1)
        try check(path) { leveldb_repair_db(configuration.pointer, path, $0) }
    }
}

// MARK: Handles

extension LevelDB {
    /// An open database; closed when nobody holds it any more.
    final class Handle: Sendable {
        let path: String
        private let database: Pointer
        private let durable: Pointer
        private let quick: Pointer
        let verifiesChecksums: Bool
        private let configuration: Configuration

        init(
            at path: String, options: StoreOptions, environment: Environment, skippingDamage: Bool
        ) throws(StoreError) {
            if environment.isOnDisk { try DatabaseFiles(path).checkNoneIsMissing() }
            let configuration = Configuration(options, environment)
            leveldb_options_set_create_if_missing(configuration.pointer, 1)
            leveldb_options_set_paranoid_checks(configuration.pointer, skippingDamage ? 0 : 1)
            environment.refuseDamage(!skippingDamage)
            scrollback_options_set_reuse_logs(configuration.pointer, 1)
            database = Pointer(
                try LevelDB.check(path) { leveldb_open(configuration.pointer, path, $0) }!)
            self.path = path
            self.configuration = configuration
            verifiesChecksums = options.verifiesChecksums
            durable = Pointer(leveldb_writeoptions_create())
            quick = Pointer(leveldb_writeoptions_create())
            leveldb_writeoptions_set_sync(durable.raw, 1)
        }

        deinit {
            leveldb_close(pointer)
            leveldb_writeoptions_destroy(durably)
            leveldb_writeoptions_destroy(quickly)
        }

        var pointer: OpaquePointer { @inline(__always) get { database.raw } }
        var durably: OpaquePointer { durable.raw }
        var quickly: OpaquePointer { quick.raw }

        /// How many tables LevelDB has not merged with others yet.
        var unmergedTableCount: Int {
            let text = leveldb_property_value(pointer, "leveldb.num-files-at-level0")
            defer { leveldb_free(text) }
            return text.flatMap { Int(String(cString: $0)) } ?? 0
        }
    }

    /// LevelDB's options and what they point to, which has to outlive the database.
    private final class Configuration: Sendable {
        private let options: Pointer
        private let environment: Environment
        private let cache: Pointer
        private let filter: Pointer?

        var pointer: OpaquePointer { options.raw }

        init(_ options: StoreOptions, _ environment: Environment) {
            let options = options.clamped
            let pointer: OpaquePointer = leveldb_options_create()
            self.options = Pointer(pointer)
            self.environment = environment
            cache = Pointer(leveldb_cache_create_lru(options.blockCacheSize))
            let bits = Int32(options.bloomFilterBitsPerKey)
            filter = bits > 0 ? Pointer(leveldb_filterpolicy_create_bloom(bits)) : nil
            leveldb_options_set_env(pointer, scrollback_env_leveldb(environment.pointer))
            leveldb_options_set_cache(pointer, cache.raw)
            if let filter { leveldb_options_set_filter_policy(pointer, filter.raw) }
            leveldb_options_set_write_buffer_size(pointer, options.writeBufferSize)
            leveldb_options_set_max_open_files(pointer, Int32(options.maxOpenFiles))
            leveldb_options_set_compression(
                pointer,
                Int32(
                    options.isCompressed
                        ? leveldb_snappy_compression : leveldb_no_compression))
        }

        deinit {
            leveldb_options_destroy(pointer)
            leveldb_cache_destroy(cache.raw)
            if let filter { leveldb_filterpolicy_destroy(filter.raw) }
        }
    }
}

// MARK: Errors

extension LevelDB {
    /// Calls a function of LevelDB, and throws what it reports.
    @inline(__always)
    static func check<Result>(
        _ path: String,
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) throws(StoreError) -> Result {
        var report: UnsafeMutablePointer<CChar>?
        let result = body(&report)
        if let report {
            defer { leveldb_free(report) }
            throw StoreError(levelDB: String(cString: report), path: path)
        }
        return result
    }
}

extension StoreError {
    /// Tells apart what LevelDB reports, by the marks that our environment leaves in it.
    init(levelDB report: String, path: String) {
        let cause = LevelDBReport(report)
        if report.hasSuffix("[locked]") {
            self.init(lockedAt: path, cause: cause)
        } else if let mark = report.range(of: " [errno ", options: .backwards),
            let number = Int32(report[mark.upperBound...].dropLast())
        {
            if number == 0 {
                // No call of the system failed, so LevelDB's words are all there is.
                var text = report[..<mark.lowerBound]
                if text.hasPrefix("IO error: ") { text.removeFirst("IO error: ".count) }
                self.init(.io, "cannot read or write: \(text)", path: path, cause: cause)
            } else {
                self.init(errno: number, doing: "read or write", path: path, cause: cause)
            }
        } else if report.hasPrefix("Corruption") || report.hasPrefix("NotFound")
            || report.hasPrefix("Invalid argument")
        {
            // A file that should be there, or files of something else: damage too.
            self.init(.corruption, "the files are damaged", path: path, cause: cause)
        } else {
            self.init(.io, "LevelDB failed", path: path, cause: cause)
        }
    }

    init(lockedAt path: String, cause: (any Error)? = nil) {
        self.init(.locked, "another process or store has it open", path: path, cause: cause)
    }

    /// LevelDB's own words.
    private struct LevelDBReport: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}

// MARK: Pointers

extension UnsafeRawBufferPointer {
    /// The bytes as C's functions take them.
    @inline(__always)
    var characters: UnsafePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }
}

extension KeyBytes {
    @inline(__always)
    func withCharacters<Result>(_ body: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
        withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self)) }
    }
}
