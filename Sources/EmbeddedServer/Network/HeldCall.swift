public import Sync

/// A call that is held until it is released or dropped.
public struct HeldCall: Hashable, Sendable {
    /// The number of the call in the log of the backend.
    public let number: Int

    /// The kind of call.
    public let call: CallName

    /// The subject of the call: a channel or a user.
    public let subject: String

    /// The point at which the call is held: the request or the response.
    public let point: CallPoint
}

extension HeldCall: CustomStringConvertible {
    /// The number, kind, subject and point, such as "3 send general (request)".
    public var description: String {
        "\(number) \(call) \(subject) (\(point == .beforeEffect ? "request" : "answer"))"
    }
}

struct HeldCalls {
    enum End {
        case released
        case dropped
        case canceled
    }

    var points: [CallPoint: CallSet] = [:]

    private var entries: [(call: HeldCall, end: CheckedContinuation<End, Never>)] = []
    private var waiting: [(id: Int, count: Int, continuation: CheckedContinuation<Void, Never>)] =
        []

    var calls: [HeldCall] { entries.map(\.call) }

    mutating func add(_ call: HeldCall, _ end: CheckedContinuation<End, Never>) {
        entries.append((call, end))
        let count = entries.count
        for waiter in waiting where waiter.count <= count { waiter.continuation.resume() }
        waiting.removeAll { $0.count <= count }
    }

    @discardableResult
    mutating func end(at index: Int, _ end: End) -> Bool {
        guard entries.indices.contains(index) else { return false }
        entries.remove(at: index).end.resume(returning: end)
        return true
    }

    mutating func end(number: Int, _ end: End) {
        guard let index = entries.firstIndex(where: { $0.call.number == number }) else { return }
        self.end(at: index, end)
    }

    mutating func endAll(_ end: End) {
        while !entries.isEmpty { self.end(at: 0, end) }
    }

    mutating func wait(
        for count: Int, id: Int, _ continuation: CheckedContinuation<Void, Never>
    ) {
        guard entries.count < count else { return continuation.resume() }
        waiting.append((id, count, continuation))
    }

    mutating func stopWaiting(id: Int) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).continuation.resume()
    }
}
