import Models
import ScrollbackTesting
import Testing

@testable import MatrixBackend

/// Tests which messages have a time that contradicts the server's order.
@Suite struct MatrixOutlierTests {
    /// Returns the indexes of the messages that are outliers.
    ///
    /// The messages are given by their times in minutes, in the server's order.
    private func outliers(_ minutes: [Int]) -> [Int] {
        minutes.map { Arrival(position: Message.sample($0).position!) }.outOfOrder
            .map { Int($0.rawValue)! }.sorted()
    }

    @Test func pageInOrderHasNone() {
        #expect(outliers([]) == [])
        #expect(outliers([1]) == [])
        #expect(outliers([1, 2, 3, 4]) == [])
    }

    @Test func lateMessagesAreOlderThanMostBeforeThem() {
        #expect(outliers([26, 27, 28, 29, 1]) == [1])
        #expect(outliers([26, 27, 28, 1, 2, 29]) == [1, 2])
        #expect(outliers([11, 1, 12, 2, 13, 14, 15]) == [1, 2, 11, 12])
    }

    @Test func messagesOfTheFutureAreNewerThanMostAfterThem() {
        #expect(outliers([26, 90, 27, 28]) == [90])
        #expect(outliers([90, 91, 26, 27, 28]) == [90, 91])
    }

    /// Otherwise, messages that are not shown could hide others.
    @Test func deletedMessagesDoNotShowThatOthersAreEarly() {
        var arrivals = [20, 21, 22].map { Arrival(position: Message.sample($0).position!) }
        arrivals += (1...10).map {
            Arrival(position: Message.sample($0).position!, isDeleted: true)
        }
        arrivals += [11, 23].map { Arrival(position: Message.sample($0).position!) }
        #expect(arrivals.outOfOrder == ["11"])
    }

    /// Any of them may have the wrong time.
    @Test func equalNumbersOfMessagesThatContradictEachOtherAreOutliers() {
        #expect(outliers([26, 1]) == [1, 26])
        #expect(outliers([25, 26, 90, 27]) == [27, 90])
        #expect(outliers([26, 27, 1, 2, 28, 29]) == [1, 2, 26, 27])
    }

