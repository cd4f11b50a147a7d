import EmbeddedServer
import Models
import ScrollbackStorySupport
import Store
import Sync
import Testing

/// Tests a device that compares its store with the server, and repairs the store.
@Suite(.timeLimit(.minutes(10))) struct VerifyingTests {
    /// Returns a device with `a b c d e f g`.
    ///
    /// The closure `damage` has changed the stored rows.
    func story(_ damage: @escaping ([Message], Batch) throws -> Void) async throws -> Story {
        let story = try await Story(.exact { $0.pageSize = 3 })
        let messages = try await story.say("a b c d e f g")
        try await story.open()
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        try story.store.write { try damage(messages, $0) }
        return story
    }

    @Test func missingMessageIsFoundAndFetched() async throws {
        let story = try await story { messages, batch in
            try batch.removeMessage(messages[1].messageID!, in: "general")
            try batch.removeMessage(messages[6].messageID!, in: "general")
        }
        #expect(try story.picture() == "a c d e f")
        let differences = try await story.engine.verify("general")
        #expect(Set(differences.missing.map(\.text)) == ["b", "g"])
        #expect(differences.extra == [] && differences.different == [])
        #expect(try story.picture() == "a c d e f")
        try await story.engine.repair("general")
        #expect(try story.picture() == "a b c d e f g")
        #expect(try await story.engine.verify("general").isEmpty)
        await story.engine.close()
    }

    @Test func surplusMessageIsFoundAndRemoved() async throws {
        let story = try await story { messages, batch in
            var ghost = messages[2]
            ghost.messageID = "999"
            ghost.requestID = nil
            ghost.text = "ghost"
            try batch.save(ghost)
        }
        #expect(try story.picture() == "a b c ghost d e f g")
        #expect(try await story.engine.verify("general").extra.map(\.text) == ["ghost"])
        try await story.engine.repair("general")
        #expect(try story.picture() == "a b c d e f g")
        await story.engine.close()
    }

    /// The server is restored from a backup after the page was read.
    ///
    /// The lookup that follows must not confirm the page.
    @Test func historyLostDuringARepairStaysStale() async throws {
        let story = try await Story()
        let messages = try await story.say("a b c")
        let backup = try story.server.backup()
        try await story.edit(messages[2], to: "C")
        try await story.open()
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        try story.store.write { batch in
            var ghost = messages[1]
            ghost.messageID = "999"
            ghost.requestID = nil
            ghost.text = "ghost"
            try batch.save(ghost)
        }
        story.network.hold([.lookup, .messages])
        async let repair: Void = story.engine.repair("general")
        try await story.held(1)
        story.network.hold([.lookup])
        story.network.release()
        try await story.held(1)
        try story.server.restore(backup)
        try await story.waitUntilNotified()
        story.network.stopHolding()
        try await repair
        try await story.end()
    }

    @Test func differentMessageIsFoundAndReplaced() async throws {
        let story = try await story { messages, batch in
            var wrong = messages[3]
            wrong.text = "wrong"
            wrong.updatedAt = .distantFuture
            try batch.save(wrong)
        }
        let differences = try await story.engine.verify("general")
        #expect(differences.different.map(\.text) == ["d"])
        try await story.engine.repair("general")
        #expect(try story.picture() == "a b c d e f g")
        await story.engine.close()
    }

    @Test func channelRowIsComparedAndReplaced() async throws {
        let story = try await story { _, batch in
            var channel = try #require(try batch.groupChannel("general"))
            channel.memberCount = 9
            channel.lastMessage = nil
            // The comparison ignores this property, because the server does not have it.
            channel.lastSyncedChangelogAt = 7
            try batch.save(channel)
        }
        let differences = try await story.engine.verify("general")
        #expect(!differences.isEmpty)
        #expect(differences.channel?.fields == ["member_count", "last_message"])
        #expect(differences.channel?.channel.lastMessage?.text == "g")
        #expect(differences.missing == [] && differences.different == [])
        try await story.engine.repair("general")
        #expect(try await story.engine.verify("general").isEmpty)
        let channel = try #require(try story.store.groupChannel("general"))
        #expect(channel.memberCount == 2 && channel.lastSyncedChangelogAt == 7)
        await story.engine.close()
    }

    @Test func missingChannelIsADifference() async throws {
        let story = try await story { _, batch in
            try batch.removeChannel("general")
        }
        #expect(try await story.engine.verify("general").channel?.fields.contains("name") == true)
        try await story.engine.repair("general")
        #expect(try await story.engine.verify("general").channel == nil)
        await story.engine.close()
    }

    @Test func unknownRangeIsNoDifference() async throws {
        let story = try await Story(.exact { $0.pageSize = 2 })
        let messages = try await story.say("a b c d e f g")
        try await story.open()
        _ = try await story.engine.fetchMessages(
            in: "general", at: .message(messages[1].messageID!), older: 0, newer: 2)
        #expect(try story.picture() == "… b c ~ f g")
        #expect(try await story.engine.verify("general").comparedCount == 4)
        try story.store.write { try $0.removeMessage(messages[2].messageID!, in: "general") }
        #expect(try await story.engine.verify("general").missing.map(\.text) == ["c"])
        try await story.engine.repair("general")
        #expect(try story.picture() == "… b c ~ f g")
        await story.engine.close()
    }

    @Test func coverageDescribesTheKnownRanges() async throws {
        let story = try await Story(.exact { $0.pageSize = 2 })
        let messages = try await story.say("a b c d e f g")
        #expect(try await story.engine.coverage(of: "general").description == "~ +∞")
        try await story.open()
        let (f, b) = (messages[5].position!, messages[1].position!)
        #expect(
            try await story.engine.coverage(of: "general").description == "~ \(f) [1] +∞")
        _ = try await story.engine.fetchMessages(
            in: "general", at: .message(b.messageID), older: 0, newer: 0)
        let coverage = try await story.engine.coverage(of: "general")
        #expect(coverage.description == "~ \(f) [1] +∞")
        #expect(!coverage.isComplete)
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        #expect(try await story.engine.coverage(of: "general").description == "[7] +∞")
        #expect(try await story.engine.coverage(of: "general").isComplete)
        await story.engine.close()
    }
}
