import Foundation

/// The files of a store: two databases, and a file with their schema version.
struct StoreFiles {
    let directory: URL
    /// Whether keys that accept unencrypted files may be used, as during a re-encryption.
    var allowsPlainFiles = true

    /// On-disk format, do not change: the keys of encrypted files are derived from these names, and
    /// those of a later cache from the name of its directory.
    static let cacheName = "cache"
    static let outboxName = "outbox"

    /// If the directory cannot be listed, opening fails before this path is used.
    var cache: String {
        (try? caches.currentPath()) ?? directory.appending(path: StoreFiles.cacheName).path
    }
    /// The name in the keys of the cache's files: that of its directory, so that the files of a
    /// replaced cache cannot take their place.
    var cacheDatabase: String { URL(filePath: cache).lastPathComponent }
    var outbox: String { directory.appending(path: StoreFiles.outboxName).path }
    var version: String { directory.appending(path: "VERSION").path }

    var exist: Bool { access(cache, F_OK) == 0 || access(outbox, F_OK) == 0 }

    /// Marks that a damaged part of the outbox's log was skipped, so that index rows may be
    /// missing.
    var outboxDistrust: Mark { Mark(path: directory.appending(path: "DISTRUST-OUTBOX").path) }

    /// Checks that no newer code wrote the directory, creates it if necessary, and returns the keys
    /// of its files; `nil` if they are not encrypted.
    ///
    /// LevelDB changes any database that it opens, but files of newer code must stay unchanged.
    /// Therefore, a separate file has the version. If it is missing, the databases' versions are
    /// checked after opening.
    func prepare(
        for schema: StoreSchema, _ key: EncryptionKey?
    ) throws(StoreError) -> DataKeys? {
        try checkVersion(for: schema)
        _ = try caches.currentNumber()
        let keys = try unlock(key, isCreating: true)
        try finishSalvage()
        try makeDirectory()
        return keys
    }

    /// Throws `newerSchema` if newer code wrote the directory, or `io` for a link in place of a
    /// directory.
    func checkVersion(for schema: StoreSchema) throws(StoreError) {
        try checkHasNoLinks()
        try schema.check(try storedVersion(), at: version)
    }

    /// Writes the version file, so that older code refuses to open the files.
    ///
    /// Call this method before a migration, so that older code never opens partly migrated files,
    /// and with open databases.
    func setVersion(_ number: Int) throws(StoreError) {
        // This also syncs the names of the databases before the first outbox item is written.
        try DiskFile.replace(version, by: Array("\(number)\n".utf8))
    }

    func storedVersion() throws(StoreError) -> Int? {
        guard let file = try DiskFile(reading: version) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = try file.read(into: &bytes)
        // A disk may leave an empty or zeroed file: use the versions in the databases.
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        // The first call of `trimmingCharacters` takes a quarter of the time of opening a store.
        let words = String(decoding: bytes.prefix(count), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        guard count < bytes.count, words.count == 1, let number = Int(words[0]), number > 0 else {
            throw StoreError(
                .corruption,
                "the file has no schema version; remove it to use the versions in the databases",
                path: version)
        }
        return number
    }

    func makeDirectory() throws(StoreError) {
        // Existing directories keep their permissions.
        for path in [directory.path, cache, outbox] { try DiskFile.createDirectory(path) }
    }
}

// MARK: Locks

extension StoreFiles {
    /// Creates the directories of the locks, which would be in the way of a rebuilt outbox.
    func prepareLocks() throws(StoreError) {
        try finishSalvage()
        for path in [outbox, cache] { try DiskFile.createDirectory(path) }
    }

    /// Calls a closure while no process has the store open.
    func withLocks(
        in environment: LevelDB.Environment = .disk(), _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try environment.withLock(of: outbox) { () throws(StoreError) in
            try environment.withLock(of: cache, body)
        }
    }
}

// MARK: Links

extension StoreFiles {
    fileprivate func checkHasNoLinks() throws(StoreError) {
        for path in [cache, outbox, files, salvaged] + (try outboxCopies()) {
            try StoreFiles.checkIsNoLink(path)
        }
    }

    /// Throws `io` for a link, through which the store would change other files.
    static func checkIsNoLink(_ path: String) throws(StoreError) {
        guard isLink(path) else { return }
        throw StoreError(.io, "a link is in place of the directory: remove it", path: path)
    }

    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}

// MARK: Copies of the outbox

extension StoreFiles {
    func keepDamagedOutbox() throws(StoreError) {
        let copy = try nextOutboxCopy()
        let unfinished = copy + DiskFile.unfinished
        try DiskFile.removeAll(at: unfinished)
        try DatabaseFiles(outbox).copy(to: unfinished)
        try DiskFile.move(unfinished, to: copy)
        try outboxDistrust.set()
    }

    /// Returns the paths, oldest first.
    func outboxCopies() throws(StoreError) -> [String] {
        try numbersOfOutboxCopies().sorted().map(outboxCopy).filter { path in
            var status = stat()
            let isThere = lstat(path, &status) == 0
            return isThere && [S_IFDIR, S_IFLNK].contains(status.st_mode & S_IFMT)
        }
    }

    /// Returns the path with the next number, or the smallest free one if the greatest number is
    /// taken.
    func nextOutboxCopy() throws(StoreError) -> String {
        let numbers = try numbersOfOutboxCopies()
        var next = (numbers.max() ?? 0) + 1
        if next == Int.max {
            next = 1
            while numbers.contains(next) { next += 1 }
        }
        return outboxCopy(next)
    }

    static let copyPrefix = "outbox-damaged-"

    private func outboxCopy(_ number: Int) -> String {
        directory.appending(path: "\(StoreFiles.copyPrefix)\(number)").path
    }

    private func numbersOfOutboxCopies() throws(StoreError) -> [Int] {
        try DiskFile.numbers(
            after: StoreFiles.copyPrefix, in: 1...Int.max - 1, at: directory.path)
    }
}

// MARK: Marks

/// An empty file whose existence means that a repair is pending.
struct Mark {
    let path: String

    func exists() throws(StoreError) -> Bool { try DiskFile(reading: path) != nil }

    func set() throws(StoreError) { try DiskFile.replace(path, by: []) }

    func remove() throws(StoreError) { try DiskFile.remove(path) }
}
