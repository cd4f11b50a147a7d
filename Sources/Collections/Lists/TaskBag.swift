/// Tasks that end with their owner.
@MainActor
final class TaskBag {
    private var tasks: [Int: () -> Void] = [:]
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

    func cancelAll() {
        for cancel in tasks.values { cancel() }
        tasks = [:]
    }

    isolated deinit { cancelAll() }
}
