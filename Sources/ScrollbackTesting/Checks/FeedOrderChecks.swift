import Models
import Sync

extension BackendConformance {
    static let feedOrderChecks: [ConformanceCheck] = [
        ConformanceCheck("feed.order", "resume the feed after messages that were changed") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let cursor = try await alice.tip()
            let messages = try await bob.send(4, in: url)
            try await bob.edit(messages[1], "edited")
            let after = try await alice.send("after", in: url)
            try await bob.delete(messages[2])
            let reading = try await alice.missed(since: cursor)
            let notified = reading.received(in: url).ids
            let sent = (messages + [after]).ids
            try expectEqual(notified, sent.filter(notified.contains), "the order of messages")
            try expectChangesFollowMessages(reading.events(in: url))
        },
        ConformanceCheck("feed.order", "receive messages while connected") { scene in
            let (alice, bob, url) = try await scene.pair()
            var reading = FeedReading(alice, since: try await alice.tip())
            var sent: [Message] = []
            for number in 1...5 {
                sent.append(try await bob.send("bob \(number)", in: url))
                sent.append(try await alice.send("alice \(number)", in: url))
            }
            try await reading.await("the last message", sent[sent.count - 1])
            guard !reading.hasTruncation(in: url) else { return }
            try expectEqual(reading.received(in: url).ids, sent.ids, "the order of messages")
        },
        ConformanceCheck("feed.whole", "compare reported messages with the history") { scene in
            let (alice, bob, url) = try await scene.pair()
            var params = NewMessage("hello")
            params.data = "data"
            params.customType = "greeting"
            params.metaArrays = [MetaArray(key: "mood", values: ["sunny"])]
            var reading = FeedReading(alice, since: try await alice.tip())
            let message = try await bob.send(params, in: url)
            let sent = try await reading.await("the message", message)
            try await alice.expectComplete(sent)
            try await bob.edit(message, "hello again")
            let edit = try await reading.await("the edit", message) { $0.text == "hello again" }
            try await alice.expectComplete(edit)
        },
        ConformanceCheck(
            "feed.whole", "edit a message that has reactions and replies",
            needs: [.threads, .reactions]
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let parent = try await alice.send("parent", in: url)
            var reading = FeedReading(alice, since: try await alice.tip())
            let reply = try await bob.send("reply", in: url, to: parent.id)
            let notified = try await reading.await("the reply", reply)
            try await alice.expectComplete(notified)
            try await alice.react(.add, with: "+1", to: reply)
            _ = try await bob.send("reply to it", in: url, to: reply.id)
            try await bob.edit(reply, "edited")
            let edit = try await reading.await("the edit", reply) { $0.text == "edited" }
            try await alice.expectComplete(edit)
        },
        ConformanceCheck("feed.whole", "edit a message several times") { scene in
            let (alice, bob, url) = try await scene.pair()
            let cursor = try await alice.tip()
            let message = try await bob.send("0", in: url)
            var reading = FeedReading(alice, since: cursor)
            for number in 1...4 { try await bob.edit(message, "\(number)") }
            try await reading.await("the last edit", message) { $0.text == "4" }
            try expectNeverOlder(reading.events(in: url))
            try await bob.edit(message, "5")
            try await reading.await("another edit", message) { $0.text == "5" }
            try expectNeverOlder(reading.events(in: url))
        },
        ConformanceCheck(
            "feed.sender", "send with one device of a user, and read the feeds of both"
        ) { scene in
            let (phone, desktop) = (try await scene.device(0), try await scene.device(0))
            let bob = try await scene.device(1)
            let url = try await scene.channel(phone, bob)
            var readings: [FeedReading] = []
            for device in [phone, desktop] {
                readings.append(FeedReading(device, since: try await device.tip()))
            }
            let request = scene.subject.makeRequestID()
            let message = try await phone.send("hello", in: url, requestID: request)
            for var reading in readings {
                try await reading.await("the user's own message", message, else: nil)
                // The feed may have reported a truncation instead.
                guard let notified = reading.received(in: url).first else { continue }
                try expectEqual(notified.requestID, request, "the request id")
            }
        },
        ConformanceCheck("feed.private", "receive no events of other users' channels") { scene in
            let (alice, bob, carol) = try await scene.trio()
            let shared = try await scene.channel(alice, carol)
            let cursor = try await carol.tip()
            let url = try await scene.channel(alice, bob)
            let message = try await alice.send("secret", in: url)
            try await bob.edit(try await bob.send("also secret", in: url), "still secret")
            try await alice.delete(message)
            let marker = try await alice.send("hello", in: shared)
            for start in [cursor, nil] {
                var reading = FeedReading(carol, since: start)
                try await reading.catchUp()
                let notified = reading.events(in: url).map(\.shown)
                try expect(notified.isEmpty, "\(carol.userID) was notified of \(notified)")
                let sets = reading.events.contains {
                    switch $0 {
                    case .channels(let urls), .joinedChannels(let urls): urls.contains(url)
                    default: false
                    }
                }
                try expect(!sets, "\(carol.userID) was notified of \(url)")
                guard start != nil else { continue }
                try expect(
                    reading.events.contains { $0.isAbout(marker.messageID) }
                        || reading.hasTruncation(in: shared),
                    "\(carol.userID) did not receive \(marker.shown)")
            }
        },
    ]

    private static func expectChangesFollowMessages(_ events: [FeedEvent]) throws {
        var notified: Set<MessageID> = []
        var deleted: Set<MessageID> = []
        let received = events.compactMap { event -> MessageID? in
            if case .messageReceived(let message) = event { message.messageID } else { nil }
        }
        for event in events {
            switch event {
            case .messageReceived(let message):
                let id = try message.id
                try expect(
                    !deleted.contains(id),
                    "the feed reported the deletion of \(id) and then \(id) as new")
                notified.insert(id)
            case .messageUpdated(let message):
                let id = try message.id
                try expect(
                    !deleted.contains(id),
                    "the feed reported the deletion of \(id) and then an edit of it")
                try expect(
                    notified.contains(id) || !received.contains(id),
                    "the feed reported an edit of \(id) before the message")
            case .messageDeleted(let id, in: _, at: _),
                .messageOrEditDeleted(let id, in: _, createdAt: _, at: _):
                deleted.insert(id)
            default: break
            }
        }
    }

    private static func expectNeverOlder(_ events: [FeedEvent]) throws {
        var versions: [MessageID: Message] = [:]
        for message in events.compactMap(\.message) {
            let id = try message.id
            if let before = versions[id] {
                try expect(
                    before.version <= message.version,
                    "the feed reported \(message.shown) after the newer version \(before.shown)")
            }
            versions[id] = message
        }
    }
}

extension Device {
    fileprivate func expectComplete(_ message: Message) async throws {
        let found = try await backend.lookup([message.id], in: message.channelURL).found
        guard let found = found.first else {
            throw Broken(text: "a lookup does not find \(message.shown)")
        }
        var copies = MessageCopies()
        copies.add(message, from: "the feed")
        try copies.expectAgreement(with: found, of: "a lookup")
    }
}
