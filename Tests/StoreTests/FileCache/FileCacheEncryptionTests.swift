import Foundation
import Models
import ScrollbackCrashWriter
import Testing

@testable import Store

/// Tests the files of an encrypted file cache.
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

    @Test func encryptedFileIsLoadedAndUnreadableOnDisk() throws {
        let cache = try cache(key)
        #expect(cache.isEncrypted)
        #expect(try cache.save(messages, in: "canary"))
        #expect(try cache.saveChannels([GroupChannel(url: "canary", createdAt: 1)]))
        #expect(try self.cache(key).load("canary").records == messages)
        #expect(try cache.load("canary").damage == [])
        #expect(try cache.loadChannels().records.map(\.url) == ["canary"])
        #expect(try cache.channels() == ["canary"])
        // Equal records are not written again. If they were, a new encryption would change the
        // bytes.
        let before = try directory.contents()
        #expect(try !cache.save(messages, in: "canary"))
        #expect(try directory.contents() == before)

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

    @Test func directoriesWithKeysOfDifferentPurposesCannotBeExchanged() throws {
        func cache(_ name: String, for purpose: String) throws -> FileCache {
            try FileCache(
                directory: directory.url.appending(path: name),
                encryptionKey: key.derived(for: purpose))
        }
        try cache("alice", for: "alice").save(messages, in: "canary")
        try cache("bob", for: "bob").save([], in: "canary")
        #expect(try cache("alice", for: "alice").load("canary").records == messages)
        let error = #expect(throws: StoreError.self) { try cache("alice", for: "bob") }
        #expect(error?.code == .wrongKey)
        #expect(key.derived(for: "alice") != key)
    }

    /// The expected bytes were computed by another implementation of HKDF (RFC 5869).
    @Test func keyOfAPurposeStaysTheSame() throws {
        let key = try #require(EncryptionKey(Array(0..<32)))
        let derived = key.derived(for: "alice").withUnsafeBytes { Array($0) }
        let expected = "4446ec0856ae0f98347c758aec576844dbcb5b53c66ae66f34a54a9dfa736c08"
        #expect(derived.map { String(format: "%02x", $0) }.joined() == expected)
    }

    /// A program may have copied the file `KEY` of a store, whose key the app also uses for the
    /// cache, from the time when its encryption was being added or removed.
    @Test(arguments: [true, false]) func keyFileOfAnUnfinishedExchangeIsRefused(isAdded: Bool)
        throws
    {
        let store = try StoreDirectory()
        if isAdded {
            _ = try KeyFile(in: store.url.path).beginExchange(from: nil, to: key)
        } else {
            try ChatStore(at: store.url, encryptionKey: key).close()
            _ = try KeyFile(in: store.url.path).beginExchange(from: key, to: nil)
        }
        try FileManager.default.copyItem(
            at: store.url.appending(path: "KEY"), to: directory.url.appending(path: "KEY"))
        let error = #expect(throws: StoreError.self) { try self.cache(key) }
        #expect(error?.code == .wrongKey)
    }

    @Test func changedByteIsDetected() throws {
        let cache = try cache(key)
        try cache.save(messages, in: "canary")
        let name = try #require(try directory.contents().keys.first { $0.hasSuffix(".messages") })
        let file = directory.url.appending(path: name)
        let whole = try Data(contentsOf: file)
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x04
            try damaged.write(to: file)
            let contents = try cache.load("canary")
            // A flipped bit at the end of a line may be one that Base64 does not use. Then the
            // records must be unchanged.
            let isSame = contents.records == messages
            #expect(contents.damageCount > 0 || isSame, "at \(index)")
            #expect(contents.records.allSatisfy(messages.contains), "at \(index)")
        }
        // Exchange two lines. Below, replace the file with another one.
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
            try directory.contents().first { $0.key.hasSuffix(".messages") && $0.key != name })
        try other.value.write(to: file)
        let contents = try cache.load("canary")
        #expect(contents.records == [] && contents.damageCount > 0)
    }

    @Test func wrongKeyChangesNothing() throws {
        try cache(key).save(messages, in: "canary")
        let before = try directory.contents()
        for wrong in [EncryptionKey(), nil] {
            #expect(code { _ = try cache(wrong) } == .wrongKey)
            #expect(try directory.contents() == before)
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

    @Test func plainFilesAreRejected() throws {
        try cache(nil).save(messages, in: "canary")
        let before = try directory.contents()
        #expect(code { _ = try cache(key) } == .wrongKey)
        #expect(try directory.contents() == before)
    }
}
