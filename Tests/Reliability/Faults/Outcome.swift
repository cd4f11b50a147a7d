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
    /// The number of stored messages that were missing after the fault and had to be fetched again.
    package var missing = 0
    /// The number of times that each report was made to the app.
    package var reported: [String: Int] = [:]
    /// The number of times that the recovery needed each call.
    package var calls: [String: Int] = [:]
    /// Descriptions of the broken promises.
    package var violations: [String] = []
    /// The durations of the recoveries, until the device and the server had the same data again.
    package var times: [Duration] = []
    /// The maximum simulated time that the device waited during a recovery.
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
