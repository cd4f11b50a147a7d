import Foundation
import Models
import ScrollbackCrashWriter
import Testing

@testable import Store

/// Tests sparse files of the maximum size, whose sum would overflow.
@Suite struct HugeFileTests {
    private let directory: StoreDirectory
    private let drops = [
        "0000000000000001-0000000000000000.drop", "0000000000000002-0000000000000000.drop",
    ]

    init() throws {
        directory = try StoreDirectory(.encrypted)
        let store = try directory.open()
        try store.makePushInbox()
        store.close()
    }

    private func plant(_ names: [String], in part: String) throws {
        let parent = directory.url.appending(path: part)
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        for name in names {
            let path = parent.appending(path: name).path
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            try #require(truncate(path, off_t.max) == 0)
        }
    }

    @Test func pushesAreReadOneByOne() throws {
        try plant(drops, in: "drops")
        let store = try directory.open()
        #expect(try store.pushNames() == Array(drops.prefix(1)))
        store.close()
    }

    @Test func pushInboxIsFull() throws {
        try plant(drops, in: "drops")
        let box = try #require(try PushInbox(in: directory.url, encryptionKey: Steps.key))
        let error = #expect(throws: StoreError.self) {
            try box.leave([Message(id: "1", channelURL: "c", text: "x", createdAt: 1)])
        }
        #expect(error?.code == .noSpace)
    }

    @Test func sizeOfAStoreIsTheGreatestNumber() throws {
        try plant(["a", "b"], in: "files")
        #expect(try ChatStore.byteCount(at: directory.url) == .max)
    }

    @Test func sizeOfACacheIsTheGreatestNumber() throws {
        let store = try directory.open()
        try plant(["a", "b"], in: "cache")
        #expect(try store.cachedDataSize() == .max)
        try plant(["a", "b"], in: "replaced-cache-1")
        #expect(try store.cachedDataSize() == .max)
        store.close()
    }

    @Test func reencryptionEnds() throws {
        try plant(["a", "b"], in: "files")
        var progress: [Double] = []
        try ChatStore.reencrypt(at: directory.url, from: Steps.key, to: EncryptionKey()) {
            progress.append($0)
        }
        #expect(progress.first == 0 && progress.last == 1)
    }

    @Test func sizeOfAFileCacheIsTheGreatestNumber() throws {
        let files = directory.url.appending(path: "texts")
        let cache = try FileCache(directory: files, encryptionKey: Steps.key)
        for channel in ["a", "b"] as [ChannelURL] { try cache.save([], in: channel) }
        for name in try FileManager.default.contentsOfDirectory(atPath: files.path)
        where name.hasSuffix(".messages") {
            try #require(truncate(files.appending(path: name).path, off_t.max) == 0)
        }
        #expect(try cache.size() == .max)
    }
}
