import Foundation
import Models

/// The names and the contents of a push inbox's files.
///
/// On-disk format, do not change: Docs/Format.md, "Push inbox", has the grammar.
struct PushInboxFiles: Sendable {
    private let store: StoreFiles

    init(in directory: URL) { store = StoreFiles(directory: directory) }

    var path: String { store.directory.appending(path: "drops").path }

    private var removed: String { path + ".removed" }

    /// Throws `io` if a link is in place of the inbox.
    func exists() throws(StoreError) -> Bool {
        try StoreFiles.checkIsNoLink(path)
        if access(path, F_OK) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else {
            throw StoreError(
                errno: errno, doing: "read the attributes of the push inbox", path: path)
        }
        return false
    }

    /// Returns the keys for new files; `nil` if they are not encrypted.
    func keys(_ key: EncryptionKey?) throws(StoreError) -> DataKeys? {
        let keys = try store.unlock(key, isCreating: false)
        // Without a store, `unlock` accepts any key, and the files would not be encrypted.
        if keys == nil, key != nil {
            throw StoreError(
                .wrongKey, "the store is not encrypted: open it without a key",
                path: store.directory.path)
        }
        if keys?.generation == DataKeys.plain {
            throw StoreError(
                .wrongKey, "the store is being decrypted: finish ChatStore.reencrypt(at:from:to:)",
                path: store.directory.path)
        }
        return keys
    }

    /// A process holds the lock while it syncs a file twice, and may be suspended meanwhile.
    static let longestWait = Duration.seconds(2)

    /// Excludes other writers; throws `closed` if the inbox was removed, or `locked` after `limit`.
    func alone<Result>(
        waiting limit: Duration = longestWait, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try StoreFiles.checkIsNoLink(path)
        do throws(StoreError) {
            if let status = try status(of: PushInboxFiles.lock), !status.isFile {
                try moveAside(PushInboxFiles.lock)
            }
            return try DiskFile.alone(path(of: PushInboxFiles.lock), waiting: limit, body)
        } catch {
            guard try exists() else {
                throw StoreError(
                    .closed, "the push inbox was removed: no user is logged in", path: path)
            }
            throw error
        }
    }
}

// MARK: Names

extension PushInboxFiles {
    private static let suffix = ".drop"
    private static let lock = "lock"

    private static func name(_ number: UInt64, _ random: UInt64) -> String {
        let digits = [number, random].map { withUnsafeBytes(of: $0.bigEndian) { $0.hexadecimal } }
        return digits.joined(separator: "-") + suffix
    }

    private static let nameSize = name(0, 0).utf8.count

    private static func number(of name: String) -> UInt64? {
        guard name.utf8.count == nameSize, name.hasSuffix(suffix) else { return nil }
        return UInt64(String(decoding: name.utf8.prefix(16), as: UTF8.self), radix: 16)
    }

    func names() throws(StoreError) -> [String] {
        try StoreFiles.checkIsNoLink(path)
        return try DiskFile.names(in: path).filter { PushInboxFiles.number(of: $0) != nil }.sorted()
    }

    /// Returns the files to read, oldest first, up to the limits, which a process may have ignored.
    func namesToRead() throws(StoreError) -> [String] {
        var size = 0
        var chosen: [String] = []
        for name in try names().prefix(PushInbox.maximumCount) {
            if let status = try status(of: name), status.isFile { size += status.size }
            guard size <= PushInbox.maximumByteCount || chosen.isEmpty else { break }
            chosen.append(name)
        }
        return chosen
    }

    private func path(of name: String) -> String { path + "/" + name }

    private func status(of name: String) throws(StoreError) -> (isFile: Bool, size: Int)? {
        var status = stat()
        guard lstat(path(of: name), &status) != 0 else {
            // Sums of the sizes of sparse files would overflow.
            let size = min(Int(status.st_size), PushInbox.maximumByteCount + 1)
            return (status.st_mode & S_IFMT == S_IFREG, size)
        }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw StoreError(
            errno: errno, doing: "read the attributes of the file", path: path(of: name))
    }

    private func objection(to name: String) throws(StoreError) -> FileCache.Damage.Reason? {
        guard let status = try status(of: name) else { return nil }
        guard status.isFile else { return .notAFile }
        return status.size > PushInbox.maximumByteCount ? .tooLarge : nil
    }

    /// Renames an entry, so that it is no inbox file.
    ///
    /// The name is not synced: there may be a thousand such entries, and after a crash they are
    /// moved again.
    private func moveAside(_ name: String) throws(StoreError) {
        let number = UInt64.random(in: .min ... .max)
        let other = "\(name).rejected-\(withUnsafeBytes(of: number) { $0.hexadecimal })"
        guard rename(path(of: name), path(of: other)) == 0 else {
            throw StoreError(errno: errno, doing: "rename to \(other)", path: path(of: name))
        }
    }
}

// MARK: Contents

