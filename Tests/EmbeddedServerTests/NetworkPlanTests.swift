import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite struct NetworkPlanTests {
    func codes(
        _ plan: inout NetworkPlan, of call: CallDeclaration = CoreCall.Send.declaration,
        on subject: String = "one",
        _ count: Int
    ) -> [String] {
        (0..<count).map { _ in
            plan.outcome(of: call, on: subject).failure.map { "\($0.error.code)" } ?? "-"
        }
    }

    @Test func equalSeedsCauseEqualFaults() {
        var (plan, again) = (NetworkPlan(.train(seed: 3)), NetworkPlan(.train(seed: 3)))
        var other = NetworkPlan(.train(seed: 4))
        let results = codes(&plan, 50)
        #expect(results == codes(&again, 50))
        #expect(results != codes(&other, 50))
        #expect(
            results.prefix(8).joined(separator: " ")
                == "- - - notConnected unanswered - - notConnected")
    }

    @Test func otherCallsDoNotChangeTheFaultsOfACall() {
        var (plan, busy) = (NetworkPlan(.train(seed: 3)), NetworkPlan(.train(seed: 3)))
        let alone = codes(&plan, 50)
        let among = (0..<50).flatMap { _ in
            _ = codes(&busy, on: "two", 2)
            _ = codes(&busy, of: CoreCall.Delete.declaration, 1)
            return codes(&busy, 1)
        }
        #expect(alone == among)
    }

    @Test func shareIsTheFractionOfAffectedCalls() {
        var conditions = NetworkConditions(seed: 1)
        conditions.failures.throttled = 0.25
        var plan = NetworkPlan(conditions)
        let count = codes(&plan, 10_000).count { $0 == "throttled" }
        #expect((2_400...2_600).contains(count))
    }

    @Test func oneConditionDoesNotDisturbAnother() {
        var conditions = NetworkConditions(seed: 5)
        conditions.failures.answerLost = 0.3
        var plan = NetworkPlan(conditions)
        conditions.defaultLatency = Latency(jitter: .seconds(1))
        conditions.pages.empty = 0.5
        var other = NetworkPlan(conditions)
        #expect(codes(&plan, 50) == codes(&other, 50))
    }

    @Test func onlyListedCallsFail() {
        var conditions = NetworkConditions.perfect
        conditions.failures.notSent = 1
        conditions.failures.calls = .writes
        var plan = NetworkPlan(conditions)
        let calls = (CoreCall.types + StandardRequests.types).map { $0.declaration }
        let failing = calls.filter { codes(&plan, of: $0, 1) == ["notConnected"] }
        #expect(failing.map(\.name) == calls.filter(\.changesServer).map(\.name))
        #expect(!failing.contains { $0.name == .connect || $0.name == .feed })
    }

    @Test func requestedFailuresAreUsedInOrderAndRemoved() {
        var plan = NetworkPlan(.perfect)
        plan.scripted.append(
            ScriptedFailure(
                count: 2, calls: [.send], failure: .init(BackendError(.throttled, ""))))
        plan.scripted.append(
            ScriptedFailure(
                count: 1, calls: .all, failure: .init(BackendError(.serverFailure, ""))))
        #expect(codes(&plan, of: CoreCall.Delete.declaration, 2) == ["serverFailure", "-"])
        #expect(codes(&plan, 3) == ["throttled", "throttled", "-"])
        plan.scripted.append(
            ScriptedFailure(count: nil, calls: .all, failure: .init(BackendError(.refused, ""))))
        #expect(codes(&plan, 3) == ["refused", "refused", "refused"])
        plan.scripted = []
        #expect(codes(&plan, 1) == ["-"])
    }

    @Test func jitterAddsARandomTimeInBothDirections() {
        var conditions = NetworkConditions(seed: 2)
        conditions.defaultLatency = Latency(
            request: .seconds(1), answer: .seconds(10), jitter: .seconds(1))
        conditions.latency[.delete] = Latency(request: .seconds(5))
        var plan = NetworkPlan(conditions)
        let results = (0..<100).map { _ in plan.outcome(of: CoreCall.Send.declaration, on: "one") }
        #expect(
            results.allSatisfy { $0.requestDelay >= .seconds(1) && $0.requestDelay < .seconds(2) })
        #expect(
            results.allSatisfy { $0.answerDelay >= .seconds(10) && $0.answerDelay < .seconds(11) })
        #expect(Set(results.map(\.requestDelay)).count == 100)
        #expect(
            plan.outcome(of: CoreCall.Delete.declaration, on: "one").requestDelay == .seconds(5))
        #expect(plan.outcome(of: CoreCall.Delete.declaration, on: "one").answerDelay == .zero)
    }
}
