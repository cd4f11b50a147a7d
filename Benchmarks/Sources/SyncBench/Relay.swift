/// Measures the time for waking the threads that a live message wakes, without a message.
///
/// A call resumes a task, as the server resumes a waiting feed. That task starts another task on
/// the main actor, as the store does for a collection.
@MainActor
final class Relay {
    private let feed: AsyncStream<Int>.Continuation
    private var heardAt = ContinuousClock.now
    private var waiting: CheckedContinuation<Void, Never>?

    init() {
        let (said, feed) = AsyncStream.makeStream(of: Int.self)
        self.feed = feed
        Task.detached { [weak self] in
            for await _ in said {
                Task { @MainActor in self?.receive() }
            }
        }
    }

    deinit { feed.finish() }

    /// Returns the duration until a number arrives on the main actor.
    func pass(_ number: Int) async -> Duration {
        async let said = send(number)
        await withCheckedContinuation { waiting = $0 }
        return heardAt - (await said)
    }

    @concurrent
    private nonisolated func send(_ number: Int) async -> ContinuousClock.Instant {
        let start = ContinuousClock.now
        feed.yield(number)
        return start
    }

    private func receive() {
        heardAt = .now
        waiting?.resume()
        waiting = nil
    }
}
