import Foundation

/// The files of a store: two databases, and the version that tells an older code to keep off.
struct StoreFiles {
    let directory: URL

    /// DO NOT CHANGE: the keys of encrypted files depend on them.
    static let cacheName = "cache"
    static let outboxName = "outbox"

    var cache: String { directory.appending(path: StoreFiles.cacheName).path }
    var outbox: String { directory.appending(path: StoreFiles.outboxName).path }
    var version: String { directory.appending(path: "VERSION").path }

    /// A damaged log of the cache was taken in, and what the cache promises may be there still.
    var distrust: Mark { Mark(path: directory.appending(path: "DISTRUST").path) }

    /// A damaged log of the outbox was taken in, and drafts may be there without what leads to them.
    var outboxDistrust: Mark { Mark(path: directory.appending(path: "DISTRUST-OUTBOX").path) }

    /// Makes sure that no newer code has written the directory, and creates it.
    ///
    /// The version stands in a file of its own, since LevelDB writes to whatever it opens: what is
    /// newer is left as it is. A file that says no version is as good as none; the rows decide then.
    ///
    /// - Returns: What the files are sealed by, if they are.
    func prepare(
        for schema: StoreSchema, _ key: EncryptionKey?
    ) throws(StoreError) -> DataKeys? {
        try checkVersion(for: schema)
        let keys = try unlock(key, isCreating: true)
        try finishSalvage()
        try makeDirectory()
        return keys
    }

    /// Makes sure that no newer code has written the directory.
    func checkVersion(for schema: StoreSchema) throws(StoreError) {
        try schema.check(try storedVersion(), at: version)
    }

    /// Tells an older code to keep off; before a migration begins, so that it never meets one half
    /// done, and with the databases open, so that nobody else has them.
    func setVersion(_ number: Int) throws(StoreError) {
        if try storedVersion() == number { return }
        // With it the directory's names of both databases are on the disk, before any draft is.
        try OpenFile.replace(version, by: Array("\(number)\n".utf8))
    }

    private func storedVersion() throws(StoreError) -> Int? {
        guard let file = try OpenFile(reading: version) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = try file.read(into: &bytes)
        // What is longer is no number.
        guard count < bytes.count else { return nil }
        // Foundation's way to trim a text takes a quarter of an opening, the first time in a process.
        let words = String(decoding: bytes.prefix(count), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        return words.count == 1 ? Int(words[0]) : nil
    }

    func makeDirectory() throws(StoreError) {
        // Whoever made one of them before has decided who may enter it.
        for path in [directory.path, cache, outbox] { try OpenFile.createDirectory(path) }
    }
}

// MARK: Copies of the outbox

extension StoreFiles {
    /// Keeps the files of a damaged outbox as they are, and notes that they were damaged.
    ///
    /// When it returns, both are on the disk.
    func keepDamagedOutbox() throws(StoreError) {
        let copy = try nextOutboxCopy()
        let unfinished = copy + OpenFile.unfinished
        try OpenFile.removeAll(at: unfinished)
        try DatabaseFiles(outbox).copy(to: unfinished)
        try OpenFile.move(unfinished, to: copy)
        try outboxDistrust.set()
    }

    /// The copies of damaged outboxes, oldest first.
    func outboxCopies() throws(StoreError) -> [String] {
        try numbersOfOutboxCopies().sorted().map(outboxCopy)
    }

    /// Where the next copy goes: behind all that are there, also where some were removed.
    func nextOutboxCopy() throws(StoreError) -> String {
        outboxCopy((try numbersOfOutboxCopies().max() ?? 0) + 1)
    }

    static let copyPrefix = "outbox-damaged-"

    private func outboxCopy(_ number: Int) -> String {
        directory.appending(path: "\(StoreFiles.copyPrefix)\(number)").path
    }

    private func numbersOfOutboxCopies() throws(StoreError) -> [Int] {
        try OpenFile.names(in: directory.path).compactMap { name in
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

/// An empty file that says what is still to be done, since the disk does not show it later.
struct Mark {
    let path: String

    func exists() throws(StoreError) -> Bool { try OpenFile(reading: path) != nil }

    /// When it returns, the mark is on the disk.
    func set() throws(StoreError) { try OpenFile.replace(path, by: []) }

    func remove() throws(StoreError) { try OpenFile.remove(path) }
}
