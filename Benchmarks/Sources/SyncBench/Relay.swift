/// The way of a live message with nothing done on it: what waking two threads, one after the other, takes.
///
/// Who says something resumes a task, as the server does with a feed that waits, and that one begins one on
/// the main actor, as a collection does when it is told.
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
                Task { @MainActor in self?.hear() }
            }
        }
    }

    deinit { feed.finish() }

    /// How long a number takes.
    func pass(_ number: Int) async -> Duration {
        async let said = say(number)
        await withCheckedContinuation { waiting = $0 }
        return max(.zero, heardAt - (await said))
    }

    @concurrent
    private nonisolated func say(_ number: Int) async -> ContinuousClock.Instant {
        feed.yield(number)
        return .now
    }

    private func hear() {
        heardAt = .now
        waiting?.resume()
        waiting = nil
    }
}
