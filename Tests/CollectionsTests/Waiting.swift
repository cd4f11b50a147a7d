/// Waits until conditions hold.
///
/// A canceled task stops waiting; its later expectations then fail.
@MainActor
final class Waiting {
    private struct One {
        let condition: () -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private var all: [Int: One] = [:]
    private var lastNumber = 0

    /// Waits until a condition holds, which is checked now and after each change.
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

    /// Resumes the waits whose conditions hold after a change.
    func recordChange() {
        for (number, one) in all where one.condition() {
            all[number] = nil
            one.continuation.resume()
        }
    }
}
