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
        timer.schedule(deadline: .now() + patience)
        timer.setEventHandler { [weak self] in
            self?.lock.withLock { self?.kills = true }
            kill(id, SIGKILL)
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
