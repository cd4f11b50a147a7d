import Collections
import Foundation
import Models
import Store
import Sync

/// A request of the page to change the client, which only some apps allow.
struct ActionRequest: Decodable, Sendable {
    var name: String
    var channel: String?
    var requestID: String?
    /// The ID of the message at a gap's upper bound; `nil` for a gap at the newest end.
    var upper: String?
}

@MainActor
final class Actions {
    private let client: ClientReference
    /// The credentials of the connection that an action has ended, and the engine that may
    /// reconnect.
    private var ended: (credentials: Credentials, engine: SyncEngine)?

    private let mask: TextMask

    init(_ client: ClientReference, _ mask: TextMask) { (self.client, self.mask) = (client, mask) }

    /// Performs an action, and returns a sentence about the result.
    func perform(_ action: ActionRequest) async throws -> String {
        let client = try client.required()
        let engine = try client.engine
        switch action.name {
        case "offline":
            if let credentials = await engine.credentials { ended = (credentials, engine) }
            await client.disconnect()
            return "The client is offline."
        case "online":
            guard let ended, ended.engine === engine else {
                await client.reconnect()
                return "The client retries the connection, if it wants one."
            }
            let outcome = try await client.connect(as: ended.credentials)
            return outcome.reason.map { "Not connected yet: \(mask.shown($0))" }
                ?? "The client is online."
        case "backfill": return try await backfill(action, engine)
        case "verify":
            let found = try await engine.verify(try action.channelURL)
            return "\(found.comparedCount) messages compared: \(found.missing.count) missing, "
                + "\(found.extra.count) extra, \(found.different.count) different"
                + (found.channel == nil ? "." : ", and the channel differs.")
        case "repair":
            try await engine.repair(try action.channelURL)
            return "The history of the channel was fetched again."
        case "evict":
            let done = try await client.shrinkCache()
            return "\(done.messageCount) messages were evicted: "
                + "\(done.sizeBefore) bytes before, \(done.sizeAfter) after."
        case "resend":
            try await client.resend(try action.request)
            return "The item is pending again."
        case "cancel":
            let isCanceled = try await client.cancel(try action.request)
            return isCanceled ? "The item was canceled." : "There is no such item."
        case "clear":
            guard let channel = action.channel else {
                try await client.clearCachedData()
                return "The cache was cleared; the outbox is kept."
            }
            try await client.clearCachedMessages(in: [ChannelURL(channel)])
            return "The messages of the channel were removed from this device."
        default: throw BadRequest("there is no action \(action.name)")
        }
    }

    /// Fetches a page of a gap, from its upper bound.
    private func backfill(
        _ action: ActionRequest, _ engine: SyncEngine
    ) async throws -> String {
        let url = try action.channelURL
        let count = 100
        let anchor = action.upper.map { MessageAnchor.message(MessageID($0)) } ?? .newest
        let fetched = try await engine.fetchMessages(in: url, at: anchor, older: count, newer: 0)
        return "\(fetched.page.messages.count) messages were fetched."
    }
}

extension ActionRequest {
    fileprivate var channelURL: ChannelURL {
        get throws {
            guard let channel else { throw BadRequest("the action needs a channel") }
            return ChannelURL(channel)
        }
    }

    fileprivate var request: RequestID {
        get throws {
            guard let requestID else { throw BadRequest("the action needs a request ID") }
            return RequestID(requestID)
        }
    }
}
