package import Dispatch
package import Foundation

/// Kills a process that does not end.
///
/// Otherwise a test might wait for its output forever.
package final class Watchdog: @unchecked Sendable {
    // @unchecked: mutable state is protected by the lock.
    private let timer = DispatchSource.makeTimerSource(queue: .global())
    private let lock = NSLock()
    private var kills = false

    /// Starts to watch a running process.
    ///
    /// - Parameters:
    ///   - process: The process.
    ///   - patience: The time after which the process is killed.
    package init(_ process: Process, patience: DispatchTimeInterval = .seconds(180)) {
        let id = process.processIdentifier
        timer.schedule(deadline: .now() + patience, repeating: .seconds(30))
        timer.setEventHandler { [weak self] in
            // On the first signal, a Swift process prints the stacks of its threads if
            // `SWIFT_BACKTRACE` is set.
            let isFirst = self?.lock.withLock { () -> Bool in
                defer { self?.kills = true }
                return self?.kills == false
            }
            kill(id, isFirst ?? false ? SIGABRT : SIGKILL)
        }
        timer.resume()
    }

    /// True if the process had to be killed.
    package var hasKilled: Bool { lock.withLock { kills } }

    /// Stops watching.
    ///
    /// Call this after the process has ended, because another process may get its id.
    package func cancel() { timer.cancel() }

    deinit { timer.cancel() }
}

/// Ends this process, and prints the stacks of its threads, if a test does not end.
///
/// A blocked thread ignores cancellation, so a test's own time limit does not end it.
package final class StackWatchdog: @unchecked Sendable {
    // @unchecked: the timer is only canceled after `init`, which any thread may do.
    private let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "watchdog"))

    /// Starts to watch.
    ///
    /// - Parameters:
    ///   - name: The name of the test.
    ///   - patience: The time after which the process ends. The environment variable
    ///     `SWIFT_BACKTRACE` must be `enable=yes` for the stacks to be printed on Linux.
    package init(_ name: String, patience: DispatchTimeInterval) {
        timer.schedule(deadline: .now() + patience)
        timer.setEventHandler {
            FileHandle.standardError.write(
                Data("\(name) did not end. The stacks of all threads follow.\n".utf8))
            abort()
        }
        timer.resume()
    }

    /// Stops watching.
    package func cancel() { timer.cancel() }

    deinit { timer.cancel() }
}
