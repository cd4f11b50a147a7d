import Models
import Sync

// Checks of the changelog of channels.
extension BackendConformance {
    static let channelChangeChecks: [ConformanceCheck] = [
        ConformanceCheck("channelChanges.complete", "get a channel, and messages in another") {
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
            try expectEqual(last, message.messageID, "the last message of the old one")
            var params = GroupChannelChangelogParams()
            params.includesEmptyChannel = false
            let page = try await bob.backend.channelChanges(since: .feed(cursor), params: params)
            if !page.hasMore {
                let urls = page.updated.map(\.url)
                try expect(urls.contains(old), "with parameters, \(old) is missing among \(urls)")
            }
        },
        ConformanceCheck(
            "channelChanges.complete", "change and lose channels, since a token",
            needs: .channelManagement
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
                    text: "the changelog ended without a token", promiseID: "channelChanges.token")
            }
            var patch = Patch<GroupChannel>()
            patch.set(\.name, to: "renamed")
            _ = try await alice.backend.updateChannel(kept, with: patch)
            try await bob.backend.leave(left)
            if let deleted { try await alice.backend.deleteChannel(deleted) }
            let pages = try await bob.channelChangelog(since: .token(token))
            let notified = pages.flatMap(\.updated).last { $0.url == kept }
            try expectEqual(notified?.name, "renamed", "the name of a channel that was renamed")
            let lost = Set(pages.flatMap(\.deletedURLs))
            for url in [left, deleted].compactMap(\.self) {
                try expect(lost.contains(url), "\(url) is not reported as lost")
            }
            try expect(!lost.contains(kept), "\(kept) is reported as lost")
        },
        ConformanceCheck(
            "channelChanges.complete", "get a channel, since a time", needs: .channelChangelogByTime
        ) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let message = try await alice.send("now", in: try await scene.channel(alice, bob))
            let time = scene.before(message.createdAt)
            let url = try await scene.channel(alice, bob)
            let pages = try await bob.channelChangelog(since: .time(time))
            let urls = pages.flatMap(\.updated).map(\.url)
            try expect(urls.contains(url), "\(url) is missing among \(urls)")
        },
        ConformanceCheck("channelChanges.token", "resume from each token") { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let cursor = try await bob.tip()
            let (first, second) = (
                try await scene.channel(alice, bob), try await scene.channel(alice, bob)
            )
            let pages = try await bob.channelChangelog(since: .feed(cursor))
            let urls = Set(pages.flatMap(\.updated).map(\.url))
            try expect(urls.isSuperset(of: [first, second]), "new channels are missing: \(urls)")
            for page in pages { try expect(page.next != nil, "an answer has no token") }
            guard let token = pages.last?.next else { return }
            let third = try await scene.channel(alice, bob)
            let later = try await bob.channelChangelog(since: .token(token)).flatMap(\.updated)
            try expect(
                later.contains { $0.url == third }, "after the last token, \(third) is missing")
        },
        ConformanceCheck("channelChanges.ends", "follow the changelog to its end") { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let cursor = try await bob.tip()
            for _ in 0..<3 { _ = try await scene.channel(alice, bob) }
            // A changelog must end after a limited number of pages even if nothing has changed
            // since the previous one.
            var point = ChangelogPoint.feed(cursor)
            for _ in 0..<3 {
                guard let last = try await bob.channelChangelog(since: point).last?.next else {
                    return
                }
                point = .token(last)
            }
        },
        ConformanceCheck("channelChanges.expired", "resume from an unknown token") { scene in
            let alice = try await scene.device(0)
            _ = try await scene.channel(alice, try await scene.device(1))
            try await expectFailure(.expired, of: "a changelog from an unknown token") {
                _ = try await alice.backend.channelChanges(since: .token("no-such-token"))
            }
        },
    ]
}

extension Device {
    fileprivate func channelChangelog(
        since point: ChangelogPoint
    ) async throws -> [GroupChannelChangelog] {
        var pages: [GroupChannelChangelog] = []
        var point = point
        for _ in 0..<400 {
            let page = try await backend.channelChanges(since: point)
            pages.append(page)
            guard page.hasMore else { return pages }
            guard let next = page.next else {
                throw Broken(
                    text: "there are more pages, but no token", promiseID: "channelChanges.token")
            }
            if case .token(next) = point {
                throw Broken(
                    text: "the token \(next) leads to itself, and there is more",
                    promiseID: "channelChanges.token")
            }
            point = .token(next)
        }
        throw Broken(
            text: "the changelog of channels did not come to an end in 400 pages",
            promiseID: "channelChanges.ends")
    }
}
