import CAllocations
import Measuring

/// The time and the allocations of one case.
struct Measurement: Encodable {
    let group: String
    let name: String
    let kind: Case.Kind
    /// Nanoseconds for one operation.
    let median: Double
    let minimum: Double
    let p99: Double
    /// Calls of malloc for one operation, or `nil` if they cannot be counted.
    let allocations: Double?
    /// Scrollback's speed divided by that of swift-protobuf's fastest case in the same group.
    var ratio: Double?
}

/// How many measurements are made, and how long they take.
struct Effort {
    var rounds: Int
    /// The number of times that each case is timed in a round.
    ///
    /// The shortest of these times is the result of the round.
    var samples = 3
    /// The minimum duration of one timing.
    var sampleTime = Duration.microseconds(100)
}

/// Measures all cases of all groups in one run.
///
/// In each round, every case is timed for a short while. Each round starts with a different case.
/// The result of a case is the median of its results in all rounds. A temporary disturbance affects
/// all cases alike, but only in some rounds, so it does not change the medians.
func measure(_ groups: [Group], _ effort: Effort) -> [Measurement] {
    let cases = groups.flatMap { group in group.cases.map { (group: group.title, case: $0) } }
    let counts = cases.map { calibrate($0.case, effort.sampleTime) }
    var rounds = [[Double]](repeating: [], count: cases.count)
    var all = rounds

    for round in 0..<effort.rounds {
        for step in cases.indices {
            let index = (round + step) % cases.count
            let samples = (0..<effort.samples).map { _ in
                time(cases[index].case, counts[index]) / Double(counts[index])
            }
            rounds[index].append(samples.min() ?? 0)
            all[index] += samples
        }
    }

    var measurements = cases.indices.map { index in
        let (fastest, samples) = (rounds[index].sorted(), all[index].sorted())
        return Measurement(
            group: cases[index].group, name: cases[index].case.name, kind: cases[index].case.kind,
            median: fastest[fastest.count / 2], minimum: samples[0],
            p99: samples[samples.count * 99 / 100], allocations: allocations(cases[index].case))
    }
    for group in groups {
        let peers = measurements.filter { $0.group == group.title && $0.kind == .protobuf }
        guard let reference = peers.map(\.median).min() else { continue }
        for index in measurements.indices where measurements[index].group == group.title {
            measurements[index].ratio = reference / measurements[index].median
        }
    }
    return measurements
}

/// Returns the number of operations that take as long as one timing should.
private func calibrate(_ subject: Case, _ goal: Duration) -> Int {
    var count = 1
    while time(subject, count) < goal.nanoseconds { count *= 2 }
    return count
}

/// Returns the mean duration of one operation in nanoseconds.
private func time(_ subject: Case, _ count: Int) -> Double {
    let start = ContinuousClock.now
    subject.run(count)
    return start.duration(to: .now).nanoseconds
}

private func allocations(_ subject: Case) -> Double? {
    // A multiple of the number of inputs gives each input the same weight.
    let count = 4 * Sample.count
    subject.run(count)
    allocations_start()
    subject.run(count)
    let allocations = allocations_stop()
    return allocations < 0 ? nil : Double(allocations) / Double(count)
}
