package import Dispatch
package import Foundation

/// Kills a process that does not end by itself: who reads what it writes is told that it ended, and
/// does not wait for ever.
package final class Watchdog: @unchecked Sendable {
    // @unchecked: what varies is touched with the lock alone.
    private let timer = DispatchSource.makeTimerSource(queue: .global())
    private let lock = NSLock()
    private var kills = false

    /// Begins to watch a process that runs.
    ///
    /// - Parameters:
    ///   - process: The process.
    ///   - patience: After how long it is killed.
    package init(_ process: Process, patience: DispatchTimeInterval = .seconds(180)) {
        let id = process.processIdentifier
        timer.schedule(deadline: .now() + patience)
        timer.setEventHandler { [weak self] in
            self?.lock.withLock { self?.kills = true }
            kill(id, SIGKILL)
        }
        timer.resume()
    }

    /// Whether the process had to be killed.
    package var hasKilled: Bool { lock.withLock { kills } }

    /// Lets go of a process that has ended: another one may have its number soon.
    package func cancel() { timer.cancel() }

    deinit { timer.cancel() }
}
