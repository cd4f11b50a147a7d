/// The effects of one kind of fault.
package struct Outcome: Sendable {
    /// The number of injected faults.
    package var injected = 0
    /// The number of bob's messages for which `send` returned.
    package var promised = 0
    /// The number of promised messages that the server does not have at the end.
    package var lost = 0
    /// The number of alice's messages that the cache had stored.
    package var stored = 0
    /// The number of stored messages that were missing after the fault, until they were fetched
    /// again.
    package var missing = 0
    /// The reports to the app, with the number of times that each was made.
    package var reported: [String: Int] = [:]
    /// The calls that the recovery needed, with the number of times that each was made.
    package var calls: [String: Int] = [:]
    /// The broken promises.
    package var violations: [String] = []
    /// The times until the device and the server agreed again.
    package var times: [Duration] = []
    /// The maximum simulated time that the device waited until then.
    package var waited = Duration.zero

    package init() {}

    mutating func record(report text: String) { reported[text, default: 0] += 1 }

    mutating func record(call text: String) { calls[text, default: 0] += 1 }

    mutating func add(_ other: Outcome) {
        injected += other.injected
        promised += other.promised
        lost += other.lost
        stored += other.stored
        missing += other.missing
        reported.merge(other.reported) { $0 + $1 }
        calls.merge(other.calls) { $0 + $1 }
        violations += other.violations
        times += other.times
        waited = max(waited, other.waited)
    }
}
