import CScrollbackLevelDB
import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests tables that are compressed with Snappy, and a LevelDB that was built without Snappy.
///
/// A LevelDB with Snappy runs these tests, too: the tables have a block that cannot be decompressed,
/// although its checksum is right, and the environment reports errors as one without Snappy does.
@Suite struct UnsupportedCompressionTests {
    private func database(_ directory: StoreDirectory) throws -> String {
        let path = directory.url.appending(path: "cache").path
        var options = StoreOptions()
        options.isCompressed = false
        let database = try LevelDB(at: path, options: options)
        try database.write(row(1), isDurable: false)
        try database.compact()
        database.close()
        try breakFirstBlock(of: try #require(try directory.files("cache", ".ldb").first))
        return path
    }

    private func row(_ number: UInt8) -> Overlay {
        let batch = Overlay()
        batch.put({ $0.byte(number) }, { $0.text("value") })
        return batch
    }

    private var environment: LevelDB.Environment {
        let environment = LevelDB.Environment.disk()
        environment.assumeNoSnappy()
        return environment
    }

    private func read(_ database: LevelDB) throws(StoreError) {
        try database.snapshot().scan(.all) { _, _ in true }
    }

    @Test func compressedBlockIsNotDamage() throws {
        let directory = try StoreDirectory()
        let path = try database(directory)
        let database = try LevelDB(at: path, environment: environment)
        let snapshot = try database.snapshot()
        let calls: [() throws -> Void] = [
            { try read(database) },
            { try snapshot.withValue(of: [1]) { (_) throws(StoreError) in } },
            {
                let cursor = snapshot.cursor()
                cursor.seek(to: [])
                try cursor.check()
            },
        ]
        for call in calls {
            let error = #expect(throws: StoreError.self) { try call() }
            #expect(error?.code == .unsupportedCompression)
            #expect(error?.message.contains("LevelDB that has Snappy") == true)
        }
        #expect(database.firstDamage.error == nil)
    }

    @Test func failedCompactionIsNotDamage() throws {
        let directory = try StoreDirectory()
        let path = try database(directory)
        let database = try LevelDB(at: path, environment: environment)
        try database.write(row(1), isDurable: false)
        try database.compact()
        let error = #expect(throws: StoreError.self) {
            try database.write(row(2), isDurable: false)
        }
        #expect(error?.code == .unsupportedCompression)
    }

    @Test func repairChangesNothing() throws {
        let directory = try StoreDirectory()
        let path = try database(directory)
        let before = try contents(directory, "cache")
        let error = #expect(throws: StoreError.self) {
            try LevelDB.repair(at: path, environment: environment)
        }
        #expect(error?.code == .unsupportedCompression)
        #expect(try contents(directory, "cache") == before)
    }

    /// The same block is damage if LevelDB has Snappy.
    @Test func blockThatSnappyCannotReadIsDamage() throws {
        let directory = try StoreDirectory()
        let path = try database(directory)
        let database = try LevelDB(at: path)
        let error = #expect(throws: StoreError.self) { try read(database) }
        guard error?.code != .unsupportedCompression else { return }  // without Snappy
        #expect(error?.code == .corruption)
    }

    @Test(arguments: ["cache", "outbox"])
    func storeWithCompressedFilesIsNeitherReplacedNorSalvaged(name: String) throws {
        let directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { batch in
            try batch.save(Message.sample(1))
            try batch.setPinned(true, for: "general")
        }
        store.close()
        let path = directory.url.appending(path: name).path
        let closed = try LevelDB(at: path)
        try closed.compact()
        closed.close()
        try breakFirstBlock(of: try #require(try directory.files(name, ".ldb").first))
        let before = try contents(directory, name)
        let error = #expect(throws: StoreError.self) {
            let store = try ChatStore(
                at: directory.url, environments: (environment, environment))
            defer { store.close() }
            _ = try store.messages(in: "general", limit: 5)
        }
        #expect(error?.code == .unsupportedCompression)
        let after = try contents(directory, name)
        for (file, bytes) in before where file.hasSuffix(".ldb") { #expect(after[file] == bytes) }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
                .filter { $0.hasPrefix(name) } == [name])
    }

    private func contents(_ directory: StoreDirectory, _ name: String) throws -> [String: Data] {
        let files = try directory.files(name).map {
            ($0.lastPathComponent, try Data(contentsOf: $0))
        }
        return Dictionary(uniqueKeysWithValues: files)
    }

    /// Makes the first block of a table one that is compressed with Snappy, and that Snappy cannot
    /// decompress.
    ///
    /// The last 48 bytes of a table have the positions of two blocks, the second of which is the
    /// index. An entry of the index has three lengths, a key, and the position of a block. A
    /// position is an offset and a size; the type and the checksum of the block follow it.
    private func breakFirstBlock(of table: URL) throws {
        var bytes = [UInt8](try Data(contentsOf: table))
        var offset = bytes.count - 48
        func integer() -> Int {
            var (value, shift) = (0, 0)
            while true {
                defer { offset += 1 }
                value |= Int(bytes[offset] & 0x7F) << shift
                if bytes[offset] < 0x80 { return value }
                shift += 7
            }
        }
        (_, _) = (integer(), integer())
        let index = (start: integer(), size: integer())
        try #require(bytes[index.start + index.size] == 0, "the index is not compressed")
        offset = index.start
        let (_, keySize, _) = (integer(), integer(), integer())
        offset += keySize
        let block = (start: integer(), size: integer())
        for index in 0..<5 { bytes[block.start + index] = 0xFF }
        let type = block.start + block.size
        bytes[type] = 1
        let sum = bytes[block.start...type].withUnsafeBytes {
            scrollback_log_checksum($0.baseAddress!, $0.count)
        }
        for index in 0..<4 {
            bytes[type + 1 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index))
        }
        try Data(bytes).write(to: table)
    }
}
