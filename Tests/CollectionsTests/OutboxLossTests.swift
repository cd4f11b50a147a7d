import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import Store
import Sync
import Testing

@testable import Collections

@MainActor
@Suite(.timeLimit(.minutes(10))) struct OutboxLossTests {
    enum Damage: CaseIterable { case flippedBit, tornTail, missing, noManifest }

    private func apply(_ damage: Damage, to outbox: URL) throws {
        let files = FileManager.default
        if damage == .flippedBit { return try LevelDBLog.damage("second", in: outbox) }
        if damage == .missing { return try files.removeItem(at: outbox) }
        if damage == .noManifest {
            return try files.removeItem(at: outbox.appending(path: "CURRENT"))
        }
        let log = try #require(
            try files.contentsOfDirectory(at: outbox, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "log" }
                .max { $0.lastPathComponent < $1.lastPathComponent })
        try Data(contentsOf: log).dropLast(3).write(to: log)
    }

    @Test(arguments: Damage.allCases)
    func lossIsReportedUntilItIsAcknowledged(damage: Damage) async throws {
        let story = try await ClientStory()
        var client = try await story.connected()
        #expect(client.storageDamage.isEmpty)
        await client.disconnect()
        for text in ["first", "second", "third"] {
            try await client.send(NewMessage(text), in: "general")
        }
        await client.close()
        try apply(damage, to: story.directory(of: "bob").appending(path: "outbox"))

        story.network.goOffline()
        client = try await story.open()
        let listener = Listener()
        client.addUserEventDelegate(listener)
        #expect(client.storageDamage.outbox != nil)
        let sentences = client.storageDamage.sentences
        let counts: [Damage: Int] = [.flippedBit: 3, .tornTail: 2]
        #expect(sentences.count == counts[damage, default: 1], "\(sentences)")
        #expect((try client.engine.store.outboxItemCount() == 3) == (damage == .noManifest))
        try await client.connect(as: Credentials("bob"))
        try await client.connect(as: Credentials("bob"))
        #expect(listener.heard.filter { $0.hasPrefix("damage") } == ["damage: outbox"])
        await client.close()

        client = try await story.open()
        // A torn tail of the log does not count as damage, because any crash can cause it. But the
        // outbox is then older than the cache has recorded.
        #expect(
            client.storageDamage.sentences == (damage == .tornTail ? [sentences[0]] : sentences))
        try await client.acknowledgeOutboxLoss()
        #expect(client.storageDamage.isEmpty)
        await client.close()
        client = try await story.open()
        #expect(client.storageDamage.isEmpty)
        await client.close()
    }
}
