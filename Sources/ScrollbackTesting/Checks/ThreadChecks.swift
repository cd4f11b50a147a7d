import Models
import Sync

extension BackendConformance {
    static let threadChecks: [ConformanceCheck] = [
        ConformanceCheck("replies.page", "read two threads in pages", needs: .threads) { scene in
            let (alice, bob, url) = try await scene.pair()
            let parents = try await alice.send(2, in: url)
            var replies: [[Message]] = [[], []]
            for number in 0..<12 {
                let thread = number % 2
                replies[thread].append(
                    try await bob.send("\(number)", in: url, to: try parents[thread].id))
                _ = try await alice.send("between", in: url)
            }
            try await bob.delete(replies[0].remove(at: 2))
            for (parent, replies) in zip(parents, replies.map(\.inOrder)) {
                let id = try parent.id
                try await alice.expectAll(
                    replies.ids, in: url, inPagesOf: [1, 2, 5, 20], thread: id)
                for reply in replies { try expectEqual(reply.parentMessageID, id, "the parent") }
            }
        },
        ConformanceCheck("kinds.page", "read messages with links in pages", needs: .kindFilter) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            var links: [Message] = []
            for number in 0..<12 {
                links.append(try await bob.send("www.example.com/\(number)", in: url))
                _ = try await alice.send("between", in: url)
            }
            try await bob.delete(links.remove(at: 2))
            try await bob.edit(links.remove(at: 3), "no link")
            for step in [1, 5, 20] {
                var (found, anchor): ([String], MessageAnchor?) = ([], .newest)
                for _ in 0..<40 {
                    guard let start = anchor else { break }
                    let page: MessagePage
                    do throws(BackendError) {
                        page = try await alice.backend.messages(
                            of: .link, in: url, at: start, older: step)
                    } catch {
                        // The server has no filter for links.
                        if error.code == .unsupported { return }
                        throw error
                    }
                    let ids = page.messages.filter { $0.kinds.contains(.link) }.ids
                    try expect(ids.count <= step, "a page of \(step) has \(ids)")
                    found = ids + found
                    anchor = page.older.map { .cursor($0) }
                }
                try expect(anchor == nil, "the pages of \(step) have no end within 40 pages")
                try expectEqual(found, links.inOrder.ids, "the links in pages of \(step)")
            }
        },
        ConformanceCheck("replies.page", "request pages of a thread", needs: .threads) { scene in
            let (alice, bob, url) = try await scene.pair()
            let question = try await alice.send("parent", in: url)
            let parent = try question.id
            var replies: [Message] = []
            for number in 0..<5 {
                replies.append(try await bob.send("\(number)", in: url, to: parent))
            }
            replies = replies.inOrder
            let middle = try replies[2].id
            for (older, newer) in [(1, 1), (2, 0), (0, 2), (9, 9)] {
                let page = try await alice.page(
                    url, .message(middle), older: older, newer: newer, thread: parent)
                let ids = page.messages.ids
                let all = replies.ids
                let before = all[..<2].filter(ids.contains).count
                try expect(
                    before <= older && ids.count - before <= newer,
                    "a page with \(older) replies older and \(newer) newer than \(middle) has \(ids)"
                )
                try expectEqual(ids, all.filter(ids.contains), "the order of replies")
                if older < 2 {
                    try expect(
                        page.older != nil, "a page has no cursor for older replies, which exist")
                }
                if newer < 3 {
                    try expect(
                        page.newer != nil, "a page has no cursor for newer replies, which exist")
                }
            }
            let history = try await alice.history(url).ids
            try expectEqual(history, ([question] + replies).inOrder.ids, "the channel's history")
        },
    ]
}
