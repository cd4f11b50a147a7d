import Foundation
import Scrollback

extension Command {
    static let importing: [Command] = [
        Command(
            "import FILE [into CHANNEL] [FIELD=NAME ...] [id=line] [server-only]",
            "Imports chat logs (JSON lines, gzipped too) into the server, and into the cache.",
            notes: [
                "FIELD=NAME names the field of the lines for a value. Without it:",
                "  id       message_id or msg_id; id=line makes ids from file name and line number",
                "  channel  channel_url; into CHANNEL imports all lines into one",
                "  time     created_at or ts: milliseconds, seconds or a date",
                "  sender   sender or user: an id, or an object with user_id and nickname",
                "  message  message",
                "  type     type; ADMM and lines without a sender are messages of the channel itself",
                "  parent   parent_message_id",
                "A message id is unique on the whole server. With into CHANNEL, the ids begin with",
                "the channel's URL, so that a log can be imported into several channels.",
            ]
        ) { arguments in
            let (path, fields, isServerOnly) = try arguments.importRequest
            let workspace = arguments.workspace
            let device = try arguments.device
            let began = ContinuousClock.now
            defer { workspace.onProgress(nil) }
            let meter = ProgressMeter("importing", in: workspace)
            let log = try await LogImport(
                of: path, fields, on: try arguments.world.server, members: [device.userID]
            ) { await meter.update($0, of: $1) }
            let total = log.imported + log.known
            var lines = log.remarks
            lines.append(
                "imported \(counted(log.imported, "message")) into "
                    + counted(log.channels.count, "channel")
                    + (log.known > 0 ? "; \(grouped(log.known)) were on the server already" : "")
                    + (log.badCount > 0 ? "; \(counted(log.badCount, "bad line"))" : ""))
            let values: Values = [
                "imported": log.imported, "known": log.known, "channel_urls": log.channels,
            ]
            guard !isServerOnly else { return ValuedReply(lines.joined(separator: "\n"), values) }

            try await arguments.world.waitUntilIdle(within: workspace.patience)
            let engine = try device.client.engine
            let sync = ProgressMeter("syncing", in: workspace)
            var fetched = 0
            for url in log.channels {
                let before = fetched
                do {
                    fetched += try await engine.fetchAll(of: url) {
                        sync.update(before + $0, of: total)
                    }
                } catch let error as SyncError where error.code == .notConnected {
                    lines.append(
                        "\(url) is not in the cache: backfill \(url) fetches it once you are online"
                    )
                } catch let error as SyncError where error.code.isServerError {
                    lines.append("\(url) is not in the cache: \(error.message)")
                }
            }
            let held = try log.channels.reduce(0) { try $0 + engine.store.messageCount(in: $1) }
            lines.append(
                "\(counted(held, "message")) \(held == 1 ? "is" : "are") in the cache of \(device.name)"
            )
            if try arguments.world.clock.isRunning {
                let seconds = max((ContinuousClock.now - began) / .seconds(1), 0.001)
                lines.append(
                    "\(grouped(Int(Double(total) / seconds))) messages a second, end to end")
            }
            return ValuedReply(lines.joined(separator: "\n"), values)
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
                "created_at": .int(createdAt.milliseconds),
                "type": .string(type == .admin ? "ADMM" : "MESG"), "message": .string(text),
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

extension Command.Arguments {
    fileprivate var importRequest: (path: String, fields: LogFields, isServerOnly: Bool) {
        get throws {
            guard let path = words.first else { throw CommandError.usage }
            var fields = LogFields()
            var isServerOnly = false
            var rest = words.dropFirst()
            while let word = rest.popFirst() {
                if word == "server-only" {
                    isServerOnly = true
                } else if word == "into", let channel = rest.popFirst(), !channel.isEmpty {
                    fields.channel = ChannelURL(channel)
                } else if word == "id=line" {
                    let name = URL(filePath: path).lastPathComponent
                    fields.idPrefix = "\(name.split(separator: ".").first ?? "log")-"
                } else if let sign = word.firstIndex(of: "=") {
                    let (name, field) = (String(word[..<sign]), String(word[sign...].dropFirst()))
                    guard !field.isEmpty, fields.rename(name, to: field) else {
                        let names = LogFields.names.joined(separator: ", ")
                        throw CommandError.failed(
                            "'\(word)' is not FIELD=NAME: the fields are \(names)")
                    }
                } else {
                    throw CommandError.usage
                }
            }
            return (path, fields, isServerOnly)
        }
    }
}
