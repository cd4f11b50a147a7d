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

    // MARK: Reencrypting all files

    /// Saves messages of two channels and a list of channels in a directory.
    private func fill(_ key: EncryptionKey?, in url: URL) throws {
        let cache = try FileCache(directory: url, encryptionKey: key)
        try cache.save(messages, in: "canary")
        try cache.save([messages[0]], in: "second")
        try cache.saveChannels([GroupChannel(url: "canary", createdAt: 1)])
    }

    private func expectFilled(_ cache: FileCache) throws {
        #expect(try cache.load("canary").records == messages)
        #expect(try cache.load("second").records == [messages[0]])
        #expect(try cache.loadChannels().records.map(\.url) == ["canary"])
        #expect(try cache.channels() == ["canary", "second"])
        for channel in ["canary", "second"] as [ChannelURL] {
            #expect(try cache.load(channel).damage == [])
        }
    }

    @Test(arguments: [(0, 1), (1, 2), (1, 1), (1, 0)])
    func interruptedReencryptionOfTheFileCacheCompletes(change: (old: Int, new: Int)) throws {
        let keys = [nil, key, EncryptionKey()]
        let (old, new) = (keys[change.old], keys[change.new])
        for number in 1... {
            let place = directory.url.appending(path: "\(number)")
            try fill(old, in: place)
            var steps = 0
            var told: [Double] = []
            let ended = code {
                let removed = try FileCache.reencrypt(
                    at: place, from: old, to: new, { told.append($0) }
                ) { () throws(StoreError) in
                    steps += 1
                    if steps == number { throw StoreError(.io, "ended", path: "") }
                }
                #expect(removed == 0)
                #expect(told.last == 1 && told == told.sorted())
            }
            if ended != nil {
                #expect(ended == .io)
                // The old and the new key both open all records, and what is saved with them is
                // kept.
                for key in steps == 1 ? [old] : [old, new].compactMap(\.self) {
                    try expectFilled(FileCache(directory: place, encryptionKey: key))
                }
                let key = steps == 1 ? old : [old, new].compactMap(\.self)[0]
                try FileCache(directory: place, encryptionKey: key).save([], in: "second")
                #expect(try FileCache.reencrypt(at: place, from: old, to: new) == 0)
                let cache = try FileCache(directory: place, encryptionKey: new)
                #expect(try cache.load("second").records == [])
                try cache.save([messages[0]], in: "second")
            }
            try expectFilled(FileCache(directory: place, encryptionKey: new))
            if change.old != change.new {
                #expect(
                    code { _ = try FileCache(directory: place, encryptionKey: old) } == .wrongKey)
            }
            let readable = Data("canary".utf8).base64EncodedData()
            let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
            let hasReadable = try names.contains {
                try Data(contentsOf: place.appending(path: $0)).range(of: readable) != nil
            }
            #expect(hasReadable == (new == nil))
            #expect(names.count == (new == nil ? 4 : 5))
            // Encrypting again with the same key changes nothing.
            #expect(try FileCache.reencrypt(at: place, from: old, to: new) == 0)
            try expectFilled(FileCache(directory: place, encryptionKey: new))
            if ended == nil {
                #expect(number > 2)
                break
            }
        }
    }

    @Test func reencryptedFileCacheKeepsReportingDamage() throws {
        try fill(key, in: directory.url)
        let canary = try #require(
            try directory.contents().filter { $0.key.hasSuffix(".messages") }.max {
                $0.value.count < $1.value.count
            })
        var lines = canary.value.split(separator: UInt8(ascii: "\n"))
        // The header and one message are damaged. The other messages must still be loaded.
        for line in [1, 3] { lines[line][lines[line].startIndex + 9] ^= 0x04 }
        try Data(lines.joined(separator: [UInt8(ascii: "\n")]) + [UInt8(ascii: "\n")])
            .write(to: directory.url.appending(path: canary.key))
        let other = EncryptionKey()
        #expect(try FileCache.reencrypt(at: directory.url, from: key, to: other) == 0)
        let contents = try cache(other).load("canary")
        #expect(contents.records == [messages[0], messages[2]])
        #expect(contents.damage.map(\.description) == ["line 1: header", "line 3: check"])
        // Replace a file with one that has no readable line.
        let name = try #require(
            try directory.contents().filter { $0.key.hasSuffix(".messages") }.max {
                $0.value.count < $1.value.count
            })
        try Data("nothing\n".utf8).write(to: directory.url.appending(path: name.key))
        #expect(try FileCache.reencrypt(at: directory.url, from: other, to: key) == 1)
        #expect(try cache(key).load("canary").records == [])
        #expect(try cache(key).load("second").records == [messages[0]])
    }

    @Test func wrongKeyReencryptsNothing() throws {
        try fill(key, in: directory.url)
        let before = try directory.contents()
        let other = EncryptionKey()
        for (old, new) in [(nil, other), (other, EncryptionKey()), (nil, nil)] {
            #expect(
                code { try FileCache.reencrypt(at: directory.url, from: old, to: new) }
                    == .wrongKey)
        }
        #expect(try directory.contents() == before)
        let nowhere = directory.url.appending(path: "nowhere")
        #expect(try FileCache.reencrypt(at: nowhere, from: nil, to: key) == 0)
        #expect(!FileManager.default.fileExists(atPath: nowhere.path))
    }

    @Test func plainFilesAreRejected() throws {
        try cache(nil).save(messages, in: "canary")
        let before = try directory.contents()
        #expect(code { _ = try cache(key) } == .wrongKey)
        #expect(try directory.contents() == before)
    }
}
