extension NetworkConditions {
    /// Nothing goes wrong: each call is answered as the server answers it.
    public static let perfect = NetworkConditions()

    /// A telephone on a train: tunnels, answers that come late or never, and long waits.
    public static func train(seed: UInt64 = 0) -> NetworkConditions {
        var conditions = NetworkConditions(seed: seed)
        conditions.defaultLatency = Latency(
            request: .milliseconds(150), answer: .milliseconds(150), jitter: .seconds(2))
        conditions.failures.notSent = 0.15
        conditions.failures.requestLost = 0.05
        conditions.failures.answerLost = 0.1
        conditions.feed.split = 0.3
        return conditions
    }

    /// A server that always answers, and in whichever way the contract leaves it: nothing fails.
    ///
    /// Each seed turns other conditions, some strongly and some not at all. A client that tries nothing
    /// twice has to get on with it.
    public static func awkward(seed: UInt64) -> NetworkConditions {
        drawn(seed) { $0.isWithinContract && !$0.failsCalls }
    }

    /// All that the contract allows, failures and expired cursors too.
    ///
    /// Each seed turns other conditions, some strongly and some not at all. A client that tries again
    /// comes to its end under each of them.
    public static func withinContract(seed: UInt64) -> NetworkConditions {
        drawn(seed) { $0.isWithinContract }
    }

    /// All that there is, what breaks the contract too.
    public static func hostile(seed: UInt64) -> NetworkConditions { drawn(seed) { _ in true } }

    /// Turns those of the conditions that some seed picks; the network is there and takes no time.
    private static func drawn(
        _ seed: UInt64, from isChosen: (NetworkCondition) -> Bool
    ) -> NetworkConditions {
        var conditions = NetworkConditions(seed: seed)
        var random = SplitMix64(seed: seed, "conditions")
        for condition in NetworkCondition.all where condition.name != "isOnline" {
            // Drawn for each, so that one more condition changes nothing of those before it.
            let choice = Int.random(in: 0..<4, using: &random)
            let count = Int.random(in: 1...5, using: &random)
            guard isChosen(condition) else { continue }
            switch condition.property {
            case .share(let path):
                // Several failures add up, and a walk of many pages has to meet none of them.
                let shares = condition.failsCalls ? [0, 0.02, 0.05, 0.1] : [0, 0.1, 0.25, 0.5]
                conditions[keyPath: path] = shares[choice]
            case .count(let path): conditions[keyPath: path] = choice < 2 ? nil : count
            case .flag(let path): conditions[keyPath: path] = choice >= 2
            case .duration: break
            }
        }
        return conditions
    }
}
