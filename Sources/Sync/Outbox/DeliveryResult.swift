public import Models

/// A delivery result of an outbox item.
public enum DeliveryResult: Hashable, Sendable {
    /// The server has accepted the message or the edit: the value is the sent or edited message.
    case sent(Message)
    /// The server has executed the operation: deleted a message, or added or removed a reaction.
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
