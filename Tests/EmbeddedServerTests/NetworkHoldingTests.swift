import Foundation
import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct NetworkHoldingTests {
    let server = LogBackend()
    let network: ConditionedBackend

    init() { network = ConditionedBackend(server) }

    /// Sends a message for each letter, each in its own task, which starts when the network holds
    /// the call of the previous one.
    func send(_ letters: String) async -> [Task<BackendError.Code?, Never>] {
        var tasks: [Task<BackendError.Code?, Never>] = []
        for letter in letters {
            tasks.append(Task { await thrown { try await network.send(String(letter)) }?.code })
            _ = await network.held(atLeast: tasks.count)
        }
        return tasks
    }

    @Test func answersComeInTheOrderInWhichTheyAreReleased() async throws {
        network.hold([.send])
        let tasks = await send("abc")
        #expect(server.texts == ["a", "b", "c"])
        #expect(
            network.held.map(\.description) == [
                "1 send one (answer)", "2 send one (answer)", "3 send one (answer)",
            ])
        network.release(at: 2)
        #expect(await tasks[2].value == nil)
        network.release()
        #expect(await tasks[0].value == nil)
        network.releaseAll()
        #expect(await tasks[1].value == nil)
        #expect(
            network.log.filter { $0.hasSuffix("answered") } == [
                "3 send one: answered", "1 send one: answered", "2 send one: answered",
            ])
    }

    @Test func requestsReachTheServerInTheOrderInWhichTheyAreReleased() async throws {
        network.hold([.send], at: .beforeEffect)
        let tasks = await send("abc")
        #expect(server.texts == [])
        for (index, task) in [(1, tasks[1]), (1, tasks[2]), (0, tasks[0])] {
            network.release(at: index)
            #expect(await task.value == nil)
        }
        #expect(server.texts == ["b", "c", "a"])
    }

    @Test func droppedRequestHasNoEffectAndDroppedAnswerHas() async throws {
        network.hold([.send], at: .beforeEffect)
        let requests = await send("a")
        network.drop()
        #expect(await requests[0].value == .notConnected)
        #expect(server.texts == [])

        network.hold([], at: .beforeEffect)
        network.hold([.send])
        let answers = await send("b")
        network.drop()
        #expect(await answers[0].value == .unanswered)
        #expect(server.texts == ["b"])
    }

    @Test func heldCallsEndWithTheNetwork() async throws {
        network.hold([.send], at: .beforeEffect)
        network.hold([.lookup])
        let sent = await send("a")
        let lookup = Task { await thrown { try await network.lookup([], in: "one") }?.code }
        #expect(await network.held(atLeast: 2).count == 2)
        network.goOffline()
        #expect(await sent[0].value == .notConnected)
        #expect(await lookup.value == .unanswered)
        #expect(network.held == [])
    }

    @Test(arguments: CallPoint.allCases)
    func aHeldFeedEndsWithTheNetwork(_ point: CallPoint) async throws {
        _ = try await network.send("a")
        network.hold([.feed], at: point)
        let feed = Task { await thrown { try await network.feed(since: "0") }?.code }
        _ = await network.held(atLeast: 1)
        try #require(ends { network.goOffline() }, "Going offline waits for itself.")
        #expect(await feed.value == .notConnected)
        #expect(network.held == [])
    }

    /// Returns true if the closure returns within the time limit.
    func ends(_ body: @escaping @Sendable () -> Void) -> Bool {
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            body()
            end.signal()
        }
        return end.wait(timeout: .now() + 20) == .success
    }

    @Test func canceledCallIsNoLongerHeld() async throws {
        network.hold([.send])
        let tasks = await send("ab")
        tasks[0].cancel()
        #expect(await tasks[0].value == .canceled)
        #expect(network.held.map(\.number) == [2])
        network.stopHolding()
        #expect(await tasks[1].value == nil)
    }

    @Test func callsAreNotHeldAfterStopping() async throws {
        network.hold(.all)
        network.stopHolding()
        #expect(try await network.send("a").text == "a")
    }

    @Test func waitForHeldCallsCanBeCanceled() async throws {
        let waiting = Task { await network.held(atLeast: 1) }
        waiting.cancel()
        #expect(await waiting.value == [])
    }

    @Test func feedMayDeliverAMessageBeforeItsSenderIsAnswered() async throws {
        network.hold([.send])
        let tasks = await send("a")
        #expect(try await network.feed(since: "0").picture == "a")
        network.releaseAll()
        #expect(await tasks[0].value == nil)
    }

    @Test func failuresAreHeldLikeAnswers() async throws {
        network.failNext(with: BackendError(.throttled, ""))
        network.hold([.send])
        let tasks = await send("a")
        network.release()
        #expect(await tasks[0].value == .throttled)
        #expect(server.texts == [])
    }
}
