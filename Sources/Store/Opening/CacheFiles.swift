import Foundation
import Models

/// The directories of the current and of replaced caches.
///
/// The first cache is in the directory `cache`, and the *n*th one in `cache-`*n*; the greatest
/// number is the current one. A replaced cache whose files are closed is renamed to
/// `replaced-cache-`*n*. Only the newest one is kept, for a bug report.
struct CacheFiles {
    let directory: String

    init(in directory: URL) { self.directory = directory.path }

    private static let prefix = "cache-"
    private static let replacedPrefix = "replaced-cache-"
    /// No store reaches this number by itself.
    private static let maximum = 1_000_000_000

    private func path(_ number: Int) -> String {
        directory + "/" + (number == 1 ? StoreFiles.cacheName : "\(CacheFiles.prefix)\(number)")
    }

    private func replacedPath(_ number: Int) -> String {
        "\(directory)/\(CacheFiles.replacedPrefix)\(number)"
    }

    private func numbers(after prefix: String) throws(StoreError) -> [Int] {
        try DiskFile.numbers(after: prefix, in: 1...CacheFiles.maximum, at: directory)
    }

    func currentNumber() throws(StoreError) -> Int {
        max(1, try numbers(after: CacheFiles.prefix).max() ?? 1)
    }

    func currentPath() throws(StoreError) -> String { path(try currentNumber()) }

    /// Returns the replaced caches with their first names, oldest first.
    private func left() throws(StoreError) -> [Int] {
        let current = try currentNumber()
        var numbers = try numbers(after: CacheFiles.prefix).filter { $0 > 1 && $0 < current }
        if current > 1, access(path(1), F_OK) == 0 { numbers.append(1) }
        return numbers.sorted()
    }

    func replaced() throws(StoreError) -> [String] {
        let aside = try numbers(after: CacheFiles.replacedPrefix)
        return try left().map(path) + aside.map(replacedPath)
    }

    // MARK: Replacing

    /// Creates the empty directory of the next cache.
    ///
    /// The call throws `corruption` and changes nothing if the cache was replaced for a reason of
    /// the same kind within ``CacheReplacement/pause``.
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
                        + "same reason: check the disk, then call clearCachedData(), or "
                        + "removeStoredData(of:wiping:options:) if the user cannot connect",
                    path: path(current), cause: reason)
            }
            try replacement.write(in: directory)
        }
        let new = path(current + 1)
        try DiskFile.createDirectory(new)
        return new
    }

    /// Sets the newest replaced cache aside, and removes the others; no process may have them open.
    func setReplacedAside() throws(StoreError) {
        let left = try left()
        // Another program may have added many directories: move only the newest one.
        for number in left.dropLast() { try DiskFile.removeAll(at: path(number)) }
        if let newest = left.last { try setAside(newest) }
    }

    func setAside(_ path: String) throws(StoreError) {
        for number in try left() where self.path(number) == path { try setAside(number) }
    }

    private func setAside(_ number: Int) throws(StoreError) {
        // A cache of an older version shows no damage.
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

    func removeReplaced() throws(StoreError) {
        for path in try replaced() { try DiskFile.removeAll(at: path) }
    }

    func removeSetAside() throws(StoreError) {
        for number in try numbers(after: CacheFiles.replacedPrefix) {
            try DiskFile.removeAll(at: replacedPath(number))
        }
    }
}

/// The last replacement, without the text of the reason, which may name a channel.
struct CacheReplacement: Hashable {
    enum Kind: String {
        /// LevelDB could not read a file.
        case file
        /// A row could not be decoded, or contradicts another row.
        case row
        /// A newer version of the package wrote the rows.
        case schema
        /// An older version of the package wrote the rows.
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

    /// The milliseconds in which a new cache is not replaced for a reason of the same kind.
    static let pause: Int64 = 3_600_000

    let number: Int
    let time: Timestamp
    let kind: Kind

    init(number: Int, time: Timestamp, kind: Kind) {
        (self.number, self.time, self.kind) = (number, time, kind)
    }

    static func path(in directory: String) -> String { directory + "/REPLACED" }

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

    func prevents(_ other: CacheReplacement) -> Bool {
        let (elapsed, overflows) = other.time.milliseconds
            .subtractingReportingOverflow(time.milliseconds)
        return kind == other.kind && kind != .older && !overflows
            && (0..<CacheReplacement.pause).contains(elapsed)
    }
}
