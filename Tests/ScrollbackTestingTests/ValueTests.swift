import Foundation
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

@Suite(.timeLimit(.minutes(10))) struct ValueTests {
    @Test func manualClockAdvancesOnlyWhenAsked() {
        let clock = ManualClock(at: 1000)
        #expect(clock.now == 1000)
        #expect(clock.advance(by: .seconds(3)) == 4000)
        #expect(clock.advance(by: .microseconds(1_999)) == 4001)
        #expect(clock.advance(by: .milliseconds(-4002)) == -1)
        clock.now = 7
        #expect(clock.now == 7)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(9_300_000_000_000_000)])
    func clockStopsAtTheFirstAndLastTimestamp(duration: Duration) {
        let clock = ManualClock()
        #expect(clock.advance(by: duration) == .distantFuture)
        #expect(clock.advance(by: .zero - duration) < 0)
        #expect(clock.advance(by: .zero - duration) == .distantPast)
    }

    @Test func requestIDsAreTheSameInEveryRun() {
        let ids = RequestIDs(prefix: "x")
        #expect([ids.next(), ids.next(), ids.next()] == ["x1", "x2", "x3"])
    }

    @Test func equalSeedsGiveEqualNumbers() {
        var (left, right) = (SeededRandom(seed: 1), SeededRandom(seed: 1))
        #expect((0..<9).map { _ in left.next() } == (0..<9).map { _ in right.next() })
        // SplitMix64's first number for this seed, as the author of SplitMix64 published it.
        var known = SeededRandom(seed: 1_234_567)
        #expect(known.next() == 6_457_827_717_110_365_317)
        #expect((0..<99).allSatisfy { _ in (0..<5).contains(left.number(below: 5)) })
    }

    @Test func samplesFollowEachOther() {
        let history = (1...3).map { Message.sample($0) }
        #expect(history.map(\.messageID) == ["1", "2", "3"])
        #expect(history.map(\.text) == ["message 1", "message 2", "message 3"])
        #expect(history[0].createdAt < history[1].createdAt)
        #expect(history[0].sendingStatus == .succeeded)
        #expect(GroupChannel.sample("cats", members: ["bob"]).memberCount == 1)
        #expect(OutboxItem.sample("hi").newMessage?.text == "hi")
        #expect(OutboxItem.sample().message?.sendingStatus == .pending)
        #expect(User.sample("carol").nickname == "Carol")
    }

    @Test func temporaryStoreKeepsItsDataAndIsRemovedOnRelease() throws {
        var temporary: TemporaryStore? = try TemporaryStore()
        let directory = try #require(temporary?.directory)
        try temporary?.store.write { batch in try batch.save(Message.sample(1)) }
        #expect(try temporary?.reopen().messages(in: "general").map(\.messageID) == ["1"])
        #expect(try temporary?.store.messages(in: "general").count == 1)
        #expect(FileManager.default.fileExists(atPath: directory.path))
        temporary = nil
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test func recorderLogsCallsAndResponses() async throws {
        let subject = TeamChatSubject()
        let url = try #require(
            try await subject.makeChannel(named: "cats", for: subject.users))
        let backend = TeamChatBackend(subject.server, waits: false)
        let recorder = BackendRecorder(backend, name: "alice")
        _ = try await recorder.connect(as: Credentials("alice"))
        let message = try await recorder.send(.sample("hello", in: url))
        _ = try await recorder.feed(since: "1/1")
        await #expect(throws: BackendError.self) {
            try await recorder.perform(SetTyping(true, in: url))
        }
        try await recorder.delete(try #require(message.messageID), in: url, requestID: "r2")
        await recorder.disconnect()
        #expect(
            recorder.log.lines == [
                #"alice: connect(credentials: alice) → alice, epoch 1"#,
                #"alice: send(item: r1 "hello" in room1) → 1 "hello" at 1700000000002"#,
                #"alice: feed(since: 1/1) → [+1 "hello" at 1700000000002 in room1], 1/2, live"#,
                #"alice: setTyping(isTyping: true, channelURL: room1) → throws unsupported: this backend lacks typing"#,
                #"alice: delete(messageID: 1, channelURL: room1, requestID: r2, epoch: nil) → done"#,
                #"alice: disconnect() → done"#,
            ])
        recorder.log.removeAll()
        #expect(recorder.log.description == "")
    }

    @Test func reportSurvivesJSONAndListsFailures() async throws {
        let memory = Memory()
        let mistake = try #require(Mistake.all.first { $0.description == "reports another epoch" })
        var subject = TeamChatSubject()
        subject.wrap = { mistake.make($0, memory) }
        let report = await BackendConformance.run(on: subject) { check in
            ["feed.epoch", "connect.user", "typing.reported"].contains(check.promise.id)
        }
        let copy = try JSONDecoder().decode(
            ConformanceReport.self, from: JSONEncoder().encode(report))
        #expect(copy == report)
        let text = report.description
        #expect(text.contains("✗ feed.epoch: compare the epochs of batches and sessions"))
        #expect(text.contains("seen: the epochs of batches: "))
        #expect(text.contains("        alice: connect(credentials: alice) → alice, epoch 1"))
        #expect(
            text.contains(
                "- typing.reported: start and stop typing (skipped: the backend lacks typing)"))
        #expect(text.hasSuffix("4 checks: 1 passed, 2 failed, 1 skipped"))
    }

    @Test func waitingFeedIsWokenByAMessage() async throws {
        let subject = TeamChatSubject()
        let url = try #require(
            try await subject.makeChannel(named: "cats", for: subject.users))
        let (alice, bob) = (
            TeamChatBackend(subject.server), TeamChatBackend(subject.server, waits: false)
        )
        _ = try await alice.connect(as: Credentials("alice"))
        _ = try await bob.connect(as: Credentials("bob"))
        async let batch = alice.feed(since: "1/1")
        let message = try await bob.send(.sample("hello", in: url))
        #expect(try await batch.events == [.messageReceived(message)])
        // First a feed is canceled, and then the connection ends.
        let waiting = Task { try await alice.feed(since: "1/2") }
        waiting.cancel()
        await #expect(throws: BackendError(.canceled, "the feed was canceled")) {
            try await waiting.value
        }
        let last = Task { try await alice.feed(since: "1/2") }
        await Task.yield()
        await alice.disconnect()
        let result = await last.result
        #expect((result.error as? BackendError)?.code == .notConnected)
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
