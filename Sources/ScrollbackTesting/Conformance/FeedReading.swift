import Models
import Sync

struct FeedReading {
    let device: Device
    private(set) var cursor: FeedCursor?
    private(set) var batches: [FeedBatch] = []

    init(_ device: Device, since cursor: FeedCursor? = nil) {
        self.device = device
        self.cursor = cursor
    }

    var events: [FeedEvent] { batches.flatMap(\.events) }

    @discardableResult
    mutating func pull() async throws -> FeedBatch {
        let batch = try await device.backend.feed(since: cursor)
        batches.append(batch)
        cursor = batch.cursor
        return batch
    }

    mutating func catchUp() async throws {
        var limit = Limit(device.scene.subject.patience)
        repeat {
            let batch = try await pull()
            if batch.isLive { return }
            limit.count(batch)
        } while !limit.isReached
        throw Broken(text: "the feed was not live after \(limit)", promiseID: "feed.live")
    }

    @discardableResult
    mutating func await(
        _ what: String, else promiseID: String? = "feed.complete", _ isIt: (FeedEvent) -> Bool
    ) async throws -> FeedEvent {
        var limit = Limit(device.scene.subject.patience)
        repeat {
            let batch = try await pull()
            if let event = batch.events.first(where: isIt) { return event }
            limit.count(batch)
        } while !limit.isReached
        throw Broken(
            text: "\(device.userID) did not receive \(what) from the feed in \(limit)",
            promiseID: promiseID)
    }

    @discardableResult
    mutating func await(
        _ what: String, _ message: Message, else promiseID: String? = "feed.complete",
        where isIt: (Message) -> Bool = { _ in true }
    ) async throws -> Message {
        var limit = Limit(device.scene.subject.patience)
        repeat {
            let batch = try await pull()
            for event in batch.events {
                for candidate in try await device.messages(of: event)
                    + omitted(before: event, in: message.channelURL)
                where candidate.messageID == message.messageID && isIt(candidate) {
                    return candidate
                }
            }
            limit.count(batch)
        } while !limit.isReached
        throw Broken(
            text: "\(device.userID) did not receive \(what) from the feed in \(limit)",
            promiseID: promiseID)
    }

    /// Waits for the deletion of a message, which a backfill must no longer contain.
    mutating func awaitDeletion(of message: Message) async throws {
        try await self.await("the deletion") { event in
            switch event {
            case .messageDeleted(let id, in: message.channelURL, at: _),
                .messageOrEditDeleted(let id, in: message.channelURL, createdAt: _, at: _):
                id == message.messageID
            case .truncation(in: message.channelURL): true
            default: false
            }
        }
        for event in batches.last?.events ?? [] {
            let found = try await omitted(before: event, in: message.channelURL)
            try expect(
                !found.contains { $0.messageID == message.messageID },
                "the backfill of a truncation returned the deleted message \(message.shown)")
        }
    }

    /// Returns the messages that a backfill of a truncation finds, oldest first.
    private func omitted(before event: FeedEvent, in url: ChannelURL) async throws -> [Message] {
        guard case .truncation(in: url) = event else { return [] }
        return try await device.readAll(url, from: .newest, .older)
    }

    private struct Limit: CustomStringConvertible {
        let patience: Int
        private var empty = 0
        private var all = 0

        init(_ patience: Int) { self.patience = max(patience, 1) }

        mutating func count(_ batch: FeedBatch) {
            empty = batch.events.isEmpty ? empty + 1 : 0
            all += 1
        }

        var isReached: Bool { empty >= patience || all >= 100 * patience }
        var description: String { "\(all) batches, the last \(empty) of them empty" }
    }
}

extension Device {
    func tip() async throws -> FeedCursor {
        var reading = FeedReading(self)
        try await reading.catchUp()
        return try reading.known()
    }

    func missed(since cursor: FeedCursor) async throws -> FeedReading {
        var reading = FeedReading(self, since: cursor)
        try await reading.catchUp()
        return reading
    }
}

extension FeedReading {
    func known() throws -> FeedCursor {
        guard let cursor else { throw Broken(text: "the feed has no cursor") }
        return cursor
    }

    func events(in url: ChannelURL) -> [FeedEvent] { events.filter { $0.channelURL == url } }

    func received(in url: ChannelURL) -> [Message] {
        events(in: url).compactMap {
            if case .messageReceived(let message) = $0 { message } else { nil }
        }
    }

    func hasTruncation(in url: ChannelURL) -> Bool {
        events(in: url).contains { if case .truncation = $0 { true } else { false } }
    }
}

extension FeedEvent {
    var message: Message? {
        switch self {
        case .messageReceived(let message), .messageUpdated(let message): message
        default: nil
        }
    }

    func isAbout(_ id: MessageID?) -> Bool {
        switch self {
        case .messageReceived(let message), .messageUpdated(let message): message.messageID == id
        case .messageDeleted(let other, in: _, at: _), .messageChanged(let other, in: _),
            .messageOrEditDeleted(let other, in: _, createdAt: _, at: _):
            other == id
        case .reaction(let event): event.messageID == id
        default: false
        }
    }
}

extension Device {
    /// Returns an event's message, looked up if the event contains only its ID.
    func messages(of event: FeedEvent) async throws -> [Message] {
        guard case .messageChanged(let id, in: let url) = event else {
            return [event.message].compactMap(\.self)
        }
        return try await backend.lookup([id], in: url).found
    }
}
