import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests the effects of `StoreOptions` on the files.
@Suite struct StoreOptionsTests {
    private let directory = ScratchDirectory()

    private func file(_ name: String) -> URL { directory.url.appending(path: name) }

    private func fill(_ store: ChatStore, commits: Int = 40) throws {
        var random = SeededRandom(seed: 4)
        for commit in 0..<commits {
            try store.write { batch in
                for index in 0..<50 {
                    var message = Message(MessageID("\(commit * 50 + index)"), at: 1)
                    // Half of the text can be compressed well.
                    message.text =
                        String(repeating: "a", count: 100)
                        + String(
                            String.UnicodeScalarView(
                                (0..<100).map { _ in
                                    Unicode.Scalar(UInt8(33 + random.number(below: 90)))
                                }))
                    try batch.save(message)
                }
            }
        }
    }

    private func tableBytes() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: file("cache").path)
            .filter { $0.hasSuffix(".ldb") }
            .reduce(0) {
                let full = file("cache").path + "/" + $1
                return $0 + (FileManager.default.contents(atPath: full)?.count ?? 0)
            }
    }

    private func options(_ change: (inout StoreOptions) -> Void) -> StoreOptions {
        var options = StoreOptions()
        change(&options)
        return options
    }

    private func store(_ change: (inout StoreOptions) -> Void) throws -> ChatStore {
        try ChatStore(at: directory.url, options: options(change))
    }

    @Test func aSmallWriteBufferMakesTables() throws {
        var store = try store { $0.writeBufferByteCount = 64 << 10 }
        try fill(store)
        #expect(try tableBytes() > 0)
        store.close()
        try FileManager.default.removeItem(at: directory.url)
        store = try self.store { $0.writeBufferByteCount = 16 << 20 }
        try fill(store)
        #expect(try tableBytes() == 0)
    }

    @Test func tablesAreSmallerWithoutFilters() throws {
        func size(_ change: (inout StoreOptions) -> Void) throws -> Int {
            let store = try store(change)
            try fill(store)
            try store.purgeCleared()
            store.close()
            defer { try? FileManager.default.removeItem(at: directory.url) }
            return try tableBytes()
        }
        let usual = try size { _ in }
        let unfiltered = try size { $0.bloomFilterBitsPerKey = 0 }
        let strange = try size { $0.bloomFilterBitsPerKey = -5 }
        // The filters have ten bits for each of 4,000 rows.
        #expect(usual - unfiltered > 4_000 && usual - unfiltered < 8_000)
        #expect(strange == unfiltered)
    }

    /// Rows are stored as they are, so that any LevelDB can read the tables.
    @Test func tablesAreNotCompressed() throws {
        let store = try store { _ in }
        try fill(store)
        try store.purgeCleared()
        store.close()
        // Half of 200 bytes of each message could be compressed well.
        #expect(try tableBytes() > 2_000 * 200)
    }

    /// Blocks of unencrypted tables are read where the files are mapped, without the cache.
    @Test func decryptedBlocksAreCachedUpToALimit() throws {
        func usage(_ form: FileForm, _ change: (inout StoreOptions) -> Void) throws -> Int {
            let directory = try StoreDirectory(form)
            let store = try directory.open(options(change))
            try fill(store)
            try store.purgeCleared()
            store.close()
            let cache = try LevelDB(
                at: directory.url.appending(path: "cache").path, options: options(change),
                environment: directory.environment("cache"))
            try Rows(snapshot: cache.snapshot(), overlay: nil)
                .scan(KeyRange([0], [0xFF])) { (_, _) throws(StoreError) in true }
            let usage = try cache.property("leveldb.approximate-memory-usage").flatMap(Int.init)
            cache.close()
            return try #require(usage)
        }
        let none = try usage(.encrypted) { $0.blockCacheByteCount = 0 }
        let all = try usage(.encrypted) { _ in }
        #expect(all - none > 300_000)
        #expect(try usage(.plain) { _ in } < none + 100_000)
    }

    @Test(arguments: [Int.min, -1, 0, 1, .max])
    func sizesOutOfRangeAreClamped(size: Int) throws {
        let store = try store {
            $0.blockCacheByteCount = size
            $0.maxOpenFiles = size
            $0.bloomFilterBitsPerKey = size
            $0.writeBufferByteCount = size
        }
        try fill(store, commits: 2)
        // Write the rows to LevelDB tables, because only tables have Bloom filters.
        try store.purgeCleared()
        #expect(try store.messageCount(in: "general") == 100)
    }
}
