import Foundation
import ScrollbackCrashWriter
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import Testing

@testable import Store

/// Whether the files of a store are encrypted.
enum FileForm: CaseIterable, Sendable {
    case plain, encrypted

    var key: EncryptionKey? { self == .encrypted ? Steps.key : nil }
}

/// A temporary directory for a store.
///
/// It is removed with the last reference.
///
/// It is in memory, because the tests open and sync hundreds of stores.
final class StoreDirectory: Sendable {
    let url: URL
    let files: FileForm

    init(_ files: FileForm = .plain, in parent: URL = ScratchDirectory.memory) throws {
        self.files = files
        url = parent.appending(path: "scrollback-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    /// Copies another directory.
    init(of other: StoreDirectory, in parent: URL = ScratchDirectory.memory) throws {
        files = other.files
        url = parent.appending(path: "scrollback-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: other.url, to: url)
    }

    // The directory may have been removed with its disk.
    deinit { try? FileManager.default.removeItem(at: url) }

    func open(_ options: StoreOptions = Steps.smallFiles) throws(StoreError) -> ChatStore {
        try ChatStore(at: url, options: options, encryptionKey: files.key)
    }

    /// Returns the LevelDB environment of a database.
    func environment(_ database: String) throws -> LevelDB.Environment {
        let keys = try files.key.map { try KeyFile(in: url.path).keys($0) }
        return .disk(keys, as: database)
    }

    /// Returns the files of a database whose names have a suffix, oldest first.
    func files(_ database: String, _ suffix: String = "") throws -> [URL] {
        try FileManager.default
            .contentsOfDirectory(
                at: url.appending(path: database), includingPropertiesForKeys: nil
            )
            .filter { $0.lastPathComponent.hasSuffix(suffix) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    /// Returns the contents of all files, by path.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
            // `nil` for a directory.
            contents[path] =
                FileManager.default.contents(atPath: url.appending(path: path).path) ?? Data()
        }
        return contents
    }

    /// Writes rows directly to the cache database of a store that is closed.
    func writeToCache(_ rows: [(key: KeyBytes, value: [UInt8])]) throws {
        let database = try LevelDB(at: url.appending(path: "cache").path)
        let batch = Overlay()
        for row in rows { batch.put({ $0.raw(row.key) }, { $0.raw(row.value) }) }
        try database.write(batch, isDurable: false)
        database.close()
    }
}

extension FailingDisks {
    func open(
        _ directory: StoreDirectory, _ options: StoreOptions = Steps.smallFiles
    ) throws(StoreError) -> ChatStore {
        try open(directory.url, options, key: directory.files.key)
    }

    func loseUnsynced(in directory: StoreDirectory) throws {
        try loseUnsynced(in: directory.url)
    }
}
