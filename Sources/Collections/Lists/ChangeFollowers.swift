/// The subscribers of a collection's changes.
@MainActor
final class ChangeFollowers<Element: Hashable & Sendable> {
    private typealias Follower = AsyncStream<CollectionChange<Element>>.Continuation

    private var followers: [Int: Follower] = [:]
    private var lastNumber = 0
    private var hasEnded = false

    /// Returns a stream of the changes from now on, until the end.
    func follow() -> AsyncStream<CollectionChange<Element>> {
        let (stream, follower) = AsyncStream<CollectionChange<Element>>.makeStream()
        guard !hasEnded else {
            follower.finish()
            return stream
        }
        lastNumber += 1
        let number = lastNumber
        followers[number] = follower
        follower.onTermination = { [weak self] _ in
            Task { @MainActor in self?.followers[number] = nil }
        }
        return stream
    }

    func notify(_ change: CollectionChange<Element>) {
        for follower in followers.values { follower.yield(change) }
    }

    func end() {
        hasEnded = true
        let leaving = followers.values
        followers = [:]
        for follower in leaving { follower.finish() }
    }

    // Not `isolated deinit`, which needs macOS 15.4 and iOS 18.4: a stream can be finished on any
    // thread.
    deinit {
        for follower in followers.values { follower.finish() }
    }
}
