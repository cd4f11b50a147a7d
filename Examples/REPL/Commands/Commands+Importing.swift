import Foundation
import Scrollback

extension Command {
    static let importing: [Command] = [
        Command(
            "import FILE [into CHANNEL]",
            "Imports a chat log, such as export writes, into the server and into the cache.",
            notes: [
                "Each line of the file, which may be gzipped, is a JSON object with the fields",
                "message_id, channel_url, created_at (milliseconds), message, sender (a user's id) and",
                "parent_message_id. A line without a sender is a message of the channel itself. With",
                "into CHANNEL, ids begin with the channel's URL.",
            ]
        ) { arguments in
            let words = arguments.words
            guard words.count == 1 || words.count == 3 && words[1] == "into" && words[2] != ""
            else { throw CommandError.usage }
            let workspace = arguments.workspace
            let device = try arguments.device
            defer { workspace.onProgress(nil) }
            let log = try await LogImport(
                of: words[0], into: words.count == 3 ? ChannelURL(words[2]) : nil,
                on: try arguments.world.server, members: [device.userID]
            ) { count in
                await workspace.showProgress("importing: \(counted(count, "line"))")
            }
            var lines = log.badLines
            if log.badCount > lines.count {
                lines.append("and \(grouped(log.badCount - lines.count)) more bad lines")
            }
            lines.append(
                "imported \(counted(log.imported, "message")) into "
                    + counted(log.channels.count, "channel")
                    + (log.known > 0 ? "; \(grouped(log.known)) were on the server already" : "")
                    + (log.badCount > 0 ? "; \(counted(log.badCount, "bad line"))" : ""))

            try await arguments.world.waitUntilIdle(within: workspace.patience)
            let engine = try device.client.engine
            for url in log.channels {
                do {
                    _ = try await engine.fetchAll(of: url) { count in
                        workspace.onProgress("syncing \(url): \(counted(count, "message"))")
                    }
                } catch let error as SyncError where error.code == .notConnected {
                    lines.append(
                        "\(url) is not in the cache: heal \(url) fetches it once you are online")
                } catch let error as SyncError where error.code.isServerError {
                    lines.append("\(url) is not in the cache: \(error.message)")
                }
            }
            let held = try log.channels.reduce(0) { try $0 + engine.store.messageCount(in: $1) }
            lines.append(
                "\(counted(held, "message")) \(held == 1 ? "is" : "are") in the cache of \(device.name)"
            )
            return lines.joined(separator: "\n")
        },
        Command(
            "export FILE [CHANNEL]",
            "Writes the cached messages of a channel to a file that import reads."
        ) { arguments in
            let words = arguments.words
            guard (1...2).contains(words.count) else { throw CommandError.usage }
            let url =
                try words.count == 2
                ? arguments.held(ChannelURL(words[1])) : arguments.collection.channelURL
            let messages = try arguments.workspace.store.messages(in: url, after: .oldest)
            let lines = try messages.map { try $0.exportedLine + "\n" }.joined()
            do {
                try Data(lines.utf8).write(to: URL(filePath: words[0].fromHome))
            } catch {
                throw CommandError.failed("the file '\(words[0])' cannot be written")
            }
            return "exported \(counted(messages.count, "message")) of \(url)"
        },
    ]
}

extension Message {
    fileprivate var exportedLine: String {
        get throws {
            var fields: [String: JSONValue] = [
                "message_id": .string(messageID?.rawValue ?? ""),
                "channel_url": .string(channelURL.rawValue),
                "created_at": .int(createdAt.milliseconds), "message": .string(text),
            ]
            if let sender { fields["sender"] = .string(sender.userID.rawValue) }
            if let parentMessageID {
                fields["parent_message_id"] = .string(parentMessageID.rawValue)
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(fields), as: UTF8.self)
        }
    }
}
