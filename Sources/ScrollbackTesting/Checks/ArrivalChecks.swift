import Models
import Sync

extension BackendConformance {
    static let arrivalChecks: [ConformanceCheck] = [
        ConformanceCheck(
            "messages.whole", "send from several devices at the same time, and request pages"
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let writers = [alice, bob, try await scene.device(0)]
            let sent = try await withThrowingTaskGroup(of: [Message].self) { group in
                for writer in writers {
                    group.addTask { try await writer.send(8, in: url) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }.inOrder
            let whole = try await bob.page(url, .newest, older: 100, newer: 0)
            // The server's clocks may differ, so a few messages may be outliers.
            let late = whole.outliers
            try expect(
                late.count * 2 < sent.count, "\(late.count) of \(sent.count) messages are outliers")
            for message in sent {
                let anchor = MessageAnchor.message(try message.id)
                for newer in [0, 3] {
                    let page = try await bob.page(url, anchor, older: 3, newer: newer)
                    try expectComplete(page, around: message, sent.filter { !late.contains($0) })
                }
            }
            for message in [sent[0], sent[sent.count / 2], sent[sent.count - 1]] {
                let anchor = MessageAnchor.message(try message.id)
                let older = try await bob.readAll(url, from: anchor, .older, by: 5)
                let newer = try await bob.readAll(url, from: anchor, .newer, by: 5)
                try expectEqual((older + newer).inOrder.ids, sent.ids, "the pages from \(anchor)")
            }
        },
        ConformanceCheck("messages.whole", "deliver a message late, and request pages") { scene in
            let (alice, bob, url) = try await scene.pair()
            let sent = try await bob.send(6, in: url).inOrder
            var reading = FeedReading(alice, since: try await alice.tip())
            let late = Message(
                id: nil, channelURL: url, sender: Sender(id: bob.userID, nickname: "Bob"),
                text: "late", createdAt: sent[1].createdAt, sendingStatus: .succeeded)
            guard try await scene.subject.deliverLate(late) else {
                throw Skipped(text: "the subject delivers no messages late")
            }
            let all = try await alice.history(url).inOrder
            guard let arrived = all.first(where: { $0.text == "late" }), all.count == 7 else {
                throw Broken(text: "the history is \(all.map(\.shown)) after a late message")
            }
            try await reading.await("of the late message", arrived)
            let whole = try await alice.page(url, .newest, older: 20, newer: 0)
            try expect(
                whole.outliers.isSubset(of: [try arrived.id]),
                "\(whole.outliers.sorted()) are outliers, and only the late message may be one")
            for step in 1...4 { try await expectCompletePages(url, on: alice, by: step, all) }
        },
    ]

    /// Throws if a page lacks a message of its range, to which an anchor that is no outlier
    /// belongs.
    private static func expectComplete(
        _ page: MessagePage, around anchor: Message, _ sent: [Message]
    ) throws {
        var covered = page.messages.filter { !page.outliers.contains($0) }
        if !page.outliers.contains(anchor) { covered = (covered + [anchor]).inOrder }
        guard let first = covered.first?.position, let last = covered.last?.position else { return }
        let held = Set(page.messages.ids + [anchor].ids)
        let missing = sent.filter { message in
            guard let position = message.position else { return false }
            return first <= position && position <= last && !held.contains([message].ids[0])
        }
        try expect(
            missing.isEmpty,
            "the page \(page.messages.ids) at \(anchor.shown) lacks \(missing.ids)")
    }

    private static func expectCompletePages(
        _ url: ChannelURL, on device: Device, by step: Int, _ all: [Message]
    ) async throws {
        var (anchor, seen) = (MessageAnchor.newest, Set<String>())
        var oldest: Position?
        for _ in 0..<100 {
            let page = try await device.page(url, anchor, older: step, newer: 0)
            seen.formUnion(page.messages.ids)
            let covered = page.messages.filter { !page.outliers.contains($0) }
            if let first = covered.first?.position { oldest = min(oldest ?? first, first) }
            let missing = all.filter { message in
                guard let oldest, let position = message.position else { return false }
                return oldest <= position && !seen.contains([message].ids[0])
            }
            try expect(
                missing.isEmpty,
                "pages of \(step) down to \(page.messages.ids) lack \(missing.ids) of their range")
            guard let cursor = page.older else {
                return try expectEqual(seen, Set(all.ids), "the messages on pages of \(step)")
            }
            anchor = .cursor(cursor)
        }
        throw Broken(text: "there are more than a hundred pages", promiseID: "messages.walk")
    }
}

extension Set<MessageID> {
    fileprivate func contains(_ message: Message) -> Bool {
        message.messageID.map { contains($0) } ?? false
    }
}
