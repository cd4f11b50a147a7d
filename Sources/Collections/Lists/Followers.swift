/// The subscribers of a sequence of values, such as the changes of a collection.
@MainActor
final class Followers<Element: Sendable> {
    private typealias Follower = AsyncStream<Element>.Continuation

    private var followers: [Int: Follower] = [:]
    private var lastNumber = 0
    private var hasEnded = false

    var isEmpty: Bool { followers.isEmpty }

    /// Returns a stream of the values that are sent until ``end()``.
    func follow() -> AsyncStream<Element> {
        let (stream, follower) = AsyncStream<Element>.makeStream()
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

    func notify(_ element: Element) {
        for follower in followers.values { follower.yield(element) }
    }

    func end() {
        hasEnded = true
        let leaving = followers.values
        followers = [:]
        for follower in leaving { follower.finish() }
    }

    // A stream can be finished on any thread, so this `deinit` need not be isolated. (An
    // `isolated deinit` would require macOS 15.4 or iOS 18.4.)
    deinit {
        for follower in followers.values { follower.finish() }
    }
}
