import Models
import Sync

// Mistakes in a feed's events.
extension Mistake {
    static let feedMistakes: [Mistake] = [
        .altering("drops truncations", ["feed.complete", "feed.truncation"]) {
            (batch: inout FeedBatch) in
            batch.events.removeAll { if case .truncation = $0 { true } else { false } }
        },
        .altering("swaps two messages", ["feed.order"]) { (batch: inout FeedBatch) in
            let indexes = batch.events.indices.filter { index in
                if case .messageReceived = batch.events[index] { true } else { false }
            }
            if indexes.count > 1 { batch.events.swapAt(indexes[0], indexes[1]) }
        },
        .altering("reports an older version after a newer one", ["feed.whole"]) {
            (batch: inout FeedBatch) in
            for case .messageUpdated(let message) in batch.events {
                var old = message
                old.updatedAt = nil
                old.text = "0"
                batch.events.append(.messageUpdated(old))
            }
        },
        .altering("reports only the changed fields of a message", ["feed.whole", "feed.complete"]) {
            (batch: inout FeedBatch) in
            batch.events = batch.events.map { event in
                guard case .messageUpdated(let message) = event else { return event }
                var part = Message()
                part.messageID = message.messageID
                part.channelURL = message.channelURL
                part.text = message.text
                part.updatedAt = message.updatedAt
                return .messageUpdated(part)
            }
        },
        Mistake("skips a batch of events", ["feed.truncation", "feed.live"]) { backend, base, _ in
            backend.on(CoreCall.Feed.self) { call in
                let cursor = call.since
                var batch = try await base.feed(since: cursor)
                guard !batch.isLive else { return batch }
                batch.cursor = try await base.feed(since: batch.cursor).cursor
                return batch
            }
        },
        Mistake("repeats its cursor", ["feed.cursor", "feed.once"]) { backend, base, _ in
            backend.on(CoreCall.Feed.self) { call in
                let cursor = call.since
                var batch = try await base.feed(since: cursor)
                if batch.isLive, let cursor { batch.cursor = cursor }
                return batch
            }
        },
        .altering("is live too early", ["feed.cursor", "feed.truncation", "feed.live"]) {
            (batch: inout FeedBatch) in
            batch.isLive = true
        },
        .altering("is never live", ["feed.live"]) { (batch: inout FeedBatch) in
            batch.isLive = false
        },
        Mistake("starts again instead of throwing expired", ["feed.expired"]) { backend, base, _ in
            backend.on(CoreCall.Feed.self) { call in
                let cursor = call.since
                do { return try await base.feed(since: cursor) } catch let error as BackendError {
                    guard error.code == .expired else { throw error }
                    return try await base.feed(since: nil)
                }
            }
        },
        Mistake("reports messages to nonmembers", ["feed.private"]) { backend, base, memory in
            backend.on(CoreCall.Send.self) { call in
                let item = call.item
                let message = try await base.send(item)
                memory.use { $0.messages.append(message) }
                return message
            }
            backend.on(CoreCall.Feed.self) { call in
                let cursor = call.since
                var batch = try await base.feed(since: cursor)
                guard let last = memory.use({ $0.messages.suffix(3).first }) else { return batch }
                do { _ = try await base.channel(last.channelURL) } catch {
                    batch.events.append(.messageReceived(last))
                }
                return batch
            }
        },
        Mistake(
            "does not report users' own messages",
            ["feed.sender", "feed.complete", "send.reported"]
        ) { backend, base, _ in
            let mine = Memory()
            backend.on(CoreCall.Connect.self) { call in
                let credentials = call.credentials
                mine.use { $0.user = credentials.userID }
                return try await base.connect(as: credentials)
            }
            backend.on(CoreCall.Feed.self) { call in
                let cursor = call.since
                var batch = try await base.feed(since: cursor)
                batch.events.removeAll { event in
                    guard case .messageReceived(let message) = event else { return false }
                    return message.sender?.userID == mine.use { $0.user }
                }
                return batch
            }
        },
        .altering("reports another epoch", ["feed.epoch"]) { (batch: inout FeedBatch) in
            batch.epoch = "another"
        },
        Mistake("begins with the oldest channels", ["feed.beginning"]) { backend, base, _ in
            backend.on(CoreCall.Feed.self) { call in
                let cursor = call.since
                var batch = try await base.feed(since: cursor)
                if cursor == nil { batch.events.reverse() }
                return batch
            }
        },
    ]
}

// Mistakes in feed cursors, and in connecting.
extension Mistake {
    static let cursorMistakes: [Mistake] = [
        Mistake("serves each cursor once", ["feed.again", "feed.complete", "feed.cursor"]) {
            backend, base, _ in
            let memory = Memory()
            backend.on(CoreCall.Feed.self) { call in
                let cursor = call.since
                var batch = try await base.feed(since: cursor)
                guard let cursor, !batch.events.isEmpty else { return batch }
                let isNew = memory.use { $0.cursors.insert(cursor).inserted }
                if !isNew { (batch.events, batch.isLive) = ([], true) }
                return batch
            }
        },
        Mistake("rejects unknown cursors", ["feed.restart", "feed.once"]) { backend, base, _ in
            let memory = Memory()
            backend.on(CoreCall.Feed.self) { call in
                let cursor = call.since
                if let cursor, !memory.use({ $0.cursors.contains(cursor) }) {
                    throw BackendError(.expired, "an unknown cursor")
                }
                let batch = try await base.feed(since: cursor)
                memory.use { _ = $0.cursors.insert(batch.cursor) }
                return batch
            }
        },
        Mistake("does not report new channels", ["feed.members"]) { backend, base, _ in
            backend.on(CoreCall.Feed.self) { call in
                let cursor = call.since
                var batch = try await base.feed(since: cursor)
                guard cursor != nil else { return batch }
                batch.events.removeAll { if case .channel = $0 { true } else { false } }
                return batch
            }
        },
        Mistake("changes the epoch in each connection", ["connect.again", "feed.epoch"]) {
            backend, base, memory in
            backend.on(CoreCall.Connect.self) { call in
                let credentials = call.credentials
                var session = try await base.connect(as: credentials)
                let count = memory.use { memory in
                    memory.count += 1
                    return memory.count
                }
                session.epoch = ServerEpoch("\(count)")
                return session
            }
        },
    ]
}
