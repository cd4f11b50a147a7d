import Crypto
public import Foundation
public import Models

/// The files of a store: two databases, and the version that tells an older code to keep off.
struct StoreFiles {
    let directory: URL

    var cache: String { directory.appending(path: "cache").path }
    var outbox: String { directory.appending(path: "outbox").path }
    private var version: URL { directory.appending(path: "VERSION") }
    private var distrust: URL { directory.appending(path: "DISTRUST") }

    /// Makes sure that no newer code has written the directory, and creates it.
    ///
    /// The version stands in a file of its own, since LevelDB writes to whatever it opens: what is
    /// newer is left as it is. A file that says no version is as good as none; the rows decide then.
    func prepare(for schema: StoreSchema) throws(StoreError) {
        try checkVersion(for: schema)
        try makeDirectory()
    }

    /// Makes sure that no newer code has written the directory.
    func checkVersion(for schema: StoreSchema) throws(StoreError) {
        if let found = try storedVersion(), found > schema.version {
            throw StoreError(newer: found, than: schema.version, path: version.path)
        }
    }

    /// Tells an older code to keep off; before a migration begins, so that it never meets one half
    /// done, and with the databases open, so that nobody else has them.
    func setVersion(_ number: Int) throws(StoreError) {
        if try storedVersion() == number { return }
        // With it the directory's names of both databases are on the disk, before any draft is.
        try OpenFile.replace(version.path, by: Array("\(number)\n".utf8))
    }

    private func storedVersion() throws(StoreError) -> Int? {
        guard FileManager.default.fileExists(atPath: version.path) else { return nil }
        do {
            let text = String(decoding: try Data(contentsOf: version), as: UTF8.self)
            return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        } catch {
            throw StoreError(system: error, doing: "read", path: version.path)
        }
    }

    private func makeDirectory() throws(StoreError) {
        for path in [directory.path, cache, outbox] {
            try OpenFile.createDirectory(path)
            guard chmod(path, 0o700) == 0 else {
                throw StoreError(errno: errno, doing: "close for others", path: path)
            }
        }
    }

    /// Keeps the files of a damaged outbox as they are.
    func copyOutbox() throws(StoreError) {
        let copy = outboxCopy(outboxCopies.count + 1)
        do {
            try FileManager.default.copyItem(atPath: outbox, toPath: copy)
        } catch {
            // A part of a copy is none. If it cannot be removed, it is one more.
            try? FileManager.default.removeItem(atPath: copy)
            throw StoreError(system: error, doing: "copy", path: outbox)
        }
    }

    /// The copies of damaged outboxes, oldest first.
    var outboxCopies: [String] {
        var copies: [String] = []
        while FileManager.default.fileExists(atPath: outboxCopy(copies.count + 1)) {
            copies.append(outboxCopy(copies.count + 1))
        }
        return copies
    }

    private func outboxCopy(_ number: Int) -> String { "\(outbox)-damaged-\(number)" }
}

// MARK: Distrust

extension StoreFiles {
    /// Whether an opening has taken in a damaged log of the cache, and did not live to drop what the
    /// cache promises.
    var isDistrusted: Bool { access(distrust.path, F_OK) == 0 }

    /// Notes, before a damaged log is taken in, that it was damaged: the disk does not show it later.
    func noteDistrust() throws(StoreError) {
        try OpenFile.replace(distrust.path, by: [])
    }

    /// Ends the distrust, once the cache itself knows of it.
    func forgetDistrust() throws(StoreError) { try OpenFile.remove(distrust.path) }
}

extension ChatStore {
    /// The directory for one user of one application within another directory.
    ///
    /// Any text is a valid id. The names are made of lower-case letters, digits, `-`, `_` and `%`,
    /// differ for any two ids, also where the file system ignores case, and never lead out of
    /// `root`; those of long ids are hashes.
    public static func directory(
        in root: URL, applicationID: String, userID: UserID
    ) -> URL {
        root.appending(path: fileName(applicationID), directoryHint: .isDirectory)
            .appending(path: fileName(userID.rawValue), directoryHint: .isDirectory)
    }

    /// The longest name that is not replaced by a hash.
    private static let longestName = 100

    private static func fileName(_ id: String) -> String {
        var name = "_"
        for byte in id.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                name += "%" + hex([byte])
            }
        }
        // Begins differently than the others, so the two kinds are never taken for each other.
        return name.utf8.count <= longestName ? name : "-" + hex(SHA256.hash(data: Data(id.utf8)))
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    }
}

extension StoreError {
    /// What Foundation reports of a file, told apart by the system's number behind it.
    init(system error: any Error, doing action: String, path: String) {
        // On Linux it is no NSError until it is cast from an Error.
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
        if let underlying = underlying as NSError?, underlying.domain == NSPOSIXErrorDomain {
            self.init(errno: Int32(underlying.code), doing: action, path: path)
        } else {
            self.init(.io, "cannot \(action)", path: path, cause: error)
        }
    }
}
