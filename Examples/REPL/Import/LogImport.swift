import EmbeddedServer
import Foundation
import Scrollback

/// Chat logs on their way into a server: JSON lines, each a message.
///
/// What is there already is passed over, so an import that was interrupted goes on when it is begun again.
struct LogImport: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        /// How many messages are on the server now that were not before.
        var imported = 0

        /// How many were there before.
        var known = 0

        /// The lines that could not be read; of very many, the first.
        var badLines: [BadLine] = []

        /// How many lines could not be read.
        var badCount = 0

        /// The channels of the file, in the order in which they come.
        var channels: [ChannelURL] = []

        /// How many lines were read.
        var lines = 0
    }

    /// A line that could not be read.
    struct BadLine: Encodable, Sendable {
        var number: Int
        var reason: String
    }

    let path: String
    let fields: LogFields
    let server: EmbeddedServer

    /// Who is in the channels that are made, beside those who write in them.
    let members: [UserID]

    private static let batchSize = 1000

    /// Reads the file to its end.
    ///
    /// - Parameter progress: Is called after each batch with the lines and the share of the file.
    /// - Returns: What came of it.
    /// - Throws: What the file or the server throws; `CancellationError`.
    @concurrent
    func run(progress: @Sendable (Int, Double) async -> Void) async throws -> Outcome {
        let file = try LogFile(path)
        defer { file.close() }
        var outcome = Outcome()
        var seen: Set<ChannelURL> = []
        var batch: [Message] = []
        let names = fields.bytes
        var hasMore = true
        while hasMore {
            try Task.checkCancellation()
            hasMore = try file.readLines { bytes in
                outcome.lines += 1
                guard bytes.contains(where: { $0 != 0x20 && $0 != 0x0D }) else { return }
                do throws(JSONLine.Damage) {
                    let line = try JSONLine(bytes, fields: names)
                    let message = try fields.message(line, number: outcome.lines)
                    if seen.insert(message.channelURL).inserted {
                        outcome.channels.append(message.channelURL)
                    }
                    batch.append(message)
                } catch {
                    outcome.note(badLine: outcome.lines, error.description)
                }
            }
            while batch.count >= LogImport.batchSize || (!hasMore && !batch.isEmpty) {
                let part = Array(batch.prefix(LogImport.batchSize))
                batch.removeFirst(part.count)
                let new = try server.importMessages(part, members: members, passesOverKnown: true)
                outcome.imported += new
                outcome.known += part.count - new
                await progress(
                    outcome.imported + outcome.known,
                    file.size > 0 ? Double(file.offset) / Double(file.size) : 0)
                try Task.checkCancellation()
            }
        }
        return outcome
    }
}

extension LogImport.Outcome {
    private static let shownBadLines = 10

    fileprivate mutating func note(badLine number: Int, _ reason: String) {
        badCount += 1
        guard badLines.count < LogImport.Outcome.shownBadLines else { return }
        badLines.append(LogImport.BadLine(number: number, reason: reason))
    }
}
