/// A call that is held on its way, until somebody releases or drops it.
public struct HeldCall: Hashable, Sendable {
    /// Its number among all calls of the backend, as the log has it.
    public let number: Int

    /// What kind of call it is.
    public let call: BackendCall

    /// What it is about: a channel, or a user.
    public let subject: String

    /// Whether the request is held, or the answer.
    public let point: CallPoint
}

extension HeldCall: CustomStringConvertible {
    /// Number, kind and subject, and what is held, such as "3 send general (request)".
    public var description: String {
        "\(number) \(call) \(subject) (\(point == .beforeEffect ? "request" : "answer"))"
    }
}

/// The calls that are held, in the order in which they came to be.
struct HeldCalls {
    /// How the holding of a call ends.
    enum End {
        case released
        case dropped
        case canceled
    }

    /// Which calls are to be held, and where.
    var points: [CallPoint: Set<BackendCall>] = [:]

    private var entries: [(call: HeldCall, end: CheckedContinuation<End, Never>)] = []
    private var waiting: [(id: Int, count: Int, continuation: CheckedContinuation<Void, Never>)] =
        []

    var calls: [HeldCall] { entries.map(\.call) }

    /// Holds a call, and wakes who waits for so many.
    mutating func add(_ call: HeldCall, _ end: CheckedContinuation<End, Never>) {
        entries.append((call, end))
        let count = entries.count
        for waiter in waiting where waiter.count <= count { waiter.continuation.resume() }
        waiting.removeAll { $0.count <= count }
    }

    /// Ends the holding of the call at an index.
    mutating func end(at index: Int, _ end: End) {
        precondition(
            entries.indices.contains(index),
            "There are \(entries.count) held calls, and none at \(index): await held(atLeast:).")
        entries.remove(at: index).end.resume(returning: end)
    }

    /// Ends the holding of a call, if it is held.
    mutating func end(number: Int, _ end: End) {
        guard let index = entries.firstIndex(where: { $0.call.number == number }) else { return }
        self.end(at: index, end)
    }

    /// Ends the holding of all calls, the first one first.
    mutating func endAll(_ end: End) {
        while !entries.isEmpty { self.end(at: 0, end) }
    }

    /// Waits for a number of held calls.
    mutating func wait(
        for count: Int, id: Int, _ continuation: CheckedContinuation<Void, Never>
    ) {
        guard entries.count < count else { return continuation.resume() }
        waiting.append((id, count, continuation))
    }

    /// Waits no more.
    mutating func stopWaiting(id: Int) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).continuation.resume()
    }
}
