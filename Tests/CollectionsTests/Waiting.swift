/// Suspends tests until conditions hold.
///
/// If the task is canceled, the wait ends, and the expectations that follow it fail.
@MainActor
final class Waiting {
    private struct One {
        let condition: () -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private var all: [Int: One] = [:]
    private var lastNumber = 0

    /// Waits until a condition holds.
    ///
    /// The condition is checked now and after each change.
    func until(_ condition: @escaping () -> Bool) async {
        if condition() { return }
        lastNumber += 1
        let number = lastNumber
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume() }
                all[number] = One(condition: condition, continuation: continuation)
            }
        } onCancel: {
            Task { @MainActor in self.all.removeValue(forKey: number)?.continuation.resume() }
        }
    }

    /// Checks the conditions again after a change, and ends the waits whose conditions hold.
    func recordChange() {
        for (number, one) in all where one.condition() {
            all[number] = nil
            one.continuation.resume()
        }
    }
}

/// A delegate that records its notifications, one line for each.
@MainActor
class Recorder {
    var heard: [String] = []
    /// Called with each line that is recorded.
    var onHearing: (String) -> Void = { _ in }
    let waiting = Waiting()

    func record(_ line: String) {
        heard.append(line)
        onHearing(line)
        waiting.recordChange()
    }

    /// Returns the notifications since the last call of `notifications()`.
    func notifications() -> [String] {
        defer { heard = [] }
        return heard
    }

    /// Waits until a line has been recorded.
    func hears(_ line: String) async { await waiting.until { self.heard.contains(line) } }
}

/// Waits until a condition holds whose changes no delegate reports.
@MainActor
func yieldUntil(_ condition: () -> Bool) async throws {
    while !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
