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
    ///
    /// All of them, and whole; the description shortens them.
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
    /// One line; of a failure, what was promised and seen, and the calls that led there.
    ///
    /// Long lines are shortened, and of many calls those in the middle are left out; ``trace`` has all.
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
            \(trace.shortened.map { "        \($0)" }.joined(separator: "\n"))
            """
        }
    }
}

extension [String] {
    /// How many calls are shown where a trace begins, and how many where it ends in the failure.
    private static let (first, last) = (8, 24)

    /// A trace that can be read: without its middle if it is long, and no line of it too wide.
    fileprivate var shortened: [String] {
        let hidden = count - Self.first - Self.last
        guard hidden > 1 else { return map(\.shortened) }
        return prefix(Self.first).map(\.shortened) + ["… \(hidden) calls left out …"]
            + suffix(Self.last).map(\.shortened)
    }
}

extension String {
    /// How many characters of a line are shown.
    ///
    /// An answer ends with its cursors, so some of them are from the end.
    private static let (first, last) = (140, 57)

    fileprivate var shortened: String {
        guard count > Self.first + Self.last + 3 else { return self }
        return "\(prefix(Self.first)) … \(suffix(Self.last))"
    }
}

/// What a backend keeps of its promises.
public struct ConformanceReport: Hashable, Sendable, Codable {
    /// What each check found out, in the order in which they ran.
    public let results: [ConformanceResult]

    /// Why the checks were given up before they found anything out; `nil` if they were not.
    ///
    /// See ``BackendConformance/run(on:only:)``.
    public let failure: String?

    init(results: [ConformanceResult], failure: String? = nil) {
        self.results = results
        self.failure = failure
    }

    /// Those that found a promise not kept.
    public var failed: [ConformanceResult] { results.filter(\.isFailed) }

    /// Those that could not find out.
    public var skipped: [ConformanceResult] { results.filter(\.isSkipped) }

    /// Those that found nothing wrong.
    public var passed: [ConformanceResult] { results.filter { $0.outcome == .passed } }

    /// The ids of the promises that some check found not kept.
    public var brokenPromises: Set<String> { Set(failed.map(\.promiseID)) }

    /// Whether the checks ran, and none found a promise not kept.
    public var isKept: Bool { failure == nil && failed.isEmpty }
}

extension ConformanceReport: CustomStringConvertible {
    /// In a line, which promises are broken; then the failures with what led to them, what was
    /// skipped, and how many checks there are of each.
    public var description: String {
        if let failure {
            // Each check failed alike, so one of them says it all.
            let trace = failed.first?.trace.shortened.map { "    \($0)" } ?? []
            return (["nothing was checked: \(failure)"] + trace).joined(separator: "\n")
        }
        let lines = [headline] + (failed + skipped).map(\.description)
        let numbers =
            "\(results.count) checks: \(passed.count) passed, \(failed.count) failed, "
            + "\(skipped.count) skipped"
        return (lines + [numbers]).joined(separator: "\n")
    }

    /// Such as `2 of 75 promises broken: send.once, feed.order; 1 check skipped`.
    ///
    /// Of the promises, those count about which something was found out.
    private var headline: String {
        let found = Set(results.filter { !$0.isSkipped }.map(\.promiseID))
        var names: [String] = []
        for result in failed where !names.contains(result.promiseID) {
            names.append(result.promiseID)
        }
        var line = "\(names.count) of \(found.count) promises broken"
        if !names.isEmpty { line += ": \(names.joined(separator: ", "))" }
        guard !skipped.isEmpty else { return line }
        return line + "; \(skipped.count) \(skipped.count == 1 ? "check" : "checks") skipped"
    }
}
