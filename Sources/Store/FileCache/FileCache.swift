import Crypto
public import Foundation
public import Models

/// A simple store for chat data: a file with the newest messages for each channel, and a file for
/// the list of channels.
///
/// It is for apps that only show the content of the last session until the server answers. A file
/// is saved and loaded as a whole, without information about gaps or deletions. Unsent messages are
/// never stored.
///
/// A file is replaced atomically, and is on disk when a call returns. Each line has a check value,
/// so damage affects only the damaged lines.
///
/// A value keeps no content in memory. Several threads, values and processes may use a directory at
/// the same time: saves run one at a time, and a load returns the state before or after a save. A
/// call that writes throws `locked` if another process, which may be suspended, holds the lock for
/// ten seconds. Each user of a device needs a separate directory.
public struct FileCache: Sendable {
    /// The directory of the files.
    public let directory: URL

    /// The maximum number of messages that are stored for a channel.
    public let limit: Int

    let path: String
    let cipher: LineCipher?

    /// Opens a directory, and creates it if it does not exist.
    ///
    /// The call removes leftover files of an interrupted save.
    ///
    /// - Parameters:
    ///   - directory: A directory for the cache alone. A new directory and its new parents are
    ///     accessible only to the current user. The permissions of an existing directory stay.
    ///   - limit: The maximum number of messages of a channel; at least 1.
    ///   - encryptionKey: The key that encrypts the files and their names; `nil` for no encryption.
    /// - Throws: `wrongKey` if the key is wrong, missing for encrypted files, or given for
    ///   unencrypted ones. Nothing was then changed; to start over, remove the directory. Also
    ///   `corruption` if the key file is damaged; `permission`, `noSpace` or `io`.
    /// - Complexity: O(*n*) in the files.
    public init(
        directory: URL, limit: Int = 100, encryptionKey: EncryptionKey? = nil
    ) throws(StoreError) {
        precondition(
            directory.isFileURL, "FileCache: \(directory) is not a file URL: use URL(filePath:).")
        self.directory = directory
        self.limit = max(1, limit)
        path = try Self.path(of: directory)
        cipher = try Self.keys(in: self.path, encryptionKey).map(LineCipher.init)
        try Self.alone(in: path) { () throws(StoreError) in
            for name in try names() where name.hasSuffix(DiskFile.unfinished) {
                try delete(name)
            }
        }
    }
}

// MARK: Keys

extension FileCache {
    static func path(of directory: URL) throws(StoreError) -> String {
        let path = directory.path(percentEncoded: false)
        guard !path.utf8.contains(0) else {
            throw StoreError(errno: EINVAL, doing: "open the directory", path: path)
        }
        return path.count > 1 && path.last == "/" ? String(path.dropLast()) : path
    }

    /// Whether the files are encrypted.
    public var isEncrypted: Bool { cipher != nil }

    /// Changes the encryption key of a directory, whose `FileCache` values stay usable.
    ///
    /// Only one small file is written. With the old key and a copy of that file, an attacker can
    /// still read the files. To encrypt them with new keys, or to add or remove the encryption,
    /// remove the directory and save the channels again.
    ///
    /// - Throws: `wrongKey` if `old` is not the key of the directory, `corruption`, `permission`,
    ///   `noSpace` or `io`.
    public static func changeEncryptionKey(
        of directory: URL, from old: EncryptionKey, to new: EncryptionKey
    ) throws(StoreError) {
        let cache = try FileCache(directory: directory, encryptionKey: old)
        try alone(in: cache.path) { () throws(StoreError) in
            let file = KeyFile(in: cache.path)
            try file.write(try file.keys(old), for: [new])
        }
    }

    private static func keys(
        in path: String, _ key: EncryptionKey?
    ) throws(StoreError) -> DataKeys? {
        let file = KeyFile(in: path)
        guard let key else {
            guard try file.exists() else { return nil }
            throw StoreError(.wrongKey, "the files are encrypted: pass their key", path: path)
        }
        // Files with another key are not changed.
        if try file.exists() { return try keys(of: file, key) }
        if try DiskFile.names(in: path).contains(where: CacheFile.isName) {
            throw StoreError(
                .wrongKey, "the files are not encrypted: open them without a key", path: path)
        }
        return try alone(in: path) { () throws(StoreError) in
            if try !file.exists() { try file.write(DataKeys(), for: [key]) }
            return try keys(of: file, key)
        }
    }

