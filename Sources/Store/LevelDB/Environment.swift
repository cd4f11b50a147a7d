import CScrollbackLevelDB
import Foundation

extension LevelDB {
    /// The file system of a database.
    ///
    /// It differs from LevelDB's default environment in three ways. It syncs a log to disk before
    /// it creates the next log. Only the owner can access the files. Error texts contain the kind
    /// of error. See CLevelDBEnvironment.h. Each database needs an environment of its own.
    package final class Environment: Sendable {
        private let environment: Pointer
        let isOnDisk: Bool
        /// The environment to which this environment forwards, with its owner; `nil` if the caller
        /// provided none.
        ///
        /// The owner is retained, because the other environment must outlive this object.
        private let base: (pointer: Pointer, owner: any Sendable)?
        /// The cipher of the files.
        ///
        /// It must exist as long as the environment.
        private let cipher: FileCipher?
        /// The name of the database from which the keys of encrypted files are derived.
        private let database: String

        private init(
            _ pointer: OpaquePointer, isOnDisk: Bool,
            base: (pointer: Pointer, owner: any Sendable)? = nil, cipher: FileCipher? = nil,
            database: String = ""
        ) {
            environment = Pointer(pointer)
            self.isOnDisk = isOnDisk
            self.base = base
            self.cipher = cipher
            self.database = database
        }

        private convenience init(
            base: (pointer: Pointer, owner: any Sendable)?, cipher: FileCipher, as database: String
        ) {
            let pointer = withUnsafePointer(to: cipher.functions) {
                scrollback_env_create_sealed(base?.pointer.raw, $0, database)
            }
            self.init(
                pointer, isOnDisk: true, base: base, cipher: cipher, database: database)
        }

        /// Returns an environment of the same file system, for a database in another directory.
        func another() -> Environment {
            guard isOnDisk else { return .memory() }
            if let cipher { return Environment(base: base, cipher: cipher, as: database) }
            return Environment(
                scrollback_env_create_disk(base?.pointer.raw), isOnDisk: true, base: base)
        }

        deinit { scrollback_env_destroy(pointer) }

        var pointer: OpaquePointer { @inline(__always) get { environment.raw } }

        /// Returns an environment with files on disk.
        package static func disk() -> Environment {
            Environment(scrollback_env_create_disk(nil), isOnDisk: true)
        }

        /// Returns an environment with files in memory.
        package static func memory() -> Environment {
            Environment(scrollback_env_create_memory(), isOnDisk: false)
        }

        /// Returns an environment that forwards to another file system, which may, for example,
        /// inject faults.
        ///
        /// - Parameters:
        ///   - base: A `scrollback_base_env`.
        ///   - owner: An object that is retained as long as this environment.
        /// - Returns: An environment whose files are on disk.
        package static func around(_ base: OpaquePointer, owner: any Sendable) -> Environment {
            Environment(
                scrollback_env_create_disk(base), isOnDisk: true, base: (Pointer(base), owner))
        }

        /// Returns an environment that encrypts the files of this environment; an environment in
        /// memory returns itself.
        ///
        /// The keys of the files are derived from `keys` and from the name of the database, so that
        /// an attacker cannot exchange files between databases unnoticed.
        func sealed(by keys: DataKeys, as database: String) -> Environment {
            guard isOnDisk else { return self }
            return Environment(base: base, cipher: FileCipher(keys), as: database)
        }

        /// Returns an environment with files on disk, encrypted if `keys` is not `nil`.
        static func disk(_ keys: DataKeys?, as database: String) -> Environment {
            keys.map { disk().sealed(by: $0, as: database) } ?? disk()
        }

        /// A Boolean value that indicates whether the content of the files is encrypted.
        var isSealed: Bool { cipher != nil }
    }
}

extension LevelDB.Environment {
    /// Returns and clears the report of the logs that LevelDB replayed when it opened.
    func takeLogReport() -> scrollback_log_report { scrollback_env_take_log_report(pointer) }

    /// Calls a closure while holding the lock of a database, so that no process can open the
    /// database.
    ///
    /// The directory need not exist.
    ///
    /// - Throws: `locked` if the database is open, or `io` if a link is in place of its directory;
    ///   in both cases, the closure was not called.
    func withLock(
        of path: String, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try StoreFiles.checkIsNoLink(path)
        var error: Int32 = 0
        let lock = scrollback_env_lock(pointer, path, &error)
        defer { if let lock { scrollback_env_unlock(pointer, lock) } }
        if lock == nil && error == EBUSY { throw StoreError(lockedAt: path) }
        guard lock != nil || error == ENOENT else {
            throw StoreError(errno: error, doing: "lock the database", path: path)
        }
        try body()
    }

    /// Re-encrypts a file with the key of new files, unless the file already has that key.
    ///
    /// The database must be closed.
    func reseal(_ path: String) throws(StoreError) {
        let error = scrollback_env_reseal(pointer, path)
        if error != 0 {
            throw StoreError(errno: error, doing: "re-encrypt the file", path: path)
        }
    }

    /// Returns the decrypted bytes of a log.
    ///
    /// Bytes that cannot be decrypted are 0xFF. The database must be closed.
    func contents(of path: String) throws(StoreError) -> [UInt8] {
        guard isSealed else {
            do {
                return [UInt8](try Data(contentsOf: URL(filePath: path)))
            } catch {
                throw StoreError(system: error, doing: "read the log", path: path)
            }
        }
        var contents: [UInt8] = []
        // `&contents` would pass a pointer to the array's elements instead of the array.
        let error = withUnsafeMutablePointer(to: &contents) { contents in
            scrollback_env_read(pointer, path, contents) { context, bytes, count in
                context.assumingMemoryBound(to: [UInt8].self).pointee = Array(
                    UnsafeBufferPointer(start: bytes, count: count))
            }
        }
        if error != 0 { throw StoreError(errno: error, doing: "read the log", path: path) }
        return contents
    }

    /// Replaces the bytes of a log atomically; the environment encrypts them if it has keys.
    ///
    /// The database must be closed.
    func replaceContents(of path: String, by bytes: [UInt8]) throws(StoreError) {
        guard isSealed else { return try DiskFile.replace(path, by: bytes) }
        let error = scrollback_env_replace(pointer, path, bytes, bytes.count)
        if error != 0 { throw StoreError(errno: error, doing: "replace the log", path: path) }
    }

    /// Writes the content of the logs to a table if the logs have at least `size` bytes.
    ///
    /// Returns a Boolean value that indicates whether the logs then have fewer bytes.
    func flush(_ database: OpaquePointer, least size: Int, waiting time: Duration) -> Bool {
        scrollback_env_flush(pointer, database, UInt64(size), Int64(time / .milliseconds(1)))
    }

    /// Marks all writes so far as committed: ``rollBack()`` does not remove them.
    @inline(__always)
    func mark() { scrollback_env_mark(pointer) }

    /// Removes the bytes that were written to logs since the last ``mark()``; the database must be
    /// closed.
    ///
    /// Returns 0, or an error number of the system.
    func rollBack() -> Int32 { scrollback_env_roll_back(pointer) }
}

extension LogReport {
    init(_ report: scrollback_log_report) {
        logs = Int(report.logs)
        batches = Int(report.batches)
        breaks = Int(report.breaks)
        damagedRecords = Int(report.damaged)
        hasTornTail = report.torn_tail
        let name = withUnsafeBytes(of: report.first_damaged) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        firstDamagedFile = name.isEmpty ? nil : name
    }
}
