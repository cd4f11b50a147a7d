import Models
import Sync

extension BackendConformance {
    static let truncationChecks: [ConformanceCheck] = [
        ConformanceCheck("feed.truncation", "backfill a truncation after many messages") {
            scene in
            try await backfillTruncation(scene, opened: false)
        },
        ConformanceCheck(
            "feed.truncation", "backfill a truncation that the subject causes",
            hooks: [.openTruncations]
        ) { scene in
            try await backfillTruncation(scene, opened: true)
        },
    ]

    static let historyChecks: [ConformanceCheck] = [
        ConformanceCheck("feed.history", "import messages while a device is offline") { scene in
            try await importMessages(scene)
        },
        ConformanceCheck(
            "feed.history", "import messages, and truncate the feed", hooks: [.openTruncations]
        ) { scene in
            try await importMessages(scene) { bob, url in
                _ = try await bob.send(many, in: url)
                try await scene.perform(.openTruncations)
            }
        },
        ConformanceCheck("feed.history", "expire messages") { scene in
            let (alice, bob, url) = try await scene.pair()
            let known = try await bob.send(5, in: url)
            try await followHistory(of: url, on: alice) {
                guard try await scene.subject.expireMessages(before: known[3].createdAt) else {
                    throw Skipped(text: "the subject expires no messages")
                }
            }
        },
        ConformanceCheck("feed.purge", "delete all messages of a user in a channel") { scene in
            try await deleteMessages(scene, inAllChannels: false)
        },
        ConformanceCheck("feed.purge", "delete all messages of a user in all channels") { scene in
            try await deleteMessages(scene, inAllChannels: true)
        },
    ]

    private static func deleteMessages(_ scene: Scene, inAllChannels: Bool) async throws {
        let (alice, bob, url) = try await scene.pair()
        let other = try await scene.channel(alice, bob)
        for url in [url, other] {
            _ = try await bob.send("one", in: url)
            _ = try await alice.send("two", in: url)
            _ = try await bob.send("three", in: url)
        }
        var replicas = [try await Replica(alice, url), try await Replica(alice, other)]
        let cursor = try await alice.tip()
        guard
            try await scene.subject.deleteMessages(of: bob.user, in: inAllChannels ? nil : url)
        else { throw Skipped(text: "the subject deletes no messages of a user") }
        _ = try await bob.send("four", in: url)
        let texts = try await alice.history(url).map(\.text)
        try expectEqual(texts, ["two", "four"], "the history afterwards")
        for index in replicas.indices {
            try await replicas[index].catchUp(since: cursor)
            try await replicas[index].expectAgreement()
        }
    }

    /// Imports messages older and newer than those of the channel.
    private static func importMessages(
        _ scene: Scene, then act: (Device, ChannelURL) async throws -> Void = { _, _ in }
    ) async throws {
        let (alice, bob, carol) = try await scene.trio()
        let url = try await scene.channel(alice, bob)
        let known = try await bob.send(5, in: url)
        let times = [
            scene.before(known[0].createdAt).advanced(by: .seconds(-1)), known[2].createdAt,
            known[4].createdAt.advanced(by: .seconds(1)),
        ]
        let imported = times.enumerated().map { index, time in
            Message(
                id: nil, channelURL: url, sender: Sender(id: carol.userID, nickname: "Carol"),
                text: "imported \(index)", createdAt: time, sendingStatus: .succeeded)
        }
        try await followHistory(of: url, on: alice) {
            guard try await scene.subject.importMessages(imported) else {
                throw Skipped(text: "the subject imports no messages")
            }
            try await act(bob, url)
        }
    }

    /// Throws unless a copy that follows the feed equals the channel's history.
    private static func followHistory(
        of url: ChannelURL, on device: Device, while change: () async throws -> Void
    ) async throws {
        var replica = try await Replica(device, url)
        var channel = try await device.backend.channel(url)
        let cursor = try await device.tip()
        try await change()
        try await replica.catchUp(since: cursor)
        try await replica.expectAgreement()
        for case .channel(let update) in try await device.missed(since: cursor).events(in: url) {
            update.patch.apply(to: &channel)
        }
        try expectEqual(
            channel.essence, try await device.backend.channel(url).essence,
            "the reported state of the channel")
    }

    private static func backfillTruncation(_ scene: Scene, opened: Bool) async throws {
        let (alice, bob, url) = try await scene.pair()
        let known = try await bob.send(3, in: url)
        let cursor = try await alice.tip()
        let missed = try await bob.send(many, in: url)
        if opened { try await scene.perform(.openTruncations) }
        let reading = try await alice.missed(since: cursor)
        var notified = known.ids
        for event in reading.events(in: url) {
            switch event {
            case .truncation: notified = []
            case .messageReceived(let message): notified += [message].ids
            default: break
            }
        }
        let all = (known + missed).ids
        guard reading.hasTruncation(in: url) else {
            try expectEqual(notified, all, "the messages in a feed without truncation")
            if opened {
                throw Broken(
                    text: "the subject caused a truncation, and the feed did not report one")
            }
            throw Skipped(text: "the feed reported \(many) messages without a truncation")
        }
        try expectEqual(
            notified.sorted(), all.suffix(notified.count).sorted(),
            "the messages in the feed after the last truncation")
        for step in [5, 8] {
            // If the server's clocks differ, pages may have another order than the feed.
            let found = try await alice.readAll(url, from: .newest, .older, by: step).ids
            try expectEqual(
                found.sorted(), all.sorted(),
                "the messages that a backfill from the newest one returns, in pages of \(step)")
        }
    }
}
