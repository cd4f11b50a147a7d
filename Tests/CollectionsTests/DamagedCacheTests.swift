import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import Store
import Sync
import Testing

@testable import Collections

/// Tests of a cache whose largest LevelDB table has one flipped bit.
///
/// LevelDB finds the wrong checksum when it reads the block.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct DamagedCacheTests {
    private static let places = 0..<16

    /// Fills a user's cache, compacts it to LevelDB tables, and flips a bit of the largest table.
    private func damage(_ story: ClientStory, at place: Int) async throws {
        for number in 0..<40 {
            try await story.say("\(number)-" + String(repeating: "x", count: 300))
        }
        let client = try await story.connected()
        _ = try await client.startedCollection()
        try await client.engine.caughtUp()
        await client.close()
        let store = try ChatStore(at: story.directory(of: "bob"))
        try store.purgeCleared()
        store.close()
        let cache = story.directory(of: "bob").appending(path: "cache")
        let tables = try FileManager.default.contentsOfDirectory(
            at: cache, includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "ldb" }.map { ($0, try Data(contentsOf: $0)) }
        var (file, bytes) = try #require(tables.max { $0.1.count < $1.1.count })
        let offset = bytes.count * (2 * place + 1) / (2 * DamagedCacheTests.places.count)
        bytes[offset] ^= 1
        try bytes.write(to: file)
    }

    @Test func damagedCacheDoesNotStopSendingOrClearing() async throws {
        var reports = 0
        for place in DamagedCacheTests.places where try await isReported(at: place) { reports += 1 }
        // If no damage had been reported, this test would test nothing.
        #expect(reports > 0)
    }

    /// Without a network, the engine reads nothing from the store, so a collection reads the
    /// damaged data first.
    @Test func firstReadOfDamagedDataReportsIt() async throws {
        var reports = 0
        for place in DamagedCacheTests.places {
            let story = try await ClientStory()
            try await damage(story, at: place)
            story.network.goOffline()
            let client = try await story.open()
            let listener = Listener()
            client.addUserEventDelegate(listener)
            // The damage was already found when the cache was opened.
            guard client.storageDamage.replacedCache == nil else { continue }
            _ = try await client.connect(as: Credentials("bob"))
            let store = try client.engine.store
            let read = Result<[Message], any Error> { try store.messages(in: "general") }
            guard case .failure = read else { continue }
            reports += 1
            await listener.hears("damage: cache")
            #expect(listener.heard.count { $0 == "damage: cache" } == 1)
            let sentence = try #require(client.storageDamage.sentences.first)
            #expect(sentence.contains("the cache is damaged"))
            #expect(sentence.contains("with a connection, it is replaced"))
            await client.close()
        }
        #expect(reports > 0)
    }

    @Test func damagedLogIsReportedByConnect() async throws {
        let story = try await ClientStory()
        var client = try await story.connected()
        _ = try await client.startedCollection()
        try await client.engine.caughtUp()
        await client.close()
        let cache = story.directory(of: "bob").appending(path: "cache")
        let logs = try FileManager.default.contentsOfDirectory(
            at: cache, includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "log" }
        for log in logs {
            var bytes = try Data(contentsOf: log)
            guard !bytes.isEmpty else { continue }
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: log)
        }
        client = try await story.open()
        let listener = Listener()
        client.addUserEventDelegate(listener)
        #expect(client.storageDamage.replacedCache != nil)
        #expect(client.storageDamage.sentences.count == 1)
        try await client.connect(as: Credentials("bob"))
        #expect(listener.heard.contains("damage: replaced cache"))
        await client.close()
        client = try await story.open()
        #expect(client.storageDamage.isEmpty)
        await client.close()
    }

    /// Uses a cache whose byte at `place` is damaged.
    ///
    /// - Returns: True if the damage was reported while the cache was open.
    private func isReported(at place: Int) async throws -> Bool {
        let story = try await ClientStory()
        try await damage(story, at: place)
        let listener = Listener()
        let client = try await story.open()
        client.addUserEventDelegate(listener)
        try await client.connect(as: Credentials("bob"))
        // Each of these calls must end, whether or not it finds the damage.
        let caughtUp = await Result { try await client.engine.caughtUp() }
        let inChannel = await Result { try await client.engine.caughtUp("general") }
        let sent = try await client.send(NewMessage("mine"), in: "general")
        guard case .sent = try await sent.result else {
            Issue.record("it was not sent")
            return false
        }
        #expect(try client.engine.store.outboxItemCount() == 0)
        // The damage is replaced while the cache is open, so that these calls succeed.
        for result in [caughtUp, inChannel] { #expect(throws: Never.self) { try result.get() } }
        let isReported = !client.storageDamage.isEmpty
        try await client.clearCachedData()
        #expect(client.storageDamage.cache == nil)
        #expect(try client.engine.store.messageCount() == 0)
        try await client.connect(as: Credentials("bob"))
        try await client.engine.caughtUp()
        let collection = try await client.startedCollection()
        #expect(collection.messages.last?.text == "mine")
        await client.close()
        return isReported
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
