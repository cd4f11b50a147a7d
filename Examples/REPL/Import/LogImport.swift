import EmbeddedServer
import Foundation
import Scrollback

/// An import into a server of a chat log whose lines are messages in JSON.
///
/// Messages that the server already has are skipped, so that an interrupted import can be repeated.
struct LogImport: Sendable {
    struct Outcome: Sendable {
        /// The number of imported messages, without those that the server already had.
        var imported = 0

        /// The number of messages that the server already had.
        var known = 0

        /// The first lines that could not be read, up to a limit.
        var badLines: [BadLine] = []

        var badCount = 0

        /// The channels of all messages that the server now has, in the order in which they occur
        /// in the log.
        var channels: [ChannelURL] = []

        /// The fields that were ignored, and how often each occurred.
        var ignored = FieldTally()

        /// The fields that the user has named, but that no line contains.
        var unseen: [String] = []

        /// The number of lines that have no sender, and are not marked as messages of the channel
        /// itself.
        var senderless = 0

        /// The error that ended the import early; `nil` if all lines were read.
        var failure: (any Error)?

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

    /// The members that created channels get in addition to the senders.
    let members: [UserID]

    private static let batchSize = 1000

    /// Reads the file to its end.
    ///
    /// An error of the file or the server, or a cancellation, ends the import. It is not thrown but
    /// returned as ``Outcome/failure``, because the server keeps the messages that were imported
    /// before.
    ///
    /// - Parameter progress: A closure that is called after each batch, with the number of lines
    ///   that were read, and the fraction of the file that was read.
    /// - Returns: The outcome.
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
        // Only after the whole file was read is it known which fields no line contains.
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
                // Import the lines before the error, which are complete.
                (failure, hasMore) = (error, false)
            }
            while batch.count >= LogImport.batchSize || (!hasMore && !batch.isEmpty) {
                let part = Array(batch.prefix(LogImport.batchSize))
                batch.removeFirst(part.count)
                let new = try server.importMessages(part, members: members, skipsKnown: true)
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

    /// Returns the message of a line; `nil` if the line is empty or bad.
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

/// The numbers of occurrences of fields.
///
/// Only a limited number of names is counted separately.
struct FieldTally: Sendable {
    private static let limit = 50

    private var names: [[UInt8]] = []
    private var numbers: [Int] = []

    /// The number of occurrences of all other fields.
    private(set) var others = 0

    /// The names in the order of their first occurrence, with the numbers of their occurrences.
    var counts: [(name: String, count: Int)] {
        zip(names, numbers).map { (String(decoding: $0, as: UTF8.self), $1) }
    }

    /// Counts an occurrence of a field.
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
