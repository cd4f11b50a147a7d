import EmbeddedServer
import Foundation
import Scrollback

/// The result of importing chat logs into a server.
///
/// Known messages are skipped, so that an interrupted import can be repeated. Only a batch of
/// messages, and eight bytes for each message, are in memory.
struct LogImport: Sendable {
    private(set) var imported = 0

    private(set) var known = 0

    /// The number of messages with the ID of an earlier one of the logs.
    private(set) var repeated = 0

    private(set) var gapCount = 0

    private(set) var channels: [ChannelURL] = []
    private var knownChannels: Set<ChannelURL> = []

    private(set) var badCount = 0
    private var fields: LogFields
    private let server: EmbeddedServer
    private let members: [UserID]
    private var tally = LogFields.Tally()
    private var badLines: [String] = []
    private var batch: [Message] = []
    private var seen: Set<Int> = []
    private var isExport = false
    /// The values of the file's last document, outside of its lists, by name.
    private var fileContext: [String: JSONValue] = [:]
    /// The number of changes of the context that the fields have.
    private var contextNumber = 0
    /// The current file's name; empty if there is only one.
    private var fileName = ""
    private var namedList: String?

    private static let batchSize = 1000
    private static let shownBadLines = 10

    /// Imports a file, plain or gzipped, or the files of a directory.
    ///
    /// Created channels get `members` in addition to the senders. `progress` receives the number of
    /// messages so far, and the part of the files if known. After an error of the server, earlier
    /// batches stay.
    @concurrent
    init(
        of request: LogRequest, on server: EmbeddedServer, members: [UserID],
        progress: @Sendable (Int, Double?) async -> Void
    ) async throws {
        (self.server, self.members) = (server, members)
        fields = request.fields
        let (lists, isDayFirst) = (request.lists, request.isDayFirst)
        let all = try LogFile.paths(request.path.fromHome)
        func name(_ path: String) -> String { URL(filePath: path).lastPathComponent }
        let paths = all.filter { fields.preset?.otherFiles.contains(name($0)) != true }
        if let users = fields.preset?.users, let path = all.first(where: { name($0) == users.file })
        {
            fields.nicknames = try Self.nicknames(in: path, users.id, users.names)
        }
        if fields.preset == nil { namedList = lists.first }
        for (index, path) in paths.enumerated() {
            let file = try LogFile(path)
            if paths.count > 1 { fileName = "\(path.dropFirst(request.path.fromHome.count + 1)) " }
            (fields.context, isExport) = ([:], false)
            if let preset = fields.preset {
                fields.fileChannel = preset.channel(of: path)
                if preset.needsContext { fields.context = try Self.context(of: path, lists) }
            }
            // Others are of single lists.
            fileContext = fields.context.filter { !$0.key.contains(".") }
            contextNumber = 0
            var lines = LogLines(isText: fields.preset?.text != nil, lists: lists)
            var text = try fields.preset?.text.map {
                TextLog($0, path: path, isDayFirst: try isDayFirst ?? Self.isDayFirst(path))
            }
            while true {
                let bytes = try file.next()
                try Task.checkCancellation()
                for line in bytes.isEmpty ? lines.finish() : lines.read(bytes) {
                    try read(line, &text)
                    guard batch.count >= Self.batchSize else { continue }
                    try write()
                    let part = file.byteCount.map { Double(file.readCount) / Double(max(1, $0)) }
                    await progress(
                        imported + known + repeated,
                        part.map { (Double(index) + $0) / Double(paths.count) })
                }
                if bytes.isEmpty || lines.failure != nil { break }
            }
            if let failure = lines.failure { addBadLine("\(fileName)\(failure)") }
            if let last = text?.finish() { try attempt("the last message") { try $0.add(last) } }
        }
        try write()
        guard imported + known > 0 else {
            let reason = badLines.first.map { ": \($0)" } ?? ""
            let more = badCount > 1 ? ", and \(counted(badCount - 1, "more bad line"))" : ""
            let isOther = reason.contains("not a JSON object") || reason.contains("no field")
            let hint =
                fields.preset.map { "; is this a log of \($0.name)?" }
                ?? "; from=SYSTEM reads the log of a chat system: help import"
            throw CommandError.failed(
                "'\(request.path)' has no message\(reason)\(more)\(isOther ? hint : "")")
        }
    }

    // MARK: Lines

    private mutating func read(_ line: LogLine, _ text: inout TextLog?) throws {
        if text == nil {
            return try attempt("line \(line.number)") { try $0.read(line) }
        }
        var entry: JSONValue?
        try attempt("line \(line.number)") { _ in
            try line.bytes.checkMarks(isJSON: false)
            entry = try text?.read(String(decoding: line.bytes, as: UTF8.self))
        }
        if let entry { try attempt("line \(line.number)") { try $0.add(entry) } }
    }

    private mutating func read(_ line: LogLine) throws {
        // Read an export's message first: its fields may have the maximum depth, and the line is a
        // level deeper.
        if isExport, fields.renamed.isEmpty, let message = try? fields.exported(line.bytes) {
            return batch.append(message)
        }
        let value = try LogFields.object(line.bytes)
        if value["scrollback_export"] != nil {
            isExport = true
        } else if isExport, value["gap"] != nil {
            gapCount += 1
        } else if isExport, fields.renamed.isEmpty {
            try batch.append(fields.exported(line.bytes))
        } else {
            if line.contextNumber != contextNumber {
                contextNumber = line.contextNumber
                fields.context = fileContext.merging(line.context) { $1 }
            }
            do {
                try add(value)
            } catch let error as CommandError {
                guard let namedList, !line.isInList else { throw error }
                throw CommandError.failed("\(error); the document has no list '\(namedList)'")
            }
        }
    }

