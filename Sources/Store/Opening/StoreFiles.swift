import Foundation

/// The files of a store: two databases, and the version file that keeps older code from opening
/// them.
struct StoreFiles {
    let directory: URL

    /// DO NOT CHANGE: the keys of encrypted files depend on these names.
    static let cacheName = "cache"
    static let outboxName = "outbox"

    var cache: String { directory.appending(path: StoreFiles.cacheName).path }
    var outbox: String { directory.appending(path: StoreFiles.outboxName).path }
    var version: String { directory.appending(path: "VERSION").path }

    /// A Boolean value that indicates whether the directory contains a database.
    var exist: Bool { access(cache, F_OK) == 0 || access(outbox, F_OK) == 0 }

    /// The mark that a damaged log of the cache was skipped, and that rows which claim completeness
    /// may still exist.
    var distrust: Mark { Mark(path: directory.appending(path: "DISTRUST").path) }

    /// The mark that a damaged log of the outbox was skipped, and that items may exist without
    /// their index.
    var outboxDistrust: Mark { Mark(path: directory.appending(path: "DISTRUST-OUTBOX").path) }

    /// Checks that no newer code has written the directory, and creates it.
    ///
    /// The version has its own file, because LevelDB writes to any database that it opens: newer
    /// files must remain unchanged. If the file is missing, the rows decide.
    ///
    /// - Returns: The keys of the files; `nil` if they are not encrypted.
    func prepare(
        for schema: StoreSchema, _ key: EncryptionKey?
    ) throws(StoreError) -> DataKeys? {
        try checkVersion(for: schema)
        let keys = try unlock(key, isCreating: true)
        try finishSalvage()
        try makeDirectory()
        return keys
    }

    /// Checks that no newer code has written the directory.
    func checkVersion(for schema: StoreSchema) throws(StoreError) {
        try schema.check(try storedVersion(), at: version)
    }

    /// Stores the version, which keeps older code from opening the files.
    ///
    /// Must be called before a migration, so that older code never finds a partial one, and while
    /// the databases are open, so that no other process has them open.
    func setVersion(_ number: Int) throws(StoreError) {
        if try storedVersion() == number { return }
        // This also makes the names of both databases durable, before any outbox item is.
        try DiskFile.replace(version, by: Array("\(number)\n".utf8))
    }

    private func storedVersion() throws(StoreError) -> Int? {
        guard let file = try DiskFile(reading: version) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = try file.read(into: &bytes)
        // `trimmingCharacters` is avoided: its first call in a process takes a quarter of the time of
        // opening a store.
        let words = String(decoding: bytes.prefix(count), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        guard count < bytes.count, words.count == 1, let number = Int(words[0]), number > 0 else {
            throw StoreError(
                .corruption,
                "the file has no version; remove it to use the versions in the databases",
                path: version)
        }
        return number
    }

    func makeDirectory() throws(StoreError) {
        // The owner of an existing directory has set its permissions.
        for path in [directory.path, cache, outbox] { try DiskFile.createDirectory(path) }
    }
}

// MARK: Copies of the outbox

extension StoreFiles {
    /// Copies the files of a damaged outbox, and marks it as damaged.
    ///
    /// Both are on disk when the call returns.
    func keepDamagedOutbox() throws(StoreError) {
        let copy = try nextOutboxCopy()
        let unfinished = copy + DiskFile.unfinished
        try DiskFile.removeAll(at: unfinished)
        try DatabaseFiles(outbox).copy(to: unfinished)
        try DiskFile.move(unfinished, to: copy)
        try outboxDistrust.set()
    }

    /// Returns the copies of damaged outboxes, oldest first.
    func outboxCopies() throws(StoreError) -> [String] {
        try numbersOfOutboxCopies().sorted().map(outboxCopy)
    }

    /// Returns the path of the next copy: its number is higher than all others, even if some were
    /// removed.
    func nextOutboxCopy() throws(StoreError) -> String {
        outboxCopy((try numbersOfOutboxCopies().max() ?? 0) + 1)
    }

    static let copyPrefix = "outbox-damaged-"

    private func outboxCopy(_ number: Int) -> String {
        directory.appending(path: "\(StoreFiles.copyPrefix)\(number)").path
    }

    private func numbersOfOutboxCopies() throws(StoreError) -> [Int] {
        try DiskFile.names(in: directory.path).compactMap { name in
            guard name.hasPrefix(StoreFiles.copyPrefix) else { return nil }
            let digits = name.dropFirst(StoreFiles.copyPrefix.count)
            guard let number = Int(digits), (1..<Int.max).contains(number),
                String(number) == digits
            else { return nil }
            return number
        }
    }
}

// MARK: Marks

/// An empty file that marks pending work which cannot be derived from other files.
struct Mark {
    let path: String

    func exists() throws(StoreError) -> Bool { try DiskFile(reading: path) != nil }

    /// Creates the mark durably.
    func set() throws(StoreError) { try DiskFile.replace(path, by: []) }

    func remove() throws(StoreError) { try DiskFile.remove(path) }
}
