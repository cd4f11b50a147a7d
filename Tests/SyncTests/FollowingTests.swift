import EmbeddedServer
import Models
import Store
import Sync
import Testing

/// A device that follows the feed.
@Suite struct FollowingTests {
    @Test func whatIsSaidIsThere() async throws {
        let story = try await Story()
        try await story.say("a b c")
        try await story.open()
        #expect(try story.picture() == "a b c")
        await story.engine.close()
    }
}
