import Sync

/// The tasks of an owner, which are canceled when the owner is disposed or released.
@MainActor
final class TaskBag {
    private var tasks: [Int: @Sendable () -> Void] = [:]
    private var lastNumber = 0

    func add<Success: Sendable, Failure: Error>(_ task: Task<Success, Failure>) {
        lastNumber += 1
        let number = lastNumber
        tasks[number] = { task.cancel() }
        Task { [weak self] in
            _ = await task.result
            self?.tasks[number] = nil
        }
    }

    /// Performs a request, which is canceled with the calling task, and when the owner is disposed
    /// or released.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(SyncError) -> Value
    ) async throws(SyncError) -> Value {
        let task = Task { () -> Result<Value, SyncError> in
            do throws(SyncError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        add(task)
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    func cancelAll() {
        for cancel in tasks.values { cancel() }
        tasks = [:]
    }

    // A task can be canceled on any thread, so this `deinit` need not be isolated.
    deinit {
        for cancel in tasks.values { cancel() }
    }
}