    /// Refuses the keys of a store that was being encrypted or decrypted when they were copied.
    private static func keys(
        of file: KeyFile, _ key: EncryptionKey
    ) throws(StoreError) -> DataKeys {
        let keys = try file.keys(key)
        guard !keys.isUnfinished, keys.finished != nil else {
            throw StoreError(
                .wrongKey, "the file belongs to a store whose encryption was being changed",
                path: file.path)
        }
        return keys
    }
}

// MARK: Saving

extension FileCache {
    /// Saves the newest messages of a channel, and replaces the saved ones.
    ///
    /// Some messages are omitted:
    /// - unsent messages, which have no ID, or a status other than succeeded or none;
    /// - of several messages with the same ID, all but the last in the array;
    /// - messages of more than 12 MiB;
    /// - of the remaining messages, all but the newest ``limit``, by ``/Models/Position``.
    ///
    /// - Parameters:
    ///   - messages: The messages in any order; their channels are ignored. An empty array saves an
    ///     empty list.
    ///   - channel: The channel.
    /// - Returns: `true` if the file was written; `false` if it already had this content.
    /// - Throws: `permission`, `noSpace`, `io`, or `newerSchema` if a newer version of the package
    ///   wrote the file. After an error, the file has its old or its new content.
    /// - Complexity: O(*n* log *n*) in the number of messages. Writing waits for the disk twice.
    @discardableResult
    public func save(
        _ messages: [Message], in channel: ChannelURL
    ) throws(StoreError) -> Bool {
        let recent = Self.oldestFirst(messages.filter(CacheFile.fits)).suffix(limit)
        return try replace(.messages(of: channel), by: Array(recent))
    }

    /// Saves the list of channels, and replaces the saved one.
    ///
    /// Channels of more than 12 MiB are omitted. Of several channels with the same URL, only the
    /// last is saved.
    ///
    /// - Parameter channels: The channels, in the order in which ``loadChannels()`` returns them.
    /// - Returns: `true` if the file was written, as for ``save(_:in:)``.
    /// - Throws: As ``save(_:in:)`` does.
    /// - Complexity: O(*n*) in the channels. Writing waits for the disk twice.
    @discardableResult
    public func saveChannels(_ channels: [GroupChannel]) throws(StoreError) -> Bool {
        var seen: Set<ChannelURL> = []
        let last = channels.reversed().filter { CacheFile.fits($0) && seen.insert($0.url).inserted }
        return try replace(.channels, by: last.reversed())
    }

    private static func oldestFirst(_ messages: [Message]) -> [Message] {
        var sent: [MessageID: (position: Position, message: Message)] = [:]
        for message in messages {
            guard let position = message.sentPosition else { continue }
            sent[position.messageID] = (position, message)
        }
        return sent.values.sorted { $0.position < $1.position }.map(\.message)
    }

    private func replace(
        _ file: CacheFile, by records: [some Record]
    ) throws(StoreError) -> Bool {
        let text = file.text(of: records)
        let name = name(of: file)
        return try Self.alone(in: path) { () throws(StoreError) in
            guard try !has(file, text) else { return false }
            let bytes = try cipher?.seal(text, name: name) ?? text
            try DiskFile.replace(path(of: name), by: bytes)
            return true
        }
    }

    private func has(_ file: CacheFile, _ text: [UInt8]) throws(StoreError) -> Bool {
        let name = name(of: file)
        _ = try header(of: name)?.contents(at: path(of: name))
        guard var lines = try lines(of: name) else { return false }
        var hash = SHA256()
        while let line = try lines.next() {
            guard case .whole(let bytes) = line else { return false }
            hash.update(data: bytes + [UInt8(ascii: "\n")])
        }
        return hash.finalize() == SHA256.hash(data: text)
    }
}

extension Message {
    var sentPosition: Position? {
        sendingStatus == .succeeded || sendingStatus == .none ? position : nil
    }
}

// MARK: Loading

