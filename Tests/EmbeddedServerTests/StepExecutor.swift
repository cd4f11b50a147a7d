import Foundation

/// An executor that runs its tasks only when a test calls it, and only up to their next suspension.
///
/// With it, a test determines which events occur between the steps of a call, without waiting.
@available(macOS 15, iOS 18, *)
final class StepExecutor: TaskExecutor {
    private let lock = NSLock()
    // Safe because it is only used while the lock is held.
    nonisolated(unsafe) private var jobs: [UnownedJob] = []

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lock.withLock { jobs.append(job) }
    }

    /// True if a task is ready to run.
    var isReady: Bool { lock.withLock { !jobs.isEmpty } }

    /// Runs tasks until each of them waits or has ended.
    func run() {
        while let job = lock.withLock({ jobs.isEmpty ? nil : jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
