import Models
import ScrollbackStorySupport
import Sync
import Testing

@testable import Collections

/// Tests lists of a server that returns empty pages for ever.
@Suite(.timeLimit(.minutes(10))) @MainActor struct EndlessPagesTests {
    private let story: ClientStory
    private let backend: EndlessBackend
    private let client: ChatClient

    init() async throws {
        story = try await ClientStory()
        try await story.say("a b c")
        backend = EndlessBackend(base: story.network)
        client = try await ChatClient.open(backend: backend, options: story.options)
        try await client.connect(as: Credentials("bob"))
    }

    private func end() async {
        #expect(backend.pageCount < 500)
        await client.close()
    }

    @Test func pageOfAListEnds() async throws {
        let list = try client.makeMessageCollection(of: "general")
        list.start(.cacheOnly)
        await expectError(.stalled) { try await list.loadPrevious() }
        await end()
    }

    @Test func pageOfAThreadEnds() async throws {
        let parent = try await story.say("d")[0]
        let list = try client.makeThreadCollection(
            ofRepliesTo: try #require(parent.messageID), in: "general")
        list.start(.cacheOnly)
        await expectError(.stalled) { try await list.loadPrevious() }
        await end()
    }

    @Test func listOfAKindEnds() async throws {
        let list = try client.makeMessageList(of: .link, in: "general")
        await expectError(.stalled) { try await list.loadPrevious(upTo: 1) }
        await end()
    }

    @Test func searchEnds() async throws {
        var params = MessageSearchParams("umbrella")
        params.channelURLs = ["general"]
        let search = try client.makeMessageSearch(params)
        try await search.loadMore()
        await expectError(.stalled) { try await search.backfill() }
        await end()
    }
}
