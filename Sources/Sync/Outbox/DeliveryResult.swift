public import Models

/// A delivery result of an outbox item.
public enum DeliveryResult: Hashable, Sendable {
    /// The server has accepted the message or the edit; the value is the message.
    case sent(Message)
    /// The server has deleted the message, added or removed the reaction, or executed the request.
    case done
    /// The server has rejected the item, or the engine has stopped trying; the item contains the
    /// reason, and may be resent.
    case failed(OutboxItem)
    /// The item will not be sent: the user has canceled it, or its message does not exist.
    case canceled
    /// The item never existed, or was removed long ago or before this process started.
    case unknown
}

struct LastDeliveryResults {
    private var results: [RequestID: DeliveryResult] = [:]
    private var ids: [RequestID] = []

    static let limit = 1000

    subscript(id: RequestID) -> DeliveryResult? { results[id] }

    mutating func record(_ result: DeliveryResult, of id: RequestID) {
        guard results.updateValue(result, forKey: id) == nil else { return }
        ids.append(id)
        if ids.count > LastDeliveryResults.limit { results[ids.removeFirst()] = nil }
    }
}
