import CLevelDB
import CLevelDBEnvironment
import Foundation

extension LevelDB {
    /// Where a database keeps its files, and what is done around each of them.
    ///
    /// Logs are synced before another one is begun, files belong to their owner alone, and errors
    /// say what kind they are; CLevelDBEnvironment.h has the whole of it. Serves one database.
    package final class Environment: Sendable {
        private let environment: Pointer
        let isOnDisk: Bool
        /// What lies below, if the caller brought it; its owner has to outlive this.
        private let base: (pointer: Pointer, owner: any Sendable)?
        /// Who seals the files; has to outlive this.
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

        deinit { scrollback_env_destroy(pointer) }

        var pointer: OpaquePointer { @inline(__always) get { environment.raw } }

        /// Files on the disk.
        package static func disk() -> Environment {
            Environment(scrollback_env_create_disk(), isOnDisk: true)
        }

        /// Files in memory, which leave nothing behind.
        package static func memory() -> Environment {
            Environment(scrollback_env_create_memory(), isOnDisk: false)
        }

        /// Files of another environment, such as one that injects faults.
        ///
        /// - Parameters:
        ///   - base: A `leveldb_env_t`.
        ///   - owner: Is kept as long as this environment.
        /// - Returns: An environment whose files are on the disk, as those of the other are.
        package static func around(_ base: OpaquePointer, owner: any Sendable) -> Environment {
            Environment(
                scrollback_env_create_around(base), isOnDisk: true, base: (Pointer(base), owner))
        }

        /// An environment over what this one is over, whose files are sealed; in memory, this one.
        ///
        /// - Parameters:
        ///   - keys: What seals them.
        ///   - database: Which database's they are: one's files cannot stand for another's.
        /// - Returns: The environment, which serves one database as this one does.
        func sealed(by keys: DataKeys, as database: String) -> Environment {
            guard isOnDisk else { return self }
            return Environment(base: base, cipher: FileCipher(keys), as: database)
        }

        /// Files on the disk, sealed if there are keys.
        static func disk(_ keys: DataKeys?, as database: String) -> Environment {
            keys.map { disk().sealed(by: $0, as: database) } ?? disk()
        }

        /// Whether what is in the files is sealed.
        var isSealed: Bool { cipher != nil }
    }
}

extension LevelDB.Environment {
    /// What LevelDB found in the logs that it replayed when it opened, since the last call.
    func takeLogReport() -> scrollback_log_report { scrollback_env_take_log_report(pointer) }

    /// Whether an opening fails, and changes nothing, if its logs are damaged.
    func refuseDamage(_ refuses: Bool) { scrollback_env_refuse_damage(pointer, refuses) }

    /// Calls a closure while nobody can open the database in a directory; if there is no directory,
    /// nobody can open it either.
    ///
    /// - Throws: `locked` if somebody has it open; then the closure was not called.
    func withLock(
        of path: String, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        var error: Int32 = 0
        let lock = scrollback_env_lock(pointer, path, &error)
        defer { if let lock { scrollback_env_unlock(pointer, lock) } }
        if lock == nil && error == EBUSY { throw StoreError(lockedAt: path) }
        guard lock != nil || error == ENOENT else {
            throw StoreError(errno: error, doing: "lock", path: path)
        }
        try body()
    }

    /// Seals a file anew under the key of new files, if it is not; the database has to be closed.
    func reseal(_ path: String) throws(StoreError) {
        let error = scrollback_env_reseal(pointer, path)
        if error != 0 { throw StoreError(errno: error, doing: "seal the file anew", path: path) }
    }

    /// Returns the bytes of a log, decrypted if files are encrypted; the database has to be closed.
    ///
    /// Bytes that cannot be decrypted are 0xFF.
    func contents(of path: String) throws(StoreError) -> [UInt8] {
        guard isSealed else {
            do {
                return [UInt8](try Data(contentsOf: URL(filePath: path)))
            } catch {
                throw StoreError(system: error, doing: "read the log", path: path)
            }
        }
        var contents: [UInt8] = []
        // Not `&contents`, which would lend the elements and not the array.
        let error = withUnsafeMutablePointer(to: &contents) { contents in
            scrollback_env_read(pointer, path, contents) { context, bytes, count in
                context.assumingMemoryBound(to: [UInt8].self).pointee = Array(
                    UnsafeBufferPointer(start: bytes, count: count))
            }
        }
        if error != 0 { throw StoreError(errno: error, doing: "read the log", path: path) }
        return contents
    }

    /// Replaces the bytes of a log in one step, encrypted if files are; the database has to be closed.
    func replaceContents(of path: String, by bytes: [UInt8]) throws(StoreError) {
        guard isSealed else { return try OpenFile.replace(path, by: bytes) }
        let error = scrollback_env_replace(pointer, path, bytes, bytes.count)
        if error != 0 { throw StoreError(errno: error, doing: "replace the log", path: path) }
    }

    /// Has a table made of what the logs hold, if they hold so many bytes.
    ///
    /// Returns whether they hold less now.
    func flush(_ database: OpaquePointer, least size: Int, waiting time: Duration) -> Bool {
        scrollback_env_flush(pointer, database, UInt64(size), Int64(time / .milliseconds(1)))
    }

    /// Notes that all that was written so far is there to stay.
    @inline(__always)
    func mark() { scrollback_env_mark(pointer) }

    /// Cuts off what was written to logs since ``mark()``; the database has to be closed.
    ///
    /// Returns what the system says if it cannot.
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