extension PushInboxFiles {
    /// Writes a file with messages; the caller must exclude other writers.
    func add(_ messages: [Message], _ keys: DataKeys?) throws(StoreError) {
        try removeUnfinished()
        let names = try names()
        let text = CacheFile.drop.text(of: messages)
        let name = PushInboxFiles.name(
            (names.last.flatMap(PushInboxFiles.number) ?? 0) &+ 1, .random(in: .min ... .max))
        let bytes = try keys.map(LineCipher.init)?.seal(text, name: name) ?? text
        var size = bytes.count
        for name in names { size += try status(of: name)?.size ?? 0 }
        guard names.count < PushInbox.maximumCount, size <= PushInbox.maximumByteCount else {
            throw StoreError(
                .noSpace, "the push inbox is full: \(names.count) files wait for the app",
                path: path)
        }
        try DiskFile.replace(path(of: name), by: bytes)
    }

    /// Reads a file; `nil` if it no longer exists.
    ///
    /// A special or too large file is moved aside and reported as damage of line 1.
    func contents(
        _ name: String, _ keys: DataKeys?
    ) throws(StoreError) -> FileCache.Contents<Message>? {
        if let reason = try objection(to: name) {
            try moveAside(name)
            var contents = FileCache.Contents<Message>()
            contents.add(reason, line: 1)
            return contents
        }
        guard var lines = try lines(of: name, keys) else { return nil }
        var contents = FileCache.Contents<Message>()
        try contents.read(
            .drop, from: &lines, at: path(of: name), maximumCount: PushInbox.maximumMessageCount
        ) { $0.sentPosition != nil }
        return contents
    }

    private func lines(of name: String, _ keys: DataKeys?) throws(StoreError) -> LineReader? {
        guard let file = try DiskFile(reading: path(of: name)) else { return nil }
        // Another file could have taken the name since.
        guard try file.isRegular(atMost: PushInbox.maximumByteCount) else {
            throw StoreError(.io, "the file was replaced while it was read", path: path(of: name))
        }
        return LineReader(file, keys.map { (LineCipher($0), name) })
    }

    func remove(_ names: [String]) throws(StoreError) {
        guard !names.isEmpty else { return }
        try StoreFiles.checkIsNoLink(path)
        // Another program may have put a directory there.
        for name in names { try DiskFile.removeAll(at: path(of: name)) }
        try DiskFile(directory: path).sync()
    }

    func removeAll() throws(StoreError) {
        if try removeOtherEntry() { return try DiskFile.createDirectory(path) }
        do throws(StoreError) {
            try remove(try names())
        } catch {
            guard error.code == .permission else { throw error }
            // Another program has changed the mode of the directory.
            try DiskFile.removeAll(at: path)
            try DiskFile.createDirectory(path)
        }
    }

    private func removeUnfinished() throws(StoreError) {
        for name in try DiskFile.names(in: path) where name.hasSuffix(DiskFile.unfinished) {
            // No writer creates a directory or a link of this name.
            if let status = try status(of: name), status.isFile {
                try DiskFile.remove(path(of: name))
            }
        }
    }
}

// MARK: The inbox

extension PushInboxFiles {
    func make() throws(StoreError) {
        try removeOtherEntry()
        if access(removed, F_OK) == 0 { try DiskFile.removeAll(at: removed) }
        if try !exists() { try DiskFile.createDirectory(path) }
    }

    /// Another program may have put a link or a file there; returns `true` if it has.
    @discardableResult
    private func removeOtherEntry() throws(StoreError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return false }
        try DiskFile.remove(path)
        return true
    }

    /// Removes the inbox with its content, after a running writer.
    ///
    /// The directory is renamed first, so other processes find the whole inbox or none. A process
    /// that holds the lock for longer than `limit` is suspended, and finds none when it continues.
    /// The lock is ignored if another program has changed its mode.
    func removeBox(waiting limit: Duration = longestWait) throws(StoreError) {
        try removeOtherEntry()
        try DiskFile.removeAll(at: removed)
        guard try exists() else { return }
        func move() throws(StoreError) { try DiskFile.move(path, to: removed) }
        do throws(StoreError) {
            try alone(waiting: limit, move)
        } catch {
            guard error.code == .locked || error.code == .permission else { throw error }
            try move()
        }
        try DiskFile.removeAll(at: removed)
    }

    /// Re-encrypts all files, and calls `finish` before other processes can add messages.
    ///
    /// After a crash, `keys` can still decrypt each file.
    func reseal(
        _ keys: DataKeys, then finish: () throws(StoreError) -> Void
    ) throws(StoreError) {
        guard try exists() else { return try finish() }
        try alone { () throws(StoreError) in
            try removeUnfinished()
            for name in try names() {
                if try objection(to: name) != nil {
                    try moveAside(name)
                    continue
                }
                guard var lines = try lines(of: name, keys) else { continue }
                let bytes = try LineCipher(keys).seal(try lines.text(), name: name)
                try DiskFile.replace(path(of: name), by: bytes)
            }
            try finish()
        }
    }
}