extension FileCache {
    /// Loads the saved messages of a channel, oldest first.
    ///
    /// - Returns: The readable messages, and the damage; neither if the channel was never saved.
    /// - Throws: `permission`, `io`, or `newerSchema` if a newer version of the package wrote the
    ///   file.
    /// - Complexity: O(*n*) in the size of the file, with constant memory for damaged lines.
    public func load(_ channel: ChannelURL) throws(StoreError) -> Contents<Message> {
        var contents: Contents<Message> =
            try contents(of: .messages(of: channel)) { $0.sentPosition != nil }
        contents.records = Self.oldestFirst(contents.records)
        return contents
    }

    /// Loads the list of channels, in the order in which they were saved.
    ///
    /// - Returns: The readable channels, and the damage; neither if the list was never saved.
    /// - Throws: As ``load(_:)`` does.
    /// - Complexity: O(*n*) in the size of the file.
    public func loadChannels() throws(StoreError) -> Contents<GroupChannel> {
        try contents(of: .channels) { _ in true }
    }

    private func contents<Element: Record>(
        of file: CacheFile, where isExpected: (Element) -> Bool
    ) throws(StoreError) -> Contents<Element> {
        var contents = Contents<Element>()
        let name = name(of: file)
        if var lines = try lines(of: name) {
            try contents.read(file, from: &lines, at: path(of: name), where: isExpected)
        }
        return contents
    }
}

// MARK: The files

extension FileCache {
    /// Returns the channels with a file of messages, ordered by their URLs.
    ///
    /// A file with a corrupted header, or of a newer version of the package, is omitted.
    ///
    /// - Throws: `permission` or `io`.
    /// - Complexity: Opens each file.
    public func channels() throws(StoreError) -> [ChannelURL] {
        var channels: Set<ChannelURL> = []
        for name in try names() where CacheFile.isMessagesName(name) {
            guard let file = try header(of: name)?.contents?.file else { continue }
            if self.name(of: file) == name { channels.insert(file.channel) }
        }
        return channels.sorted()
    }

    /// Returns the total size of the files' content in bytes, which may need more space on disk.
    ///
    /// - Throws: `permission` or `io`.
    /// - Complexity: O(*n*) in the files.
    public func size() throws(StoreError) -> Int {
        var size = 0
        for name in try names() {
            size = size.saturating(adding: try DiskFile(reading: path(of: name))?.size() ?? 0)
        }
        return size
    }

    /// Removes the messages of a channel, if there are any, and waits for the disk.
    ///
    /// - Throws: `permission` or `io`.
    public func remove(_ channel: ChannelURL) throws(StoreError) {
        try Self.alone(in: path) { () throws(StoreError) in
            try delete(name(of: .messages(of: channel)))
            try DiskFile(directory: path).sync()
        }
    }

    /// Removes the files of all channels and of the list, of any version of the package, but not
    /// the directory or other files in it.
    ///
    /// - Throws: `permission` or `io`. After an error, some of the files may be removed.
    /// - Complexity: O(*n*) in the files. Waits for the disk.
    public func removeAll() throws(StoreError) {
        try Self.alone(in: path) { () throws(StoreError) in
            for name in try names() { try delete(name) }
            try DiskFile(directory: path).sync()
        }
    }

    private func path(of name: String) -> String { path + "/" + name }

    private func name(of file: CacheFile) -> String { cipher?.name(of: file) ?? file.name }

    private func lines(of name: String) throws(StoreError) -> LineReader? {
        guard let file = try DiskFile(reading: path(of: name)) else { return nil }
        guard try file.isRegular() else {
            throw StoreError(.io, "this is not a regular file: remove it", path: path(of: name))
        }
        return LineReader(file, cipher.map { ($0, name) })
    }

    private func header(of name: String) throws(StoreError) -> CacheHeader? {
        guard var lines = try lines(of: name) else { return nil }
        guard case .whole(let line) = try lines.next() else { return nil }
        return CacheHeader(line)
    }

    static func alone<Result>(
        in path: String, waiting limit: Duration = DiskFile.longestWait,
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try DiskFile.createDirectory(path)
        return try DiskFile.alone(path + "/lock", waiting: limit, body)
    }

    /// Includes the names of interrupted writes.
    private func names() throws(StoreError) -> [String] {
        try DiskFile.names(in: path).filter { name in
            let isUnfinished = name.hasSuffix(DiskFile.unfinished)
            return CacheFile.isName(name.dropLast(isUnfinished ? DiskFile.unfinished.count : 0))
        }
    }

    private func delete(_ name: String) throws(StoreError) { try DiskFile.remove(path(of: name)) }
}
