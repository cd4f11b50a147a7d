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

    /// The walk cursors of the truncations in a batch.
    func walks(_ batch: FeedBatch) -> [PageCursor] {
        batch.events.compactMap { event in
            guard case .truncation(in: _, walk: let cursor) = event else { return nil }
            return cursor
        }
    }

    @Test(arguments: UInt64(0)..<30)
    func aWalkFromATruncationFindsWhatItHides(seed: UInt64) async throws {
        server.receive("a b", in: "one")
        let start = try await network.feed(since: nil).cursor
        server.receive("c d e f g", in: "one")
        network.update { $0.seed = seed }
        let batch = try await network.feed(since: start)
        let walk = try #require(walks(batch).first)
        #expect(walks(batch).count == 1)
        let told = batch.events.map(\.picture).filter { $0 != "~" }
        #expect(told.count < 5)
        let found = try await network.walk(from: .cursor(walk), older: 3).reversed()
            .flatMap(\.messages).map(\.text)
        // The walk finds the messages below the truncation, and all up to the next event.
        #expect("abcdefg".hasPrefix(found.joined()))
        #expect(Set(found + told) == Set("abcdefg".map(String.init)))
        let behind = batch.events.map(\.picture).drop { $0 != "~" }.dropFirst()
        #expect(behind.isEmpty || !found.contains(behind.first ?? ""))
    }

    @Test func truncationCursorPrecedesTheNextDeliveredMessage() async throws {
        server.receive("a b c d")
        let pictures = try await (0..<30).asyncMap { seed in
            network.update { $0.seed = UInt64(seed) }
            let batch = try await network.feed(since: "0")
            return "\(batch.picture) \(walks(batch)[0])"
        }
        let expected: Set = [
            "~ b c d 2", "~ c d 3", "~ d 4", "~ 5", "a ~ c d 3", "a ~ d 4", "a ~ 5", "a b ~ d 4",
            "a b ~ 5", "a b c ~ 5",
        ]
        #expect(Set(pictures).isSubset(of: expected))
        #expect(Set(pictures).count > 5)
    }

    @Test func editsThatATruncationHidesAreInTheChangelogSinceTheBatchBefore() async throws {
        server.receive("a b")
        network.update { $0.feed.truncations = 0 }
        let before = try await network.feed(since: nil).cursor
        server.change("a", to: "A")
        server.remove("b")
        server.receive("c")
        network.update { $0.feed.truncations = 1 }
        // The seed chooses how many messages a truncation omits.
        let pictures = try await (0..<30).asyncMap { seed in
            network.update { $0.seed = UInt64(seed) }
            return try await network.feed(since: before).picture
        }
        #expect(pictures.contains("~"))
        let changes = try await network.messageChanges(in: "one", since: .feed(before))
        #expect(changes.updated.map(\.text) == ["A"])
        #expect(changes.deleted.map(\.messageID) == ["b"])
    }

    @Test func whereNoMessageIsMissingThereIsNoTruncation() async throws {
        server.receive("a")
        server.change("a", to: "A")
        server.tell(.read(by: "u", in: "one", at: 1))
        #expect(try await network.feed(since: "1").picture == "A* read")
    }

    @Test(arguments: UInt64(0)..<8)
    func aChannelThatIsLostHasNoTruncation(seed: UInt64) async throws {
        server.receive("a b")
        server.tell(.channelRemoved("one", .left))
        network.update { $0.seed = seed }
        #expect(try await network.feed(since: "0").picture == "a b ?")
    }

    @Test(arguments: UInt64(0)..<8)
    func walkUnderClockSkewStartsOlderThanAllOmittedMessages(seed: UInt64) throws {
        // The server accepts them one after the other, on nodes with decreasing clocks.
        let events = [30, 20, 10].map { time in
            FeedEvent.messageReceived(
                Message(
                    id: MessageID("\(time)"), channelURL: "one",
                    createdAt: Timestamp(milliseconds: time)))
        }
        var conditions = FeedConditions()
        conditions.truncations = 1
        var plan = FeedPlan(conditions: conditions, random: SplitMix64(seed: seed))
        let hidden = try #require(plan.hidden(in: FeedPlan.items(of: events)).first)
        #expect(hidden.next == nil)
    }

    @Test func restOfABatchFollowsATruncation() async throws {
        server.receive("a b c d e f")
        network.update {
            $0.feed.truncations = 1
            $0.feed.batchCap = 1
        }
        let batches = try await network.batches(since: "0", upTo: "6")
        var known: Set<String> = []
        for batch in batches {
            for walk in walks(batch) {
                known.formUnion(
                    try await network.walk(from: .cursor(walk), older: 9).flatMap(\.messages)
                        .map(\.text))
            }
            known.formUnion(batch.events.map(\.picture))
        }
        #expect(known == ["a", "b", "c", "d", "e", "f", "~"])
        // The changelog since a cursor in the middle of a batch begins before the batch.
        server.change("a", to: "A")
        let middle = batches[0].cursor
        let changes = try await network.messageChanges(in: "one", since: .feed(middle))
        #expect(server.asked.last == "messageChanges feed(0)")
        #expect(changes.next == "2")
    }
}

extension Sequence {
    fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
        var result: [T] = []
        for element in self { result.append(try await body(element)) }
        return result
    }
}
