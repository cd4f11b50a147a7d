/// What one check found out.
public struct ConformanceResult: Hashable, Sendable, Codable {
    /// The promise, as ``BackendPromise/id``.
    ///
    /// Where another one was found broken on the way, that one.
    public let promiseID: String

    /// The promise in words.
    public let sentence: String

    /// What was done to find out.
    public let summary: String

    /// Whether the promise was kept.
    public let outcome: Outcome

    /// The calls that led to a failure and their answers, the oldest first; none without a failure.
    public let trace: [String]

    /// Whether a promise was kept.
    public enum Outcome: Hashable, Sendable, Codable {
        /// It was, as far as the check can tell.
        case passed
        /// It was not; what was seen.
        case failed(String)
        /// It was not found out; why.
        case skipped(String)
    }

    init(check: ConformanceCheck, promise: BackendPromise, outcome: Outcome, trace: [String]) {
        promiseID = promise.id
        sentence = promise.sentence
        summary = promise == check.promise ? check.summary : "on the way to \(check)"
        self.outcome = outcome
        self.trace = trace
    }

    /// Whether the promise was not kept.
    public var isFailed: Bool {
        if case .failed = outcome { true } else { false }
    }

    /// Whether it was not found out.
    public var isSkipped: Bool {
        if case .skipped = outcome { true } else { false }
    }
}

extension ConformanceResult: CustomStringConvertible {
    /// One line; of a failure, everything there is to know.
    public var description: String {
        switch outcome {
        case .passed: "✓ \(promiseID): \(summary)"
        case .skipped(let reason): "- \(promiseID): \(summary) (skipped: \(reason))"
        case .failed(let seen):
            """
            ✗ \(promiseID): \(summary)
                promised: \(sentence)
                seen: \(seen)
                how to see it:
            \(trace.map { "        \($0)" }.joined(separator: "\n"))
            """
        }
    }
}

/// What a backend keeps of its promises.
public struct ConformanceReport: Hashable, Sendable, Codable {
    /// What each check found out, in the order in which they ran.
    public let results: [ConformanceResult]

    /// Those that found a promise not kept.
    public var failed: [ConformanceResult] { results.filter(\.isFailed) }

    /// Those that could not find out.
    public var skipped: [ConformanceResult] { results.filter(\.isSkipped) }

    /// Those that found nothing wrong.
    public var passed: [ConformanceResult] { results.filter { $0.outcome == .passed } }

    /// The ids of the promises that some check found not kept.
    public var brokenPromises: Set<String> { Set(failed.map(\.promiseID)) }

    /// Whether no check found a promise not kept.
    public var isKept: Bool { failed.isEmpty }
}

extension ConformanceReport: CustomStringConvertible {
    /// The failures with what led to them, then what was skipped, and how many there are of each.
    public var description: String {
        let lines = (failed + skipped).map(\.description)
        let numbers =
            "\(results.count) checks: \(passed.count) passed, \(failed.count) failed, "
            + "\(skipped.count) skipped"
        return (lines + [numbers]).joined(separator: "\n")
    }
}
