import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Testing

@testable import Sync

/// Tests that no user is shown as typing forever.
@Suite(.timeLimit(.minutes(10))) struct TypingTests {
    /// Returns the typing users of each report, from now on.
    private func reports(of story: Story) throws -> AsyncStream<[String]> {
        let (_, changes) = try story.store.observe(.everything)
        return AsyncStream { continuation in
            let task = Task {
                for await change in changes {
                    for entry in change.entries {
                        guard case .ephemeral(.typing(let users, in: "general")) = entry.operation
                        else { continue }
                        continuation.yield(users.map(\.userID.rawValue))
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    @Test func typingEndsWithTheConnectionOfTheObserver() async throws {
        let story = try await Story.caching("a")
        story.sleeper.hold()
        var reports = try reports(of: story).makeAsyncIterator()
        try await story.alice.perform(SetTyping(true, in: "general"))
        #expect(await reports.next() == ["alice"])
        await story.engine.disconnect()
        #expect(await reports.next() == [])
        await story.close()
    }

    @Test func typingEndsWithTheNetworkOfTheObserver() async throws {
        let story = try await Story.caching("a")
        story.sleeper.hold()
        var reports = try reports(of: story).makeAsyncIterator()
        try await story.alice.perform(SetTyping(true, in: "general"))
        #expect(await reports.next() == ["alice"])
        story.network.goOffline()
        #expect(await reports.next() == [])
        await story.close()
    }

    /// The server never reports the end.
    @Test func typingEndsAfterItsTimeout() async throws {
        let story = try await Story.caching("a", .exact { $0.typingTimeout = .seconds(7) })
        story.sleeper.hold()
        var reports = try reports(of: story).makeAsyncIterator()
        try await story.alice.perform(SetTyping(true, in: "general"))
        #expect(await reports.next() == ["alice"])
        await story.sleeper.begun(1)
        #expect(story.sleeper.durations.last == .seconds(7))
        story.sleeper.wake()
        #expect(await reports.next() == [])
        // A later report is another one.
        story.clock.advance(by: .seconds(60))
        try await story.alice.perform(SetTyping(true, in: "general"))
        #expect(await reports.next() == ["alice"])
        try await story.alice.perform(SetTyping(false, in: "general"))
        #expect(await reports.next() == [])
        try await story.end()
    }

    /// While the user continues typing, the timeout starts again with each report.
    @Test func repeatedReportProlongsTyping() throws {
        var typing = TypingChannels()
        let first = typing.record("general", isTyping: true)
        let second = typing.record("general", isTyping: true)
        #expect(first != second)
        #expect(typing.wait(of: "general") == second)
        #expect(typing.record("general", isTyping: false) == nil)
        #expect(typing.wait(of: "general") == nil)
    }

    @Test func serverRepeatsTheReportOfAUserWhoGoesOnTyping() async throws {
        let story = try await Story.caching("a")
        story.sleeper.hold()
        var reports = try reports(of: story).makeAsyncIterator()
        try await story.alice.perform(SetTyping(true, in: "general"))
        #expect(await reports.next() == ["alice"])
        story.clock.advance(by: .seconds(9))
        try await story.alice.perform(SetTyping(true, in: "general"))
        story.clock.advance(by: .seconds(1))
        try await story.alice.perform(SetTyping(true, in: "general"))
        #expect(await reports.next() == ["alice"])
        try await story.alice.perform(SetTyping(false, in: "general"))
        #expect(await reports.next() == [])
        try await story.end()
    }
}
