import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct NetworkTruncationTests {
    let server = LogBackend()
    let network: ConditionedBackend

    init() {
        network = ConditionedBackend(server)
        network.update { $0.feed.truncations = 1 }
    }

    @Test(arguments: UInt64(0)..<30)
    func truncationOmitsSomeMessagesOfABatch(seed: UInt64) async throws {
        server.receive("a b", in: "one")
        let start = try await network.feed(since: nil).cursor
        server.receive("c d e f g", in: "one")
        network.update { $0.seed = seed }
        let pictures = try await network.feed(since: start).events.map(\.picture)
        expectOneTruncation(pictures, of: "cdefg")
    }

    @Test func omittedEditsAreInTheChangelogSinceThePreviousBatch() async throws {
        server.receive("a b")
        network.update { $0.feed.truncations = 0 }
        let before = try await network.feed(since: nil).cursor
        server.change("a", to: "A")
        server.remove("b")
        server.receive("c")
        network.update { $0.feed.truncations = 1 }
        // The seed determines how many messages a truncation omits.
        var pictures: [String] = []
        for seed: UInt64 in 0..<30 {
            network.update { $0.seed = seed }
            pictures.append(try await network.feed(since: before).picture)
        }
        #expect(pictures.contains("~"))
        let changes = try await network.messageChanges(in: "one", since: .feed(before))
        #expect(changes.updated.map(\.text) == ["A"])
        #expect(changes.deleted.map(\.messageID) == ["b"])
    }

    @Test func noTruncationWithoutOmittedMessages() async throws {
        server.receive("a")
        server.change("a", to: "A")
        server.emit(.read(by: "u", in: "one", at: 1))
        #expect(try await network.feed(since: "1").picture == "A* read")
    }

    @Test(arguments: UInt64(0)..<8)
    func removedChannelHasNoTruncation(seed: UInt64) async throws {
        server.receive("a b")
        server.emit(.channelRemoved("one", ChannelRemoval(.left)))
        network.update { $0.seed = seed }
        #expect(try await network.feed(since: "0").picture == "a b ?")
    }

    @Test func truncationOfANewerBatchIsReportedAlthoughItEqualsAnEarlierOne() {
        let truncation = FeedEvent.truncation(in: "one")
        let reported = FeedPlan.items(of: [truncation]).flatMap(\.sources)
        #expect(FeedPlan.items(of: [truncation], reported: reported).isEmpty)
        #expect(FeedPlan.fingerprints(reported, validForNewer: [truncation]) == [])
    }

    /// The answer with the newer batch is lost, so the device has not seen its truncation.
    @Test func truncationOfALostAnswerIsReportedAgain() async throws {
        server.emit(.truncation(in: "one"))
        server.receive("a")
        network.update { $0.feed.batchCap = 1 }
        let first = try await network.feed(since: "0")
        #expect(first.picture == "~")
        server.receive("b")
        network.failNext(1, of: [.feed], with: BackendError(.unanswered, "lost"), at: .afterEffect)
        await #expect(throws: BackendError.self) { try await network.feed(since: first.cursor) }
        #expect(try await network.feed(since: first.cursor).picture == "~")
    }

    /// The newer batch has two equal truncations, and is reported in parts.
    @Test func eachTruncationOfANewerBatchIsReported() async throws {
        server.emit(.truncation(in: "one"))
        server.emit(.truncation(in: "two"))
        server.receive("a")
        network.update { $0.feed.batchCap = 1 }
        var batch = try await network.feed(since: "0")
        batch = try await network.feed(since: batch.cursor)
        #expect(batch.events == [.truncation(in: "two")])
        server.receive("b")
        var events: [FeedEvent] = []
        for _ in 1...2 {
            batch = try await network.feed(since: batch.cursor)
            events += batch.events
        }
        #expect(events == [.truncation(in: "one"), .truncation(in: "two")])
    }

    /// The user leaves a channel and is invited again, twice.
    ///
    /// The batch is requested again after its first part and the second removal were reported.
    @Test func invitationAfterAnEqualOneIsReported() {
        let left = FeedEvent.channelRemoved("one", ChannelRemoval(.left))
        let invited = FeedEvent.channel(ChannelUpdate("one", Patch()))
        let reported = FeedPlan.items(of: [left, invited, left]).flatMap(\.sources)
        let items = FeedPlan.items(of: [left, left, invited], reported: reported)
        #expect(items.map(\.event) == [invited])
        #expect(FeedPlan.items(of: [left, invited, left], reported: reported).isEmpty)
    }

    @Test func restOfABatchFollowsATruncation() async throws {
        server.receive("a b c d e f")
        network.update {
            $0.feed.truncations = 1
            $0.feed.batchCap = 1
        }
        let batches = try await network.batches(since: "0", upTo: "6")
        expectOneTruncation(batches.flatMap(\.events).map(\.picture), of: "abcdef")
        // The cursor is in the middle of a batch of the server, so the changelog starts before that
        // batch.
        server.change("a", to: "A")
        let middle = batches[0].cursor
        let changes = try await network.messageChanges(in: "one", since: .feed(middle))
        #expect(server.asked.last == "messageChanges feed(0)")
        #expect(changes.next == "2")
    }
}

/// Expects exactly one truncation in place of one or more omitted messages.
private func expectOneTruncation(
    _ pictures: [String], of messages: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    let parts = pictures.joined().split(separator: "~", omittingEmptySubsequences: false)
    guard parts.count == 2 else {
        Issue.record("\(pictures) has not one truncation", sourceLocation: sourceLocation)
        return
    }
    #expect(messages.hasPrefix(parts[0]), sourceLocation: sourceLocation)
    #expect(messages.hasSuffix(parts[1]), sourceLocation: sourceLocation)
    #expect(parts[0].count + parts[1].count < messages.count, sourceLocation: sourceLocation)
}
