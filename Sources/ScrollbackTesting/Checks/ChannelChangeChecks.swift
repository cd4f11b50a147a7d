import Models
import Sync

extension BackendConformance {
    static let channelChangeChecks: [ConformanceCheck] = [
        ConformanceCheck(
            "channelChanges.complete", "gain a channel, and receive messages in another one"
        ) {
            scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let old = try await scene.channel(alice, bob)
            let cursor = try await bob.tip()
            let message = try await alice.send("hello", in: old)
            let new = try await scene.channel(alice, bob, named: "new")
            let updated = try await bob.channelChangelog(since: .feed(cursor)).flatMap(\.updated)
            let notified = updated.last { $0.url == new }
            try expectEqual(notified?.name, "new", "the name of the new channel")
            let last = updated.last { $0.url == old }?.lastMessage?.messageID
            try expectEqual(last, message.messageID, "the last message of the other channel")
            var params = GroupChannelChangelogParams()
            params.includesEmptyChannel = false
            let page = try await bob.backend.channelChanges(since: .feed(cursor), params: params)
            if !page.hasMore {
                let urls = page.updated.map(\.url)
                try expect(
                    urls.contains(old),
                    "with parameters, the changelog has \(urls) and lacks \(old)")
            }
        },
        ConformanceCheck(
            "channelChanges.complete",
            "change, leave and delete channels, and read the changelog since a token",
            needs: [.channelUpdates, .leaving]
        ) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let (kept, left) = (
                try await scene.channel(alice, bob), try await scene.channel(alice, bob)
            )
            let deleted = bob.can(.channelDeletion) ? try await scene.channel(alice, bob) : nil
            let cursor = try await bob.tip()
            let token = try await bob.channelChangelog(since: .feed(cursor)).last?.next
            guard let token else {
                throw Broken(
                    text: "the last page of the changelog has no token",
                    promiseID: "channelChanges.token")
            }
            var patch = Patch<GroupChannel>()
            patch.set(\.name, to: "renamed")
            _ = try await alice.backend.perform(UpdateChannel(kept, with: patch))
            try await bob.backend.perform(LeaveChannel(left))
            if let deleted { try await alice.backend.perform(DeleteChannel(deleted)) }
            let pages = try await bob.channelChangelog(since: .token(token))
            let notified = pages.flatMap(\.updated).last { $0.url == kept }
            try expectEqual(notified?.name, "renamed", "the name of the renamed channel")
            let lost = Set(pages.flatMap(\.deletedURLs))
            for url in [left, deleted].compactMap(\.self) {
                try expect(
                    lost.contains(url), "the changelog does not report that the user lost \(url)")
            }
            try expect(
                !lost.contains(kept),
                "the changelog reports that the user lost \(kept), but the user still has that channel"
            )
        },
        ConformanceCheck(
            "channelChanges.complete", "gain a channel, and read the changelog since a time",
            needs: .channelChangelogByTime
        ) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let message = try await alice.send("now", in: try await scene.channel(alice, bob))
            let time = scene.before(message.createdAt)
            let url = try await scene.channel(alice, bob)
            let pages = try await bob.channelChangelog(since: .time(time))
            let urls = pages.flatMap(\.updated).map(\.url)
            try expect(urls.contains(url), "the changelog has \(urls) and lacks \(url)")
        },
        ConformanceCheck("channelChanges.token", "read the changelog from each of its tokens") {
            scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let cursor = try await bob.tip()
            let (first, second) = (
                try await scene.channel(alice, bob), try await scene.channel(alice, bob)
            )
            let pages = try await bob.channelChangelog(since: .feed(cursor))
            let urls = Set(pages.flatMap(\.updated).map(\.url))
            try expect(
                urls.isSuperset(of: [first, second]),
                "the changelog lacks new channels: it has \(urls)")
            for page in pages {
                try expect(page.next != nil, "a page of the changelog has no token")
            }
            guard let token = pages.last?.next else { return }
            let third = try await scene.channel(alice, bob)
            let later = try await bob.channelChangelog(since: .token(token)).flatMap(\.updated)
            try expect(
                later.contains { $0.url == third },
                "the changelog since the last token lacks \(third)")
        },
        ConformanceCheck("channelChanges.ends", "read the changelog to its end") { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let cursor = try await bob.tip()
            for _ in 0..<3 { _ = try await scene.channel(alice, bob) }
            // A changelog must end even without further changes.
            var point = ChangelogPoint.feed(cursor)
            for _ in 0..<3 {
                guard let last = try await bob.channelChangelog(since: point).last?.next else {
                    return
                }
                point = .token(last)
            }
        },
        ConformanceCheck("channelChanges.expired", "read the changelog from an unknown token") {
            scene in
            let alice = try await scene.device(0)
            _ = try await scene.channel(alice, try await scene.device(1))
            try await expectFailure(.expired, of: "a changelog from an unknown token") {
                _ = try await alice.backend.channelChanges(since: .token("no-such-token"))
            }
        },
    ]
}
