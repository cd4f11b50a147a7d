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

    /// The first lines that could not be read, each with the reason.
    private(set) var badLines: [String] = []

    private(set) var badCount = 0

    /// The channels of the messages, in the order in which they occur in the log.
    private(set) var channels: [ChannelURL] = []

    private static let batchSize = 1000
    private static let shownBadLines = 10

    /// Imports a file, plain or gzipped.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - channel: The channel into which all messages are imported; `nil` if each line contains
    ///     its channel.
    ///   - server: The server.
    ///   - members: The members that created channels get in addition to the senders.
    ///   - progress: A closure that is called with the number of lines that were read.
    /// - Throws: ``CommandError`` if the file cannot be read; the error of the server, which keeps
    ///   the batches before the error.
    @concurrent
    init(
        of path: String, into channel: ChannelURL?, on server: EmbeddedServer, members: [UserID],
        progress: @Sendable (Int) async -> Void
    ) async throws {
        let lines = try Self.contents(of: path).split(
            separator: 0x0A, omittingEmptySubsequences: false)
        for start in stride(from: 0, to: lines.count, by: Self.batchSize) {
            try Task.checkCancellation()
            let end = min(start + Self.batchSize, lines.count)
            var batch: [Message] = []
            for index in start..<end where !lines[index].isEmpty {
                do {
                    batch.append(try Self.message(of: lines[index], in: channel))
                } catch {
                    badCount += 1
                    guard badCount <= Self.shownBadLines else { continue }
                    badLines.append("line \(index + 1): \(error)")
                }
            }
            let new = try server.importMessages(batch, members: members, skipsKnown: true)
            imported += new
            known += batch.count - new
            for url in batch.map(\.channelURL) where channels.last != url {
                if !channels.contains(url) { channels.append(url) }
            }
            await progress(end)
        }
    }

    private static func contents(of path: String) throws -> Data {
        let path = path.fromHome
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError.failed("there is no file '\(path)' that can be read")
        }
        guard data.starts(with: [0x1F, 0x8B]) else { return data }
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", "--", path]
        process.standardOutput = pipe
        try process.run()
        let text = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandError.failed("the gzip file '\(path)' is truncated or corrupted")
        }
        return text
    }

    /// Returns the message of a line.
    private static func message(of line: Data, in channel: ChannelURL?) throws -> Message {
        let fields: [String: JSONValue]
        do {
            fields = try JSONDecoder().decode([String: JSONValue].self, from: line)
        } catch {
            throw CommandError.failed("this is not a JSON object")
        }
        func field(_ name: String) throws -> String {
            if let text = fields[name]?.asText, !text.isEmpty { return text }
            throw CommandError.failed("no text or number in the field '\(name)'")
        }
        let url = try channel ?? ChannelURL(field("channel_url"))
        guard case .int(let time)? = fields["created_at"] else {
            throw CommandError.failed("no milliseconds in the field 'created_at'")
        }
        guard case .string(let text)? = fields["message"] else {
            throw CommandError.failed("no text in the field 'message'")
        }
        // An ID names one message of the whole server. With the URL before it, the same log can be
        // imported into several channels.
        func messageID(_ id: String) -> MessageID {
            MessageID(channel == nil ? id : "\(url)-\(id)")
        }
        let sender = fields["sender"]?.asText.map { Sender(id: UserID($0), nickname: $0) }
        return Message(
            type: sender == nil ? .admin : .user, id: messageID(try field("message_id")),
            channelURL: url, sender: sender, text: text,
            createdAt: Timestamp(milliseconds: time),
            parentMessageID: fields["parent_message_id"]?.asText.map(messageID),
            sendingStatus: .succeeded)
    }
}

extension JSONValue {
    /// The text, or the number as text; `nil` if the value is neither.
    fileprivate var asText: String? {
        switch self {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: nil
        }
    }
}
