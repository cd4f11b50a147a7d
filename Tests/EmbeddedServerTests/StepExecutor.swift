import Foundation

/// An executor that runs its tasks only when a test calls it, and only up to their next suspension.
///
/// A test can thus decide which events occur between the steps of a call, without waiting for any
/// of them.
@available(macOS 15, iOS 18, *)
final class StepExecutor: TaskExecutor {
    private let lock = NSLock()
    // nonisolated(unsafe): only used while the lock is held.
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
