/// Those who wait until something is as they want it.
///
/// A task that is canceled waits no more: what it expects then says what is missing.
@MainActor
final class Waiting {
    private struct One {
        let condition: () -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private var all: [Int: One] = [:]
    private var lastNumber = 0

    /// Waits until a condition holds, which is asked now and after each change.
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

    /// Lets those go on whose condition holds, after a change.
    func noteChange() {
        for (number, one) in all where one.condition() {
            all[number] = nil
            one.continuation.resume()
        }
    }
}
