import Models
import Sync

extension BackendConformance {
    static let pageCursorChecks: [ConformanceCheck] = [
        ConformanceCheck(
            "messages.cursor", "read the history in both directions, in pages of every size"
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let sent = try await alice.send(8, in: url).inOrder.ids
            try await bob.expectAll(sent, in: url, inPagesOf: [1, 2, 3, 4, 7, 8, 9])
        },
        ConformanceCheck(
            "messages.cursor", "read messages of the same millisecond in pages", hooks: [.stopTime]
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let before = try await alice.send("before", in: url)
            try await scene.perform(.stopTime)
            var sent = try await alice.send(7, in: url)
            guard Set(sent.map(\.createdAt)).count == 1 else {
                throw Skipped(text: "the server gives each message another time")
            }
            try await scene.perform(.startTime)
            sent = ([before] + sent + [try await alice.send("after", in: url)]).inOrder
            try await bob.expectAll(sent.ids, in: url, inPagesOf: [1, 2, 3, 5])
        },
        ConformanceCheck("messages.ends", "check that pages in the middle have cursors") { scene in
            let (alice, bob, url) = try await scene.pair()
            let sent = try await alice.send(6, in: url).inOrder
            let middle = MessageAnchor.message(try sent[3].id)
            for (older, newer) in [(0, 1), (1, 0), (1, 1), (0, 0)] {
                let page = try await bob.page(url, middle, older: older, newer: newer)
                try expect(
                    page.older != nil,
                    "a page in the middle of the history has no cursor for older messages")
                try expect(
                    page.newer != nil,
                    "a page in the middle of the history has no cursor for newer messages")
            }
            let newest = try await bob.page(url, .newest, older: 2, newer: 0)
            try expect(newest.older != nil, "the newest page has no cursor for older messages")
        },
        ConformanceCheck("messages.ends", "request more messages than the server's page limit") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let sent = try await alice.send(many, in: url).inOrder.ids
            try await bob.expectAll(sent, in: url, inPagesOf: [many - 1, many, 1000])
        },
        ConformanceCheck("messages.walk", "read the history to both ends, and an empty channel") {
            scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            for count in [0, 1, 5] {
                let url = try await scene.channel(alice, bob)
                _ = try await alice.send(count, in: url)
                for (anchor, side) in [
                    (MessageAnchor.newest, Side.older), (.newest, .newer),
                    (.time(.distantPast), .older), (.time(.distantPast), .newer),
                ] {
                    _ = try await bob.readAll(url, from: anchor, side, by: 5)
                }
            }
        },
        ConformanceCheck(
            "messages.steady", "send and delete messages between the pages of a history"
        ) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            for side in [Side.older, .newer] {
                let url = try await scene.channel(alice, bob)
                var sent = try await alice.send(9, in: url).inOrder
                if side == .older { sent.reverse() }
                let (seen, cursor) = try await bob.firstPage(url, side, of: 3)
                // Delete the last message of the first page, the one after it, and a later one.
                for index in [seen - 1, seen, seen + 2] { try await alice.delete(sent[index]) }
                let new = try await alice.send("new", in: url)
                var left = Array(sent[seen...])
                for index in [2, 0] { left.remove(at: index) }
                // The next page contains the new message only if it is newer than the first page.
                let isNewer = [sent[seen - 1], new].inOrder.ids.last == [new].ids[0]
                if isNewer == (side == .newer) { left.append(new) }
                for step in [2, 20] {
                    let messages = try await bob.readAll(url, from: .cursor(cursor), side, by: step)
                        .ids
                    try expectEqual(
                        messages, left.inOrder.ids, "the \(side) messages after the first page")
                }
            }
        },
        ConformanceCheck("messages.expired", "resume from an unknown cursor") { scene in
            let (alice, bob, url) = try await scene.pair()
            _ = try await alice.send(3, in: url)
            try await expectFailure(.expired, of: "a page from an unknown cursor") {
                _ = try await bob.page(url, .cursor("no-such-cursor"), older: 2, newer: 0)
            }
        },
    ]
}

extension Device {
    /// Reads a history or a thread from both ends, in pages of several sizes.
    func expectAll(
        _ ids: [String], in url: ChannelURL, inPagesOf steps: [Int], thread parent: MessageID? = nil
    ) async throws {
        let what = parent == nil ? "messages" : "replies"
        for step in steps {
            let older = try await readAll(url, from: .newest, .older, by: step, thread: parent)
            try expectEqual(older.ids, ids, "the older \(what) in pages of \(step)")
            let newer = try await readAll(
                url, from: .time(.distantPast), .newer, by: step, thread: parent)
            try expectEqual(newer.ids, ids, "the newer \(what) in pages of \(step)")
        }
    }

    /// Returns the size and the cursor of the first page that is not empty.
    fileprivate func firstPage(
        _ url: ChannelURL, _ side: Side, of limit: Int
    ) async throws -> (count: Int, cursor: PageCursor) {
        var anchor = side == .older ? MessageAnchor.newest : .time(.distantPast)
        for _ in 0..<100 {
            let page = try await page(
                url, anchor, older: side == .older ? limit : 0, newer: side == .newer ? limit : 0)
            let (count, cursor) = (
                page.messages.count, side == .older ? page.older : page.newer
            )
            guard let cursor, count <= limit else {
                throw Broken(
                    text:
                        "the first page of \(limit) messages has too many messages or no cursor: \(shown(page))"
                )
            }
            guard count == 0 else { return (count, cursor) }
            anchor = .cursor(cursor)
        }
        throw Broken(text: "a hundred consecutive pages are empty", promiseID: "messages.walk")
    }
}
