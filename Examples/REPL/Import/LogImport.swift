import EmbeddedServer
import Foundation
import Scrollback

/// An import of chat logs into a server: JSON lines, each a message.
///
/// Messages that the server already has are skipped, so an interrupted import continues when it is
/// repeated.
struct LogImport: Sendable {
    /// The result of an import.
    struct Outcome: Sendable {
        /// The number of messages that are new on the server.
        var imported = 0

        /// The number of messages that the server already had.
        var known = 0

        /// The first lines that could not be read, up to a limit.
        var badLines: [BadLine] = []

        /// The number of lines that could not be read.
        var badCount = 0

        /// The channels whose messages the server has, in the order of the log.
        var channels: [ChannelURL] = []

        /// The ignored fields, and the number of their occurrences.
        var ignored = FieldTally()

        /// The fields that the user named and that no line has.
        var unseen: [String] = []

        /// The number of lines that neither contain a sender nor are marked as messages of the
        /// channel itself.
        var senderless = 0

        /// The error that ended the import early; `nil` if all lines were read.
        var failure: (any Error)?

        /// The number of lines that were read.
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

    /// The members of the channels that are created, besides the senders.
    let members: [UserID]

    private static let batchSize = 1000

    /// Reads the file to its end.
    ///
    /// An error of the file or the server, and `CancellationError`, become the result's
    /// ``Outcome/failure``, since the server keeps the earlier messages.
    ///
    /// - Parameter progress: Called after each batch with the number of lines and the share of the
    ///   file.
    /// - Returns: The result.
    /// - Throws: An error if the file cannot be opened.
    @concurrent
    func run(progress: @Sendable (Int, Double) async -> Void) async throws -> Outcome {
        let file = try LogFile(path)
        defer { file.close() }
        var outcome = Outcome()
        var renamed: Set<Int> = []
        do {
            try await read(file, progress, into: &outcome, &renamed)
        } catch {
            outcome.failure = error
        }
        // Only after the whole file was read is it known which fields never occurred.
        if outcome.failure == nil { outcome.unseen = fields.renamedFields(without: renamed) }
        return outcome
    }

    private func read(
        _ file: LogFile, _ progress: (Int, Double) async -> Void, into outcome: inout Outcome,
        _ renamed: inout Set<Int>
    ) async throws {
        var seen: Set<ChannelURL> = []
        var batch: [Message] = []
        let names = fields.bytes
        var hasMore = true
        var failure: (any Error)?
        while hasMore {
            try Task.checkCancellation()
            do {
                hasMore = try file.readLines { line in
                    guard let message = message(of: line, names, &outcome, &renamed) else { return }
                    batch.append(message)
                }
            } catch {
                // The lines before the error were read completely, so import them.
                (failure, hasMore) = (error, false)
            }
            while batch.count >= LogImport.batchSize || (!hasMore && !batch.isEmpty) {
                let part = Array(batch.prefix(LogImport.batchSize))
                batch.removeFirst(part.count)
                let new = try server.importMessages(part, members: members, passesOverKnown: true)
                outcome.imported += new
                outcome.known += part.count - new
                for message in part where seen.insert(message.channelURL).inserted {
                    outcome.channels.append(message.channelURL)
                }
                await progress(
                    outcome.imported + outcome.known,
                    file.size > 0 ? Double(file.offset) / Double(file.size) : 0)
                try Task.checkCancellation()
            }
        }
        if let failure { throw failure }
    }

    /// Returns the message of a line; `nil` if it is empty or bad.
    private func message(
        of bytes: UnsafeBufferPointer<UInt8>, _ names: [[UInt8]], _ outcome: inout Outcome,
        _ renamed: inout Set<Int>
    ) -> Message? {
        outcome.lines += 1
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x0D }) else { return nil }
        do throws(JSONLine.Damage) {
            let line = try JSONLine(bytes, fields: names) { outcome.ignored.count($0) }
            renamed.formUnion(fields.renamedFields(of: line))
            let message = try fields.message(line, number: outcome.lines) {
                outcome.ignored.count($0)
            }
            if message.sender == nil, !fields.isOwn(line) { outcome.senderless += 1 }
            return message
        } catch {
            outcome.recordBadLine(outcome.lines, error.description)
            return nil
        }
    }
}

/// The numbers of occurrences of fields, for a limited number of names.
struct FieldTally: Sendable {
    private static let limit = 50

    private var names: [[UInt8]] = []
    private var numbers: [Int] = []

    /// The total number of occurrences of all other fields.
    private(set) var others = 0

    /// The names in the order of their first occurrence, each with the number of its occurrences.
    var counts: [(name: String, count: Int)] {
        zip(names, numbers).map { (String(decoding: $0, as: UTF8.self), $1) }
    }

    /// Counts one more occurrence of a field.
    mutating func count(_ name: some Collection<UInt8>) {
        if let index = names.firstIndex(where: { name.elementsEqual($0) }) {
            numbers[index] += 1
        } else if names.count < FieldTally.limit {
            names.append(Array(name))
            numbers.append(1)
        } else {
            others += 1
        }
    }

    /// Counts one more occurrence of the field with a name.
    mutating func count(_ name: String) { count(Array(name.utf8)) }
}

extension LogImport.Outcome {
    private static let shownBadLines = 10

    fileprivate mutating func recordBadLine(_ number: Int, _ reason: String) {
        badCount += 1
        guard badLines.count < LogImport.Outcome.shownBadLines else { return }
        badLines.append(LogImport.BadLine(number: number, reason: reason))
    }
}
