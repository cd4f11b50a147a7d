import FaultyDisks
import Foundation
import StoreCrashWriter
import Testing

@testable import Store

/// How the files of a store are kept.
enum FileForm: CaseIterable, Sendable {
    case plain, encrypted

    var key: EncryptionKey? { self == .encrypted ? Steps.key : nil }
}

/// A place for a store on the disk, which goes with its last user.
final class StoreDirectory: Sendable {
    let url: URL
    let files: FileForm

    init(_ files: FileForm = .plain, in parent: URL = StoreDirectory.temporary) throws {
        self.files = files
        url = parent.appending(path: "scrollback-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    /// A copy of another one.
    init(of other: StoreDirectory, in parent: URL = StoreDirectory.temporary) throws {
        files = other.files
        url = parent.appending(path: "scrollback-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: other.url, to: url)
    }

    deinit { try? FileManager.default.removeItem(at: url) }  // It may be gone with its disk.

    /// In memory where the system has such a place: hundreds of stores are opened and synced.
    static let temporary: URL = {
        let memory = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
    }()

    func open(_ options: StoreOptions = Steps.smallFiles) throws(StoreError) -> ChatStore {
        try ChatStore(at: url, options: options, encryptionKey: files.key)
    }

    /// Where one of the databases is.
    func environment(_ database: String) throws -> LevelDB.Environment {
        let keys = try files.key.map { try KeyFile(in: url.path).keys($0) }
        return .disk(keys, as: database)
    }

    /// The files of one of the databases whose names end so, oldest first.
    func files(_ database: String, _ suffix: String = "") throws -> [URL] {
        try FileManager.default
            .contentsOfDirectory(
                at: url.appending(path: database), includingPropertiesForKeys: nil
            )
            .filter { $0.lastPathComponent.hasSuffix(suffix) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
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
