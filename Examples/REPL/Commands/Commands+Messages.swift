import Foundation
import Scrollback

extension Command {
    static let messages: [Command] = [
        Command(
            "save TYPE JSON | HEX", freeTextAfter: 1,
            "Saves a Message, GroupChannel, OpenChannel, User or OutboxItem.",
            example:
                #"save Message {"message_id": 42, "channel_url": "general", "ts": 1700000000000, "message": "Hi!"}"#
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            let record =
                text.hasPrefix("{") ? try type.typedRecord(json: text) : try type.record(text)
            try arguments.workspace.store.write { batch in
                switch record {
                case let message as Message: try batch.save(message)
                case let channel as GroupChannel: try batch.save(channel)
                case let channel as OpenChannel: try batch.save(channel)
                case let user as User: try batch.save(user)
                case let item as OutboxItem: try batch.save(item)
                default:
                    throw CommandError.failed(
                        "cannot save a \(type.name) alone: save the record that contains it")
                }
            }
            return "saved \(described(record))"
        },
        Command(
            "messages CHANNEL [before | after | around POSITION | of KIND] [limit N | all]",
            "Lists the newest 20 (or N) messages, or those near a position, oldest first.",
            notes: [
                "A POSITION is a message ID, a TIME such as 2012-04-26 or @1335398400000, or TIME/ID.",
                "KIND is one of the kinds of gallery.",
            ], example: "messages general before c limit 2"
        ) { arguments in
            let (messages, total) = try arguments.messages()
            let isCut = total.map { messages.count < $0 } ?? false
            let remark = isCut ? "\(cutRemark(messages.count, of: total))\n" : ""
            return ValuedReply(remark + messages.lines(orNone: "no messages"), list: messages)
        },
        Command("message CHANNEL ID [all]", "Shows a message as JSON.") { arguments in
            let (url, id) = try arguments.channelAndMessage
            guard let message = try arguments.workspace.store.message(id, in: url) else {
                throw CommandError.noMessage(id.rawValue, in: url)
            }
            return try arguments.json(of: message)
        },
        Command(
            "replies CHANNEL ID [after POSITION] [limit N | all]",
            "Lists the newest 20 (or N) replies to a message, or the next ones, oldest first."
        ) { arguments in
            let words = arguments.words
            let isAfter = words.count == 4 && words[2] == "after"
            guard isAfter || words.count == 2 else { throw CommandError.usage }
            let url = try arguments.held(arguments.channel)
            let id = try arguments.messageID(words[1], in: url)
            let limit = arguments.limit ?? 20
            let store = try arguments.workspace.store
            // Read one more than requested, to find out whether more exist.
            let replies =
                try isAfter
                ? store.replies(
                    to: id, in: url, after: arguments.anchor(words[3], in: url), limit: limit + 1)
                : store.replies(to: id, in: url, limit: limit + 1)
            if replies.isEmpty, try store.message(id, in: url) == nil {
                throw CommandError.noMessage(id.rawValue, in: url)
            }
            let page = replies.prefix(limit)
            let shown = isAfter ? Array(page) : page.reversed()
            let remark = replies.count > limit ? "\(cutRemark(limit, of: nil))\n" : ""
            return ValuedReply(remark + shown.lines(orNone: "no replies"), list: shown)
        },
        Command("remove CHANNEL ID", "Removes a message.") { arguments in
            let (url, id) = try arguments.channelAndMessage
            try arguments.workspace.store.write { batch in
                guard try batch.removeMessage(id, in: url) else {
                    throw CommandError.noMessage(id.rawValue, in: url)
                }
            }
            return "removed message \(id) from \(url)"
        },
        Command("clear CHANNEL", "Removes a channel's messages, so that its history is one gap.") {
            arguments in
            let url = try arguments.held(arguments.onlyChannel)
            var count = 0
            try arguments.workspace.store.write { batch in
                count = try batch.messageCount(in: url)
                try batch.clearMessages(in: url)
            }
            return "cleared \(url) of \(counted(count, "message"))"
        },
    ]

    private static func described(_ record: any Record) -> String {
        switch record {
        case let message as Message:
            "message \(message.messageID?.rawValue ?? "?") in \(message.channelURL)"
        case let channel as GroupChannel: "group channel \(channel.url)"
        case let channel as OpenChannel: "open channel \(channel.url)"
        case let user as User: "user \(user.userID)"
        case let item as OutboxItem: "outbox item \(item.requestID) in \(item.channelURL)"
        default: "it"
        }
    }
}

extension Command.Arguments {
    func json<Value: Record>(of record: Value) throws -> any Reply {
        let lines = try ShortRecord(record, limit: limit ?? 10).lines
        return ValuedReply(lines.joined(separator: "\n"), record)
    }

    @MainActor fileprivate var channelAndMessage: (ChannelURL, MessageID) {
        get throws {
            guard words.count == 2 else { throw CommandError.usage }
            let url = try held(channel)
            return (url, try messageID(words[1], in: url))
        }
    }

    /// Returns the selected messages, oldest first; without a position, also the total number.
    @MainActor fileprivate func messages() throws -> (messages: [Message], total: Int?) {
        let limit = limit ?? 20
        let url = try held(channel)
        let store = try workspace.store
        if words.count == 1 {
            return (
                try store.messages(in: url, limit: limit).reversed(),
                try store.messageCount(in: url)
            )
        }
        guard words.count == 3, ["before", "after", "around", "of"].contains(words[1]) else {
            throw CommandError.usage
        }
        if words[1] == "of" {
            let kind = try Command.kind(words[2])
            let userID = workspace.device?.userID
            return (
                try store.messages(of: kind, for: userID, in: url, limit: limit).reversed(),
                try store.messageCount(of: kind, for: userID, in: url)
            )
        }
        let anchor = try anchor(words[2], in: url)
        switch words[1] {
        case "before":
            return (try store.messages(in: url, before: anchor, limit: limit).reversed(), nil)
        case "after": return (try store.messages(in: url, after: anchor, limit: limit), nil)
        default:
            var params = MessageListParams()
            params.replyType = .all
            params.isInclusive = true
            params.previousResultSize = limit
            params.nextResultSize = limit
            return (try store.messages(in: url, around: anchor, params: params), nil)
        }
    }
}

extension [Message] {
    func lines(orNone none: String, isShort: Bool = false) -> String {
        guard !isEmpty else { return none }
        var ids = map { $0.messageID?.rawValue ?? "" }
        if isShort {
            let short = ShortIDs(ids)
            ids = ids.map { short[$0] }
        }
        let width = ids.map(\.count).max() ?? 0
        return zip(self, ids).map { message, id in
            let id = id.oneLine.padded(to: width)
            let sender = message.sender.map { "\($0.displayName): " }
            let parent = message.parentMessageID.map { "  (to \($0))" }
            return "\(id)  \(message.createdAt.iso8601)  "
                + "\(sender ?? "")\(message.text)\(parent ?? "")".oneLine
        }.joined(separator: "\n")
    }
}
