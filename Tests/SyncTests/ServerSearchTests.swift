import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Searches on the server, and what the device stores of their results.
@Suite(.timeLimit(.minutes(10))) struct ServerSearchTests {
    private let params = MessageSearchParams("sh")

    /// Returns a device that has only the last of some messages.
    private func story(_ words: String) async throws -> (Story, [Message]) {
        let story = try await Story(.exact { $0.pageSize = 1 })
        let messages = try await story.say(words)
        try await story.open()
        return (story, messages)
    }

    @Test func foundMessagesAreStoredInsideGaps() async throws {
        let (story, _) = try await story("a ship b c shore d")
        #expect(try story.picture() == "… d")
        let page = try await story.engine.searchMessages(matching: params)
        #expect(page.messages.map(\.text) == ["shore", "ship"])
        #expect(page.next == nil)
        #expect(try story.picture() == "… ship ~ shore ~ d")
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        #expect(try story.picture() == "a ship b c shore d")
        try await story.end()
    }

    @Test func pagesTellHowFarTheServerHasSearched() async throws {
        let (story, messages) = try await story("ship shoe b shore d")
        let first = try await story.engine.searchMessages(matching: params, limit: 2)
        #expect(first.messages.map(\.text) == ["shore", "shoe"])
        #expect(first.searchedAfter == messages[1].createdAt)
        let second = try await story.engine.searchMessages(
            matching: params, after: first.next, limit: 2)
        #expect(second.messages.map(\.text) == ["ship"] && second.next == nil)
        await story.close()
    }

    @Test func editedMessagesReplaceOlderCopiesAndReactionsAreKept() async throws {
        let (story, messages) = try await story("a ship b")
        _ = try await story.engine.searchMessages(matching: params)
        story.network.goOffline()
        try await story.engine { $0.connection != .online }
        try await story.edit(messages[1], to: "shoe")
        try await story.react("👍", to: messages[1])
        story.network.hold([.feed])
        story.network.goOnline()
        try await story.engine { $0.connection == .online }
        let page = try await story.engine.searchMessages(matching: params)
        #expect(page.messages.map(\.text) == ["shoe"])
        #expect(try story.picture() == "… shoe? ~ b")
        story.network.stopHolding()
        try await story.end()
    }

    // MARK: Changes during the request

    /// Returns a device whose search is answered after a closure was executed.
    private func search(
        _ words: String, _ meanwhile: (Story, [Message]) async throws -> Void
    ) async throws -> (Story, ServerSearchPage) {
        let (story, messages) = try await story(words)
        story.network.hold([SearchMessages.name])
        async let page = story.engine.searchMessages(matching: params)
        try await story.held(1)
        try await meanwhile(story, messages)
        try await story.waitUntilNotified()
        story.network.stopHolding()
        return (story, try await page)
    }

    @Test func messageDeletedDuringTheSearchIsNotStored() async throws {
        let (story, page) = try await search("ship shore a") { try await $0.delete($1[0]) }
        #expect(page.messages.map(\.text) == ["shore"])
        #expect(try story.picture() == "… shore ~ a")
        try await story.end()
    }

    @Test func messageEditedDuringTheSearchIsStoredAsEdited() async throws {
        let (story, _) = try await search("ship a") { try await $0.edit($1[0], to: "shoe") }
        #expect(try story.picture() == "… shoe ~ a")
        try await story.end()
    }

    @Test func reactionDuringTheSearchIsKept() async throws {
        let (story, _) = try await search("ship a") { try await $0.react("👍", to: $1[0]) }
        let message = try #require(try story.store.message("1", in: "general"))
        #expect(message.text == "ship" && message.reactions.map(\.key) == ["👍"])
        try await story.end()
    }

    @Test func channelDeletedDuringTheSearchIsNotRestored() async throws {
        let (story, page) = try await search("ship a") { story, _ in
            try await story.alice.perform(DeleteChannel("general"))
        }
        #expect(page.messages == [])
        #expect(try story.store.messages(in: "general", before: .newest) == [])
        try await story.end()
    }

    @Test func historyResetDuringTheSearchIsNotRestored() async throws {
        let (story, page) = try await search("ship a") { story, _ in
            story.clock.advance(by: .seconds(1))
            _ = try await story.network.perform(ResetMyHistory(of: "general"))
            try await story.say("shoe")
        }
        #expect(page.messages == [])
        #expect(try story.picture() == "shoe")
        try await story.end()
    }

    // MARK: An outdated server

    /// A server whose search finds fixed messages.
    private struct FixedSearch: ForwardingBackend {
        let base: any Backend
        let found: [Message]

        func forward<Call: BackendCall>(
            _ call: Call
        ) async throws(BackendError) -> Call.Answer {
            if call is SearchMessages, let page = Page(found, next: nil) as? Call.Answer {
                return page
            }
            return try await call.make(on: base)
        }
    }

    /// Returns the result of a search that finds messages as they were earlier.
    private func search(
        _ story: Story, finding found: [Message], isShown: Bool = false
    ) async throws -> [String] {
        await story.engine.disconnect()
        let engine = try await story.relaunched(
            backend: FixedSearch(base: story.server.client(), found: found))
        try await engine.caughtUp("general")
        if isShown { await engine.show("general", ShownRange(from: .beginning), viewer: 1) }
        let page = try await engine.searchMessages(matching: params)
        if isShown { try await engine.caughtUp() }
        await engine.disconnect()
        return page.messages.map(\.text)
    }

    /// The device never had the message, so it has no tombstone.
    @Test(arguments: [false, true]) func deletedResultIsRemovedWithItsGapIfItIsShown(
        isShown: Bool
    ) async throws {
        let (story, _) = try await story("a")
        await story.engine.disconnect()
        let missed = try await story.say("ship")
        try await story.delete(missed[0])
        try await story.open()
        try await story.say("b")
        try await story.sees("a b")
        #expect(try await search(story, finding: missed, isShown: isShown) == ["ship"])
        #expect(try story.picture() == (isShown ? "a b" : "a ~ ship ~ b"))
        await story.close()
    }

    @Test func outdatedResultRestoresNothing() async throws {
        let (story, messages) = try await story("ship shoe shore a")
        _ = try await story.engine.searchMessages(matching: params)
        try await story.edit(messages[0], to: "shell")
        try await story.delete(messages[1])
        try await story.waitUntilNotified()
        #expect(try story.picture() == "… shell ~ shore ~ a")
        #expect(
            try await search(story, finding: Array(messages.reversed())) == ["shore", "ship"])
        #expect(try story.picture() == "… shell ~ shore ~ a")
        await story.close()
    }

    @Test func resultsOfOtherRulesAreIgnored() async throws {
        let (story, messages) = try await story("ship horse a")
        #expect(try await search(story, finding: Array(messages.reversed())) == ["ship"])
        #expect(try story.picture() == "… ship ~ a")
        await story.close()
    }

    // MARK: Failures

    @Test func searchOfAServerNeedsAConnectionAndTheCapability() async throws {
        let (story, _) = try await story("ship a")
        await story.engine.disconnect()
        await expect(.notConnected, "notConnected: the request about the search for \"sh\"", story)
        try await story.connect()
        story.network.failNext(
            of: [SearchMessages.name], with: BackendError(.throttled, "too many"))
        await expect(.throttled, "throttled: too many", story)
        #expect(try story.picture() == "… a")
        await story.close()
        var conditions = ServerConditions()
        conditions.missingCapabilities = [.messageSearch]
        let other = try await Story(.exact, conditions)
        try await other.connect()
        await expect(.unsupported, "unsupported: this backend lacks messageSearch", other)
        await other.close()
    }

    private func expect(_ code: SyncError.Code, _ text: String, _ story: Story) async {
        do throws(SyncError) {
            _ = try await story.engine.searchMessages(matching: params)
            Issue.record("the search succeeded")
        } catch {
            #expect(error.code == code)
            #expect(error.description.hasPrefix(text), "\(error)")
        }
    }
}
