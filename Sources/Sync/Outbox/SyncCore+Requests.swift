import Foundation
import Models
import Store

extension OutboxItem {
    init<Request: OfflineRequest>(
        _ request: Request, requestID: RequestID, newest: Position?, createdAt: Timestamp
    ) throws(SyncError) {
        var request = request
        request.waits(since: newest)
        self.init(
            .request, requestID: requestID, channelURL: request.channelURL, createdAt: createdAt)
        requestName = Request.name.rawValue
        requestVersion = Request.declaration.version
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            requestParameters = String(decoding: try encoder.encode(request), as: UTF8.self)
        } catch {
            throw SyncError(
                .invalidArgument, "the parameters of \(Request.name) have no JSON", cause: error)
        }
    }

    /// Returns the request of an item; `nil` if `types` lacks it, has only a lower version of it,
    /// or cannot read its parameters, or if such a request never waits in the outbox.
    func request(of types: [any BackendRequest.Type]) -> (any BackendRequest)? {
        let named = types.first { $0.name.rawValue == requestName }
        guard let type = named as? any OfflineRequest.Type,
            requestVersion <= type.declaration.version, let parameters = requestParameters
        else { return nil }
        return try? JSONDecoder().decode(type, from: Data(parameters.utf8))
    }

    var unknownRequestText: String {
        let version = requestVersion > 1 ? "version \(requestVersion) of " : ""
        let name = requestName ?? "without a name"
        return "this build does not support \(version)the request \(name)"
    }

    func isReplaced(by new: OutboxItem) -> Bool {
        isUnderstood && operation == .request && new.operation == .request && state == .pending
            && requestName == new.requestName
    }
}

extension Ingest {
    func removeRequests(replacedBy new: OutboxItem) throws(StoreError) -> [OutboxItem] {
        guard new.operation == .request else { return [] }
        let replaced = try batch.outboxItems(in: new.channelURL).filter { $0.isReplaced(by: new) }
        for item in replaced { try batch.removeOutboxItem(item.requestID) }
        return replaced
    }
}
