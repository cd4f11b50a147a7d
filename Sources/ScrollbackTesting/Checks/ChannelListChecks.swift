import Models
import Sync

extension BackendConformance {
    static let channelListChecks: [ConformanceCheck] = [
        ConformanceCheck("channels.query", "list channels in every order, in pages of two") {
            scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let urls = try await scene.someChannels(alice, bob)
            for order in [
                GroupChannelListOrder.latestLastMessage, .oldestLastMessage, .chronological,
                .channelNameAlphabetical,
            ] {
                var query = GroupChannelListQuery.everything
                query.order = order
                query.channelURLsFilter = urls
                query.limit = 2
                try await alice.expectList(of: query, among: urls, "the list in the order \(order)")
            }
        },
        ConformanceCheck("channels.query", "list channels with filters") { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let urls = try await scene.someChannels(alice, bob)
            var query = GroupChannelListQuery.everything
            query.channelNameContainsFilter = "B"
            try await alice.expectList(of: query, among: urls, "the list filtered by name")
            query = .everything
            query.includesEmptyChannel = false
            try await alice.expectList(of: query, among: urls, "the list without empty channels")
            query = .everything
            query.channelURLsFilter = [urls[1], "no-such-channel"]
            try await alice.expectList(of: query, among: urls, "the list filtered by URL")
            query = .everything
            query.memberStateFilter = .invitedOnly
            try await alice.expectList(of: query, among: urls, "the list of invitations")
        },
        ConformanceCheck("channels.query", "list only channels of the user") { scene in
            let (alice, bob, url) = try await scene.pair()
            let carols = try await scene.device(2).channelURLs()
            try expect(
                !carols.contains(url), "the list has \(url), of which the user is not a member")
            let bobs = try await bob.channelURLs()
            try expect(bobs.contains(url), "the list lacks \(url)")
        },
        ConformanceCheck("channel.same", "compare a channel with the list and the feed") { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let url = try await scene.channel(alice, bob, named: "same")
            _ = try await alice.send(2, in: url)
            let channel = try await bob.backend.channel(url)
            try expectEqual(channel.url, url, "the channel's URL")
            try expectEqual(channel.name, "same", "the channel's name")
            let listed = try await bob.channels(matching: .everything).first { $0.url == url }
            try expectEqual(listed?.essence, channel.essence, "the channel in the list")
            var reading = FeedReading(bob)
            try await reading.catchUp()
            var notified = GroupChannel()
            notified.url = url
            for case .channel(let update) in reading.events(in: url) {
                update.patch.apply(to: &notified)
            }
            try expectEqual(notified.essence, channel.essence, "the channel in the feed")
            guard bob.can(.unreadCounts) else { return }
            for count in [channel, listed].compactMap({ $0?.unreadMessageCount }) {
                try expect(
                    count == 0 || count == notified.unreadMessageCount,
                    "the unread count is \(count), and \(notified.unreadMessageCount) in the feed")
            }
        },
        ConformanceCheck("members.all", "list members in pages") { scene in
            let devices = [
                try await scene.device(0), try await scene.device(1), try await scene.device(2),
            ]
            let url = try await scene.channel(devices[0], devices[1], devices[2])
            for limit in [1, 2, 10] {
                let found = try await devices[1].members(of: url, limit: limit)
                let ids = devices.map(\.userID).sorted()
                try expectEqual(
                    found.map(\.userID).sorted(), ids, "the members in pages of \(limit)")
                try expect(
                    found.allSatisfy { $0.state == .joined }, "a member is not listed as joined")
            }
        },
        ConformanceCheck(
            "members.all", "list joined and invited members",
            needs: [.channelCreation, .invitations]
        ) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let params = GroupChannelCreateParams("Invited", userIDs: [bob.userID])
            let url = try await alice.backend.perform(CreateChannel(params)).url
            let members = try await alice.members(of: url)
            let states = members.map { "\($0.userID) \($0.state)" }.sorted()
            try expectEqual(
                states, ["\(alice.userID) joined", "\(bob.userID) invited"].sorted(),
                "the joined and invited members")
        },
    ]
}

extension Scene {
    /// Creates channels whose orders by name and by last message differ; the last one is empty.
    fileprivate func someChannels(_ devices: Device...) async throws -> [ChannelURL] {
        var urls: [ChannelURL] = []
        for name in ["b1", "a", "B2", "c", "empty"] {
            urls.append(try await channel(devices[0], devices[1], named: name))
        }
        for index in [2, 0, 3, 1] { _ = try await devices[0].send("hello", in: urls[index]) }
        return urls
    }
}

extension Device {
    /// Throws unless the list agrees with the query, ignoring other channels.
    fileprivate func expectList(
        of query: GroupChannelListQuery, among urls: [ChannelURL], _ what: String
    ) async throws {
        var expected: [GroupChannel] = []
        for url in urls {
            let channel = try await backend.channel(url)
            if query.belongsTo(channel, currentUserID: userID) { expected.append(channel) }
        }
        expected.sort(by: query.precedes)
        let found = try await channels(matching: query).map(\.url).filter(urls.contains)
        try expectEqual(found, expected.map(\.url), what)
    }
}
