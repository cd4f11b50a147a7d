import Foundation

/// Runs the tasks that prefer it only when a test calls it, and only up to their next suspension.
///
/// So a test decides which events occur between the steps of a call, without waiting for any of
/// them.
@available(macOS 15, iOS 18, *)
final class StepExecutor: TaskExecutor {
    private let lock = NSLock()
    // Touched under the lock alone.
    nonisolated(unsafe) private var jobs: [UnownedJob] = []

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lock.withLock { jobs.append(job) }
    }

    /// True if a task is ready to run.
    var isReady: Bool { lock.withLock { !jobs.isEmpty } }

    /// Runs all tasks until each of them waits or has ended.
    func run() {
        while let job = lock.withLock({ jobs.isEmpty ? nil : jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
