import Foundation
import Scrollback

extension Command {
    static let channels: [Command] = [
        Command(
            "channels [ORDER] [limit N | all] [JSON]",
            "Lists group channels, in an order or by a GroupChannelListQuery."
        ) { arguments in
            let store = try arguments.workspace.store
            let channels = try store.groupChannels(
                matching: try arguments.channelQuery(arguments.words))
            let others = try store.groupChannelCount() - channels.count
            var reply = table(
                records: channels, limit: arguments.limit, orNone: "", \.tableRow)
            let omitted =
                others > 0 ? "\(counted(others, "channel")) not selected by the query" : ""
            let lines = [reply.text, omitted].filter { !$0.isEmpty }
            let hasUnlisted = try lines.isEmpty && !store.channelURLs().isEmpty
            let none = "no group channels\(hasUnlisted ? ": see count" : "")"
            reply.text = lines.isEmpty ? none : lines.joined(separator: "\n")
            return reply
        },
        Command("open-channels [limit N | all]", "Lists open channels, the newest first.") {
            arguments in
            try arguments.expectNoWords()
            let channels = try arguments.workspace.store.openChannels()
            return table(records: channels, limit: arguments.limit, orNone: "no open channels") {
                [$0.url.rawValue, $0.name]
            }
        },
        Command(
            "channel CHANNEL [all]",
            "Shows a channel as JSON, with the first entries of long lists."
        ) { arguments in
            let url = try arguments.onlyChannel
            let store = try arguments.workspace.store
            if let channel = try store.groupChannel(url) { return try arguments.json(of: channel) }
            guard let channel = try store.openChannel(url) else {
                throw CommandError.failed("the store has no data of channel '\(url)' itself")
            }
            return try arguments.json(of: channel)
        },
        Command(
            "remove-channel CHANNEL",
            "Removes a channel with its messages and gaps; its outbox items stay."
        ) { arguments in
            let url = try arguments.onlyChannel
            try arguments.workspace.store.write { batch in
                guard try batch.removeChannel(url) else {
                    throw CommandError.nothingHeld(of: url)
                }
            }
            return "removed channel \(url)"
        },
        Command(
            "count [CHANNEL] [limit N | all]",
            "Counts the messages of a channel, or of each channel and in total."
        ) { arguments in
            let store = try arguments.workspace.store
            if let word = try arguments.optionalWord {
                let count = try store.messageCount(in: arguments.held(ChannelURL(word)))
                return ValuedReply("\(count)", ["count": count])
            }
            var rows: [[String]] = []
            for channel in try store.cachedChannels().sorted(by: { $0.url < $1.url }) {
                rows.append([channel.url.rawValue, "\(channel.messageCount)"])
            }
            let shown = Array(rows.prefix(arguments.limit ?? rowLimit))
            let cut =
                shown.count < rows.count ? "\n\(cutRemark(shown.count, of: rows.count))" : ""
            let count = try store.messageCount()
            return ValuedReply(
                columns(shown + [["in all", "\(count)"]]) + cut, ["rows": shown, "count": count])
        },
        Command("user USER [all]", "Shows a user as JSON.") { arguments in
            let id = UserID(try arguments.onlyWord)
            guard let user = try arguments.workspace.store.user(id) else {
                throw CommandError.failed("the store has no data of user '\(id)'")
            }
            return try arguments.json(of: user)
        },
        Command("remove-user USER", "Removes a user.") { arguments in
            let id = UserID(try arguments.onlyWord)
            try arguments.workspace.store.write { batch in
                guard try batch.removeUser(id) else {
                    throw CommandError.failed("the store has no data of user '\(id)'")
                }
            }
            return "removed user \(id)"
        },
    ]

    static var channelOrders: [String] {
        GroupChannelListQuery.schema.fieldDescriptions.first { $0.name == "order" }?.cases ?? []
    }
}

extension Command.Arguments {
    func channelQuery(_ words: [String]) throws -> GroupChannelListQuery {
        guard words.count <= 1, words.isEmpty || json.isEmpty else { throw CommandError.usage }
        guard let order = words.first else { return try params(GroupChannelListQuery(), json) }
        guard Command.channelOrders.contains(order) else {
            throw CommandError.failed(
                "'\(order)' is not an order: \(Command.channelOrders.joined(separator: ", "))")
        }
        return try params(GroupChannelListQuery(), #"{"order": "\#(order)"}"#)
    }
}
