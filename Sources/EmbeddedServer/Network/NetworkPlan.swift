import Models
import Sync

struct NetworkPlan {
    var conditions: NetworkConditions

    /// The requested failures, of which the first one that matches a call applies.
    var scripted: [ScriptedFailure] = []

    private var counts: [CallScope: UInt64] = [:]

    init(_ conditions: NetworkConditions) { self.conditions = conditions }

    mutating func outcome(of call: CallDeclaration, on subject: String) -> CallOutcome {
        let scope = CallScope(call: call.name, subject: subject)
        let count = counts[scope, default: 0]
        counts[scope] = count + 1
        var random = SplitMix64(seed: conditions.seed, call.name.rawValue, subject, String(count))

        // Always draw the same number of random numbers, so that one condition does not affect
        // others.
        let (byChance, late) = (chance(call, random.next()), random.next())
        let latency = (conditions.latency[call.name] ?? conditions.defaultLatency).clamped
        return CallOutcome(
            failure: script(call) ?? byChance,
            requestDelay: latency.request + latency.jitter * (Double(late >> 32) / 0x1p32),
            answerDelay: latency.answer + latency.jitter * (Double(late & 0xFFFF_FFFF) / 0x1p32),
            conditions: conditions,
            random: random)
    }

    private func chance(_ call: CallDeclaration, _ seed: UInt64) -> CallOutcome.Failure? {
        let failures = conditions.failures
        guard failures.calls.contains(call) else { return nil }
        var random = SplitMix64(seed: seed)
        if random.happens(failures.notSent) {
            return .init(BackendError(.notConnected, "\(call.name): the request was not sent"))
        }
        if random.happens(failures.throttled) {
            let error = BackendError(
                .throttled, "\(call.name): too many requests", retryAfter: failures.retryAfter)
            return .init(error)
        }
        if random.happens(failures.serverFailure) {
            return .init(BackendError(.serverFailure, "\(call.name): the server failed"))
        }
        if random.happens(failures.requestLost) {
            return .init(BackendError(.unanswered, "\(call.name): the request was lost"))
        }
        if random.happens(failures.answerLost) {
            return .init(
                BackendError(.unanswered, "\(call.name): the response was lost"), .afterEffect)
        }
        return nil
    }

    private mutating func script(_ call: CallDeclaration) -> CallOutcome.Failure? {
        guard let index = scripted.firstIndex(where: { $0.calls.contains(call) }) else {
            return nil
        }
        let failure = scripted[index].failure
        if let count = scripted[index].count {
            scripted[index].count = count - 1
            if count <= 1 { scripted.remove(at: index) }
        }
        return failure
    }
}

struct CallOutcome {
    struct Failure {
        let error: BackendError
        let point: CallPoint

        init(_ error: BackendError, _ point: CallPoint = .beforeEffect) {
            self.error = error
            self.point = point
        }
    }

    let failure: Failure?
    let requestDelay: Duration
    let answerDelay: Duration

    let conditions: NetworkConditions

    let random: SplitMix64
}

struct ScriptedFailure {
    /// The remaining number of calls; `nil` until the failure is removed.
    var count: Int?
    let calls: CallSet
    let failure: CallOutcome.Failure
}

private struct CallScope: Hashable {
    let call: CallName
    let subject: String
}
