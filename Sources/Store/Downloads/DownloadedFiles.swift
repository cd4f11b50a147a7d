import Crypto
package import Foundation
package import Models

/// The downloaded files that are kept on the device.
///
/// A file is identified by its `downloadKey`: another message may have its URL with a wrong size.
///
/// They are a cache. They are encrypted like LevelDB's tables; see Docs/Format.md, "Downloaded
/// files".
package final class DownloadedFiles: Sendable {
    /// On-disk format, do not change: the keys of encrypted files are derived from this name.
    static let name = "downloads"

    private static let purpose = Array("scrollback downloads 1\n".utf8)
    private static let unfinishedName = "new"

    private let directory: String
    private let environment: LevelDB.Environment
    /// The key of the files' names; `nil` if the files are not encrypted.
    private let key: SymmetricKey?
    private let state = Locked(State())
    /// An upper bound of the size of all files; `nil` before the first use.
    ///
    /// The lock is held while a file is written.
    private let size = Locked<Int?>(nil)

    private struct State {
        /// The names of the files that are being downloaded, and whether each may be kept.
        var mayKeep: [String: Bool] = [:]
        var isClosed = false
    }

    init(in store: StoreFiles, _ environment: LevelDB.Environment, _ keys: DataKeys?) {
        directory = store.downloads
        self.environment = environment
        key = keys.flatMap { keys in
            keys.derived(
                keys.generation, salt: Data(), purpose: DownloadedFiles.purpose, checkCount: 0)?.key
        }
    }

    /// Begins a download: if a file of the key is removed before ``end(_:)``, it is not kept.
    package func begin(_ key: String) { state.withLock { $0.mayKeep[name(of: key)] = true } }

    /// Ends a download.
    package func end(_ key: String) { state.withLock { $0.mayKeep[name(of: key)] = nil } }

    /// Ends all use of the directory, which may be removed afterwards; waits for a running write.
    func close() {
        size.withLock { (_) in
            state.withLock { $0.isClosed = true }
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }
}

// MARK: Reading

extension DownloadedFiles {
    /// Returns the kept bytes of a key, and records their use at a time.
    ///
    /// The call removes a damaged file, one above the limit, and anything that is not a file.
    package func bytes(of key: String, within limits: DownloadLimits, at time: Timestamp) -> Data? {
        guard !isClosed, Self.isDirectory(directory) else { return nil }
        let name = name(of: key)
        let path = path(name)
        do throws(StoreError) {
            let bytes = try read(name, limits)
            Self.setTime(time, of: path)
            return bytes
        } catch {
            // After another error, for example on a locked device, the file may be readable later.
            guard error.code == .corruption else { return nil }
            // If it cannot be removed now, it is damaged the next time, too.
            try? DiskFile.removeAll(at: path)
            return nil
        }
    }

    private func read(_ name: String, _ limits: DownloadLimits) throws(StoreError) -> Data {
        let path = path(name)
        let file = try FileReader(path, in: environment)
        let damage = StoreError(
            .corruption, "the file was changed: its SHA-256 differs from the stored one",
            path: path)
        let count = file.size - Self.hashByteCount
        // A sparse file could have any size.
        guard count >= 0, count <= limits.fileByteCount else { throw damage }
        let hash = try file.read(Self.hashByteCount)
        let bytes = Data(try file.read(count))
        guard bytes.count == count, try file.read(1).isEmpty, hash == Self.hash(bytes, name) else {
            throw damage
        }
        return bytes
    }
}

// MARK: Writing

extension DownloadedFiles {
    /// Keeps the bytes of a download, and removes the least recently used files above the limits.
    ///
    /// Bytes above a limit are not kept, nor are those of a file that was removed meanwhile.
    package func keep(
        _ bytes: Data, of key: String, within limits: DownloadLimits, at time: Timestamp
    ) throws(StoreError) {
        let name = name(of: key)
        let needed = storedByteCount(of: bytes)
        guard bytes.count <= limits.fileByteCount, needed <= limits.totalByteCount else { return }
        try size.withLock { (size) throws(StoreError) in
            guard mayKeep(name) else { return }
            try makeDirectory(directory)
            try makeRoom(for: needed, &size, limits)
            try makeDirectory(unfinished)
            // The key depends on the last part of the path only.
            let new = unfinished + "/" + name
            do throws(StoreError) {
                try DiskFile.removeAll(at: new)
                let file = try FileWriter(new, in: environment)
                try file.append(Self.hash(bytes, name))
                try file.append(Array(bytes))
                try file.finish()
                Self.setTime(time, of: new)
                try state.withLock { (state) throws(StoreError) in
                    guard !state.isClosed, state.mayKeep[name] ?? false else {
                        return try DiskFile.remove(new)
                    }
                    try DiskFile.removeAll(at: path(name))
                    guard rename(new, path(name)) == 0 else {
                        throw StoreError(errno: errno, doing: "replace the file", path: new)
                    }
                }
            } catch {
                // Report the original error. The next write removes the rest.
                try? DiskFile.removeAll(at: unfinished)
                throw error
            }
        }
    }

    private func mayKeep(_ name: String) -> Bool {
        state.withLock { !$0.isClosed && $0.mayKeep[name] ?? false }
    }

    /// Removes the least recently used files until a new one fits, and files of interrupted writes.
    private func makeRoom(
        for needed: Int, _ size: inout Int?, _ limits: DownloadLimits
    ) throws(StoreError) {
        if let sum = size?.saturating(adding: needed), sum <= limits.totalByteCount {
            size = sum
            return
        }
        var kept = needed
        var isFull = false
        for file in try files().sorted(by: { ($0.usedAt, $0.name) > ($1.usedAt, $1.name) }) {
            let sum = kept.saturating(adding: file.byteCount)
            isFull = isFull || sum > limits.totalByteCount
            if isFull { try DiskFile.remove(path(file.name)) } else { kept = sum }
        }
        size = kept
    }

    private struct KeptFile {
        let name: String
        let byteCount: Int
        /// In nanoseconds.
        let usedAt: Int
    }

    /// Returns the kept files, and removes everything else in the directory.
    private func files() throws(StoreError) -> [KeptFile] {
        var files: [KeptFile] = []
        for name in try DiskFile.names(in: directory) {
            var status = stat()
            guard CopyName.isValid(name), lstat(path(name), &status) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else {
                try DiskFile.removeAll(at: path(name))
                continue
            }
            files.append(
                KeptFile(
                    name: name, byteCount: Int(status.st_size), usedAt: Self.time(of: status)))
        }
        return files
    }

    /// Returns the size on disk, as `SealedTable.h` defines it.
    private func storedByteCount(of bytes: Data) -> Int {
        let count = bytes.count + Self.hashByteCount
        guard environment.isSealed else { return count }
        let pageCount = (count + 4095) / 4096
        return 64 + count + 16 * pageCount
    }
}

// MARK: Removing

extension DownloadedFiles {
    /// Removes the files of keys; does not wait for a running write.
    package func remove(_ keys: [String]) {
        state.withLock { state in
            guard !state.isClosed else { return }
            let hasDirectory = Self.isDirectory(directory)
            for name in keys.map(name) {
                if state.mayKeep[name] != nil { state.mayKeep[name] = false }
                // A file that cannot be removed now is removed when it is the least recently used.
                if hasDirectory { try? DiskFile.removeAll(at: path(name)) }
            }
        }
    }

    /// Removes all files.
    package func removeAll() throws(StoreError) {
        state.withLock { state in
            for name in state.mayKeep.keys { state.mayKeep[name] = false }
        }
        try size.withLock { (size) throws(StoreError) in
            guard !isClosed else { return }
            size = nil
            try DiskFile.removeAll(at: directory)
        }
    }
}

// MARK: Names and files

extension DownloadedFiles {
    private static let hashByteCount = 32

    /// The hash includes the name, so that a file cannot take the place of another one.
    private static func hash(_ bytes: Data, _ name: String) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: Data(name.utf8))
        hash.update(data: bytes)
        return Array(hash.finalize())
    }

    /// Without the encryption key, the name does not show the URL.
    func name(of downloadKey: String) -> String {
        let bytes = Data(downloadKey.utf8)
        let hash =
            key.map { Array(HMAC<SHA256>.authenticationCode(for: bytes, using: $0)) }
            ?? Array(SHA256.hash(data: bytes))
        return CopyName.make(hash.prefix(CopyName.byteCount))
    }

    private func path(_ name: String) -> String { directory + "/" + name }

    private var unfinished: String { path(Self.unfinishedName) }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates a directory, also in place of a link or a file.
    private func makeDirectory(_ path: String) throws(StoreError) {
        guard !Self.isDirectory(path) else { return }
        try DiskFile.removeAll(at: path)
        try DiskFile.createDirectory(path)
    }

    private static func setTime(_ time: Timestamp, of path: String) {
        let (seconds, rest) = max(0, time.milliseconds).quotientAndRemainder(dividingBy: 1000)
        let used = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000_000)
        // After a failure, only the order in which files are removed is another one.
        _ = utimensat(AT_FDCWD, path, [used, used], AT_SYMLINK_NOFOLLOW)
    }

    /// Returns the time of the last use in nanoseconds.
    private static func time(of status: stat) -> Int {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        let (nanoseconds, overflows) = Int(time.tv_sec).multipliedReportingOverflow(
            by: 1_000_000_000)
        return overflows ? .max : nanoseconds.saturating(adding: Int(time.tv_nsec))
    }
}

extension FileInfo {
    /// The identity of the file's bytes; `nil` if the URL is not that of a file of the server.
    package var downloadKey: String? {
        guard url.isURLOfServer else { return nil }
        return "\(size ?? 0) \(customType ?? "")\n\(url)"
    }
}

extension [FileInfo] {
    /// The identities of the files and of their thumbnails.
    package var downloadKeys: [String] {
        flatMap { file in
            [file.downloadKey] + file.thumbnails.map { FileInfo(url: $0.url).downloadKey }
        }.compactMap { $0 }
    }
}

extension StoreFiles {
    var downloads: String { directory.appending(path: DownloadedFiles.name).path }
}
