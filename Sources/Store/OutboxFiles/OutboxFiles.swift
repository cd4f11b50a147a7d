import Crypto
import Foundation
package import Models

/// The outbox's own copies of outgoing files, which are removed together with their items.
///
/// They are encrypted like LevelDB's tables; see Docs/Format.md, "Copies of outgoing files".
package struct OutboxFiles: Sendable {
    /// On-disk format, do not change: the keys of encrypted copies are derived from this name.
    static let name = "files"

    private let store: StoreFiles
    private let environment: LevelDB.Environment

    init(in store: StoreFiles, _ environment: LevelDB.Environment) {
        self.store = store
        self.environment = environment
    }

    /// Copies and hashes a file durably, with constant memory; follows symbolic links.
    ///
    /// An error has the path of the file that could not be read or written. After an error, no copy
    /// is left.
    package func add(_ path: String) throws(StoreError) -> FileCopy {
        let source = try DiskFile(path, O_RDONLY | O_NONBLOCK, "open the file")
        var buffer = [UInt8](repeating: 0, count: OutboxFiles.bufferSize)
        try DiskFile.createDirectory(store.files)
        let name = OutboxFiles.makeName()
        do throws(StoreError) {
            let target = try FileWriter(self.path(name), in: environment)
            var hash = SHA256()
            var copy = FileCopy()
            while case let count = try source.read(into: &buffer), count > 0 {
                let bytes = Array(buffer[..<count])
                hash.update(data: bytes)
                try target.append(bytes)
                copy.size += bytes.count
            }
            try target.finish()
            copy.name = name
            copy.sha256 = Data(hash.finalize())
            return copy
        } catch {
            // Report the original error: `removeAll(but:)` removes the copy later.
            try? environment.remove(self.path(name))
            throw error
        }
    }

    /// Opens a copy for reading.
    ///
    /// Throws `corruption` if the copy is missing, or has another size or key; `permission` or `io`
    /// if it cannot be read now.
    package func reader(of copy: FileCopy) throws(StoreError) -> OutboxFileReader {
        let path = path(copy.name)
        guard CopyName.isValid(copy.name), access(path, F_OK) == 0 || errno != ENOENT else {
            throw StoreError(.corruption, "the file is missing", path: path)
        }
        return try OutboxFileReader(copy, FileReader(path, in: environment), at: path)
    }

    /// Removes copies; if one cannot be removed now, ``removeAll(but:)`` removes it later.
    package func remove(_ copies: [FileCopy]) {
        for copy in copies where CopyName.isValid(copy.name) {
            try? environment.remove(path(copy.name))
        }
    }

    /// Removes all copies except those of outbox items.
    ///
    /// While the store keeps a damaged outbox, whose items may need copies, nothing is removed.
    package func removeAll(but kept: [FileCopy]) {
        // If the directory cannot be read, or a link has replaced it, the next opening tries again.
        guard (try? store.hasDamagedOutbox()) == false, !StoreFiles.isLink(store.files),
            let names = try? DiskFile.names(in: store.files)
        else { return }
        let kept = Set(kept.map(\.name))
        for name in names where !kept.contains(name) {
            try? environment.remove(path(name))
        }
    }

    private func path(_ name: String) -> String { store.files + "/" + name }

    private static let bufferSize = 64 << 10
}

extension OutboxFiles {
    private static func makeName() -> String {
        CopyName.make((0..<CopyName.byteCount).map { _ in UInt8.random(in: .min ... .max) })
    }
}

extension StoreFiles {
    var files: String { directory.appending(path: OutboxFiles.name).path }

    fileprivate func hasDamagedOutbox() throws(StoreError) -> Bool {
        try DiskFile.names(in: directory.path).contains { $0.hasPrefix(StoreFiles.copyPrefix) }
    }
}
