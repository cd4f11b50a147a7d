import Foundation
import Models
import Sync

extension SyncReport.Call {
    /// The key for counting the attempts of a call.
    var subject: String { "\(name) \(channel ?? "") \(requestID ?? "")" }

    var requestID: String? {
        switch name {
        case "send": detail
        case "upload": detail.split(separator: " of ", maxSplits: 1).last.map(String.init)
        default: nil
        }
    }
}

extension EngineActivity.Wait {
    var name: String {
        switch self {
        case .connection: "connection"
        case .feed: "feed"
        case .backfill: "backfill"
        case .outbox: "outbox"
        case .store: "store"
        }
    }
}

extension DeliveryResult {
    var name: String {
        switch self {
        case .sent(let message): "sent as \(message.messageID?.rawValue ?? "?")"
        case .done: "done"
        case .failed: "failed"
        case .canceled: "canceled"
        case .unknown: "unknown"
        }
    }
}

extension CollectionEventSource {
    var origin: String {
        let origin: String =
            switch self {
            case .messageChangelog, .channelChangelog: "changelog"
            case .messageFill, .requestMessage, .requestThreadedMessages, .requestChannel: "page"
            case .localMessagePendingCreated, .localMessageFailed, .localMessageCanceled,
                .localMessageResendStarted, .localMessageUpdated, .localMessageDeleted,
                .localReactionUpdated:
                "local"
            case .channelBackgroundSync, .messageBackgroundSync: "missed"
            default: "feed"
            }
        return "\(origin) (\(self))"
    }
}
