import Sync

/// Tasks that are canceled with their owner.
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

    /// Sends a request to an engine.
    ///
    /// The request is canceled when the owner is disposed or released, and when the calling task is
    /// canceled.
    ///
    /// - Returns: The response.
    /// - Throws: Errors of the engine; `canceled` after the owner was disposed or released.
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

    // This need not be an `isolated deinit`, which requires macOS 15.4 and iOS 18.4, because a task
    // can be canceled on any thread.
    deinit {
        for cancel in tasks.values { cancel() }
    }
}
