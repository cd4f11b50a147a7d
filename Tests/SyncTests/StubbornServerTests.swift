import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// A backend with two empty pages.
///
/// The cursor of each page leads to the other.
private struct CirclingBackend: ForwardingBackend {
    let base: any Backend
    /// True if the two pages are at the newest end, and false if they are among the older messages.
    var isNewer = false

    func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        let next: PageCursor = anchor == .cursor("there") ? "back" : "there"
        return MessagePage(
            messages: [], older: isNewer ? nil : next, newer: isNewer ? next : nil)
    }
}

/// A backend with some empty pages that are older than the only message.
///
/// The cursor of each page leads to the next one.
private struct EmptyBackend: ForwardingBackend {
    let base: any Backend
    let id: MessageID

    func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        var next = 1
        if case .cursor(let cursor) = anchor {
            guard let last = Int(cursor.rawValue) else {
                return try await base.messages(
                    in: channelURL, at: anchor, older: older, newer: newer)
            }
            next = last + 1
        } else if anchor != .message(id) {
            return try await base.messages(in: channelURL, at: anchor, older: older, newer: newer)
        }
        if next < 8 {
            return MessagePage(messages: [], older: PageCursor("\(next)"), newer: "newer")
        }
        return try await base.messages(
            in: channelURL, at: .message(id), older: older, newer: newer)
    }
}

/// A backend that refuses a lookup of more than a hundred ids.
private struct ScantBackend: ForwardingBackend {
    let base: any Backend

    func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        guard messageIDs.count <= 100 else { throw BackendError(.refused, "too many ids") }
        return try await base.lookup(messageIDs, in: channelURL)
    }
}

/// Tests servers that behave in inconvenient ways.
@Suite(.timeLimit(.minutes(10))) struct StubbornServerTests {
    @Test(arguments: [true, false])
    func walkWithRepeatedCursorsEnds(isNewer: Bool) async throws {
        let story = try await Story()
        try await story.say("a b c")
        let engine = try await story.relaunched(
            backend: CirclingBackend(base: story.network, isNewer: isNewer))
        await expectError(.stalled) { try await engine.caughtUp("general") }
        // `caughtUp()` throws this error if the engine has stopped backfilling a channel.
        await expectError(.stalled) { try await engine.caughtUp() }
        await engine.close()
        await story.close()
    }

    @Test(arguments: [true, false])
    func endlessEmptyPagesEnd(isNewer: Bool) async throws {
        let story = try await Story()
        try await story.say("a b c")
        let backend = EndlessBackend(base: story.network, isNewer: isNewer)
        let engine = try await story.relaunched(backend: backend)
        await engine.show("general", ShownRange(from: .beginning), viewer: 1)
        await expectError(.stalled) { try await engine.caughtUp("general") }
        #expect(backend.pageCount < 300)
        await engine.close()
        await story.close()
    }

    @Test func endlessEmptyPagesEndARepairAndAComparison() async throws {
        let story = try await Story.caching("a b c")
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        await story.close()
        let backend = EndlessBackend(base: story.network)
        let engine = try await story.relaunched(backend: backend)
        await expectError(.stalled) { _ = try await engine.verify("general") }
        await expectError(.stalled) { try await engine.repair("general") }
        #expect(backend.pageCount < 500)
        await engine.close()
    }

    @Test func repeatedCursorsEndARepair() async throws {
        let story = try await Story.caching("a b c")
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        await story.close()
        let engine = try await story.relaunched(backend: CirclingBackend(base: story.network))
        await expectError(.stalled) { try await engine.repair("general") }
        #expect(try story.picture() == "a? b? c?")
        await engine.close()
    }

    @Test func emptyPagesOfAStaleRangeAreFollowed() async throws {
        let options = SyncOptions.exact { $0.pageSize = 1 }
        let story = try await Story(options)
        let messages = try await story.say("a b c")
        try await story.open()
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        await story.engine.disconnect()
        try story.server.expireCursors()
        try await story.connect()
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a? b? c")
        await story.close()
        let engine = try await story.relaunched(
            options, backend: EmptyBackend(base: story.network, id: messages[2].messageID!))
        await engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await engine.caughtUp("general")
        #expect(try story.picture() == "a b c")
        await engine.close()
    }

    @Test func manyMessagesAreLookedUpInSeveralRequests() async throws {
        let (story, engine, ids) = try await crowded()
        let lookup = try await engine.fetchMessages(ids + ["none"], in: "general")
        #expect(lookup.found.map(\.messageID) == ids)
        #expect(lookup.gone == ["none"])
        await engine.close()
        await story.close()
    }

    /// Returns a device that has 250 messages between two others, and whose server looks up at most
    /// a hundred messages at once.
    private func crowded() async throws -> (Story, SyncEngine, [MessageID]) {
        let story = try await Story()
        try await story.say("a")
        let now = story.clock.now.milliseconds
        let messages = (1...250).map {
            Message.sample(10_000 + $0, text: "m", at: Timestamp(milliseconds: now + Int64($0)))
        }
        try story.server.importMessages(messages, isReported: false)
        story.clock.advance(by: .seconds(3600))
        try await story.say("z")
        let engine = try await story.relaunched(backend: ScantBackend(base: story.network))
        try await engine.caughtUp("general")
        await engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await engine.caughtUp("general")
        await engine.hide("general", viewer: 1)
        #expect(try story.counts() == "252")
        return (story, engine, messages.map { $0.messageID! })
    }

    @Test func deletionsAreFoundPageByPageAfterAnExpiredCursor() async throws {
        let (story, engine, ids) = try await crowded()
        await engine.disconnect()
        for id in ids {
            try await story.alice.delete(id, in: "general", requestID: RequestID("delete \(id)"))
        }
        try story.server.expireCursors()
        try await engine.connect(as: Credentials("bob"))
        await engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("a z")
        try await engine.caughtUp("general")
        await engine.close()
        await story.close()
    }

    @Test func staleRangeIsRepairedPageByPage() async throws {
        let (story, engine, _) = try await crowded()
        let now = story.clock.now.milliseconds
        try story.store.write { batch in
            for number in 1...150 {
                try batch.save(
                    Message.sample(
                        20_000 + number, text: "ghost",
                        at: Timestamp(milliseconds: now - 1_000_000 - Int64(number))))
            }
        }
        #expect(try story.counts() == "402")
        try await engine.repair("general")
        #expect(try story.counts() == "252")
        #expect(try await engine.verify("general").isEmpty)
        await engine.close()
        await story.close()
    }
}
