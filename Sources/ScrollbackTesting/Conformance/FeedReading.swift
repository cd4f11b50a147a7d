import Models
import Sync

/// How far a device has read its feed, and what it was told.
struct FeedReading {
    let device: Device
    private(set) var cursor: FeedCursor?
    private(set) var batches: [FeedBatch] = []

    init(_ device: Device, since cursor: FeedCursor? = nil) {
        self.device = device
        self.cursor = cursor
    }

    var events: [FeedEvent] { batches.flatMap(\.events) }

    /// Pulls one batch.
    @discardableResult
    mutating func pull() async throws -> FeedBatch {
        let batch = try await device.backend.feed(since: cursor)
        batches.append(batch)
        cursor = batch.cursor
        return batch
    }

    /// Pulls until the feed is live: what was missed has been told.
    mutating func catchUp() async throws {
        var limit = Limit(device.scene.subject.patience)
        repeat {
            let batch = try await pull()
            if batch.isLive { return }
            limit.count(batch)
        } while !limit.isReached
        throw Broken(text: "the feed was not live after \(limit)", promiseID: "feed.live")
    }

    /// Pulls until something is told.
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
            text: "\(device.userID) was not told \(what) in \(limit)",
            promiseID: promiseID)
    }

    /// Pulls until a message is told as it is to be: by itself, or by a hole behind which it is found.
    @discardableResult
    mutating func await(
        _ what: String, _ message: Message, else promiseID: String? = "feed.complete",
        where isIt: (Message) -> Bool = { _ in true }
    ) async throws -> Message {
        var limit = Limit(device.scene.subject.patience)
        repeat {
            let batch = try await pull()
            for event in batch.events {
                let told = [event.message].compactMap(\.self)
                for candidate in try await told + behind(event, in: message.channelURL)
                where candidate.messageID == message.messageID && isIt(candidate) {
                    return candidate
                }
            }
            limit.count(batch)
        } while !limit.isReached
        throw Broken(
            text: "\(device.userID) was not told \(what) in \(limit)", promiseID: promiseID)
    }

    /// Pulls until the deletion of a message is told: by itself, or by a hole behind which it is not.
    mutating func awaitDeletion(of message: Message) async throws {
        try await self.await("of a deletion") { event in
            switch event {
            case .messageDeleted(let id, in: message.channelURL, at: _): id == message.messageID
            case .hole(in: message.channelURL, walk: _): true
            default: false
            }
        }
        for event in batches.last?.events ?? [] {
            let found = try await behind(event, in: message.channelURL)
            try expect(
                !found.contains { $0.messageID == message.messageID },
                "behind a hole is the deleted \(message.shown)")
        }
    }

    /// The messages that are found behind a hole, the oldest first; none if the event is something else.
    private func behind(_ event: FeedEvent, in url: ChannelURL) async throws -> [Message] {
        guard case .hole(in: url, let walk) = event else { return [] }
        return try await device.walk(url, from: .cursor(walk), .older)
    }

    /// How many batches are pulled in vain.
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
    /// Where the feed is now: what was before has been told.
    func tip() async throws -> FeedCursor {
        var reading = FeedReading(self)
        try await reading.catchUp()
        return try reading.known()
    }

    /// What is told from a cursor on, until the feed is live.
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

    /// What was told of one channel.
    func events(in url: ChannelURL) -> [FeedEvent] { events.filter { $0.channelURL == url } }

    /// The messages that were told as new in a channel.
    func received(in url: ChannelURL) -> [Message] {
        events(in: url).compactMap {
            if case .messageReceived(let message) = $0 { message } else { nil }
        }
    }

    func hasHole(in url: ChannelURL) -> Bool {
        events(in: url).contains { if case .hole = $0 { true } else { false } }
    }
}

extension FeedEvent {
    /// The message that it tells whole.
    var message: Message? {
        switch self {
        case .messageReceived(let message), .messageUpdated(let message): message
        default: nil
        }
    }

    func isAbout(_ id: MessageID?) -> Bool {
        switch self {
        case .messageReceived(let message), .messageUpdated(let message): message.messageID == id
        case .messageDeleted(let deleted, in: _, at: _): deleted == id
        case .reaction(let event): event.messageID == id
        default: false
        }
    }
}
