import Models
import Sync

extension BackendConformance {
    static let anchorChecks: [ConformanceCheck] = [
        ConformanceCheck("messages.time", "request pages at the time of each message") { scene in
            let (alice, bob, url) = try await scene.pair()
            let sent = try await alice.send(6, in: url).inOrder
            var times: Set<Timestamp> = [.distantPast, .distantFuture]
            for message in sent {
                times.insert(message.createdAt)
                times.insert(Timestamp(milliseconds: message.createdAt.milliseconds + 1))
            }
            for time in times.sorted() {
                let older = try await bob.readAll(url, from: .time(time), .older, by: 4).ids
                try expectEqual(
                    older, sent.filter { $0.createdAt < time }.ids,
                    "the messages before time \(time)")
                let newer = try await bob.readAll(url, from: .time(time), .newer, by: 4).ids
                try expectEqual(
                    newer, sent.filter { $0.createdAt >= time }.ids,
                    "the messages from time \(time) on")
            }
        },
        ConformanceCheck("messages.anchor", "request a page at each message") { scene in
            let (alice, bob, url) = try await scene.pair()
            let sent = try await alice.send(6, in: url).inOrder
            for (index, message) in sent.enumerated() {
                let anchor = MessageAnchor.message(try message.id)
                let page = try await bob.page(url, anchor, older: 2, newer: 2)
                try expect(
                    page.messages.ids.contains([message].ids[0]), "\(message.shown) is missing")
                let older = try await bob.readAll(url, from: anchor, .older, by: 2).ids
                try expectEqual(
                    older, sent[..<index].ids, "the messages older than \(message.shown)")
                let newer = try await bob.readAll(url, from: anchor, .newer, by: 2).ids
                try expectEqual(newer, sent[index...].ids, "the messages from \(message.shown) on")
            }
        },
        ConformanceCheck(
            "messages.anchor", "request a page at a message among others of the same millisecond",
            hooks: [.stopTime]
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            try await scene.perform(.stopTime)
            let sent = try await alice.send(5, in: url).inOrder
            let anchor = MessageAnchor.message(try sent[2].id)
            let older = try await bob.readAll(url, from: anchor, .older, by: 1)
            let newer = try await bob.readAll(url, from: anchor, .newer, by: 1)
            try expectEqual((older + newer).ids, sent.ids, "the messages around the anchor")
            try expectEqual(
                newer.ids.first, sent[2...].ids.first, "the oldest of the newer messages")
        },
        ConformanceCheck("messages.anchor", "request a page at a deleted message") { scene in
            let (alice, bob, url) = try await scene.pair()
            let sent = try await alice.send(5, in: url).inOrder
            try await alice.delete(sent[2])
            let anchor = MessageAnchor.message(try sent[2].id)
            do {
                let older = try await bob.readAll(url, from: anchor, .older, by: 2).ids
                try expectEqual(older, sent[..<2].ids, "the messages older than a deleted message")
                let newer = try await bob.readAll(url, from: anchor, .newer, by: 2).ids
                try expectEqual(newer, sent[3...].ids, "the messages newer than a deleted message")
            } catch let error as BackendError {
                try expectEqual(error.code, .expired, "the error of a page at a deleted message")
            }
        },
        ConformanceCheck("messages.expired", "request a page at an unknown message") { scene in
            let (alice, bob, url) = try await scene.pair()
            _ = try await alice.send(3, in: url)
            try await expectFailure(.expired, of: "a page at an unknown message") {
                _ = try await bob.page(url, .message("no-such-message"), older: 2, newer: 2)
            }
        },
    ]

    static let lookupChecks: [ConformanceCheck] = [
        ConformanceCheck("lookup.all", "look up existing, deleted and unknown messages") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let elsewhere = try await alice.send("", in: try await scene.channel(alice, bob))
            let sent = try await alice.send(3, in: url)
            try await alice.edit(sent[0], "edited")
            try await alice.delete(sent[1])
            let gone: [MessageID] = [try sent[1].id, "no-such-message", try elsewhere.id]
            let ids = [try sent[2].id] + gone + [try sent[0].id]
            let answer = try await bob.backend.lookup(ids, in: url)
            let found = answer.found.sorted { $0.createdAt < $1.createdAt }
            try expectEqual(
                Set(found.ids), Set([sent[0], sent[2]].ids), "the messages that were found")
            try expectEqual(found.count, 2, "the number of messages that were found")
            try expectEqual(answer.gone.sorted(), gone.sorted(), "the ids reported as gone")
            try expectEqual(
                Set(found.map(\.text)), ["edited", sent[2].text], "the texts of the found messages")
            let none = try await bob.backend.lookup([], in: url)
            try expectEqual(none, MessageLookup(found: [], gone: []), "the result for no ids")
        },
        ConformanceCheck("count.exact", "count the messages of parts of a history", needs: .counts)
        { scene in
            let (alice, bob, url) = try await scene.pair()
            var sent = try await alice.send(6, in: url)
            try await alice.delete(sent.remove(at: 3))
            let times: [Timestamp?] =
                [nil] + sent.map(\.createdAt)
                + sent.map { Timestamp(milliseconds: $0.createdAt.milliseconds + 1) }
            for lower in times {
                for upper in times {
                    let expected = sent.count {
                        $0.createdAt >= lower ?? .distantPast
                            && $0.createdAt < upper ?? .distantFuture
                    }
                    let count = try await bob.backend.perform(
                        CountMessages(in: url, from: lower, to: upper))
                    try expectEqual(
                        count, expected, "the count from \(shown(lower)) to \(shown(upper))")
                }
            }
        },
    ]
}
