import Models
import Sync

extension BackendConformance {
    static let feedCursorChecks: [ConformanceCheck] = [
        ConformanceCheck("feed.once", "resume the feed after each batch") { scene in
            let (alice, bob, url) = try await scene.pair()
            let cursor = try await alice.tip()
            let messages = try await bob.send(5, in: url)
            try await bob.delete(messages[4])
            var reading = try await alice.missed(since: cursor)
            try await reading.catchUp()
            let late = try await bob.send("late", in: url)
            try await reading.await("the message that was sent last", late)
            try expectOnce(reading.events(in: url))
        },
        ConformanceCheck("feed.once", "resume the feed from its end with a new device") { scene in
            let (alice, bob, url) = try await scene.pair()
            let cursor = try await alice.tip()
            let message = try await bob.send("hello", in: url)
            try await bob.edit(message, "hello again")
            let end = try await alice.missed(since: cursor).known()
            let notified = try await scene.device(0).missed(since: end).events(in: url)
            try expect(
                notified.isEmpty,
                "the feed repeats events from before its cursor: \(notified.map(\.shown))")
        },
        ConformanceCheck("feed.again", "read the feed three times from one cursor") { scene in
            let (alice, bob, url) = try await scene.pair()
            let old = try await bob.send("old", in: url)
            let start = try await Replica(alice, url)
            let cursor = try await alice.tip()
            let messages = try await bob.send(3, in: url)
            try await bob.edit(old, "edited")
            try await bob.delete(messages[1])
            for round in 1...3 {
                if round == 3 { try await bob.edit(messages[0], "the newer state") }
                var replica = start
                try await replica.catchUp(since: cursor)
                try await replica.expectAgreement()
            }
        },
        ConformanceCheck(
            "feed.fresh", "rename a channel twice, and request the events", needs: .channelUpdates
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let cursor = try await bob.tip()
            for name in ["first", "second"] {
                var patch = Patch<GroupChannel>()
                patch.set(\.name, to: name)
                _ = try await alice.backend.perform(UpdateChannel(url, with: patch))
            }
            try expectEqual(try await bob.backend.channel(url).name, "second", "the name")
            var channel = GroupChannel()
            for batch in try await bob.missed(since: cursor).batches {
                var isNamed = false
                for case .channel(let update) in batch.events where update.channelURL == url {
                    update.patch.apply(to: &channel)
                    isNamed = isNamed || update.patch.contains(\.name)
                }
                guard isNamed else { continue }
                try expectEqual(channel.name, "second", "the name after a batch of the feed")
            }
        },
        ConformanceCheck("feed.cursor", "resume the feed from the middle") { scene in
            let (alice, bob, url) = try await scene.pair()
            let cursor = try await alice.tip()
            _ = try await bob.send(many, in: url)
            let reading = try await alice.missed(since: cursor)
            var before = cursor
            for (index, batch) in reading.batches.enumerated() {
                if !batch.events.allSatisfy(\.isReportedOnce) {
                    try expect(
                        batch.cursor != before,
                        "a batch with events has the cursor of the previous batch: \(before)")
                }
                before = batch.cursor
                let rest = try await alice.missed(since: batch.cursor).received(in: url).ids
                let later = reading.batches[(index + 1)...].flatMap(\.events).compactMap(\.message)
                try expectEqual(rest, later.ids, "the messages in the feed since \(batch.cursor)")
            }
        },
        ConformanceCheck("feed.cursor", "store the cursor of each batch") { scene in
            let (alice, bob, url) = try await scene.pair()
            var cursor = try await alice.tip()
            for number in 1...3 {
                let message = try await bob.send("\(number)", in: url)
                var reading = FeedReading(alice, since: cursor)
                try await reading.await("message \(number)", message)
                let next = try reading.known()
                try expect(
                    next != cursor,
                    "a batch with events has the cursor of the previous batch: \(cursor)")
                cursor = next
            }
        },
        ConformanceCheck("feed.wait", "request events before there are any, five times") { scene in
            guard !scene.subject.answersFeedAtOnce else {
                throw Skipped(text: "the subject declares that its feed returns at once")
            }
            let (alice, bob, url) = try await scene.pair()
            var reading = FeedReading(alice, since: try await alice.tip())
            var emptyCount = 0
            for number in 1...5 {
                let cursor = try reading.known()
                let (batch, message) = try await alice.batch(since: cursor) { isAnswered in
                    // After three answers, the server has very likely received the request; ten
                    // more give an immediate answer time to arrive.
                    for answer in 1...13 where answer <= 3 || !isAnswered() {
                        _ = try await bob.backend.channel(url)
                    }
                    return try await bob.send("\(number)", in: url)
                }
                if batch.isLive && batch.events.isEmpty { emptyCount += 1 }
                reading = FeedReading(alice, since: batch.cursor)
                if !batch.events.contains(where: { $0.isAbout(message.messageID) }) {
                    try await reading.await("message \(number)", message)
                }
            }
            // A feed may end a wait early now and then.
            try expect(
                emptyCount < 3,
                "\(emptyCount) of 5 requests returned an empty live batch without waiting; if the "
                    + "server can only be polled, the subject declares `answersFeedAtOnce`")
        },
        ConformanceCheck("feed.expired", "resume from an unknown cursor") {
            scene in
            let alice = try await scene.device(0)
            _ = try await scene.channel(alice, try await scene.device(1))
            try await expectFailure(.expired, of: "a feed from a cursor of another server") {
                _ = try await alice.backend.feed(since: "no-such-cursor")
            }
        },
        ConformanceCheck(
            "feed.expired", "resume the feed after the server has discarded its past",
            hooks: [.discardLog]
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let cursor = try await alice.tip()
            let before = try await bob.send(3, in: url)
            try await scene.perform(.discardLog)
            try await expectFailure(.expired, of: "a feed from a discarded cursor") {
                _ = try await alice.backend.feed(since: cursor)
            }
            let message = try await bob.send("hello", in: url)
            let channel = try await alice.backend.channel(url)
            let last = (before + [message]).inOrder.last
            try expectEqual(channel.lastMessage?.messageID, last?.messageID, "the last message")
        },
        ConformanceCheck(
            "feed.expired", "resume the feed after the server's history was rolled back",
            hooks: [.breakHistory]
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let cursor = try await alice.tip()
            try await scene.perform(.breakHistory)
            for device in [alice, bob] { try await device.reconnect() }
            _ = try await bob.send("hello", in: url)
            try await expectFailure(.expired, of: "a cursor of another epoch") {
                _ = try await alice.backend.feed(since: cursor)
            }
        },
        ConformanceCheck("feed.restart", "restart the server", hooks: [.restartServer]) { scene in
            let (alice, bob, url) = try await scene.pair()
            var replica = try await Replica(alice, url)
            let cursor = try await alice.tip()
            let messages = try await bob.send(3, in: url)
            try await scene.perform(.restartServer)
            replica.device = try await scene.device(0)
            try await scene.device(1).edit(messages[0], "edited")
            try await replica.catchUp(since: cursor)
            try await replica.expectAgreement()
        },
        ConformanceCheck("feed.epoch", "compare the epochs of batches and sessions") { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let session = try await alice.backend.connect(as: alice.user)
            let url = try await scene.channel(alice, bob)
            let cursor = try await alice.tip()
            _ = try await bob.send(3, in: url)
            var epochs = Set(try await alice.missed(since: cursor).batches.map(\.epoch))
            var beginning = FeedReading(alice)
            try await beginning.catchUp()
            epochs.formUnion(beginning.batches.map(\.epoch))
            try expectEqual(epochs, [session.epoch], "the epochs of batches")
        },
        ConformanceCheck(
            "feed.epoch", "roll back the server's history", hooks: [.breakHistory]
        ) { scene in
            let alice = try await scene.device(0)
            _ = try await scene.channel(alice, try await scene.device(1))
            let before = try await alice.backend.connect(as: alice.user)
            try await scene.perform(.breakHistory)
            let after = try await alice.reconnect()
            try expect(after.epoch != before.epoch, "the epoch has not changed: \(before.epoch)")
            var beginning = FeedReading(alice)
            try await beginning.catchUp()
            try expectEqual(
                Set(beginning.batches.map(\.epoch)), [after.epoch], "the batches' epochs")
        },
    ]

