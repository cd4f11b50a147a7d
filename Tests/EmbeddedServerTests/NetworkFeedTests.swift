import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct NetworkFeedTests {
    let server = LogBackend()
    let network: ConditionedBackend

    init() { network = ConditionedBackend(server) }

    /// Reads the feed from a cursor to the newest event, and returns a picture of each batch.
    func pictures(
        since cursor: FeedCursor = "0", upTo end: FeedCursor
    ) async throws -> [String] {
        try await network.batches(since: cursor, upTo: end).map(\.picture)
    }

    // MARK: Cut

    @Test func batchIsDeliveredInParts() async throws {
        server.receive("a b c d e")
        network.update { $0.feed.batchCap = 2 }
        let batches = try await network.batches(since: "0", upTo: "5")
        #expect(batches.map(\.picture) == ["a b", "c d", "e"])
        #expect(batches.map(\.isLive) == [false, false, true])
        // Each part has the newer states of channels.
        #expect(server.asked.count == 3)
    }

    @Test func cursorTextIsSufficientToResume() async throws {
        server.receive("a b c d e")
        network.update { $0.feed.batchCap = 2 }
        let first = try await network.feed(since: "0")
        let other = ConditionedBackend(server)
        #expect(try await other.feed(since: first.cursor).picture == "c d e")
        #expect(try await network.feed(since: first.cursor).picture == "c d")
        #expect(first.cursor.rawValue.hasPrefix("~p1,t"))
        #expect(first.cursor.rawValue.hasSuffix(":0"))
    }

    @Test func fingerprintsAreTheSameInEveryProcess() async throws {
        server.receive("a")
        let event = try await server.feed(since: "0").events[0]
        #expect(String(event.fingerprint, radix: 16) == "5e46c553cd4c86c1")
        let channels = FeedEvent.channels(["x", "y", "z"])
        #expect(channels.fingerprint == FeedEvent.channels(["z", "x", "y"]).fingerprint)
        #expect(channels.fingerprint != FeedEvent.channels(["x", "y"]).fingerprint)
    }

    @Test func changeAfterAReportIsReportedAgain() async throws {
        server.receive("a b c")
        network.update { $0.feed.batchCap = 2 }
        let first = try await network.feed(since: "0")
        #expect(first.picture == "a b")
        server.change("a", to: "A")
        let other = ConditionedBackend(server)
        // The server's event of "a" now contains the edited message. The event of the edit must
        // still be delivered.
        #expect(try await other.feed(since: first.cursor).picture == "A c A*")
    }

    @Test func eventsDuringACatchUpFollowTheMissedOnes() async throws {
        server.receive("a b c")
        network.update { $0.feed.batchCap = 2 }
        let first = try await network.feed(since: "0")
        server.receive("d")
        let rest = try await network.batches(since: first.cursor, upTo: "4")
        #expect(rest.map(\.picture) == ["c d"])
    }

    @Test(arguments: UInt64(0)..<20)
    func splittingBatchesNeitherLosesNorRepeatsEvents(seed: UInt64) async throws {
        server.receive("a b c d e f g h")
        network.update {
            $0.seed = seed
            $0.feed.split = 1
        }
        let pictures = try await pictures(upTo: "8")
        #expect(pictures.joined(separator: " ").split(separator: " ").joined() == "abcdefgh")
        #expect(pictures.count > 1)
        #expect(!pictures.dropFirst().contains(""))
    }

    @Test func initialFeedIsDeliveredUnchanged() async throws {
        server.receive("a b")
        network.conditions = .hostile(seed: 3)
        network.update {
            $0.failures = FailureConditions()
            $0.feed.batchCap = 1
            $0.feed.split = 1
        }
        let batch = try await network.feed(since: nil)
        #expect(batch.picture == "#one #two")
        #expect(batch.cursor == "2")
    }

    // MARK: Order

    @Test(arguments: UInt64(0)..<20)
    func reorderedChannelsKeepTheirOwnOrder(seed: UInt64) async throws {
        server.receive("a b c d", in: "one")
        server.receive("v w x y", in: "two")
        network.update {
            $0.seed = seed
            $0.feed.reordered = 1
        }
        let picture = try await network.feed(since: "0").picture
        #expect(picture.filter { "abcd".contains($0) } == "abcd")
        #expect(picture.filter { "vwxy".contains($0) } == "vwxy")
        #expect(picture != "a b c d v w x y")
    }

    @Test(arguments: UInt64(0)..<20)
    func eventsDoNotMoveAcrossEventsAboutAllChannels(seed: UInt64) async throws {
        server.receive("a", in: "one")
        server.receive("x", in: "two")
        server.emit(.channels(["one", "two"]))
        for url: ChannelURL in ["two", "one"] {
            server.emit(.channel(ChannelUpdate(url, Patch())))
        }
        server.receive("b", in: "one")
        server.receive("y", in: "two")
        network.update {
            $0.seed = seed
            $0.feed.reordered = 1
        }
        let words = try await network.feed(since: "0").events.map(\.picture)
        #expect(words[2] == "##")
        #expect(Set(words[..<2]) == ["a", "x"])
        // The channel events keep their order, because the list of channels at the start of a feed
        // has an order.
        #expect(words.filter { $0.hasPrefix("#") } == ["##", "#two", "#one"])
    }

    @Test func shuffledBatchHasRandomOrder() async throws {
        server.receive("a b c d e f g h")
        network.update { $0.feed.shuffled = 1 }
        let words = try await network.feed(since: "0").events.map(\.picture)
        #expect(words != words.sorted())
        #expect(words.sorted().joined() == "abcdefgh")
    }

    // MARK: Repetitions and losses

    @Test func eventsAreDeliveredTwiceInARow() async throws {
        server.receive("a b")
        network.update { $0.feed.repeatedEvents = 1 }
        #expect(try await network.feed(since: "0").picture == "a a b b")
        network.update { $0.feed.batchCap = 1 }
        // A batch that ends between the two events makes the second repetition unnecessary.
        #expect(try await pictures(upTo: "2") == ["a", "b", ""])
    }

    @Test func batchIsRepeatedAfterItsOwnCursorAFiniteNumberOfTimes() async throws {
        server.receive("a b")
        network.update { $0.feed.repeatedBatches = 1 }
        let first = try await network.feed(since: "0")
        server.receive("c")
        let again = try await network.feed(since: first.cursor)
        #expect(again.picture == "a b")
        #expect(again.cursor == "~r:2")
        #expect(try await network.feed(since: again.cursor).picture == "c")
    }

    @Test func eventsAreLostWhileTheCursorAdvances() async throws {
        server.receive("a b")
        server.emit(.typing([], in: "one"))
        server.emit(.read(by: "u", in: "one", at: 1))
        let losses: [(WritableKeyPath<FeedConditions, Double>, String)] = [
            (\.lost, "typing read"), (\.lostTyping, "a b read"), (\.lostReceipts, "a b typing"),
        ]
        for (loss, picture) in losses {
            network.update {
                $0.feed = FeedConditions()
                $0.feed[keyPath: loss] = 1
            }
            let batch = try await network.feed(since: "0")
            #expect(batch.picture == picture)
            #expect(batch.cursor == "4")
        }
    }

    // MARK: Expiry

    @Test func cursorsFromBeforeExpireAndNewOnesDoNot() async throws {
        server.receive("a b c d")
        network.update { $0.feed.batchCap = 1 }
        let first = try await network.feed(since: "0")
        network.expire(.feedCursors)
        for old in [first.cursor, "1"] {
            #expect(await thrown { try await network.feed(since: old) }?.code == .expired)
            #expect(
                await thrown {
                    try await network.messageChanges(in: "one", since: .feed(old))
                }?.code == .expired)
        }
        let beginning = try await network.feed(since: nil)
        #expect(beginning.cursor == "~g1:4")
        server.receive("e")
        let batch = try await network.feed(since: beginning.cursor)
        #expect(batch.picture == "e")
        #expect(batch.cursor == "~g1:5")
    }

    @Test func someCallsFindTheirCursorExpired() async throws {
        network.update { $0.feed.expired = 1 }
        #expect(await thrown { try await network.feed(since: "0") }?.code == .expired)
        #expect(try await network.feed(since: nil).cursor == "0")
    }

    // MARK: The same again

    @Test(arguments: UInt64(0)..<20)
    func sameCursorReturnsTheSameBatch(seed: UInt64) async throws {
        server.receive("a b c", in: "one")
        server.receive("x y z", in: "two")
        network.conditions = .awkward(seed: seed)
        let other = ConditionedBackend(server, conditions: network.conditions)
        var cursor: FeedCursor = "0"
        while cursor != "6" {
            let batch = try await network.feed(since: cursor)
            #expect(try await network.feed(since: cursor) == batch)
            #expect(try await other.feed(since: cursor) == batch)
            cursor = batch.cursor
        }
    }
}
