import Models
import Sync

extension BackendConformance {
    static let pageChecks: [ConformanceCheck] = [
        ConformanceCheck("messages.order", "request pages of every size") { scene in
            try await checkPages(scene) { page, _, _, _, _ in
                let positions = page.messages.compactMap(\.position)
                try expect(
                    zip(positions, positions.dropFirst()).allSatisfy(<),
                    "the messages of a page are not in the order of their positions: \(page.messages.map(\.shown))"
                )
            }
        },
        ConformanceCheck(
            "messages.order", "request messages of the same millisecond", hooks: [.stopTime]
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            try await scene.perform(.stopTime)
            let sent = try await alice.send(6, in: url)
            let page = try await bob.readAll(url, from: .newest, .older, by: 20)
            let positions = page.compactMap(\.position)
            try expectEqual(Set(page.ids), Set(sent.ids), "the page's messages")
            try expect(
                zip(positions, positions.dropFirst()).allSatisfy(<),
                "the messages of a page are not in the order of their positions: \(page.map(\.shown))"
            )
        },
        ConformanceCheck("messages.limit", "request few messages, and none") { scene in
            try await checkPages(scene) { page, anchor, older, newer, all in
                let ids = page.messages.ids
                try expect(
                    ids.count <= older + newer,
                    "a page with \(older) older and \(newer) newer messages has \(ids)")
                guard let index = index(of: anchor, in: all) else { return }
                let before = all[..<index].ids.filter(ids.contains).count
                try expect(
                    before <= older && ids.count - before <= newer,
                    "a page has too many messages: \(before) older and \(ids.count - before) newer than the anchor"
                )
            }
        },
        ConformanceCheck("messages.whole", "check that pages omit no message") { scene in
            try await checkPages(scene) { page, _, _, _, all in
                let ids = page.messages.ids
                let outliers = page.outliers.map(\.rawValue).sorted()
                try expect(
                    outliers.isEmpty || scene.subject.clockSkew > .zero,
                    "a page has outliers although the server has one clock: \(outliers)")
                try expect(
                    Set(outliers).isSubset(of: ids),
                    "a page has outliers that are not among its messages: \(outliers), \(ids)"
                )
                try expect(
                    Set(ids).isSubset(of: all.ids),
                    "a page has messages that the history does not have: \(ids), \(all.ids)")
                let indices = all.indices.filter { index in
                    ids.contains(all.ids[index]) && !outliers.contains(all.ids[index])
                }
                guard let first = indices.min(), let last = indices.max() else { return }
                let between = all.ids[first...last].filter { !ids.contains($0) }
                try expect(between.isEmpty, "a page of \(ids) omits \(between)")
            }
        },
        ConformanceCheck("messages.fresh", "request a page after the feed has reported a change") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let old = try await bob.send("old", in: url)
            var reading = FeedReading(alice, since: try await alice.tip())
            let new = try await bob.send("new", in: url)
            try await reading.await("the message", new)
            var messages = try await alice.readAll(url, from: .newest, .older, by: 10)
            let sent = [old, new].inOrder
            try expectEqual(
                messages.ids, sent.ids,
                "the messages of a page after the feed has reported a message")
            try await bob.edit(old, "edited")
            let edit = try await reading.await("the edit", old) { $0.text == "edited" }
            messages = try await alice.readAll(url, from: .newest, .older, by: 10)
            let texts = sent.map { $0.messageID == old.messageID ? "edited" : "new" }
            try expectEqual(
                messages.map(\.text), texts,
                "the texts of a page after the feed has reported an edit")
            let version = messages.first { $0.messageID == old.messageID }?.version ?? 0
            try expect(
                version >= edit.version, "a page has the outdated version \(version) of a message")
            try await bob.delete(new)
            try await reading.awaitDeletion(of: new)
            messages = try await alice.readAll(url, from: .newest, .older, by: 10)
            try expectEqual(
                messages.ids, [old].ids,
                "the messages of a page after the feed has reported a deletion")
        },
    ]

    private static func checkPages(
        _ scene: Scene,
        _ check: (MessagePage, MessageAnchor, _ older: Int, _ newer: Int, [Message]) throws -> Void
    ) async throws {
        let (alice, bob, url) = try await scene.pair()
        var all = try await alice.send(5, in: url)
        all += try await bob.send(5, in: url)
        all = all.inOrder
        for index in [7, 2] { try await all.remove(at: index).deleted(by: [alice, bob]) }
        let middle = all[3]
        let anchors: [MessageAnchor] = [
            .newest, .message(try middle.id), .time(middle.createdAt), .time(.distantPast),
            .time(.distantFuture), .message(try all[0].id), .message(try all[all.count - 1].id),
        ]
        for anchor in anchors {
            for (older, newer) in [(0, 1), (1, 0), (2, 2), (0, 3), (20, 20), (3, 0)] {
                let page = try await bob.page(url, anchor, older: older, newer: newer)
                try check(page, anchor, older, newer, all)
            }
        }
    }

    /// `nil` for a time or a cursor; the checks of `messages.time` cover times.
    private static func index(of anchor: MessageAnchor, in all: [Message]) -> Int? {
        switch anchor {
        case .newest: all.count
        case .message(let id): all.firstIndex { $0.messageID == id }
        case .time, .cursor: nil
        }
    }
}

extension Message {
    func deleted(by devices: [Device]) async throws {
        for device in devices where device.userID == sender?.userID {
            return try await device.delete(self)
        }
        throw Broken(text: "the message has no sender: \(shown)")
    }
}
