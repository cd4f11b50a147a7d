import Models
import Sync

extension BackendConformance {
    static let feedChecks: [ConformanceCheck] = [
        ConformanceCheck("feed.beginning", "start the feed from the beginning, with three channels")
        { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            var urls: [ChannelURL] = []
            for name in ["one", "two", "three"] {
                urls.append(try await scene.channel(alice, bob, named: name))
            }
            // Unless the server's clocks differ, the second channel has the newest message. The
            // third one has none.
            let old = try await bob.send("old", in: urls[0])
            let new = try await bob.send("new", in: urls[1])
            var reading = FeedReading(alice)
            try await reading.catchUp()
            let notified = reading.events.compactMap { event -> ChannelUpdate? in
                if case .channel(let update) = event { update } else { nil }
            }
            let all = try await alice.channelURLs()
            try expectEqual(
                Set(notified.map(\.channelURL)), all,
                "the channels that the feed reports at the beginning")
            let order = notified.map(\.channelURL).filter(urls.contains)
            if new.createdAt != old.createdAt {
                let recent = [old, new].inOrder.reversed().map(\.channelURL)
                try expectEqual(order, recent + [urls[2]], "the order of the channels")
            }
            for update in notified where urls.contains(update.channelURL) {
                var channel = GroupChannel()
                channel.url = update.channelURL
                update.patch.apply(to: &channel)
                let held = try await alice.backend.channel(update.channelURL)
                try expectEqual(
                    channel.essence, held.essence,
                    "a channel that the feed reports at the beginning")
            }
            for url in urls {
                let events = reading.events(in: url).filter { $0.message != nil }
                try expect(
                    events.isEmpty,
                    "the feed reported messages that were sent before its start: \(events.map(\.shown))"
                )
            }
        },
        ConformanceCheck("feed.complete", "resume the feed after messages, edits and deletions") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let other = try await scene.channel(bob, alice)
            let messages = try await bob.send(4, in: url)
            var replica = try await Replica(alice, url)
            var otherReplica = try await Replica(alice, other)
            let cursor = try await alice.tip()
            _ = try await bob.send(3, in: url)
            try await bob.edit(messages[0], "edited")
            try await bob.delete(messages[1])
            _ = try await bob.send(2, in: other)
            _ = try await alice.send("mine", in: other)
            try await bob.edit(messages[2], "edited too")
            try await bob.delete(messages[2])
            try await replica.catchUp(since: cursor)
            try await replica.expectAgreement()
            try await otherReplica.catchUp(since: cursor)
            try await otherReplica.expectAgreement()
        },
        ConformanceCheck("feed.complete", "resume the feed after more events than one batch has") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let messages = try await bob.send(5, in: url)
            var replica = try await Replica(alice, url)
            let cursor = try await alice.tip()
            let more = try await bob.send(many, in: url)
            try await bob.edit(messages[0], "edited")
            try await bob.edit(more[3], "edited")
            try await bob.delete(messages[2])
            try await bob.delete(more[1])
            try await replica.catchUp(since: cursor)
            try await replica.expectAgreement()
        },
        ConformanceCheck("feed.complete", "resume the feed after a reaction", needs: .reactions) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let message = try await alice.send("hello", in: url)
            var replica = try await Replica(alice, url)
            let cursor = try await alice.tip()
            try await bob.react(.add, with: "+1", to: message)
            try await replica.catchUp(since: cursor)
            try await replica.expectAgreement()
        },
        ConformanceCheck("feed.complete", "receive events while connected") { scene in
            let (alice, bob, url) = try await scene.pair()
            var reading = FeedReading(alice, since: try await alice.tip())
            let message = try await bob.send("hello", in: url)
            try await reading.await("the message", message)
            try await bob.edit(message, "hello again")
            try await reading.await("the edit", message) { $0.text == "hello again" }
            try await bob.delete(message)
            try await reading.awaitDeletion(of: message)
        },
        ConformanceCheck("feed.live", "resume the feed, and stop at the first live batch") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let last = try await scene.channel(bob, alice)
            let cursor = try await alice.tip()
            _ = try await bob.send(many, in: url)
            let message = try await bob.send("the last one", in: last)
            let reading = try await alice.missed(since: cursor)
            try expect(
                reading.received(in: last).ids == [message].ids || reading.hasTruncation(in: last),
                "the feed was live before it reported \(message.shown)")
        },
    ]

    /// A number of missed messages for which a server may report a truncation.
    static let many = 30
}
