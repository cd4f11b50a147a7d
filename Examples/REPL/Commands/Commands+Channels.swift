import Foundation
import Scrollback

extension Command {
    static let channels: [Command] = [
        Command(
            name: "channels",
            usage: "[ORDER] [limit N | all] [JSON]",
            summary: "Lists group channels, in an order or by a GroupChannelListQuery.",
            example: "channels channel_name_alphabetical",
            preparation: [
                #"save GroupChannel {"channel_url": "general", "name": "General"}"#,
                #"save GroupChannel {"channel_url": "cats", "name": "Cats"}"#,
            ],
            output: """
                cats     Cats
                general  General
                """,
            offers: [.orders],
            gives: [.channels, .total]
        ) { arguments in
            let store = try arguments.workspace.store
            let (words, limit) = try arguments.limited()
            let channels = try store.groupChannels(
                matching: try arguments.channelQuery(words) ?? GroupChannelListQuery())
            var lines = table(channels, limit: limit, \.tableRow)
            let others = try store.groupChannelCount() - channels.count
            if others > 0 {
                lines.append("\(counted(others, "channel")) not selected by the query")
            }
            let count = try store.channelURLs().count
            var reply = lines.lines(
                { $0 },
                orNone: count == 0
                    ? "no group channels"
                    : "no group channels, but messages of \(counted(count, "channel")): see count"
            )
            reply.values = [.channels: channels, .total: channels.count + others]
            return reply
        },
        Command(
            name: "open-channels",
            usage: "[limit N | all]",
            summary: "Lists open channels, the newest first.",
            example: "open-channels",
            preparation: [#"save OpenChannel {"channel_url": "lobby", "name": "Lobby"}"#],
            output: "lobby  Lobby",
            gives: [.channels]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.isEmpty else { throw CommandError.usage }
            let channels = try arguments.workspace.store.openChannels()
            let lines = table(channels, limit: limit) { [$0.url.rawValue, $0.name] }
            return .text(
                lines.isEmpty ? "no open channels" : lines.joined(separator: "\n"),
                [.channels: channels])
        },
        Command(
            name: "channel",
            usage: "CHANNEL [all]",
            summary: "Shows a channel as JSON, with the first entries of long lists.",
            example: "channel lobby",
            preparation: [#"save OpenChannel {"channel_url": "lobby", "name": "Lobby"}"#],
            output: """
                {
                  "channel_url" : "lobby",
                  "name" : "Lobby"
                }
                """,
            offers: [.channels],
            gives: [.channel]
        ) { arguments in
            let (words, limit) = try arguments.limited(to: recordLimit)
            guard words.count == 1 else { throw CommandError.usage }
            let url = ChannelURL(words[0])
            let store = try arguments.workspace.store
            if let channel = try store.groupChannel(url) {
                return try .record(channel, .channel, limit: limit)
            }
            guard let channel = try store.openChannel(url) else {
                throw CommandError.failed("the store has no data of channel '\(url)' itself")
            }
            return try .record(channel, .channel, limit: limit)
        },
        Command(
            name: "remove-channel",
            usage: "CHANNEL",
            summary: "Removes a channel with its messages and gaps; its outbox items stay.",
            example: "remove-channel general",
            preparation: ["draw general a b c"],
            output: "removed channel general",
            offers: [.channels],
            gives: [.channelURL]
        ) { arguments in
            let url = try arguments.onlyChannel
            try arguments.workspace.store.write { batch in
                guard try batch.removeChannel(url) else {
                    throw CommandError.nothingHeld(of: url)
                }
            }
            return .of(url, "removed channel \(url)")
        },
        Command(
            name: "count",
            usage: "[CHANNEL] [limit N | all]",
            summary: "Counts the messages of a channel, or of each channel and in total.",
            example: "count",
            preparation: ["draw general a b c", "draw random d"],
            output: """
                general  3
                random   1
                in all   4
                """,
            offers: [.channels],
            gives: [.count, .counts]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.count <= 1 else { throw CommandError.usage }
            let store = try arguments.workspace.store
            if let word = words.first {
                let url = try arguments.held(ChannelURL(word))
                let count = try store.messageCount(in: url)
                return .text("\(count)", [.count: count, .counts: [url.rawValue: count]])
            }
            var rows: [[String]] = []
            var counts: [String: Int] = [:]
            for url in try store.channelURLs().sorted() {
                let count = try store.messageCount(in: url)
                counts[url.rawValue] = count
                rows.append([url.rawValue, "\(count)"])
            }
            let count = try store.messageCount()
            let shown = columns(rows.prefix(limit) + [["in all", "\(count)"]])
            let cut = rows.count > limit ? "\n\(cutRemark(limit, of: rows.count))" : ""
            return .text(shown + cut, [.count: count, .counts: counts])
        },
        Command(
            name: "user",
            usage: "USERID [all]",
            summary: "Shows a user as JSON, with the first entries of long lists.",
            example: "user alice",
            preparation: [#"save User {"user_id": "alice", "nickname": "Alice"}"#],
            output: """
                {
                  "nickname" : "Alice",
                  "user_id" : "alice"
                }
                """,
            gives: [.record]
        ) { arguments in
            let (words, limit) = try arguments.limited(to: recordLimit)
            guard words.count == 1 else { throw CommandError.usage }
            guard let user = try arguments.workspace.store.user(UserID(words[0])) else {
                throw CommandError.failed("the store has no data of user '\(words[0])'")
            }
            return try .record(user, .record, limit: limit)
        },
        Command(
            name: "remove-user",
            usage: "USERID",
            summary: "Removes a user.",
            example: "remove-user alice",
            preparation: [#"save User {"user_id": "alice", "nickname": "Alice"}"#],
            output: "removed user alice",
            gives: [.userID]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let id = UserID(arguments.words[0])
            try arguments.workspace.store.write { batch in
                guard try batch.removeUser(id) else {
                    throw CommandError.failed("the store has no data of user '\(id)'")
                }
            }
            return .text("removed user \(id)", [.userID: id])
        },
    ]

    /// The names of the orders of a channel list, as in JSON.
    static var channelOrders: [String] {
        GroupChannelListQuery.schema.fieldDescriptions.first { $0.name == "order" }?.cases ?? []
    }
}

extension Command {
    /// The maximum number of elements of a list or map that are shown in the JSON of a record.
    static let recordLimit = 10

    /// Returns the first rows of a table and, if rows are omitted, a line with the total.
    static func table<Row>(
        _ rows: [Row], limit: Int, total: Int? = nil, _ cells: (Row) -> [String]
    ) -> [String] {
        let shown = rows.prefix(limit)
        let lines = shown.isEmpty ? [] : [columns(shown.map(cells))]
        let total = total ?? rows.count
        return shown.count < total ? lines + [cutRemark(shown.count, of: total)] : lines
    }
}

extension Command.Reply {
    /// Returns a reply with a record as JSON.
    ///
    /// The text of the reply shortens long lists; the value for programs is complete.
    static func record<Value: Record>(
        _ record: Value, _ field: Field, limit: Int
    ) throws -> Command.Reply {
        let lines = try ShortRecord(record, limit: limit).lines
        return .text(lines.joined(separator: "\n"), [field: record])
    }
}

extension Command.Arguments {
    /// Returns the query from an order, or from the JSON at the end of the line; `nil` if the line
    /// has neither.
    func channelQuery(_ words: [String]) throws -> GroupChannelListQuery? {
        guard words.count <= 1, words.isEmpty || json.isEmpty else { throw CommandError.usage }
        guard let order = words.first else {
            return json.isEmpty ? nil : try params(GroupChannelListQuery(), json)
        }
        guard Command.channelOrders.contains(order) else {
            throw CommandError.failed(
                "'\(order)' is not an order: \(Command.channelOrders.joined(separator: ", "))")
        }
        return try params(GroupChannelListQuery(), #"{"order": "\#(order)"}"#)
    }
}
