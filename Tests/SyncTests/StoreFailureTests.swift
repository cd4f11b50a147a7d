import EmbeddedServer
import Models
import ScrollbackFaultyDisks
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests that data that the store failed to write is fetched again.
@Suite(.timeLimit(.minutes(10))) struct StoreFailureTests {
    /// Runs a test with a store on a disk that can fail, and removes the directory afterwards.
    private func withStory(_ body: (Story, FailingDisks) async throws -> Void) async throws {
        let directory = ScratchDirectory()
        let disk = FailingDisks()
        let store = try disk.open(directory.url)
        let story = try await Story(store: store)
        try await body(story, disk)
        store.close()
    }

    @Test func eventsThatCouldNotBeStoredAreFetchedAgain() async throws {
        try await withStory { story, disk in
            try await story.say("a")
            try await story.open()
            story.sleeper.hold()
            disk.fill()
            try await story.say("b")
            await story.sleeper.begun(1)
            #expect(await story.engine.state.failure?.code == .store)
            #expect(try story.picture() == "a")
            disk.heal()
            story.sleeper.stopHolding()
            try await story.sees("a b")
            #expect(await story.engine.state.failure == nil)
            try await story.end()
        }
    }

    @Test func pageOfATruncationIsFetchedAgain() async throws {
        try await withStory { story, disk in
            try await story.say("a")
            try await story.open()
            story.limitFeed(1)
            story.network.hold([.messages])
            try await story.sendWhileOffline("b c d")
            try await story.held(1)
            story.sleeper.hold()
            disk.fill()
            story.network.stopHolding()
            await story.sleeper.begun(1)
            #expect(try story.picture() == "a ~ d ~")
            disk.heal()
            story.sleeper.stopHolding()
            try await story.sees("a b c d")
            try await story.end()
        }
    }

    /// If a page of the changelog is not written, the changelog's token stays the same, so no page
    /// is skipped.
    @Test func interruptedChangelogIsReadAgain() async throws {
        try await withStory { story, disk in
            let messages = try await story.say("a b")
            try await story.open()
            await story.engine.disconnect()
            story.limitFeed(1)
            story.server.conditions.changelogPageSize = 1
            try await story.edit(messages[0], to: "A")
            try await story.edit(messages[1], to: "B")
            try await story.say("c d e")
            story.network.hold([.messageChanges])
            try await story.connect()
            try await story.held(1)
            story.sleeper.hold()
            disk.fill()
            story.network.release()
            await story.sleeper.begun(1)
            disk.heal()
            story.sleeper.stopHolding()
            story.network.stopHolding()
            try await story.sees("A B c d e")
            try await story.end()
        }
    }
}
