import Foundation
import Scrollback

extension Command {
    static let channels: [Command] = [
        Command(
            name: "channels",
            usage: "[ORDER | JSON]",
            summary: "Lists group channels, as a GroupChannelListQuery or its order says.",
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
            let channels = try store.groupChannels(matching: try arguments.channelQuery)
            var lines = channels.isEmpty ? [] : [columns(channels.map(\.tableRow))]
            let others = try store.groupChannelCount() - channels.count
            if others > 0 { lines.append("\(counted(others, "channel")) that the list leaves out") }
            let count = try store.channelURLs().count
            var reply = lines.lines(
                { $0 },
                orNone: count == 0
                    ? "no group channels"
                    : "no group channels, but the history of \(counted(count, "channel")): see count"
            )
            reply.values = [.channels: channels, .total: channels.count + others]
            return reply
        },
        Command(
            name: "open-channels",
            summary: "Lists open channels, the newest first.",
            example: "open-channels",
            preparation: [#"save OpenChannel {"channel_url": "lobby", "name": "Lobby"}"#],
            output: "lobby  Lobby",
            gives: [.channels]
        ) { arguments in
            let channels = try arguments.workspace.store.openChannels()
            return .text(
                channels.isEmpty
                    ? "no open channels" : columns(channels.map { [$0.url.rawValue, $0.name] }),
                [.channels: channels])
        },
        Command(
            name: "channel",
            usage: "CHANNEL",
            summary: "Shows a channel as JSON.",
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
            let url = try arguments.onlyChannel
            let store = try arguments.workspace.store
            if let channel = try store.groupChannel(url) { return try .record(channel, .channel) }
            guard let channel = try store.openChannel(url) else {
                throw CommandError.failed("nothing is held of a channel '\(url)' itself")
            }
            return try .record(channel, .channel)
        },
        Command(
            name: "remove-channel",
            usage: "CHANNEL",
            summary: "Removes a channel with its messages and gaps; its drafts stay.",
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
            usage: "[CHANNEL]",
            summary: "Counts the messages of a channel, or of each and in all.",
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
            guard arguments.words.count <= 1 else { throw CommandError.usage }
            let store = try arguments.workspace.store
            if !arguments.words.isEmpty {
                let url = try arguments.heldChannel
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
            return .text(
                columns(rows + [["in all", "\(count)"]]), [.count: count, .counts: counts])
        },
        Command(
            name: "user",
            usage: "USERID",
            summary: "Shows a user as JSON.",
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
            guard arguments.words.count == 1 else { throw CommandError.usage }
            guard let user = try arguments.workspace.store.user(UserID(arguments.words[0])) else {
                throw CommandError.failed("nothing is held of a user '\(arguments.words[0])'")
            }
            return try .record(user, .record)
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
                    throw CommandError.failed("nothing is held of a user '\(id)'")
                }
            }
            return .text("removed user \(id)", [.userID: id])
        },
    ]

    /// The names that the order of a list of channels has in JSON.
    static var channelOrders: [String] {
        GroupChannelListQuery.schema.fieldDescriptions.first { $0.name == "order" }?.cases ?? []
    }
}

extension Command.Reply {
    /// A record as JSON that people can read, and as a value.
    static func record<Value: Record>(_ record: Value, _ field: Field) throws -> Command.Reply {
        .text(try record.json(.prettyPrinted), [field: record])
    }
}

extension Command.Arguments {
    /// The query that the arguments tell.
    var channelQuery: GroupChannelListQuery {
        get throws {
            var json = text
            if words.isEmpty { return GroupChannelListQuery() }
            if !text.hasPrefix("{") {
                guard Command.channelOrders.contains(text) else {
                    throw CommandError.failed(
                        "'\(text)' is no order: \(Command.channelOrders.joined(separator: ", "))")
                }
                json = #"{"order": "\#(text)"}"#
            }
            let type = try RecordType(named: GroupChannelListQuery.schema.name)
            guard let query = try type.record(json: json) as? GroupChannelListQuery else {
                throw CommandError.usage
            }
            return query
        }
    }
}
