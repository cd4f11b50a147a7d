import Foundation
import Models
import Store

// Requests that wait in the outbox.
extension OutboxItem {
    /// Creates an item for a request that is sent later; see ``OfflineRequest/waits(since:)``.
    ///
    /// - Throws: ``SyncError`` with code `invalidArgument` if the request has no JSON.
    init<Request: OfflineRequest>(
        _ request: Request, requestID: RequestID, newest: Timestamp?, createdAt: Timestamp
    ) throws(SyncError) {
        var request = request
        request.waits(since: newest)
        self.init(
            .request, requestID: requestID, channelURL: request.channelURL, createdAt: createdAt)
        requestName = Request.name.rawValue
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            requestParameters = String(decoding: try encoder.encode(request), as: UTF8.self)
        } catch {
            throw SyncError(
                .invalidArgument, "the parameters of \(Request.name) have no JSON", cause: error)
        }
    }

    /// Returns the request of an item; `nil` if `types` has none of its name, or if the type cannot
    /// read its parameters.
    func request(of types: [any BackendRequest.Type]) -> (any BackendRequest)? {
        guard let type = types.first(where: { $0.name.rawValue == requestName }),
            let parameters = requestParameters
        else { return nil }
        return try? JSONDecoder().decode(type, from: Data(parameters.utf8))
    }

    /// Returns a Boolean value that indicates whether a new item takes the place of this one.
    func isReplaced(by new: OutboxItem) -> Bool {
        isUnderstood && operation == .request && new.operation == .request && state == .pending
            && requestName == new.requestName
    }
}

extension Ingest {
    /// Removes the earlier request of the same type from the outbox.
    ///
    /// - Returns: The removed items.
    func removeRequests(replacedBy new: OutboxItem) throws(StoreError) -> [OutboxItem] {
        guard new.operation == .request else { return [] }
        let replaced = try batch.outboxItems(in: new.channelURL).filter { $0.isReplaced(by: new) }
        for item in replaced { try batch.removeOutboxItem(item.requestID) }
        return replaced
    }
}
