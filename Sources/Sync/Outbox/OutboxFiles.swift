import Foundation
import Models
import Store

/// The outbox's own copies of files that wait to be sent.
///
/// They lie beside the store, and go when the message is sent or taken back.
struct OutboxFiles: Sendable {
    /// Where they lie; `nil` if the store leaves nothing behind.
    let directory: URL?

    init(besides store: URL?) {
        directory = store?.appending(path: "files", directoryHint: .isDirectory)
    }

    /// Copies a file.
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - id: The draft that it belongs to.
    ///   - index: Which of its files it is.
    /// - Returns: The name of the copy.
    /// - Throws: ``SyncError`` with code `refused` if it cannot be read, or there is no place for it.
    func copy(_ path: String, for id: RequestID, at index: Int) throws(SyncError) -> String {
        guard let directory else {
            throw SyncError(.refused, "a store in memory has no place for a copy of \(path)")
        }
        let name = OutboxFiles.name(id, index)
        do {
            let files = FileManager.default
            try files.createDirectory(
                at: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let copy = directory.appending(path: name)
            try? files.removeItem(at: copy)  // One of an attempt that failed.
            // A copied link would lead to the original.
            try files.copyItem(at: URL(filePath: path).resolvingSymlinksInPath(), to: copy)
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
            return name
        } catch {
            throw SyncError(.refused, "the file at \(path) cannot be copied", cause: error)
        }
    }

    /// Another name for each file of each draft, which names nothing outside of the directory.
    private static func name(_ id: RequestID, _ index: Int) -> String {
        let digits = id.rawValue.utf8.hexadecimal
        // Begins differently than the others, so the two kinds are never taken for each other.
        return (digits.utf8.count <= longestName ? digits : "-" + id.rawValue.hashedFileName)
            + "-\(index)"
    }

    /// The longest name that is not replaced by a hash: file systems take 255 bytes, or fewer.
    private static let longestName = 196

    /// Where a copy is; `nil` if the name is not that of one.
    func path(of name: String) -> String? {
        guard OutboxFiles.isName(name) else { return nil }
        return directory?.appending(path: name).path
    }

    /// Whether ``copy(_:for:at:)`` gives such names: a draft that somebody has changed on the disk names
    /// no file of anyone else's.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { allowed.contains($0) }
    }

    private static let allowed = Array("0123456789abcdef-".utf8)

    /// Removes copies; one that is gone already is no failure.
    func remove(_ names: [String]) {
        guard let directory else { return }
        for name in names where OutboxFiles.isName(name) {
            try? FileManager.default.removeItem(at: directory.appending(path: name))
        }
    }

    /// Removes the copies that belong to no draft, as after a crash.
    func removeAll(but kept: Set<String>) {
        guard let directory,
            let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        else { return }
        for name in names where !kept.contains(name) {
            try? FileManager.default.removeItem(at: directory.appending(path: name))
        }
    }
}
