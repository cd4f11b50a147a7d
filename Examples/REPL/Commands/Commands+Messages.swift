import Foundation
import Scrollback

extension Command {
    static let messages: [Command] = [
        Command(
            name: "save",
            usage: "TYPE JSON | HEX",
            freeTextAfter: 1,
            summary: "Saves a Message, GroupChannel, OpenChannel, User or OutboxItem.",
            example:
                #"save Message {"message_id": 42, "channel_url": "general", "ts": 1700000000000, "message": "Hi!"}"#,
            output: "saved message 42 in general",
            offers: [.savable],
            gives: [.record, .name]
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
            return .text("saved \(described(record))", [.record: record, .name: type.name])
        },
        Command(
            name: "messages",
            usage: "CHANNEL [before | after | around PLACE] [limit N | all]",
            summary: "Lists the newest 20 messages or N, or those near a place, oldest first.",
            notes: [
                "A PLACE is the ID of a message, a TIME such as 2012-04-26 or @1335398400000, or TIME/ID."
            ],
            example: "messages general before c limit 2",
            preparation: ["draw general … a b c d"],
            output: """
                a  2023-11-14T22:13:20.000Z  a
                b  2023-11-14T22:14:20.000Z  b
                """,
            offers: [.channels, .oneOf(["before", "after", "around"])],
            gives: [.messages]
        ) { arguments in
            let (messages, total) = try arguments.messages()
            var reply = messages.lines(orNone: "no messages")
            if let total, messages.count < total {
                reply.text = "\(cutRemark(messages.count, of: total))\n\(reply.text)"
            }
            return reply
        },
        Command(
            name: "message",
            usage: "CHANNEL ID [all]",
            summary: "Shows a message as JSON, with the first entries of long lists.",
            example: "message general a",
            preparation: ["draw general a"],
            output: """
                {
                  "channel_type" : "group",
                  "channel_url" : "general",
                  "created_at" : 1700000000000,
                  "message" : "a",
                  "message_id" : "a",
                  "sending_status" : "succeeded"
                }
                """,
            offers: [.channels],
            gives: [.message]
        ) { arguments in
            let (words, limit) = try arguments.limited(to: recordLimit)
            let (url, id) = try arguments.channelAndMessage(of: words)
            guard let message = try arguments.workspace.store.message(id, in: url) else {
                throw CommandError.failed("there is no message '\(id)' in \(url)")
            }
            return try .record(message, .message, limit: limit)
        },
        Command(
            name: "replies",
            usage: "CHANNEL ID [limit N | all]",
            summary: "Lists the newest 20 replies to a message or N, oldest first.",
            example: "replies general a",
            preparation: [
                "draw general a b",
                #"save Message {"message_id": "c", "channel_url": "general", "ts": 1700000180000, "parent_message_id": "a", "message": "I think so too"}"#,
            ],
            output: "c  2023-11-14T22:16:20.000Z  I think so too  (to a)",
            offers: [.channels],
            gives: [.messages]
        ) { arguments in
            let (words, limit) = try arguments.limited(to: 20)
            let (url, id) = try arguments.channelAndMessage(of: words)
            let store = try arguments.workspace.store
            // Read one message more than requested, to find out whether more exist.
            let replies = try store.replies(to: id, in: url, limit: limit + 1)
            if replies.isEmpty, try store.message(id, in: url) == nil {
                throw CommandError.failed("there is no message '\(id)' in \(url)")
            }
            var reply = Array(replies.prefix(limit).reversed()).lines(orNone: "no replies")
            if replies.count > limit {
                reply.text = "\(cutRemark(limit, of: nil))\n\(reply.text)"
            }
            return reply
        },
        Command(
            name: "remove",
            usage: "CHANNEL ID",
            summary: "Removes a message.",
            example: "remove general b",
            preparation: ["draw general a b c"],
            output: "removed message b from general",
            offers: [.channels],
            gives: [.messageID, .channelURL]
        ) { arguments in
            let (url, id) = try arguments.channelAndMessage(of: arguments.words)
            try arguments.workspace.store.write { batch in
                guard try batch.removeMessage(id, in: url) else {
                    throw CommandError.failed("there is no message '\(id)' in \(url)")
                }
            }
            return .text(
                "removed message \(id) from \(url)", [.messageID: id, .channelURL: url])
        },
        Command(
            name: "clear",
            usage: "CHANNEL",
            summary: "Removes a channel's messages, so that its history is one gap.",
            example: "clear general",
            preparation: ["draw general a b c"],
            output: "cleared general of 3 messages",
            offers: [.channels],
            gives: [.channelURL, .count]
        ) { arguments in
            let url = try arguments.onlyHeldChannel
            var count = 0
            try arguments.workspace.store.write { batch in
                count = try batch.messageCount(in: url)
                try batch.clearMessages(in: url)
            }
            return .text(
                "cleared \(url) of \(counted(count, "message"))",
                [.channelURL: url, .count: count])
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
    /// Returns a channel of the store and the ID of a message, which must be the only words.
    @MainActor fileprivate func channelAndMessage(
        of words: [String]
    ) throws -> (ChannelURL, MessageID) {
        guard words.count == 2 else { throw CommandError.usage }
        return (try heldChannel, MessageID(words[1]))
    }

    /// Returns the messages that the words select, oldest first; if the words contain no position,
    /// also the total number of messages.
    @MainActor fileprivate func messages() throws -> (messages: [Message], total: Int?) {
        let (words, limit) = try limited(to: 20)
        let url = try heldChannel
        let store = try workspace.store
        if words.count == 1 {
            return (
                try store.messages(in: url, limit: limit).reversed(),
                try store.messageCount(in: url)
            )
        }
        guard words.count == 3, ["before", "after", "around"].contains(words[1]) else {
            throw CommandError.usage
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
    /// Returns a reply with a line for each message, which contains its ID, time, sender and text.
    func lines(orNone none: String) -> Command.Reply {
        let width = map { $0.messageID?.rawValue.count ?? 0 }.max() ?? 0
        return lines(
            { message in
                let id = (message.messageID?.rawValue.oneLine ?? "").padded(to: width)
                let sender = message.sender.map {
                    "\($0.nickname.isEmpty ? $0.userID.rawValue : $0.nickname): "
                }
                let parent = message.parentMessageID.map { "  (to \($0))" }
                return "\(id)  \(message.createdAt.iso8601)  "
                    + "\(sender ?? "")\(message.text)\(parent ?? "")".oneLine
            }, orNone: none, as: .messages)
    }
}
