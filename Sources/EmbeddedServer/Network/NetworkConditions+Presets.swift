extension NetworkConditions {
    /// A perfect network.
    public static let perfect = NetworkConditions()

    /// Returns the network of a phone on a train: short disconnections, late or lost responses, and
    /// delays.
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

    /// Returns a server that always responds, but in all unusual ways within the contract.
    ///
    /// The seed selects the strength of each condition, which may be zero. A client without retries
    /// must work with all seeds.
    public static func awkward(seed: UInt64) -> NetworkConditions {
        drawn(seed) { $0.isWithinContract && !$0.failsCalls }
    }

    /// Returns all behavior within the contract, including failures and expired cursors.
    ///
    /// A client that retries must complete its work with all seeds.
    public static func withinContract(seed: UInt64) -> NetworkConditions {
        drawn(seed) { $0.isWithinContract }
    }

    /// Returns all conditions, even those that violate the contract.
    public static func hostile(seed: UInt64) -> NetworkConditions { drawn(seed) { _ in true } }

    private static func drawn(
        _ seed: UInt64, from isChosen: (NetworkCondition) -> Bool
    ) -> NetworkConditions {
        var conditions = NetworkConditions(seed: seed)
        var random = SplitMix64(seed: seed, "conditions")
        for condition in NetworkCondition.all where condition.name != "isOnline" {
            // A new condition must not change the values of others.
            let choice = Int.random(in: 0..<4, using: &random)
            let count = Int.random(in: 1...5, using: &random)
            guard isChosen(condition) else { continue }
            switch condition.property {
            case .share(let path):
                // Failures add up, and a client must be able to fetch many pages.
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
