import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests a federation of servers whose clocks differ by up to five minutes.
@Suite(.timeLimit(.minutes(10))) struct ClockDifferenceTests {
    /// Returns the device's history at each step: after the first pages, after live messages, after
    /// a feed that omitted ten messages, after each of four pages, and at the end.
    private func pictures(seed: UInt64) async throws -> [String] {
        var conditions = ServerConditions()
        conditions.federationDelay = .seconds(300)
        conditions.clockSkew = 1
        let story = try await Story(.exact { $0.pageSize = 3 }, conditions, seed: seed)
        let engine = story.engine
        try await story.say("a b c d e f", every: .seconds(60))
        try await engine.connect(as: Credentials("bob"))
        await engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await engine.caughtUp("general")
        var pictures = [try story.picture()]
        try await story.say("g h i j", every: .seconds(60))
        try await story.waitUntilNotified()
        pictures.append(try story.picture())
        await engine.disconnect()
        story.limitFeed(2)
        try await story.say("k l m n o p q r s t u v", every: .seconds(60))
        story.network.hold([.messages])
        try await engine.connect(as: Credentials("bob"))
        try await story.held(1)
        pictures.append(try story.picture())
        for _ in 0..<4 {
            story.network.release()
            try await story.held(1)
            pictures.append(try story.picture())
        }
        story.network.stopHolding()
        try await engine.caughtUp("general")
        pictures.append(try story.picture())
        await engine.close()
        await story.close()
        return pictures
    }

    // The messages of a page have no gaps between them, although the clocks differ. A message that
    // arrived late has a gap next to it until the messages between it and its neighbors are
    // fetched.
    @Test func pagesLeaveOneGapAndOneForEachLateMessage() async throws {
        #expect(
            try await pictures(seed: 7) == [
                "a b c d e f",
                "a b c d e f g h i j",
                "a b c d e f g h i j ~ u ~ v ~",
                "a b c d e f g h i j ~ t u v",
                "a b c d e f g h i j ~ s ~ q r t u v",
                "a b c d e f g h i j ~ o ~ n s p q r t u v",
                "a b c d e f g h i j ~ k m o l n s p q r t u v",
                "a b c d e f g h i j k m o l n s p q r t u v",
            ])
    }

    @Test(arguments: 0..<12)
    func clockDifferencesLeaveNoGapInALiveHistory(seed: UInt64) async throws {
        let pictures = try await pictures(seed: seed)
        for index in [0, 1, pictures.count - 1] {
            #expect(!pictures[index].contains("~"), "step \(index): \(pictures[index])")
        }
    }
}
