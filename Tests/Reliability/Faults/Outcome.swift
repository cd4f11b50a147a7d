/// What came of one kind of fault.
package struct Outcome: Sendable {
    /// How many there were.
    package var injected = 0
    /// How many messages bob wrote whose `send` returned.
    package var promised = 0
    /// How many of these the server does not have in the end.
    package var lost = 0
    /// How many of alice's messages the cache had stored.
    package var stored = 0
    /// How many of these were gone behind the fault, until the server was asked again.
    package var missing = 0
    /// What the app was told, and how often.
    package var told: [String: Int] = [:]
    /// What had to be called, and how often.
    package var calls: [String: Int] = [:]
    /// What is not as it was promised in the end.
    package var violations: [String] = []
    /// How long it took until the device and the server agreed again.
    package var times: [Duration] = []
    /// How long the device waited for that, in the worst case, by a clock that was not waited for.
    package var waited = Duration.zero

    package init() {}

    mutating func note(told text: String) { told[text, default: 0] += 1 }

    mutating func note(call text: String) { calls[text, default: 0] += 1 }

    /// Adds what came of more of them.
    mutating func add(_ other: Outcome) {
        injected += other.injected
        promised += other.promised
        lost += other.lost
        stored += other.stored
        missing += other.missing
        told.merge(other.told) { $0 + $1 }
        calls.merge(other.calls) { $0 + $1 }
        violations += other.violations
        times += other.times
        waited = max(waited, other.waited)
    }
}
