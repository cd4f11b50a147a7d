@MainActor
final class Subscribers<Element: Sendable> {
    private typealias Subscriber = AsyncStream<Element>.Continuation

    private var subscribers: [Int: Subscriber] = [:]
    private var lastNumber = 0
    private var hasEnded = false

    var isEmpty: Bool { subscribers.isEmpty }

    func subscribe() -> AsyncStream<Element> {
        let (stream, subscriber) = AsyncStream<Element>.makeStream()
        guard !hasEnded else {
            subscriber.finish()
            return stream
        }
        lastNumber += 1
        let number = lastNumber
        subscribers[number] = subscriber
        subscriber.onTermination = { [weak self] _ in
            Task { @MainActor in self?.subscribers[number] = nil }
        }
        return stream
    }

    func notify(_ element: Element) {
        for subscriber in subscribers.values { subscriber.yield(element) }
    }

    func end() {
        hasEnded = true
        let leaving = subscribers.values
        subscribers = [:]
        for subscriber in leaving { subscriber.finish() }
    }

    // A stream can be finished on any thread, so this `deinit` need not be isolated.
    deinit {
        for subscriber in subscribers.values { subscriber.finish() }
    }
}