    private mutating func attempt(
        _ place: String, _ body: (inout LogImport) throws -> Void
    ) throws {
        do {
            try body(&self)
        } catch let error as CommandError {
            addBadLine("\(fileName)\(place): \(error)")
        }
    }

    private mutating func addBadLine(_ reason: String) {
        badCount += 1
        // A name or a value of the log must not add lines.
        if badCount <= Self.shownBadLines { badLines.append(reason.oneLine) }
    }

    private mutating func add(_ value: JSONValue) throws {
        if let kind = fields.preset?.skipped(value) { return tally.ignore("type \(kind)") }
        let message = try fields.message(of: value, &tally)
        batch.append(message)
        for reply in fields.preset?.replies(in: value) ?? [] {
            var reply = try fields.message(of: reply, in: message.channelURL, &tally)
            reply.parentMessageID = message.messageID
            batch.append(reply)
        }
    }

    private mutating func write() throws {
        var new: [Message] = []
        for message in batch {
            var hasher = Hasher()
            hasher.combine(message.channelURL)
            hasher.combine(message.messageID)
            if seen.insert(hasher.finalize()).inserted { new.append(message) }
        }
        repeated += batch.count - new.count
        do throws(BackendError) {
            let count = try server.importMessages(new, members: members, skipsKnown: true)
            imported += count
            known += new.count - count
        } catch {
            throw explained(error)
        }
        for url in new.map(\.channelURL) where knownChannels.insert(url).inserted {
            channels.append(url)
        }
        batch = []
    }

    private static func context(
        of path: String, _ lists: [String]
    ) throws -> [String: JSONValue] {
        var scanner = JSONScanner(lists: lists)
        let file = try LogFile(path)
        while true {
            let bytes = try file.next()
            // Reading the messages reports errors.
            guard !bytes.isEmpty, (try? scanner.read(bytes)) != nil else { return scanner.context }
            scanner.found = []
        }
    }

    private static func nicknames(
        in path: String, _ idPath: String, _ namePaths: [String]
    ) throws -> [String: String] {
        let file = try LogFile(path)
        var lines = LogLines(isText: false, lists: [])
        var names: [String: String] = [:]
        while true {
            let bytes = try file.next()
            for line in bytes.isEmpty ? lines.finish() : lines.read(bytes) {
                guard let user = try? LogFields.object(line.bytes),
                    let id = user.value(at: idPath[...])?.scalar
                else { continue }
                names[id] = namePaths.lazy.compactMap { user.value(at: $0[...])?.scalar }
                    .first { !$0.isEmpty && $0.utf8.count <= LogFields.longestName }
            }
            if bytes.isEmpty { return names }
        }
    }

    /// Returns whether dates with slashes begin with the day; by default, with the month.
    private static func isDayFirst(_ path: String) throws -> Bool {
        let file = try LogFile(path)
        var lines = LogLines(isText: true, lists: [])
        while true {
            let bytes = try file.next()
            if bytes.isEmpty { return false }
            for line in lines.read(bytes) where (try? line.bytes.checkMarks(isJSON: false)) != nil {
                let text = String(decoding: line.bytes, as: UTF8.self)
                if let isDayFirst = TextLog.isDayFirst(text) { return isDayFirst }
            }
        }
    }

    // MARK: The report

    var remarks: [String] {
        var lines = badLines
        if badCount > lines.count {
            lines.append("and \(grouped(badCount - lines.count)) more bad lines")
        }
        lines += fields.renamed.filter { !tally.read.contains($0) }
            .map { "no line has a field '\($0)'" }
        lines += tally.ignored.sorted { $0.key < $1.key }.map { name, count in
            "ignored '\(name.oneLine)', \(counted(count, "time"))"
        }
        if tally.others > 0 { lines.append("ignored more, \(counted(tally.others, "time"))") }
        if tally.senderless > 0 {
            lines.append(
                "\(counted(tally.senderless, "line")) without a sender: "
                    + "shown as messages of the channel itself")
        }
        if gapCount > 0 {
            lines.append("\(counted(gapCount, "gap")) of the export: messages are missing there")
        }
        return lines
    }

    var summary: String {
        "imported \(counted(imported, "message")) into \(counted(channels.count, "channel"))"
            + (known > 0 ? "; \(grouped(known)) were on the server already" : "")
            + (repeated > 0 ? "; \(grouped(repeated)) with the id of an earlier one" : "")
            + (badCount > 0 ? "; \(counted(badCount, "bad line"))" : "")
    }

    /// Returns an error that also says what the user can do, and what was imported.
    private func explained(_ error: BackendError) -> any Error {
        var failure: any Error = error
        if error.detail == .duplicatedData {
            failure = CommandError.failed(
                "\(error.message), and message ids are unique on the whole server: "
                    + "into CHANNEL begins each id with the channel's URL"
                    + (fields.idPrefix == nil ? ", and id=line with the file's name" : ""))
        }
        guard imported > 0 else { return failure }
        return CommandError.remarked(
            failure,
            "\(counted(imported, "message")) before it \(imported == 1 ? "is" : "are") on the server"
        )
    }
}
