import Foundation
import Scrollback

extension Command {
    static let importing: [Command] = [
        Command(
            "import PATH [from=SYSTEM] [into CHANNEL] [FIELD=NAME ...] [id=line] [server-only]",
            "Imports a chat log, or a folder of logs, into the server, and into the cache.",
            notes: [
                "A log is JSON: lines, values or an array, or a document that has the list that",
                "messages=NAME names. It may be gzipped. from=SYSTEM reads the logs of",
                "  \(LogPreset.all.prefix(7).map(\.name).joined(separator: ", ")),",
                "  \(LogPreset.all.dropFirst(7).map(\.name).joined(separator: ", ")).",
                "Otherwise FIELD=NAME names the field for a value; a NAME may be a path such as",
                "author.id, or several, separated by |. Without it:",
                "  id       message_id or msg_id; id=line makes ids: file name, time and content",
                "  channel  channel_url; into CHANNEL imports all lines into one",
                "  time     created_at or ts: a date, or a number of seconds or milliseconds; UTC",
                "           without an offset; unit=s, ms, us or ns is the unit of numbers",
                "  sender   sender or user: an id, or an object with user_id and nickname",
                "  message  message: a text, or an array of parts of one",
                "  type     type; ADMM and lines without a sender are messages of the channel itself",
                "  parent   parent_message_id",
                "A message id is unique on the whole server. With into CHANNEL, and with from=SYSTEM,",
                "the ids begin with the channel's URL. dates=dmy or dates=mdy is the order of dates",
                "from WhatsApp. Messages that the server has are skipped.",
            ], example: "import export.json messages=messages user=author.id text=content.body"
        ) { arguments in
            let request = try LogRequest(arguments.words)
            let workspace = arguments.workspace
            let device = try arguments.device
            let began = ContinuousClock.now
            defer { workspace.onProgress(nil) }
            let meter = ProgressMeter("importing", in: workspace)
            let log = try await LogImport(
                of: request, on: try arguments.world.server, members: [device.userID]
            ) { await meter.update($0, share: $1) }
            let total = log.imported + log.known
            var lines = log.remarks + [log.summary]
            let values: Values = [
                "imported": log.imported, "known": log.known, "channel_urls": log.channels,
            ]
            guard !request.isServerOnly else {
                return ValuedReply(lines.joined(separator: "\n"), values)
            }

            try await arguments.world.waitUntilIdle(within: workspace.patience)
            let engine = try device.client.engine
            let sync = ProgressMeter("syncing", in: workspace)
            var fetched = 0
            for url in log.channels {
                let before = fetched
                do {
                    fetched += try await fetchAll(of: url, with: engine) {
                        sync.update(before + $0, share: Double(before + $0) / Double(total))
                    }.new
                } catch let error as SyncError where error.code == .notConnected {
                    let advice = "backfill \(url) fetches it once you are online"
                    lines.append("\(url) is not in the cache: \(advice)".oneLine)
                } catch let error as SyncError where error.code.isServerError {
                    lines.append("\(url) is not in the cache: \(error.message)".oneLine)
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
            "Writes the cached messages of a channel to a file that import reads.",
            notes: [
                "The first line says what is left out. Each further line is a message with all its",
                "fields, or a gap, in the order of the history.",
            ]
        ) { arguments in
            let words = arguments.words
            guard (1...2).contains(words.count) else { throw CommandError.usage }
            let url =
                try words.count == 2
                ? arguments.held(ChannelURL(words[1])) : arguments.collection.channelURL
            let export = try LogExport(
                of: url, in: arguments.workspace.store, to: words[0].fromHome)
            return ValuedReply(
                "exported \(counted(export.messageCount, "message")) of \(url)"
                    + (export.gapCount == 0 ? "" : ", and \(counted(export.gapCount, "gap"))")
                    + "\nleft out: \(export.omissions.joined(separator: ", "))",
                ["count": export.messageCount])
        },
    ]
}

struct LogRequest: Sendable {
    let path: String

    private(set) var fields = LogFields()

    /// The paths of the lists of messages; none if each value is a message.
    private(set) var lists: [String] = []

    /// `true` if dates of WhatsApp begin with the day; `nil` to infer it.
    private(set) var isDayFirst: Bool?

    private(set) var isServerOnly = false

    init(_ words: [String]) throws {
        guard let path = words.first else { throw CommandError.usage }
        self.path = path
        var rest = words.dropFirst()
        // Named fields replace those of a preset.
        if let word = rest.first(where: { $0.hasPrefix("from=") }) {
            let name = word.dropFirst(5)
            guard let preset = LogPreset.all.first(where: { $0.name == name }) else {
                let names = LogPreset.all.map(\.name).joined(separator: ", ")
                throw CommandError.failed("'\(name)' is not a system: \(names)")
            }
            fields.preset = preset
            fields.sources.merge(preset.sources) { $1 }
            fields.idPrefix = ""
            lists = preset.lists
            rest.removeAll { $0 == word }
        }
        while let word = rest.popFirst() {
            if word == "server-only" {
                isServerOnly = true
            } else if word == "into", let channel = rest.popFirst(), !channel.isEmpty {
                fields.channel = ChannelURL(channel)
            } else if let sign = word.firstIndex(of: "="), word[sign...].count > 1 {
                try set(String(word[..<sign]), to: String(word[sign...].dropFirst()))
            } else if word.contains("=") {
                throw CommandError.failed("'\(word)' names no field")
            } else {
                throw CommandError.usage
            }
        }
    }

    private mutating func set(_ name: String, to value: String) throws {
        switch (name, value) {
        case ("id", "line"):
            let name = URL(filePath: path).lastPathComponent
            fields.idPrefix = "\(name.split(separator: ".").first ?? "log")-"
        case ("messages", _): lists = [String(value.trimmingPrefix("."))]
        case ("unit", _) where LogTime.units.contains(where: { $0.0 == value }): fields.unit = value
        case ("dates", "dmy"), ("dates", "mdy"): isDayFirst = value == "dmy"
        case ("unit", _), ("dates", _):
            throw CommandError.failed("'\(value)' is not a value of \(name): see help import")
        default:
            guard fields.rename(name, to: value) else {
                let names =
                    (LogFields.names + LogFields.otherNames.keys.sorted()
                    + ["messages", "unit", "dates"]).joined(separator: ", ")
                throw CommandError.failed(
                    "'\(name)=\(value)' is not FIELD=NAME: the fields are \(names)")
            }
        }
    }
}
