import Foundation
package import Models
package import Sync

/// A backend whose calls begin and end with random delays.
///
/// Tests use it only if the environment variable `SCROLLBACK_JITTER` is set, to find expectations
/// that depend on the order in which the answers of a server arrive.
package struct JitteryBackend: ForwardingBackend {
    package let base: any Backend

    /// The value of `SCROLLBACK_JITTER` in milliseconds; `nil` if it is not set.
    private static let maximumDelay = ProcessInfo.processInfo.environment["SCROLLBACK_JITTER"]
        .flatMap { Int($0) }

    /// Returns the backend with delays of up to `SCROLLBACK_JITTER` milliseconds, or unchanged if
    /// the variable is not set.
    package static func wrapping(_ base: any Backend) -> any Backend {
        maximumDelay == nil ? base : JitteryBackend(base: base)
    }

    /// Waits between two messages of a test, so that the feed may report them one by one.
    package static func pauseBetweenMessages() async { await pause(dividedBy: 4) }

    package func forward<Call: BackendCall>(
        _ call: Call
    ) async throws(BackendError) -> Call.Answer {
        await JitteryBackend.pause()
        let result: Result<Call.Answer, BackendError>
        do throws(BackendError) {
            result = .success(try await call.make(on: base))
        } catch {
            result = .failure(error)
        }
        await JitteryBackend.pause()
        return try result.get()
    }

    /// Delays every third caller, by up to a fraction of ``maximumDelay``.
    private static func pause(dividedBy divisor: Int = 1) async {
        guard let maximumDelay, Int.random(in: 0..<3) == 0 else { return }
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...maximumDelay / divisor)))
    }
}
