import Collections
import Models
import Store
import Sync

/// The rows of a channel's history, as a message collection would show them.
struct HistoryReport: Encodable, Sendable {
    struct Request: Sendable {
        var channelURL: ChannelURL
        /// The time that separates older from newer messages; `nil` for the newest end.
        var time: Timestamp?
        var older: Int
        var newer: Int

        init(_ query: Query) throws {
            channelURL = try query.channel()
            time = try query.integer("at").map { Timestamp(milliseconds: Int64($0)) }
            older = try query.integer("older", default: 200, in: 0...2000)
            newer = try query.integer("newer", default: 200, in: 0...2000)
        }
    }

    struct Row: Encodable, Sendable {
        var kind: String
        var id: String?
        var requestID: String?
        var at: Int64?
        var sender: String?
        var text: String?
        /// The number of characters of the text.
        var length: Int?
        var status: String?
        var type: String?
        var updatedAt: Int64?
        var reactionCount: Int?
        var replyCount: Int?
        var fileCount: Int?
        var source: String?
        var lower: String?
        var upper: String?
    }

    var rows: [Row]
    var hasPrevious: Bool
    var hasNext: Bool

    init(
        _ request: Request, of session: ClientReference.Session, sources: [MessageID: String],
        _ mask: TextMask
    ) throws(StoreError) {
        let history = try StoredHistory(
            of: request.channelURL, at: request.time, older: request.older, newer: request.newer,
            userID: session.userID, in: session.store.snapshot())
        rows = history.items.map { item in
            switch item {
            case .message(let message):
                Row(message, message.messageID.flatMap { sources[$0] }, mask)
            case .gap(let gap):
                Row(
                    kind: "gap", id: gap.lower.description, lower: gap.lower.description,
                    upper: gap.upper.description)
            }
        }
        (hasPrevious, hasNext) = (history.hasPrevious, history.hasNext)
    }
}

extension HistoryReport.Row {
    fileprivate init(_ message: Message, _ source: String?, _ mask: TextMask) {
        self.init(
            kind: message.messageID == nil ? "unsent" : "message",
            id: message.messageID?.rawValue, requestID: message.requestID?.rawValue,
            at: message.createdAt.milliseconds)
        sender = message.sender.map { sender in
            sender.nickname.isEmpty || mask.isOn
                ? sender.userID.rawValue : String(sender.nickname.prefix(60))
        }
        text = mask.shown(message.text)
        length = message.text.count
        status = "\(message.sendingStatus)"
        type = "\(message.type)"
        updatedAt = message.updatedAt?.milliseconds
        reactionCount = message.reactionHistory.count
        replyCount = message.threadInfo?.replyCount
        fileCount = message.files.count
        self.source = source
    }
}

/// The fields of a message, and facts about its row.
struct MessageReport: Encodable, Sendable {
    struct Request: Sendable {
        var channelURL: ChannelURL
        var id: MessageID?
        var requestID: RequestID?

        init(_ query: Query) throws {
            channelURL = try query.channel()
            id = query["id"].map { MessageID($0) }
            requestID = query["request"].map { RequestID($0) }
        }
    }

    /// A field of a record, with the depth of nesting.
    struct Field: Encodable, Sendable {
        var number: Int
        /// The name in JSON; `nil` for an unknown field.
        var name: String?
        var value: String
        var depth: Int
        var bytes: Int
    }

    struct Fact: Encodable, Sendable {
        var label: String
        var value: String
    }

    var facts: [Fact] = []
    var fields: [Field] = []

    init?(
        _ request: Request, of session: ClientReference.Session, sources: [MessageID: String],
        _ mask: TextMask
    ) throws(StoreError) {
        let snapshot = try session.store.snapshot()
        if let id = request.id, let message = try snapshot.message(id, in: request.channelURL) {
            try describe(message, in: snapshot)
            add("last change came from", sources[id] ?? "before this page was opened")
            let changes = try snapshot.outboxItems(in: request.channelURL)
                .filter { $0.messageID == id }
            for change in changes {
                add("unsent \(change.operation)", "\(change.state), \(change.requestID)")
            }
            fields = Field.all(message, mask)
        } else if let id = request.requestID, let item = try snapshot.outboxItem(id) {
            add("stored", "in the outbox only")
            add("bytes", "\(item.serializedByteCount)")
            fields = Field.all(item, mask)
        } else {
            return nil
        }
    }

    private mutating func describe(
        _ message: Message, in snapshot: Snapshot
    ) throws(StoreError) {
        add("stored", "in the cache")
        add("bytes", "\(message.serializedByteCount)")
        add("version", "\(message.updatedAt ?? message.createdAt)")
        guard let position = message.position else { return }
        add("position", "\(position)")
        let url = message.channelURL
        if let gap = try snapshot.gap(around: position, in: url) {
            add("coverage", "arrived alone, inside the gap from \(gap.lower) to \(gap.upper)")
        } else if try snapshot.staleRanges(in: url).contains(where: {
            $0.lower < .position(position) && .position(position) < $0.upper
        }) {
            add("coverage", "stale: it may have changed on the server since")
        } else {
            add("coverage", "known, up to date with the feed")
        }
    }

    private mutating func add(_ label: String, _ value: String) {
        facts.append(Fact(label: label, value: value))
    }
}

extension MessageReport.Field {
    fileprivate static func all(_ record: some Record, _ mask: TextMask) -> [Self] {
        var fields: [Self] = []
        func add(_ bytes: [FieldBytes], _ depth: Int, isJSON: Bool) {
            for field in bytes {
                fields.append(
                    Self(
                        number: field.number, name: field.name,
                        value: shown(field, mask, isJSON: isJSON), depth: depth,
                        bytes: field.payload.count))
                add(field.fields ?? [], depth + 1, isJSON: isJSON || field.value == "JSONValue")
            }
        }
        add(record.fieldBytes, 0, isJSON: false)
        return fields
    }

    /// The names of the texts that are never masked.
    private static let identifiers: Set = [
        "message_id", "parent_message_id", "request_id", "user_id", "user_ids",
        "mentioned_user_ids", "channel_url",
    ]

    /// Returns the value of a field, or the length of a masked text or of a number in JSON.
    private static func shown(_ field: FieldBytes, _ mask: TextMask, isJSON: Bool) -> String {
        let isMasked =
            isJSON
            ? field.fields == nil : field.isText && !identifiers.contains(field.name ?? "")
        if mask.isOn, isMasked {
            return "••• \(field.payload.count) bytes"
        }
        let limit = TextMask.fieldLimit
        if field.value.utf8.count <= limit { return field.value }
        return field.value.prefix(limit) + "… (\(field.payload.count) bytes)"
    }
}
