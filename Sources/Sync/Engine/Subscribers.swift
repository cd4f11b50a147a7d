import Models

/// The subscribers of a sequence of values, such as the events of an engine or the changes of a
/// list.
package final class Subscribers<Element: Sendable>: Sendable {
    private struct Subscriber: Sendable {
        let continuation: AsyncStream<Element>.Continuation
        let isWanted: @Sendable (Element) -> Bool
    }

    private struct State: Sendable {
        var subscribers: [Int: Subscriber] = [:]
        var lastNumber = 0
        var hasEnded = false
    }

    private let state = Locked(State())

    /// Creates an empty set of subscribers.
    package init() {}

    /// Ends all streams.
    deinit { end() }

    /// A Boolean value that indicates whether no stream has a reader.
    package var isEmpty: Bool { state.withLock { $0.subscribers.isEmpty } }

    /// Returns a stream of those of the given values, and then of the values from now on, that
    /// satisfy a condition; other values do not resume its reader.
    package func subscribe(
        beginningWith first: [Element] = [],
        buffering policy: AsyncStream<Element>.Continuation.BufferingPolicy = .unbounded,
        where isWanted: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: policy)
        let subscriber = Subscriber(continuation: continuation, isWanted: isWanted)
        let added = state.withLock { state -> Int? in
            if state.hasEnded { return nil }
            state.lastNumber += 1
            state.subscribers[state.lastNumber] = subscriber
            return state.lastNumber
        }
        guard let number = added else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        for element in first where isWanted(element) { continuation.yield(element) }
        return stream
    }

    private func remove(_ number: Int) {
        _ = state.withLock { $0.subscribers.removeValue(forKey: number) }
    }

    /// Adds a value to the streams.
    package func notify(_ element: Element) {
        let subscribers = state.withLock { $0.subscribers }
        for subscriber in subscribers.values where subscriber.isWanted(element) {
            subscriber.continuation.yield(element)
        }
    }

    /// Ends all streams, and those that are requested later.
    package func end() {
        let ending = state.withLock { state in
            let ending = state.subscribers
            state.subscribers = [:]
            state.hasEnded = true
            return ending
        }
        // This calls `remove`, which acquires the lock.
        for subscriber in ending.values { subscriber.continuation.finish() }
    }
}
