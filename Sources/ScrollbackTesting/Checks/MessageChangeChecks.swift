import Models
import Sync

extension BackendConformance {
    static let messageChangeChecks: [ConformanceCheck] = [
        ConformanceCheck(
            "messageChanges.complete", "edit and delete, and read the changelog since a feed cursor"
        ) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let messages = try await bob.send(4, in: url)
            let cursor = try await alice.tip()
            try await expectChanges(of: messages, by: bob, seenBy: alice, since: .feed(cursor))
        },
        ConformanceCheck(
            "messageChanges.complete", "edit and delete, and read the changelog since a token"
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let messages = try await bob.send(4, in: url)
            let cursor = try await alice.tip()
            let token = try await alice.changelog(url, since: .feed(cursor)).last?.next
            guard let token else {
                throw Broken(
                    text: "the last page of the changelog has no token",
                    promiseID: "messageChanges.token")
            }
            try await expectChanges(of: messages, by: bob, seenBy: alice, since: .token(token))
        },
        ConformanceCheck(
            "messageChanges.complete", "edit and delete, and read the changelog since a time",
            needs: .messageChangelogByTime
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let messages = try await bob.send(4, in: url)
            let time = scene.before(messages[3].createdAt)
            try await expectChanges(of: messages, by: bob, seenBy: alice, since: .time(time))
        },
        ConformanceCheck(
            "messageChanges.complete", "react, and read the changelog", needs: .reactions
        ) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let message = try await bob.send("hello", in: url)
            let cursor = try await alice.tip()
            try await alice.react(.add, with: "+1", to: message)
            let updated = try await alice.changes(url, since: .feed(cursor)).updated
            let last = updated.last { $0.messageID == message.messageID }
            try expectEqual(last?.reactions.map(\.userIDs), [[alice.userID]], "the reactions")
        },
        ConformanceCheck(
            "messageChanges.complete", "edit many messages, and read the changelog in pages"
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let messages = try await bob.send(many, in: url)
            let cursor = try await alice.tip()
            for message in messages { try await bob.edit(message, "edited") }
            let updated = try await alice.changes(url, since: .feed(cursor)).updated
            let notified = Set(updated.filter { $0.text == "edited" }.ids)
            try expectEqual(notified, Set(messages.ids), "the edited messages")
        },
        ConformanceCheck("messageChanges.token", "read the changelog from each of its tokens") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let messages = try await bob.send(many, in: url)
            let cursor = try await alice.tip()
            for message in messages { try await bob.edit(message, "edited") }
            let pages = try await alice.changelog(url, since: .feed(cursor))
            var before: String?
            for page in pages {
                try expect(page.next != nil, "a page of the changelog has no token")
                try expect(
                    page.next != before || !page.hasMore,
                    "a page of the changelog has hasMore and the token of the previous page: \(shown(before))"
                )
                before = page.next
            }
            for (index, page) in pages.enumerated() {
                guard let token = page.next else { continue }
                let rest = try await alice.changes(url, since: .token(token)).updated.ids
                let later = Set(pages[(index + 1)...].flatMap(\.updated).ids)
                try expect(
                    later.isSubset(of: rest),
                    "the changelog since \(token) lacks some of \(later): it has \(rest)")
            }
            guard let last = pages.last?.next else { return }
            try await bob.edit(messages[0], "edited again")
            let updated = try await alice.changes(url, since: .token(last)).updated
            let text = updated.last { $0.messageID == messages[0].messageID }?.text
            try expectEqual(text, "edited again", "the text in the changelog since the last token")
        },
        ConformanceCheck(
            "messageChanges.ends", "read the changelog of a channel that changes meanwhile"
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let cursor = try await alice.tip()
            _ = try await alice.changelog(url, since: .feed(cursor))
            for message in try await bob.send(many, in: url) {
                try await bob.edit(message, "edited")
            }
            // A changelog must end even without further changes.
            var point = ChangelogPoint.feed(cursor)
            for _ in 0..<3 {
                guard let last = try await alice.changelog(url, since: point).last?.next else {
                    return
                }
                point = .token(last)
            }
        },
        ConformanceCheck("messageChanges.expired", "read the changelog from an unknown token") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            _ = try await bob.send(2, in: url)
            try await expectFailure(.expired, of: "a changelog from an unknown token") {
                _ = try await alice.backend.messageChanges(in: url, since: .token("no-such-token"))
            }
        },
        ConformanceCheck(
            "messageChanges.expired", "read the changelog after the server has discarded its past",
            hooks: [.discardLog]
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let messages = try await bob.send(3, in: url)
            let cursor = try await alice.tip()
            try await bob.edit(messages[0], "edited")
            try await scene.perform(.discardLog)
            do {
                let updated = try await alice.changes(url, since: .feed(cursor)).updated
                let isNotified = updated.contains { $0.text == "edited" }
                try expect(
                    isNotified, "the changelog omits discarded changes and does not throw `expired`"
                )
            } catch let error as BackendError {
                try expectEqual(
                    error.code, .expired, "the error of a changelog from a discarded point")
            }
        },
    ]

    private static func expectChanges(
        of messages: [Message], by author: Device, seenBy reader: Device,
        since point: ChangelogPoint
    ) async throws {
        try await author.edit(messages[0], "edited")
        try await author.delete(messages[1])
        try await author.edit(messages[2], "edited")
        try await author.edit(messages[2], "edited twice")
        let url = messages[0].channelURL
        let (updated, deleted) = try await reader.changes(url, since: point)
        for (message, text) in [(messages[0], "edited"), (messages[2], "edited twice")] {
            let last = updated.last { $0.messageID == message.messageID }
            try expectEqual(last?.text, text, "the text in the changelog of \(message.shown)")
        }
        let page = try await reader.backend.messageChanges(
            in: url, since: point, params: MessageChangelogParams())
        if !page.hasMore {
            let ids = page.updated.map(\.messageID)
            for message in [messages[0], messages[2]] {
                try expect(
                    ids.contains(message.messageID),
                    "with parameters that exclude replies, the changelog lacks the edit of \(message.shown)"
                )
            }
        }
        let id = try messages[1].id
        try expect(deleted.contains(id), "the changelog lacks the deletion of \(id)")
        try expect(
            !updated.contains { $0.messageID == id },
            "the changelog reports the deleted message \(id) as edited"
        )
        let ids = Set(messages.compactMap(\.messageID)).subtracting([id])
        let wrong = deleted.filter(ids.contains)
        try expect(
            wrong.isEmpty, "the changelog reports the deletion of existing messages: \(wrong)")
    }
}
