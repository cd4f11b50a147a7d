import Sync

/// The result of a check.
public struct ConformanceResult: Hashable, Sendable, Codable {
    /// The ID of the promise that the check verifies, or of another one that it found broken.
    public let promiseID: String

    /// The text of the promise.
    public let sentence: String

    /// A description of the check in one sentence.
    public let summary: String

    /// The outcome of the check.
    public let outcome: Outcome

    /// All calls that led to a failure, with their responses, oldest first; otherwise empty.
    public let trace: [String]

    /// The outcome of a check.
    public enum Outcome: Hashable, Sendable, Codable {
        /// The check has found no violation of the promise.
        case passed
        /// The promise is not fulfilled; the value describes the behavior.
        case failed(String)
        /// The promise was not checked; the value is the reason.
        case skipped(String)
    }

    init(check: ConformanceCheck, promise: BackendPromise, outcome: Outcome, trace: [String]) {
        promiseID = promise.id
        sentence = promise.sentence
        summary = promise == check.promise ? check.summary : "while preparing \(check)"
        self.outcome = outcome
        self.trace = trace
    }

    /// A Boolean value that indicates whether the promise is not fulfilled.
    public var isFailed: Bool {
        if case .failed = outcome { true } else { false }
    }

    /// A Boolean value that indicates whether the promise was not checked.
    public var isSkipped: Bool {
        if case .skipped = outcome { true } else { false }
    }
}

extension ConformanceResult: CustomStringConvertible {
    /// A line with the outcome; for a failure, also the promise, the observed behavior and the
    /// calls.
    ///
    /// Long lines and traces are shortened.
    public var description: String {
        switch outcome {
        case .passed: "✓ \(promiseID): \(summary)"
        case .skipped(let reason): "- \(promiseID): \(summary) (skipped: \(reason))"
        case .failed(let seen):
            """
            ✗ \(promiseID): \(summary)
                promised: \(sentence)
                seen: \(seen)
                calls:
            \(trace.shortened.map { "        \($0)" }.joined(separator: "\n"))
            """
        }
    }
}

extension [String] {
    private static let (first, last) = (8, 24)

    fileprivate var shortened: [String] {
        let hidden = count - Self.first - Self.last
        guard hidden > 1 else { return map(\.shortened) }
        return prefix(Self.first).map(\.shortened) + ["… \(hidden) calls omitted …"]
            + suffix(Self.last).map(\.shortened)
    }
}

extension String {
    /// The end of a line contains the cursor of the response.
    private static let (first, last) = (140, 57)

    fileprivate var shortened: String {
        guard count > Self.first + Self.last + 3 else { return self }
        return "\(prefix(Self.first)) … \(suffix(Self.last))"
    }
}

/// The results of checks.
public struct ConformanceReport: Hashable, Sendable, Codable {
    /// The results, in the order of the checks.
    public let results: [ConformanceResult]

    /// The reason why ``BackendConformance/run(on:only:)`` stopped early, if it did.
    public let failure: String?

    /// Creates a report of results of ``ConformanceCheck/run(on:)``.
    ///
    /// `failure` is the reason why further checks did not run, if any.
    public init(results: [ConformanceResult], failure: String? = nil) {
        self.results = results
        self.failure = failure
    }

    /// The results of failed checks.
    public var failed: [ConformanceResult] { results.filter(\.isFailed) }

    /// The results of skipped checks.
    public var skipped: [ConformanceResult] { results.filter(\.isSkipped) }

    /// The results of passed checks.
    public var passed: [ConformanceResult] { results.filter { $0.outcome == .passed } }

    /// The IDs of the broken promises.
    public var brokenPromises: Set<String> { Set(failed.map(\.promiseID)) }

    /// A Boolean value that indicates whether all checks ran, and none failed.
    public var isKept: Bool { failure == nil && failed.isEmpty }
}

extension ConformanceReport: CustomStringConvertible {
    /// The report as text: the broken promises, the failures with their traces, the skipped checks,
    /// and the number of checks with each outcome.
    public var description: String {
        if let failure {
            // All checks failed for the same reason.
            let trace = failed.first?.trace.shortened.map { "    \($0)" } ?? []
            return (["the run was stopped: \(failure)"] + trace).joined(separator: "\n")
        }
        let lines = [headline] + (failed + skipped).map(\.description)
        let numbers =
            "\(Self.checks(results.count)): \(passed.count) passed, \(failed.count) failed, "
            + "\(skipped.count) skipped"
        return (lines + [numbers]).joined(separator: "\n")
    }

    /// The broken promises, such as `2 of 75 promises broken: send.once, feed.order; 1 check
    /// skipped`.
    private var headline: String {
        let found = Set(results.filter { !$0.isSkipped }.map(\.promiseID))
        var names: [String] = []
        for result in failed where !names.contains(result.promiseID) {
            names.append(result.promiseID)
        }
        var line = "\(names.count) of \(found.count) promises broken"
        if !names.isEmpty { line += ": \(names.joined(separator: ", "))" }
        guard !skipped.isEmpty else { return line }
        return line + "; \(Self.checks(skipped.count)) skipped"
    }

    private static func checks(_ count: Int) -> String {
        count == 1 ? "1 check" : "\(count) checks"
    }
}
