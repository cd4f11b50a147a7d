import EmbeddedServer
import Foundation
import Scrollback

extension Command {
    static let importing: [Command] = [
        Command(
            name: "import",
            usage: "FILE [into CHANNEL] [FIELD=NAME ...] [id=line] [server-only]",
            summary:
                "Imports chat logs (JSON lines, gzipped too) into the server, and into the cache.",
            notes: [
                "FIELD=NAME names the field of the lines for a value. Without it:",
                "  id       message_id or msg_id; id=line makes ids of the file's name and line numbers",
                "  channel  channel_url; into CHANNEL imports all lines into one",
                "  time     created_at or ts: milliseconds, seconds or a date",
                "  sender   sender or user: an id, or an object with user_id and nickname",
                "  message  message",
                "  type     type: ADMM is a message of the channel itself, as is a line without a sender",
                "  parent   parent_message_id",
                "An id names one message of the whole server. With into CHANNEL, ids begin with its URL,",
                "so that a log can be imported into several channels.",
            ],
            example: "import /tmp/scrollback-log.jsonl",
            preparation: ["demo", "export /tmp/scrollback-log.jsonl general"],
            output: """
                imported 0 messages into 1 channel; 60 were on the server already
                60 messages are in the cache of alice
                """,
            offers: [.files],
            gives: [.imported, .known, .channelURLs, .total, .badLines, .ignored, .count]
        ) { arguments in
            let request = try arguments.importRequest()
            let workspace = arguments.workspace
            let device = try arguments.device
            let began = ContinuousClock.now
            let work = LogImport(
                path: request.path, fields: request.fields, server: try arguments.world.server,
                members: [device.userID])
            let meter = Meter(ProgressMeter("importing", width: workspace.width))
            defer { workspace.onProgress(nil) }
            let outcome = try await work.run { count, share in
                await meter.update(count, share, workspace)
            }
            if let failure = outcome.failure { throw outcome.explained(failure, request.fields) }
            var lines = outcome.remarks
            let total = outcome.imported + outcome.known
            var summary =
                "imported \(counted(outcome.imported, "message")) into "
                + counted(outcome.channels.count, "channel")
            if outcome.known > 0 {
                summary += "; \(grouped(outcome.known)) were on the server already"
            }
            if outcome.badCount > 0 { summary += "; \(counted(outcome.badCount, "bad line"))" }
            lines.append(summary)
            var values: Values = [
                .imported: outcome.imported, .known: outcome.known,
                .channelURLs: outcome.channels, .total: outcome.lines,
                .badLines: outcome.badLines,
                .ignored: Dictionary(
                    uniqueKeysWithValues: outcome.ignored.counts.map { ($0.name, $0.count) }),
            ]
            guard !request.isServerOnly else {
                return .text(lines.joined(separator: "\n"), values)
            }

            try await arguments.world.waitUntilIdle(within: workspace.patience)
            let engine = try device.client.engine
            let store = engine.store
            var fetched = 0
            var sync = ProgressMeter("syncing", of: total, width: workspace.width)
            for url in outcome.channels {
                let before = fetched
                do {
                    fetched += try await engine.fetchAll(of: url) { count in
                        if let line = sync.update(before + count) { workspace.onProgress(line) }
                    }
                } catch let error as SyncError where error.code.isServerError {
                    lines.append("\(url) is not in the cache: \(error.message)")
                } catch let error as SyncError where error.code == .notConnected {
                    lines.append(
                        "\(url) is not in the cache: heal \(url) fetches it once you are online")
                }
            }
            let held = try outcome.channels.reduce(0) { try $0 + store.messageCount(in: $1) }
            lines.append(
                "\(counted(held, "message")) \(held == 1 ? "is" : "are") in the cache of \(device.name)"
            )
            values[.count] = held
            let clock = try arguments.world.clock
            if clock.isRunning {
                let seconds = (ContinuousClock.now - began) / .seconds(1)
                lines.append(
                    "\(grouped(Int(Double(total) / max(seconds, 0.001)))) messages a second, end to end"
                )
            }
            return .text(lines.joined(separator: "\n"), values)
        },
        Command(
            name: "export",
            usage: "FILE [CHANNEL]",
            summary: "Writes the cached messages of a channel to a file that import reads.",
            example: "export /tmp/scrollback-log.jsonl general",
            preparation: ["demo"],
            output: "exported 60 messages of general",
            offers: [.files, .channels],
            gives: [.channelURL, .count, .path]
        ) { arguments in
            let words = arguments.words
            guard (1...2).contains(words.count) else { throw CommandError.usage }
            let url =
                try words.count == 2
                ? arguments.held(ChannelURL(words[1])) : arguments.collection.channelURL
            let path = words[0].fromHome
            guard FileManager.default.createFile(atPath: path, contents: nil),
                let file = FileHandle(forWritingAtPath: path)
            else { throw CommandError.failed("the file '\(words[0])' cannot be written") }
            defer { try? file.close() }  // an error of writing was already reported
            let store = try arguments.workspace.store
            var count = 0
            var anchor = HistoryAnchor.oldest
            while true {
                try Task.checkCancellation()
                let page = try store.messages(in: url, after: anchor, limit: 1000)
                guard let last = page.last?.position else { break }
                var text = ""
                for message in page { text += try message.exportedLine + "\n" }
                try file.write(contentsOf: Data(text.utf8))
                count += page.count
                anchor = .position(last)
            }
            return .text(
                "exported \(counted(count, "message")) of \(url)",
                [.channelURL: url, .count: count, .path: path])
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

extension LogImport.Outcome {
    /// Remarks on lines that were skipped or changed.
    fileprivate var remarks: [String] {
        var lines = badLines.map { "line \($0.number): \($0.reason)" }
        if badCount > lines.count {
            lines.append("and \(grouped(badCount - lines.count)) more bad lines")
        }
        lines += unseen.map { "no line has a field '\($0)'" }
        lines += ignored.counts.map { name, count in
            "ignored '\(name.oneLine)', \(counted(count, "time"))"
        }
        if ignored.others > 0 { lines.append("ignored more, \(counted(ignored.others, "time"))") }
        if senderless > 0 {
            lines.append(
                "\(counted(senderless, "line")) without a sender: messages of the channel itself")
        }
        return lines
    }

    /// Returns an error that says, in addition to `failure`, what the user can do, and what was
    /// already imported.
    fileprivate func explained(_ failure: any Error, _ fields: LogFields) -> any Error {
        var failure = failure
        if let error = failure as? BackendError, error.detail == .duplicatedData {
            failure = CommandError.failed(
                "\(error.message), and an id names one message of the whole server: "
                    + "into CHANNEL makes ids of the channel's URL"
                    + (fields.numbersLines ? "" : ", id=line of the file's name"))
        }
        guard imported > 0, !(failure is CancellationError) else { return failure }
        return CommandError.remarked(
            failure,
            "\(counted(imported, "message")) before it \(imported == 1 ? "is" : "are") on the server"
        )
    }
}

/// A progress meter that another thread updates.
@MainActor
private final class Meter {
    private var meter: ProgressMeter

    init(_ meter: ProgressMeter) { self.meter = meter }

    func update(_ count: Int, _ share: Double, _ workspace: Workspace) {
        if let line = meter.update(count, share: share) { workspace.onProgress(line) }
    }
}

extension Command.Arguments {
    fileprivate func importRequest() throws -> (
        path: String, fields: LogFields, isServerOnly: Bool
    ) {
        guard let path = words.first else { throw CommandError.usage }
        var fields = LogFields()
        let name = URL(filePath: path).lastPathComponent
        fields.idPrefix = "\(name.split(separator: ".").first ?? "log")-"
        var isServerOnly = false
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            if word == "server-only" {
                isServerOnly = true
            } else if word == "into", let channel = rest.popFirst(), !channel.isEmpty {
                fields.channel = ChannelURL(channel)
            } else if let sign = word.firstIndex(of: "=") {
                let (name, field) = (String(word[..<sign]), String(word[sign...].dropFirst()))
                if word == "id=line" {
                    fields.numbersLines = true
                    continue
                }
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
