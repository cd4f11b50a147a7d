import Models
import Sync

// Checks of the content of message pages.
extension BackendConformance {
    static let pageChecks: [ConformanceCheck] = [
        ConformanceCheck("messages.order", "look at pages of every size") { scene in
            try await lookAround(scene) { page, _, _, _, _ in
                let places = page.messages.compactMap(\.position)
                try expect(
                    zip(places, places.dropFirst()).allSatisfy(<),
                    "a page is not in the order of positions: \(page.messages.map(\.shown))")
            }
        },
        ConformanceCheck(
            "messages.order", "look at messages of one millisecond", hooks: [.stopTime]
        ) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let url = try await scene.channel(alice, bob)
            try await scene.perform(.stopTime)
            let sent = try await alice.send(6, in: url)
            let page = try await bob.walk(url, from: .newest, .older, by: 20)
            let places = page.compactMap(\.position)
            try expectEqual(Set(page.ids), Set(sent.ids), "the page's messages")
            try expect(
                zip(places, places.dropFirst()).allSatisfy(<),
                "a page is not in the order of positions: \(page.map(\.shown))")
        },
        ConformanceCheck("messages.limit", "ask for few, and for none") { scene in
            try await lookAround(scene) { page, anchor, older, newer, all in
                let ids = page.messages.ids
                try expect(ids.count <= older + newer, "\(ids) are more than \(older) and \(newer)")
                guard let place = place(of: anchor, in: all) else { return }
                let before = all[..<place].ids.filter(ids.contains).count
                try expect(
                    before <= older && ids.count - before <= newer,
                    "\(before) before the anchor and \(ids.count - before) after it")
            }
        },
        ConformanceCheck("messages.whole", "look for truncations in pages") { scene in
            try await lookAround(scene) { page, _, _, _, all in
                let ids = page.messages.ids
                let outliers = page.outliers.map(\.rawValue).sorted()
                try expect(
                    outliers.isEmpty || scene.subject.clockSkew > .zero,
                    "\(outliers) are outliers on a server with one clock")
                try expect(
                    Set(outliers).isSubset(of: ids), "the outliers \(outliers) are not among \(ids)"
                )
                try expect(
                    Set(ids).isSubset(of: all.ids), "\(ids) are not all among \(all.ids)")
                let places = all.indices.filter { index in
                    ids.contains(all.ids[index]) && !outliers.contains(all.ids[index])
                }
                guard let first = places.min(), let last = places.max() else { return }
                let between = all.ids[first...last].filter { !ids.contains($0) }
                try expect(between.isEmpty, "\(ids) lacks \(between)")
            }
        },
        ConformanceCheck("messages.fresh", "read a page after the feed reported a change") {
            scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let url = try await scene.channel(alice, bob)
            let old = try await bob.send("old", in: url)
            var reading = FeedReading(alice, since: try await alice.tip())
            let new = try await bob.send("new", in: url)
            try await reading.await("of a message", new)
            var messages = try await alice.walk(url, from: .newest, .older, by: 10)
            let sent = [old, new].inOrder
            try expectEqual(messages.ids, sent.ids, "the pages after a message was reported")
            try await bob.edit(old, "edited")
            let edit = try await reading.await("of an edit", old) { $0.text == "edited" }
            messages = try await alice.walk(url, from: .newest, .older, by: 10)
            let texts = sent.map { $0.messageID == old.messageID ? "edited" : "new" }
            try expectEqual(messages.map(\.text), texts, "the pages after an edit was reported")
            let version = messages.first { $0.messageID == old.messageID }?.version ?? 0
            try expect(version >= edit.version, "a page has version \(version)")
            try await bob.delete(new)
            try await reading.awaitDeletion(of: new)
            messages = try await alice.walk(url, from: .newest, .older, by: 10)
            try expectEqual(messages.ids, [old].ids, "the pages after a deletion was reported")
        },
    ]

    /// Calls a check with pages of several sizes around several anchors.
    private static func lookAround(
        _ scene: Scene,
        _ check: (MessagePage, MessageAnchor, _ older: Int, _ newer: Int, [Message]) throws -> Void
    ) async throws {
        let (alice, bob) = (try await scene.device(0), try await scene.device(1))
        let url = try await scene.channel(alice, bob)
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

    /// Returns the number of messages before an anchor.
    ///
    /// Returns `nil` for a time, which another promise covers, and for a cursor.
    private static func place(of anchor: MessageAnchor, in all: [Message]) -> Int? {
        switch anchor {
        case .newest: all.count
        case .message(let id): all.firstIndex { $0.messageID == id }
        case .time, .cursor: nil
        }
    }
}

extension Message {
    /// Deletes the message on the device of its sender.
    func deleted(by devices: [Device]) async throws {
        for device in devices where device.userID == sender?.userID {
            return try await device.delete(self)
        }
        throw Broken(text: "the message does not say who sent it: \(shown)")
    }
}
