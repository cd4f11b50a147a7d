import CPeers
import Foundation
import Measuring
import Synchronization

/// Measures the elapsed time and the processor time of this process.
struct Gauge {
    private let start = ContinuousClock.now
    private let processor = clock()

    /// The elapsed time in seconds.
    var seconds: Double { (ContinuousClock.now - start).nanoseconds / 1e9 }

    /// The processor time in seconds, summed over all processors.
    ///
    /// Other processes hardly affect it.
    var processorSeconds: Double { Double(clock() - processor) / Double(CLOCKS_PER_SEC) }
}

/// Measures the maximum memory that the process allocates during a period, above what it had at the
/// beginning.
///
/// Pages of mapped files do not count, because the system can drop them when it needs memory.
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

    /// Ends the period, and returns the maximum in megabytes.
    func end() -> Double {
        isDone.withLock { $0 = true }
        return Double(peak.withLock { $0 } - idle) / 1_048_576
    }

    /// The allocated memory in bytes, without pages of files.
    private static var allocated: Int { processMemory("RssAnon", in: "status") }
}

/// The times of one system for all queries of one kind, in several passes.
struct Times {
    private(set) var passes: [[Double]] = []

    mutating func beginPass() { passes.append([]) }

    mutating func measure(_ body: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        try body()
        passes[passes.count - 1].append((ContinuousClock.now - start).nanoseconds / 1e6)
    }

    /// The shortest time of each query, sorted.
    ///
    /// A disturbance by another process rarely affects all passes.
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
    /// Returns a percentile of sorted values.
    func percentile(_ percent: Int) -> Double { self[Swift.min(count - 1, count * percent / 100)] }
}
