import CPeers
import Foundation
import Measuring
import Synchronization

/// The time of this process: by the clock, and on all processors.
struct Gauge {
    private let start = ContinuousClock.now
    private let processor = clock()

    /// Seconds by the clock.
    var seconds: Double { (ContinuousClock.now - start).nanoseconds / 1e9 }

    /// Seconds on the processors, which other processes hardly affect.
    var processorSeconds: Double { Double(clock() - processor) / Double(CLOCKS_PER_SEC) }
}

/// The greatest amount of memory that the process has allocated since a moment.
///
/// Pages of mapped files are not counted: the system drops them when it needs memory.
final class MemoryWatch: Sendable {
    private let idle: Int
    private let peak = Mutex(0)
    private let isDone = Mutex(false)

    init() {
        idle = MemoryWatch.allocated
        Thread.detachNewThread { [self] in
            while !isDone.withLock({ $0 }) {
                let now = MemoryWatch.allocated
                peak.withLock { $0 = max($0, now) }
                usleep(20_000)
            }
        }
    }

    /// Ends the measurement, and returns the megabytes above the beginning.
    func end() -> Double {
        isDone.withLock { $0 = true }
        return Double(peak.withLock { $0 } - idle) / 1_048_576
    }

    /// Bytes of memory without files.
    private static var allocated: Int { processMemory("RssAnon", in: "status") }
}

/// The times of the queries of one kind in one system, in several passes.
struct Times {
    private(set) var passes: [[Double]] = []

    mutating func beginPass() { passes.append([]) }

    mutating func measure(_ body: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        try body()
        passes[passes.count - 1].append((ContinuousClock.now - start).nanoseconds / 1e6)
    }

    /// For each query, the time of its fastest pass: other processes do not disturb all of them.
    private var fastest: [Double] {
        passes[0].indices.map { index in passes.map { $0[index] }.min()! }.sorted()
    }

    var columns: [String] {
        let fastest = fastest
        let all = passes.joined().sorted()
        return [fastest.percentile(50), fastest.percentile(99), all.percentile(99)].map {
            "\($0.brief) ms"
        }
    }
}

extension [Double] {
    /// A percentile of sorted values.
    func percentile(_ percent: Int) -> Double { self[Swift.min(count - 1, count * percent / 100)] }
}
