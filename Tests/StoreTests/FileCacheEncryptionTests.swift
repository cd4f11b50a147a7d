import Foundation
import Models
import StoreCrashWriter
import Testing

@testable import Store

/// The text files of a file cache, with a key.
@Suite struct FileCacheEncryptionTests {
    private let directory: StoreDirectory
    private let key = EncryptionKey()
    private let messages = (1...3).map {
        Message(
            id: MessageID("m-\($0)"), channelURL: "canary", text: "canary \($0)",
            createdAt: Timestamp(milliseconds: Int64($0)))
    }

    init() throws { directory = try StoreDirectory() }

    private func cache(_ key: EncryptionKey?) throws(StoreError) -> FileCache {
        try FileCache(directory: directory.url, encryptionKey: key)
    }

    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path) {
            files[name] = try Data(contentsOf: directory.url.appending(path: name))
        }
        return files
    }

    @Test func whatIsSavedIsLoadedAndCannotBeRead() throws {
        let cache = try cache(key)
        #expect(cache.isEncrypted)
        #expect(try cache.save(messages, in: "canary"))
        #expect(try cache.saveChannels([GroupChannel(url: "canary", createdAt: 1)]))
        #expect(try self.cache(key).load("canary").records == messages)
        #expect(try cache.load("canary").damage == [])
        #expect(try cache.loadChannels().records.map(\.url) == ["canary"])
        #expect(try cache.channels() == ["canary"])
        // The same again is not written, though it would not be the same bytes.
        let before = try files()
        #expect(try !cache.save(messages, in: "canary"))
        #expect(try files() == before)

        let plain = try FileCache(directory: directory.url.appending(path: "plain"))
        try plain.save(messages, in: "canary")
        let plainName = CacheFile.messages(of: "canary").name
        let readable = Data("canary".utf8).base64EncodedData()
        let text = try Data(contentsOf: plain.directory.appending(path: plainName))
        #expect(text.range(of: readable) != nil)
        for (name, bytes) in before {
            #expect(name != plainName)
            #expect(bytes.range(of: readable) == nil && bytes.range(of: Data("canary".utf8)) == nil)
        }
        try cache.remove("canary")
        #expect(try cache.load("canary").records == [])
    }

    @Test func eachByteCounts() throws {
        let cache = try cache(key)
        try cache.save(messages, in: "canary")
        let name = try #require(try files().keys.first { $0.hasSuffix(".messages") })
        let file = directory.url.appending(path: name)
        let whole = try Data(contentsOf: file)
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x04
            try damaged.write(to: file)
            let contents = try cache.load("canary")
            // Base64 has bits that say nothing.
            let isSame = contents.records == messages
            #expect(contents.damageCount > 0 || isSame, "at \(index)")
            #expect(contents.records.allSatisfy(messages.contains), "at \(index)")
        }
        // Lines that are exchanged, and a file in the place of another.
        var lines = whole.split(separator: UInt8(ascii: "\n"))
        lines.swapAt(2, 3)
        try Data(lines.joined(separator: [UInt8(ascii: "\n")]) + [UInt8(ascii: "\n")])
            .write(to: file)
        #expect(
            try cache.load("canary").damage.map(\.description) == [
                "line 2: check", "line 3: check",
            ])
        try cache.save(messages, in: "other")
        let other = try #require(
            try files().first { $0.key.hasSuffix(".messages") && $0.key != name })
        try other.value.write(to: file)
        let contents = try cache.load("canary")
        #expect(contents.records == [] && contents.damageCount > 0)
    }

    @Test func aWrongKeyTouchesNothing() throws {
        try cache(key).save(messages, in: "canary")
        let before = try files()
        for wrong in [EncryptionKey(), nil] {
            #expect(code { _ = try cache(wrong) } == .wrongKey)
            #expect(try files() == before)
        }
        let other = EncryptionKey()
        #expect(
            code {
                try FileCache.changeEncryptionKey(of: directory.url, from: other, to: key)
            } == .wrongKey)
        try FileCache.changeEncryptionKey(of: directory.url, from: key, to: other)
        #expect(code { _ = try cache(key) } == .wrongKey)
        #expect(try cache(other).load("canary").records == messages)
    }

    @Test func plainFilesAreNotTaken() throws {
        try cache(nil).save(messages, in: "canary")
        let before = try files()
        #expect(code { _ = try cache(key) } == .wrongKey)
        #expect(try files() == before)
    }
}
