import Models
import Store
import Sync

/// The outbox, in the order of sending.
struct OutboxReport: Encodable, Sendable {
    struct Activity: Sendable {
        /// The request IDs of items that are being sent or uploaded.
        var inFlight: Set<String> = []
        var progress: [RequestID: Progress] = [:]
        /// The ends of the waits before retries, in milliseconds, by channel.
        var waits: [ChannelURL: Int64] = [:]
    }

    struct Progress: Encodable, Sendable {
        var bytes: Int
        var total: Int
    }

    struct File: Encodable, Sendable {
        var name: String
        var size: Int
        var isUploaded: Bool
    }

    struct Item: Encodable, Sendable {
        var requestID: String
        var channel: String
        var operation: String
        var state: String
        var text: String
        var target: String?
        var createdAt: Int64
        var attempts: Int
        /// The time before which the engine does not retry the item.
        var retryAt: Int64?
        var error: String?
        var isResendable: Bool
        /// `true` if the server may have the item: the answer to an attempt was lost.
        var isDoubtful: Bool
        var files: [File]
        var progress: Progress?
    }

    var items: [Item]

    init(_ activity: Activity, in reader: Snapshot, _ mask: TextMask) throws(StoreError) {
        items = try reader.outboxItems().map { Item($0, activity, mask) }
    }
}

extension OutboxReport.Item {
    fileprivate init(_ item: OutboxItem, _ activity: OutboxReport.Activity, _ mask: TextMask) {
        let id = item.requestID.rawValue
        let isInFlight = item.state == .pending && activity.inFlight.contains(id)
        let retryAt = item.notBefore?.milliseconds ?? activity.waits[item.channelURL]
        let uploaded = item.uploadedFiles.count
        self.init(
            requestID: id, channel: item.channelURL.rawValue,
            operation: item.requestName ?? "\(item.operation)",
            state: isInFlight ? "in flight" : "\(item.state)",
            text: mask.shown(item.message?.text ?? item.reactionKey ?? ""),
            target: item.messageID?.rawValue ?? item.targetRequestID?.rawValue,
            createdAt: item.createdAt.milliseconds, attempts: item.attempts,
            retryAt: item.state == .pending && !isInFlight ? retryAt : nil,
            error: item.errorMessage.flatMap {
                mask.isOn ? nil : "\($0) (\(item.errorCode?.rawValue ?? 0))"
            } ?? item.errorCode.map { "error \($0.rawValue)" },
            isResendable: item.isResendable, isDoubtful: item.isDoubtful,
            files: item.files.enumerated().map { index, file in
                OutboxReport.File(
                    name: mask.shown(file.name ?? "", limit: 100), size: file.size ?? 0,
                    isUploaded: index < uploaded)
            },
            progress: activity.progress[item.requestID])
    }
}
