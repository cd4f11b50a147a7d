import Foundation
import Models

/// The directories of a store's cache: the current cache, and caches that were replaced.
///
/// The first cache is in the directory `cache`. A cache that replaces the cache with number *n* is
/// in the directory `cache-` and *n* + 1. The cache with the greatest number is the current one. A
/// replaced cache keeps its name until its files are closed; then its directory gets the name
/// `replaced-cache-` and its number. Only the newest replaced cache is kept, for a bug report.
struct CacheFiles {
    let directory: String

    init(in directory: URL) { self.directory = directory.path }

    private static let prefix = "cache-"
    private static let replacedPrefix = "replaced-cache-"
    /// The greatest number of a cache, which no store reaches by itself.
    private static let maximum = 1_000_000_000

    private func path(_ number: Int) -> String {
        directory + "/" + (number == 1 ? StoreFiles.cacheName : "\(CacheFiles.prefix)\(number)")
    }

    private func replacedPath(_ number: Int) -> String {
        "\(directory)/\(CacheFiles.replacedPrefix)\(number)"
    }

    /// Returns the numbers in the names that consist of a prefix and a number.
    private func numbers(after prefix: String) throws(StoreError) -> [Int] {
        try DiskFile.names(in: directory).compactMap { name in
            guard name.hasPrefix(prefix) else { return nil }
            let digits = name.dropFirst(prefix.count)
            guard let number = Int(digits), (1...CacheFiles.maximum).contains(number),
                String(number) == digits
            else { return nil }
            return number
        }
    }

    /// Returns the number of the current cache; 1 if there is none yet.
    func currentNumber() throws(StoreError) -> Int {
        max(1, try numbers(after: CacheFiles.prefix).max() ?? 1)
    }

    func currentPath() throws(StoreError) -> String { path(try currentNumber()) }

    /// Returns the caches that a replacement has left under their first names, oldest first.
    private func left() throws(StoreError) -> [Int] {
        let current = try currentNumber()
        var numbers = try numbers(after: CacheFiles.prefix).filter { $0 > 1 && $0 < current }
        if current > 1, access(path(1), F_OK) == 0 { numbers.append(1) }
        return numbers.sorted()
    }

    /// Returns the directories of replaced caches.
    func replaced() throws(StoreError) -> [String] {
        let aside = try numbers(after: CacheFiles.replacedPrefix)
        return try left().map(path) + aside.map(replacedPath)
    }

    // MARK: Replacing

    /// Creates the empty directory of the next cache, which is then the current one.
    ///
    /// After a crash, the next opening uses the old cache or the new one.
    ///
    /// - Throws: `corruption`, with the reason as its cause, if the cache was replaced for a reason
    ///   of the same kind within ``CacheReplacement/pause``, in which case nothing was changed;
    ///   errors of the disk.
    func replace(
        _ kind: CacheReplacement.Kind, _ reason: StoreError, at now: Timestamp?
    ) throws(StoreError) -> String {
        let current = try currentNumber()
        guard current < CacheFiles.maximum else {
            throw StoreError(
                .corruption, "no cache can follow the one of this number: remove the directory",
                path: path(current), cause: reason)
        }
        if let now {
            let last = try CacheReplacement(in: directory)
            let replacement = CacheReplacement(number: current + 1, time: now, kind: kind)
            if let last, last.number <= current, last.prevents(replacement) {
                throw StoreError(
                    .corruption,
                    "\(reason.message), less than an hour after the cache was replaced for the "
                        + "same reason: check the disk, or clear the cached data",
                    path: path(current), cause: reason)
            }
            try replacement.write(in: directory)
        }
        let new = path(current + 1)
        try DiskFile.createDirectory(new)
        return new
    }

    /// Keeps the newest replaced cache aside, and removes the others.
    ///
    /// No process may have a replaced cache open.
    func setReplacedAside() throws(StoreError) {
        for number in try left() { try setAside(number) }
    }

    /// Sets a closed cache aside, unless a newer one is.
    func setAside(_ path: String) throws(StoreError) {
        for number in try left() where self.path(number) == path { try setAside(number) }
    }

    private func setAside(_ number: Int) throws(StoreError) {
        // A cache of an older version contains no damage that a bug report could show.
        if let last = try CacheReplacement(in: directory), last.number == number + 1,
            last.kind == .older
        {
            return try DiskFile.removeAll(at: path(number))
        }
        let others = try numbers(after: CacheFiles.replacedPrefix)
        if others.contains(where: { $0 > number }) {
            return try DiskFile.removeAll(at: path(number))
        }
        for other in others { try DiskFile.removeAll(at: replacedPath(other)) }
        try DiskFile.move(path(number), to: replacedPath(number))
    }

    /// Removes the replaced caches of a closed store.
    func removeReplaced() throws(StoreError) {
        for path in try replaced() { try DiskFile.removeAll(at: path) }
    }

    /// Removes the replaced cache that was set aside.
    func removeSetAside() throws(StoreError) {
        for number in try numbers(after: CacheFiles.replacedPrefix) {
            try DiskFile.removeAll(at: replacedPath(number))
        }
    }
}

/// The last replacement of a cache, in the file `REPLACED`.
///
/// The file contains the number of the new cache, the time, and the kind of the reason. It contains
/// no text of the reason, which may name a channel.
struct CacheReplacement: Hashable {
    /// A kind of reason.
    enum Kind: String {
        /// LevelDB could not read a file.
        case file
        /// A row could not be decoded, or contradicts another row.
        case row
        /// A newer version of the package wrote the rows.
        case schema
        /// An older version of the package wrote the rows, which is no damage.
        case older

        init(_ reason: StoreError) {
            if reason.code == .newerSchema {
                self = .schema
            } else {
                let isRow =
                    reason.cause is ByteReader.Damage || reason.cause is SerializationError
                self = isRow ? .row : .file
            }
        }
    }

    /// The time after a replacement in which a cache is not replaced for a reason of the same kind,
    /// in milliseconds: an hour.
    static let pause: Int64 = 3_600_000

    let number: Int
    let time: Timestamp
    let kind: Kind

    init(number: Int, time: Timestamp, kind: Kind) {
        (self.number, self.time, self.kind) = (number, time, kind)
    }

    static func path(in directory: String) -> String { directory + "/REPLACED" }

    /// Reads the file; `nil` if it is missing or has another content.
    init?(in directory: String) throws(StoreError) {
        guard let file = try DiskFile(reading: CacheReplacement.path(in: directory)) else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = try file.read(into: &bytes)
        let words = String(decoding: bytes.prefix(count), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        guard words.count == 3, let number = Int(words[0]), let time = Int64(words[1]),
            let kind = Kind(rawValue: String(words[2]))
        else { return nil }
        self.init(number: number, time: Timestamp(milliseconds: time), kind: kind)
    }

    func write(in directory: String) throws(StoreError) {
        let text = "\(number) \(time.milliseconds) \(kind.rawValue)\n"
        try DiskFile.replace(CacheReplacement.path(in: directory), by: Array(text.utf8))
    }

    /// Returns a Boolean value that indicates whether another replacement is too early.
    ///
    /// If the clock was set back, it is not. Caches of older versions are always replaced.
    func prevents(_ other: CacheReplacement) -> Bool {
        let (elapsed, overflows) = other.time.milliseconds
            .subtractingReportingOverflow(time.milliseconds)
        return kind == other.kind && kind != .older && !overflows
            && (0..<CacheReplacement.pause).contains(elapsed)
    }
}
