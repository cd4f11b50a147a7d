import EmbeddedServer
import Models
import Store

/// Records the messages that the server accepts, from the feed of a user whose network never fails.
///
/// The text of a message contains its author and the message's number among this author's messages
/// in the channel.
final class Arrivals: Sendable {
    private struct Line {
        /// How often each message number has arrived.
        var counts: [UInt8] = []
        var last = -1
        /// The numbers of the messages that arrived after a message with a greater number.
        var late: Set<Int> = []
    }

    private struct State {
        var lines: [String: Line] = [:]
        var total = 0
    }

    private let state = Locked(State())

    var total: Int { state.withLock { $0.total } }

    func record(_ message: Message) {
        let words = message.text.split(separator: " ", maxSplits: 2)
        guard words.count == 3, let number = Int(words[1]) else { return }
        state.withLock { state in
            state.total += 1
            var line = state.lines["\(words[0]) \(message.channelURL)", default: Line()]
            while line.counts.count <= number { line.counts.append(0) }
            if line.counts[number] < .max { line.counts[number] += 1 }
            if number < line.last { line.late.insert(number) }
            line.last = max(line.last, number)
            state.lines["\(words[0]) \(message.channelURL)"] = line
        }
    }

    /// Returns how many of an author's messages are missing, arrived twice, or arrived after a
    /// later message without having failed before.
    func faults(
        of writer: String, in url: ChannelURL, count: Int, failed: Set<Int>
    ) -> (missing: Int, twice: Int, late: Int) {
        state.withLock { state in
            let line = state.lines["\(writer) \(url)"] ?? Line()
            let arrived = line.counts.prefix(count)
            let missing = arrived.count { $0 == 0 } + count - arrived.count
            return (missing, line.counts.count { $0 > 1 }, line.late.subtracting(failed).count)
        }
    }

    /// Reads the server's feed until the task is canceled.
    func follow(_ client: EmbeddedClient) async {
        var cursor: FeedCursor?
        while !Task.isCancelled {
            guard let batch = await batch(of: client, since: cursor) else { return }
            for case .messageReceived(let message) in batch.events { record(message) }
            cursor = batch.cursor
        }
    }

    /// Returns the next batch of the feed, or `nil` after the client was disconnected.
    private func batch(of client: EmbeddedClient, since cursor: FeedCursor?) async -> FeedBatch? {
        var cursor = cursor
        while true {
            do {
                return try await client.feed(since: cursor)
            } catch {
                guard error.code == .expired else { return nil }
                cursor = nil
            }
        }
    }
}
