import Models
import Sync

@testable import EmbeddedServer

extension FeedEvent {
    /// The event as one word: "a" for a message, "a*" for an edit, "-a" for a deletion, "~" for a
    /// truncation.
    var picture: String {
        switch self {
        case .messageReceived(let message): message.text
        case .messageUpdated(let message): "\(message.text)*"
        case .messageDeleted(let id, in: _, at: _): "-\(id)"
        case .truncation: "~"
        case .channel(let update): "#\(update.channelURL)"
        case .channels: "##"
        case .typing: "typing"
        case .read: "read"
        default: "?"
        }
    }
}

extension FeedBatch {
    /// The events as one line.
    var picture: String { events.map(\.picture).joined(separator: " ") }
}

extension MessagePage {
    /// The messages as one line, with "…" on each side that has more messages.
    var picture: String {
        let texts = messages.map(\.text)
        return ((older == nil ? [] : ["…"]) + texts + (newer == nil ? [] : ["…"]))
            .joined(separator: " ")
    }
}

extension Backend {
    /// Sends a message whose text is a letter.
    func send(_ letter: String, in url: ChannelURL = "one") async throws(BackendError) -> Message {
        let message = Message(id: nil, channelURL: url, text: letter, createdAt: 0)
        return try await send(OutboxItem(message, requestID: RequestID("r\(letter)")))
    }

    /// Reads the feed up to the server's cursor `end`, and returns the batches.
    func batches(
        since cursor: FeedCursor, upTo end: FeedCursor
    ) async throws(BackendError) -> [FeedBatch] {
        var batches: [FeedBatch] = []
        var cursor = cursor
        while cursor != end {
            let batch = try await feed(since: cursor)
            batches.append(batch)
            cursor = batch.cursor
            // A feed that does not reach `end` would loop forever.
            guard batches.count < 100 else { throw BackendError(.serverFailure, "no end") }
        }
        return batches
    }

    /// Returns the pages of the channel "one", from the newest message to the oldest one.
    func readAll(older: Int) async throws(BackendError) -> [MessagePage] {
        var pages = [try await messages(in: "one", at: .newest, older: older, newer: 0)]
        while let cursor = pages[pages.count - 1].older {
            pages.append(
                try await messages(in: "one", at: .cursor(cursor), older: older, newer: 0))
            guard pages.count < 100 else { throw BackendError(.serverFailure, "no end") }
        }
        return pages
    }
}
