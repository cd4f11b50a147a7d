import Models
import ScrollbackTesting
import Testing

@testable import MatrixBackend

/// Tests which messages have a time that contradicts the server's order.
@Suite struct MatrixOutlierTests {
    /// Returns the indexes of the messages that are outliers.
    ///
    /// The messages are given by their times in minutes, in the server's order.
    private func late(_ minutes: [Int]) -> [Int] {
        minutes.map { Message.sample($0).position! }.late.map { Int($0.rawValue)! }.sorted()
    }

    @Test func pageInOrderHasNone() {
        #expect(late([]) == [])
        #expect(late([1]) == [])
        #expect(late([1, 2, 3, 4]) == [])
    }

    @Test func lateMessagesAreOlderThanAnEarlierOne() {
        #expect(late([26, 27, 28, 29, 1]) == [1])
        #expect(late([26, 1]) == [1])
        #expect(late([26, 27, 1, 2, 28, 29]) == [1, 2])
        #expect(late([11, 1, 12, 2, 13, 14]) == [1, 2])
    }

    @Test func messagesAfterOneFromAFastClockCoverNoRange() {
        #expect(late([26, 90, 27, 28]) == [27, 28])
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

    /// If all messages of a page arrived late, they are recognized by comparison with the messages
    /// just older than the page.
    @Test func pageOfLateMessagesHasOnlyOutliers() async throws {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        _ = try await device.backend.feed(since: nil)
        func reply(_ numbers: [Int], end: String) -> String {
            let events = numbers.map {
                PreparedReplies.message("$m\($0)", "\($0)", at: $0 * 60_000)
            }
            return
                #"{"chunk": [\#(events.joined(separator: ","))], "start": "s", "end": "\#(end)"}"#
        }
        let messages = "GET rooms/!room:example.org/messages"
        device.server.reply(messages, reply([3, 2], end: "t1"))
        device.server.reply(messages, reply([29, 28, 27], end: "t2"))
        device.server.reply(messages, #"{"chunk": [], "start": "t1"}"#)
        let page = try await device.backend.messages(
            in: "!room:example.org", at: .newest, older: 2, newer: 0)
        #expect(page.messages.map(\.text) == ["2", "3"])
        #expect(page.outliers == ["$m2", "$m3"])
        #expect(page.older == PageCursor("t1"))
    }
}
