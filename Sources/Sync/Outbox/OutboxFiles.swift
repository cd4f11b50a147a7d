import Foundation
import Models

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
        // Whatever the name of the request is, it names nothing outside of the directory.
        let name = id.rawValue.utf8.map { String(format: "%02x", $0) }.joined() + "-\(index)"
        let shortened = name.utf8.count <= 200 ? name : String(name.suffix(200))
        do {
            let files = FileManager.default
            try files.createDirectory(
                at: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let copy = directory.appending(path: shortened)
            try? files.removeItem(at: copy)  // One of an attempt that failed.
            try files.copyItem(at: URL(filePath: path), to: copy)
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
            return shortened
        } catch {
            throw SyncError(.refused, "the file at \(path) cannot be copied", cause: error)
        }
    }

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
