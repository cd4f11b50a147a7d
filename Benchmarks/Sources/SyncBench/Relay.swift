/// The way of a live message with nothing done on it: what waking two threads, one after the other, takes.
///
/// Who says something resumes a task, as the server does with a feed that waits, and that one a loop of the
/// main actor, as the store does with a collection.
@MainActor
final class Relay {
    private let feed: AsyncStream<Int>.Continuation
    private var heardAt = ContinuousClock.now
    private var heard = -1
    private var waiting: CheckedContinuation<Void, Never>?

    init() {
        let (said, feed) = AsyncStream.makeStream(of: Int.self)
        let (told, changes) = AsyncStream.makeStream(of: Int.self)
        self.feed = feed
        Task.detached {
            for await number in said { changes.yield(number) }
            changes.finish()
        }
        Task { [weak self] in
            for await number in told { self?.hear(number) }
        }
    }

    deinit { feed.finish() }

    /// How long a number takes.
    func pass(_ number: Int) async -> Duration {
        let said = await say(number)
        if heard != number { await withCheckedContinuation { waiting = $0 } }
        return max(.zero, heardAt - said)
    }

    @concurrent
    private nonisolated func say(_ number: Int) async -> ContinuousClock.Instant {
        feed.yield(number)
        return .now
    }

    private func hear(_ number: Int) {
        (heardAt, heard) = (.now, number)
        waiting?.resume()
        waiting = nil
    }
}
