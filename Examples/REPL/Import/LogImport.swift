import EmbeddedServer
import Foundation
import Scrollback

/// The result of importing a chat log, whose lines are messages in JSON, into a server.
///
/// Messages that the server already has are skipped, so that an interrupted import can be repeated.
struct LogImport: Sendable {
    /// The number of imported messages, without those that the server already had.
    private(set) var imported = 0

    /// The number of messages that the server already had.
    private(set) var known = 0

    /// The channels of the messages, in the order in which they occur in the log.
    private(set) var channels: [ChannelURL] = []

    private(set) var badCount = 0
    private let fields: LogFields
    private var tally = LogFields.Tally()
    private var badLines: [String] = []

    private static let batchSize = 1000
    private static let shownBadLines = 10

    /// Imports a file, plain or gzipped.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - fields: The fields from which messages are read.
    ///   - server: The server.
    ///   - members: The members that created channels get in addition to the senders.
    ///   - progress: A closure that is called with the number of lines that were read, and the
    ///     number of all lines.
    /// - Throws: ``CommandError`` if the file cannot be read; the error of the server, which keeps
    ///   the batches before the error.
    @concurrent
    init(
        of path: String, _ fields: LogFields, on server: EmbeddedServer, members: [UserID],
        progress: @Sendable (Int, Int) async -> Void
    ) async throws {
        self.fields = fields
        let lines = try Self.contents(of: path).split(
            separator: 0x0A, omittingEmptySubsequences: false)
        for start in stride(from: 0, to: lines.count, by: Self.batchSize) {
            try Task.checkCancellation()
            let end = min(start + Self.batchSize, lines.count)
            var batch: [Message] = []
            for index in start..<end where lines[index].contains(where: { $0 > 0x20 }) {
                do {
                    batch.append(try fields.message(of: lines[index], number: index + 1, &tally))
                } catch {
                    badCount += 1
                    guard badCount <= Self.shownBadLines else { continue }
                    badLines.append("line \(index + 1): \(error)")
                }
            }
            do throws(BackendError) {
                let new = try server.importMessages(batch, members: members, skipsKnown: true)
                imported += new
                known += batch.count - new
            } catch {
                throw explained(error)
            }
            for url in batch.map(\.channelURL) where channels.last != url {
                if !channels.contains(url) { channels.append(url) }
            }
            await progress(end, lines.count)
        }
    }

    /// The lines that could not be read, and the fields that were ignored or missing.
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
        return lines
    }

    /// Returns an error that says, in addition, what the user can do, and what was imported before.
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

    private static func contents(of path: String) throws -> Data {
        let path = path.fromHome
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        guard !isDirectory.boolValue else {
            throw CommandError.failed("'\(path)' is a directory: name a file in it")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError.failed("there is no file '\(path)' that can be read")
        }
        // U+FEFF, with which some programs start their files.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard data.starts(with: [0x1F, 0x8B]) else {
            return data.starts(with: mark) ? data.dropFirst(mark.count) : data
        }
        return try decompressed(path)
    }

    /// Returns the content of a gzip file.
    ///
    /// Do not use `Process`, which traps if the process cannot open any more files.
    private static func decompressed(_ path: String) throws -> Data {
        let quoted = "'\(path.replacing("'", with: #"'\''"#))'"
        guard let stream = popen("exec gzip -dc < \(quoted)", "r") else {
            let reason = String(cString: strerror(errno))
            throw CommandError.failed("gzip cannot be started for '\(path)': \(reason)")
        }
        var text = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&buffer, 1, buffer.count, stream)
            if count == 0 { break }
            text += buffer[..<count]
        }
        let hasFailed = ferror(stream) != 0
        guard pclose(stream) == 0, !hasFailed else {
            throw CommandError.failed("the gzip file '\(path)' is truncated or corrupted")
        }
        return text
    }
}