    private static func expectOnce(_ events: [FeedEvent]) throws {
        var notified: Set<String> = []
        for event in events where event.message != nil || event.isDeletion {
            try expect(
                notified.insert(event.shown).inserted,
                "the feed reported an event twice: \(event.shown)")
        }
        let received = events.compactMap { event -> MessageID? in
            if case .messageReceived(let message) = event { message.messageID } else { nil }
        }
        try expectEqual(
            Set(received).count, received.count,
            "the number of distinct messages that were reported as new")
    }
}

extension Device {
    @discardableResult
    func reconnect() async throws -> BackendSession {
        await backend.disconnect()
        return try await backend.connect(as: user)
    }
}

extension FeedEvent {
    var isDeletion: Bool {
        switch self {
        case .messageDeleted, .messageOrEditDeleted: true
        default: false
        }
    }
}

extension Device {
    /// Runs `body` once the request has begun; its argument returns whether the request was
    /// answered.
    fileprivate func batch<Result>(
        since cursor: FeedCursor, whenBegun body: (() -> Bool) async throws -> Result
    ) async throws -> (FeedBatch, Result) {
        let progress = Locked(RequestProgress.waiting)
        let backend = backend
        let request = Task {
            progress.withLock { $0 = .begun }
            defer { progress.withLock { $0 = .answered } }
            return try await backend.feed(since: cursor)
        }
        defer { request.cancel() }
        while progress.withLock({ $0 == .waiting }) { await Task.yield() }
        let result = try await body { progress.withLock { $0 == .answered } }
        return (try await request.value, result)
    }
}

private enum RequestProgress { case waiting, begun, answered }
