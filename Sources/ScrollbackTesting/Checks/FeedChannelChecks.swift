import Models
import Sync

extension BackendConformance {
    static let feedChannelChecks: [ConformanceCheck] = [
        ConformanceCheck("feed.members", "gain a channel") { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let cursor = try await bob.tip()
            let url = try await scene.channel(alice, bob, named: "new")
            let notified = try await bob.missed(since: cursor).events(in: url)
            var channel = GroupChannel()
            channel.url = url
            for case .channel(let update) in notified { update.patch.apply(to: &channel) }
            let held = try await bob.backend.channel(url)
            try expectEqual(channel.essence, held.essence, "the reported state of a new channel")
        },
        ConformanceCheck("feed.members", "leave a channel", needs: .leaving) { scene in
            let (alice, bob, url) = try await scene.pair()
            let cursor = try await bob.tip()
            _ = try await alice.send("before", in: url)
            try await bob.backend.perform(LeaveChannel(url))
            let message = try await alice.send("after", in: url)
            var reading = try await bob.missed(since: cursor)
            try await reading.catchUp()
            try reading.expectLoss(of: url)
            try expect(
                !reading.events.contains { $0.isAbout(message.messageID) },
                "\(bob.userID) had left the channel, and the feed reported \(message.shown)")
        },
        ConformanceCheck(
            "feed.members", "lose a channel because it is deleted", needs: .channelDeletion
        ) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let cursor = try await bob.tip()
            _ = try await alice.send("before", in: url)
            try await alice.backend.perform(DeleteChannel(url))
            try await bob.missed(since: cursor).expectLoss(of: url)
        },
    ]
}

extension FeedReading {
    /// Throws unless the feed has reported the loss of the channel, and no later event of it.
    func expectLoss(of url: ChannelURL) throws {
        var isLost = false
        for event in events {
            switch event {
            case .channelRemoved(url, _): isLost = true
            case .channels(let urls), .joinedChannels(let urls):
                isLost = isLost || !urls.contains(url)
            default:
                guard event.channelURL == url else { continue }
                try expect(
                    !isLost,
                    "the feed reported \(event.shown) after it had reported the loss of \(url)")
            }
        }
        try expect(isLost, "the feed did not report that \(device.userID) lost \(url)")
    }
}
