import Foundation

/// Runs the tasks that prefer it only when a test says so, and only as far as they get.
///
/// So a test decides what happens between the steps of a call, without waiting for any of them.
@available(macOS 15, iOS 18, *)
final class StepExecutor: TaskExecutor {
    private let lock = NSLock()
    // Touched under the lock alone.
    nonisolated(unsafe) private var jobs: [UnownedJob] = []

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lock.withLock { jobs.append(job) }
    }

    /// Whether a task could go on.
    var isReady: Bool { lock.withLock { !jobs.isEmpty } }

    /// Runs all tasks until each of them waits or has ended.
    func run() {
        while let job = lock.withLock({ jobs.isEmpty ? nil : jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
