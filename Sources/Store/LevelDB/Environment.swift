import CScrollbackLevelDB
import Foundation

extension LevelDB {
    /// The file system of one database; see CLevelDBEnvironment.h.
    package final class Environment: Sendable {
        private let environment: Pointer
        let isOnDisk: Bool
        /// The environment to which this one forwards, with its owner, to keep it alive.
        private let base: (pointer: Pointer, owner: any Sendable)?
        /// The cipher must exist as long as the environment.
        private let cipher: FileCipher?

        private init(
            _ pointer: OpaquePointer, isOnDisk: Bool,
            base: (pointer: Pointer, owner: any Sendable)? = nil, cipher: FileCipher? = nil
        ) {
            environment = Pointer(pointer)
            self.isOnDisk = isOnDisk
            self.base = base
            self.cipher = cipher
        }

        private convenience init(
            base: (pointer: Pointer, owner: any Sendable)?, cipher: FileCipher, as database: String
        ) {
            let pointer = withUnsafePointer(to: cipher.functions) {
                scrollback_env_create_sealed(base?.pointer.raw, $0, database)
            }
            self.init(pointer, isOnDisk: true, base: base, cipher: cipher)
        }

        /// Returns an environment for another database, whose name is that of its directory.
        func another(at path: String) -> Environment {
            guard isOnDisk else { return .memory() }
            if let cipher {
                let name = URL(filePath: path).lastPathComponent
                return Environment(base: base, cipher: cipher, as: name)
            }
            return Environment(
                scrollback_env_create_disk(base?.pointer.raw), isOnDisk: true, base: base)
        }

        deinit { scrollback_env_destroy(pointer) }

        var pointer: OpaquePointer { @inline(__always) get { environment.raw } }

        package static func disk() -> Environment {
            Environment(scrollback_env_create_disk(nil), isOnDisk: true)
        }

        package static func memory() -> Environment {
            Environment(scrollback_env_create_memory(), isOnDisk: false)
        }

        /// Returns an environment that forwards to a `scrollback_base_env`, which may inject
        /// faults.
        package static func around(_ base: OpaquePointer, owner: any Sendable) -> Environment {
            Environment(
                scrollback_env_create_disk(base), isOnDisk: true, base: (Pointer(base), owner))
        }

        /// Returns an environment that encrypts the files, unless they are in memory.
        ///
        /// The name of the database is part of the keys, so that files cannot be exchanged between
        /// databases unnoticed.
        func sealed(by keys: DataKeys, as database: String) -> Environment {
            guard isOnDisk else { return self }
            return Environment(base: base, cipher: FileCipher(keys), as: database)
        }

        static func disk(_ keys: DataKeys?, as database: String) -> Environment {
            keys.map { disk().sealed(by: $0, as: database) } ?? disk()
        }

        var isSealed: Bool { cipher != nil }
    }
}

extension LevelDB.Environment {
    /// Returns and clears the report of the replayed logs.
    func takeLogReport() -> scrollback_log_report { scrollback_env_take_log_report(pointer) }

    /// Calls a closure while holding the lock of a database, which need not exist.
    ///
    /// Throws `locked` if the database is open, or `io` for a link.
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

    /// Re-encrypts a file of a closed database with the key of new files.
    func reseal(_ path: String) throws(StoreError) {
        let error = scrollback_env_reseal(pointer, path)
        if error != 0 {
            throw StoreError(errno: error, doing: "re-encrypt the file", path: path)
        }
    }

    /// Returns the decrypted bytes of a log of a closed database, or 0xFF for those that cannot be
    /// decrypted.
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

    /// Atomically replaces a log of a closed database, encrypted if needed.
    func replaceContents(of path: String, by bytes: [UInt8]) throws(StoreError) {
        guard isSealed else { return try DiskFile.replace(path, by: bytes) }
        let error = scrollback_env_replace(pointer, path, bytes, bytes.count)
        if error != 0 { throw StoreError(errno: error, doing: "replace the log", path: path) }
    }

    /// Writes logs of at least `size` bytes to a table; returns whether they then have fewer.
    func flush(_ database: OpaquePointer, least size: Int, waiting time: Duration) -> Bool {
        scrollback_env_flush(pointer, database, UInt64(size), Int64(time / .milliseconds(1)))
    }

    /// Marks all writes so far as committed, for ``rollBack()``.
    @inline(__always)
    func mark() { scrollback_env_mark(pointer) }

    /// Removes what was written to the logs of a closed database since ``mark()``; returns 0 or an
    /// `errno`.
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
