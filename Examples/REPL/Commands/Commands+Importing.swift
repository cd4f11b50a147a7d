import EmbeddedServer
import Foundation
import Scrollback

extension Command {
    static let importing: [Command] = [
        Command(
            name: "import",
            usage: "FILE [into CHANNEL] [FIELD=NAME ...] [server-only]",
            summary:
                "Takes chat logs (JSON lines, gzipped too) onto the server, and into the cache.",
            example: "import /tmp/scrollback-log.jsonl",
            preparation: ["demo", "export /tmp/scrollback-log.jsonl general"],
            output: """
                imported 0 messages into 1 channel; 60 were there already
                60 messages are in the cache of alice
                """,
            offers: [.files],
            gives: [.imported, .known, .channelURLs, .total, .badLines, .count]
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
            let outcome: LogImport.Outcome
            do {
                outcome = try await work.run { count, share in
                    await meter.note(count, share, workspace)
                }
            } catch let error as BackendError where error.detail == .duplicatedData {
                throw CommandError.failed(
                    "\(error.message), and an id is one message's on the whole server: "
                        + "id=line makes ids of the file's name and its lines' numbers")
            }
            var lines = outcome.badLines.map { "line \($0.number): \($0.reason)" }
            if outcome.badCount > lines.count {
                lines.append("and \(grouped(outcome.badCount - lines.count)) more bad lines")
            }
            let total = outcome.imported + outcome.known
            var summary =
                "imported \(counted(outcome.imported, "message")) into "
                + counted(outcome.channels.count, "channel")
            if outcome.known > 0 { summary += "; \(grouped(outcome.known)) were there already" }
            if outcome.badCount > 0 { summary += "; \(counted(outcome.badCount, "bad line"))" }
            lines.append(summary)
            if outcome.imported > 0 { try await arguments.world.forget(outcome.channels) }
            var values: Values = [
                .imported: outcome.imported, .known: outcome.known,
                .channelURLs: outcome.channels, .total: outcome.lines,
                .badLines: outcome.badLines,
            ]
            guard !request.isServerOnly else {
                return .text(lines.joined(separator: "\n"), values)
            }

            try await arguments.world.settle(within: workspace.patience)
            let engine = try device.client.engine()
            let store = engine.store
            var fetched = 0
            var sync = ProgressMeter("syncing", of: total, width: workspace.width)
            for url in outcome.channels {
                let before = fetched
                do {
                    fetched += try await engine.fetchAll(of: url) { count in
                        if let line = sync.note(before + count) { workspace.onProgress(line) }
                    }
                } catch let error as SyncError where error.code == .refused {
                    lines.append("\(url) does not come into the cache: \(error.message)")
                }
            }
            let held = try outcome.channels.reduce(0) { try $0 + store.messageCount(in: $1) }
            lines.append("\(grouped(held)) messages are in the cache of \(device.name)")
            values[.count] = held
            let clock = try arguments.world.clock
            if clock.goes {
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
            summary: "Writes what the cache holds of a channel to a file, as import reads it.",
            example: "export /tmp/scrollback-log.jsonl general",
            preparation: ["demo"],
            output: "exported 60 messages of general",
            offers: [.files, .channels],
            gives: [.channelURL, .count, .path]
        ) { arguments in
            let words = arguments.fileWords
            guard (1...2).contains(words.count) else { throw CommandError.usage }
            let url =
                try words.count == 2 ? ChannelURL(words[1]) : arguments.collection.channelURL
            let path = words[0].fromHome
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(),
                withIntermediateDirectories: true)
            guard FileManager.default.createFile(atPath: path, contents: nil),
                let file = FileHandle(forWritingAtPath: path)
            else { throw CommandError.failed("the file '\(words[0])' cannot be written") }
            defer { try? file.close() }  // All that was written is there.
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

extension World {
    /// Has all devices ask again for channels whose history was written behind their backs.
    ///
    /// No server does that to its clients: what is known of a channel through its newest message would
    /// stay as it was.
    fileprivate func forget(_ urls: [ChannelURL]) async throws {
        for device in devices {
            // Where nobody has connected, nothing is known.
            guard let engine = try? device.client.engine() else { continue }
            try await engine.clearCachedMessages(in: urls)
        }
        if hasOtherDevices { try server.expireCursors() }
    }
}

extension Message {
    /// A line of a log.
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

/// A progress meter that another thread moves.
@MainActor
private final class Meter {
    private var meter: ProgressMeter

    init(_ meter: ProgressMeter) { self.meter = meter }

    func note(_ count: Int, _ share: Double, _ workspace: Workspace) {
        if let line = meter.note(count, share: share) { workspace.onProgress(line) }
    }
}

extension Command.Arguments {
    fileprivate func importRequest() throws -> (
        path: String, fields: LogFields, isServerOnly: Bool
    ) {
        let words = fileWords
        guard let path = words.first else { throw CommandError.usage }
        var fields = LogFields()
        let name = URL(filePath: path).lastPathComponent
        fields.idPrefix = "\(name.split(separator: ".").first ?? "log")-"
        var isServerOnly = false
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            if word == "server-only" {
                isServerOnly = true
            } else if word == "into", let channel = rest.popFirst() {
                fields.channel = ChannelURL(channel)
            } else if let sign = word.firstIndex(of: "=") {
                let (name, field) = (String(word[..<sign]), String(word[sign...].dropFirst()))
                guard !field.isEmpty, fields.rename(name, to: field) else {
                    let names = LogFields.names.joined(separator: ", ")
                    throw CommandError.failed("'\(word)' is no NAME=FIELD: the names are \(names)")
                }
            } else {
                throw CommandError.usage
            }
        }
        return (path, fields, isServerOnly)
    }
}
