import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Sync
import Testing

/// Tests what a view shows when all messages of a user are deleted.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct PurgeStoryTests {
    @Test func purgedMessagesLeaveTheListTogether() async throws {
        let story = try await Story.caching("a b")
        let view = try await story.startedView()
        try await view.collection.send(NewMessage("c"))
        await view.shows("a b c")
        _ = view.notifications()
        try story.server.deleteMessages(ofSender: "alice", in: "general")
        await view.shows("c")
        try await view.isUpToDate()
        #expect(view.notifications().contains("deleted a b: eventMessageDeleted, succeeded"))
        try await story.end()
    }
}