    /// The deleted message still shows that those after it arrived late.
    @Test func messageAfterADeletedNewerOneIsLate() async throws {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        _ = try await device.backend.feed(since: nil)
        let redacted = """
            {"type": "m.room.message", "event_id": "$m9", "sender": "@bob:example.org",
             "origin_server_ts": 540000, "content": {},
             "unsigned": {"redacted_because": {"type": "m.room.redaction"}}}
            """
        let chunk = [
            PreparedReplies.message("$m8", "8", at: 8 * 60_000), redacted,
            PreparedReplies.message("$m7", "7", at: 7 * 60_000),
        ]
        let messages = "GET rooms/!room:example.org/messages"
        device.server.reply(
            messages, #"{"chunk": [\#(chunk.joined(separator: ","))], "start": "s"}"#)
        let page = try await device.backend.messages(
            in: "!room:example.org", at: .newest, older: 3, newer: 0)
        #expect(page.messages.map(\.text) == ["7", "8"])
        #expect(page.outliers == ["$m8"])
    }

    private func chunk(_ minutes: [Int]) -> String {
        minutes.map { PreparedReplies.message("$m\($0)", "\($0)", at: $0 * 60_000) }
            .joined(separator: ",")
    }

    /// If all messages of a page arrived late, they are recognized by comparison with the messages
    /// just older than the page.
    @Test func pageOfLateMessagesHasOnlyOutliers() async throws {
        let device = try await FollowingDevice().device
        let messages = "GET rooms/!room:example.org/messages"
        device.server.reply(messages, #"{"chunk": [\#(chunk([3, 2]))], "start": "s", "end": "t1"}"#)
        device.server.reply(messages, #"{"chunk": [\#(chunk([29, 28, 27]))], "start": "s"}"#)
        let page = try await device.backend.messages(
            in: "!room:example.org", at: .newest, older: 2, newer: 0)
        #expect(page.messages.map(\.text) == ["2", "3"])
        #expect(page.outliers == ["$m2", "$m3"])
        #expect(page.older == PageCursor("t1"))
    }

    @Test func pageAfterAMessageDoesNotContradictIt() async throws {
        let device = try await FollowingDevice().device
        let anchor = PreparedReplies.message("$m26", "26", at: 26 * 60_000)
        device.server.reply(
            "GET rooms/!room:example.org/context/$m26", #"{"event": \#(anchor), "end": "t1"}"#)
        let messages = "GET rooms/!room:example.org/messages"
        device.server.reply(messages, #"{"chunk": [\#(chunk([27]))], "start": "t1"}"#)
        device.server.reply(messages, #"{"chunk": [\#(chunk([26, 25]))], "start": "t1"}"#)
        let page = try await device.backend.messages(
            in: "!room:example.org", at: .message("$m26"), older: 0, newer: 2)
        #expect(page.messages.map(\.text) == ["26", "27"])
        #expect(page.outliers == [])
        let older = try await device.backend.messages(
            in: "!room:example.org", at: .message("$m26"), older: 2, newer: 0)
        #expect(older.outliers == [])
    }

    /// The neighbors of a page are on the page that was fetched before it, if that page has enough.
    @Test(arguments: [(20, 2), (2, 3)])
    func nextPageNeedsNoRequestForItsNewerNeighbors(size: Int, requests: Int) async throws {
        let device = try await FollowingDevice().device
        let messages = "GET rooms/!room:example.org/messages"
        func count() -> Int { device.server.requests.count { $0 == messages } }
        let newest = chunk((29..<29 + size).reversed())
        device.server.reply(messages, #"{"chunk": [\#(newest)], "start": "t3", "end": "t2"}"#)
        device.server.reply(messages, #"{"chunk": [\#(chunk([90, 28]))], "start": "t2"}"#)
        _ = try await device.backend.messages(
            in: "!room:example.org", at: .newest, older: size, newer: 0)
        let before = count()
        device.server.replace(
            messages, #"{"chunk": [\#(chunk([90, 28]))], "start": "t2", "end": "t1"}"#)
        device.server.reply(messages, #"{"chunk": [\#(chunk([27, 26]))], "start": "t1"}"#)
        device.server.reply(messages, #"{"chunk": [\#(chunk([29, 30]))], "start": "t2"}"#)
        let page = try await device.backend.messages(
            in: "!room:example.org", at: .cursor("t2"), older: 2, newer: 0)
        #expect(page.outliers == ["$m90"])
        #expect(count() == before + requests)
    }

    /// The page would seem to contain all replies since the first minute.
    @Test func firstReplyOfAPageMayBeOfThePast() async throws {
        let device = try await FollowingDevice().device
        let thread = "GET rooms/!room:example.org/relations/$root/m.thread"
        device.server.reply(
            thread, #"{"chunk": [\#(chunk([31, 30, 1]))], "next_batch": "t1"}"#)
        device.server.reply(thread, #"{"chunk": [\#(chunk([29, 28]))]}"#)
        let page = try await device.backend.replies(
            to: "$root", in: "!room:example.org", at: .newest, older: 3, newer: 0)
        #expect(page.messages.map(\.text) == ["1", "30", "31"])
        #expect(page.outliers == ["$m1"])
    }

    /// The page would seem to contain all messages until the 90th minute.
    @Test func lastMessageOfAPageMayBeOfTheFuture() async throws {
        let device = try await FollowingDevice().device
        let messages = "GET rooms/!room:example.org/messages"
        device.server.reply(
            messages, #"{"chunk": [\#(chunk([27, 28, 90]))], "start": "t1", "end": "t2"}"#)
        device.server.reply(messages, #"{"chunk": [\#(chunk([26, 25]))], "start": "t1"}"#)
        device.server.reply(messages, #"{"chunk": [\#(chunk([29, 30]))], "start": "t2"}"#)
        let page = try await device.backend.messages(
            in: "!room:example.org", at: .cursor("t1"), older: 0, newer: 3)
        #expect(page.messages.map(\.text) == ["27", "28", "90"])
        #expect(page.outliers == ["$m90"])
        #expect(device.server.parameters("dir").suffix(3) == ["f", "b", "f"])
    }
}
