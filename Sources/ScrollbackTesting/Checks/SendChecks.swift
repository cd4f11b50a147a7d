import Models
import Sync

extension BackendConformance {
    static let sendChecks: [ConformanceCheck] = [
        ConformanceCheck(
            "send.once", "send a request id again, immediately and later",
            needs: .deduplicatesRequests
        ) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let request = scene.subject.makeRequestID()
            let message = try await alice.send("hello", in: url, requestID: request)
            let again = try await alice.send("hello", in: url, requestID: request)
            try expectEqual(
                again.messageID, message.messageID, "the id of the message of the second attempt")
            let others = try await bob.send(many, in: url)
            let edited = try await alice.edit(message, "edited")
            let late = try await alice.send("hello", in: url, requestID: request)
            try expectEqual(
                late.messageID, message.messageID, "the id of the message of a late attempt")
            let history = try await bob.history(url)
            try expectEqual(history.ids, ([message] + others).inOrder.ids, "the messages")
            let text = history.first { $0.messageID == message.messageID }?.text
            try expectEqual(text, edited.text, "the text after a late attempt")
        },
        ConformanceCheck(
            "send.once", "send a request id twice at the same time", needs: .deduplicatesRequests
        ) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let request = scene.subject.makeRequestID()
            async let first = alice.send("hello", in: url, requestID: request)
            async let second = alice.send("hello", in: url, requestID: request)
            let ids = try await [first.messageID, second.messageID]
            try expectEqual(ids[0], ids[1], "the message ids of two simultaneous attempts")
            try expectEqual(try await alice.history(url).count, 1, "the number of messages")
        },
        ConformanceCheck(
            "send.once", "send a request id again from another device",
            needs: [.deduplicatesRequests, .deduplicatesAcrossDevices]
        ) { scene in
            let (alice, tablet) = (try await scene.device(0), try await scene.device(0))
            let url = try await scene.channel(alice, try await scene.device(1))
            let request = scene.subject.makeRequestID()
            let message = try await alice.send("hello", in: url, requestID: request)
            let again = try await tablet.send("hello", in: url, requestID: request)
            try expectEqual(
                again.messageID, message.messageID, "the id of the message of the second attempt")
            try expectEqual(try await alice.history(url).count, 1, "the number of messages")
        },
        ConformanceCheck(
            "send.once", "send a request id from two devices at the same time",
            needs: [.deduplicatesRequests, .deduplicatesAcrossDevices]
        ) { scene in
            let (alice, tablet) = (try await scene.device(0), try await scene.device(0))
            let url = try await scene.channel(alice, try await scene.device(1))
            let request = scene.subject.makeRequestID()
            async let first = alice.send("hello", in: url, requestID: request)
            async let second = tablet.send("hello", in: url, requestID: request)
            let ids = try await [first.messageID, second.messageID]
            try expectEqual(ids[0], ids[1], "the message ids of two simultaneous attempts")
            try expectEqual(try await alice.history(url).count, 1, "the number of messages")
        },
        ConformanceCheck(
            "send.once", "send one request id as two users", needs: .deduplicatesRequests
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let request = scene.subject.makeRequestID()
            let messages = [
                try await alice.send("from alice", in: url, requestID: request),
                try await bob.send("from bob", in: url, requestID: request),
            ]
            let texts = try await alice.history(url).map(\.text)
            try expectEqual(
                texts.sorted(), ["from alice", "from bob"], "the messages of two users")
            try expect(
                messages[0].messageID != messages[1].messageID,
                "the requests of two users created one message")
        },
        ConformanceCheck(
            "send.once", "send a request id again after a restart of the server",
            needs: [.deduplicatesRequests, .deduplicatesAcrossDevices], hooks: [.restartServer]
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let request = scene.subject.makeRequestID()
            let message = try await alice.send("hello", in: url, requestID: request)
            try await scene.perform(.restartServer)
            let restarted = try await scene.device(0)
            let again = try await restarted.send("hello", in: url, requestID: request)
            try expectEqual(
                again.messageID, message.messageID, "the id of the message of the second attempt")
            let count = try await restarted.history(url).count
            try expectEqual(count, 1, "the number of messages")
        },
        ConformanceCheck(
            "send.deleted", "send a request id again after its message was deleted",
            needs: .deduplicatesRequests
        ) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let request = scene.subject.makeRequestID()
            let message = try await alice.send("hello", in: url, requestID: request)
            try await alice.delete(message)
            let cursor = try await bob.tip()
            do {
                let again = try await alice.send("hello", in: url, requestID: request)
                try expectEqual(
                    again.messageID, message.messageID, "the id of the message of a late attempt")
            } catch let error as BackendError {
                try expect(
                    !error.isTransient,
                    "a late attempt threw a transient error, so that it is repeated: \(error)")
            }
            let history = try await bob.history(url)
            try expect(
                history.isEmpty,
                "a late attempt restored the deleted message: \(history.map(\.shown))")
            let notified = try await bob.missed(since: cursor).received(in: url)
            try expect(
                notified.isEmpty, "a deleted message is reported as new: \(notified.map(\.shown))")
        },
        ConformanceCheck("send.order", "send messages one after the other, as two users") { scene in
            guard scene.subject.clockSkew == .zero else {
                throw Skipped(text: "the server's clocks differ, according to the subject")
            }
            let (alice, bob, url) = try await scene.pair()
            var sent: [Message] = []
            for number in 1...6 {
                sent.append(try await (number % 2 == 0 ? alice : bob).send("\(number)", in: url))
            }
            let places = sent.compactMap(\.position)
            try expect(
                zip(places, places.dropFirst()).allSatisfy(<),
                "the messages' positions are not in the order in which they were sent: \(places)")
            try expectEqual(try await alice.history(url).ids, sent.ids, "the history")
        },
        ConformanceCheck("send.reported", "read the history and the feed immediately after sending")
        { scene in
            let (alice, bob, url) = try await scene.pair()
            for number in 1...3 {
                let cursors = [try await alice.tip(), try await bob.tip()]
                let message = try await alice.send("\(number)", in: url)
                for (device, cursor) in zip([alice, bob], cursors) {
                    let history = try await device.readAll(url, from: .newest, .older, by: 1)
                    try expect(
                        history.ids.contains([message].ids[0]),
                        "\(message.shown) is not in the history")
                    let reading = try await device.missed(since: cursor)
                    let isNotified = reading.events.contains { $0.isAbout(message.messageID) }
                    try expect(
                        isNotified || reading.hasTruncation(in: url),
                        "\(device.userID) did not receive \(message.shown)")
                }
            }
        },
    ]
}
