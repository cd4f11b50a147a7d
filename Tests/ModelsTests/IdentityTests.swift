import Foundation
import ScrollbackTesting
import Testing

@testable import Models

@Suite struct IdentityTests {
    static let ids: [MessageID] = [
        "", "0", "9", "10", "11", "99", "100", "a", "b", "aa", "$abc", "\u{e9}", "日",
        "9007199254740993",
    ]

    @Test func messageIDsAreOrderedByLengthAndThenByBytes() {
        #expect(
            Self.ids.shuffled().sorted() == [
                "", "0", "9", "a", "b", "10", "11", "99", "aa", "\u{e9}", "100", "日", "$abc",
                "9007199254740993",
            ])
    }

    @Test func decimalMessageIDsAreOrderedAsNumbers() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<2_000 {
            let (a, b) = (
                random.next() >> (random.next() % 64), random.next() >> (random.next() % 64)
            )
            #expect((MessageID("\(a)") < MessageID("\(b)")) == (a < b))
        }
    }

    @Test func positionsAreAStrictTotalOrder() {
        let positions = [Timestamp.distantPast, -1, 0, 1, .distantFuture].flatMap { time in
            Self.ids.map { Position(createdAt: time, messageID: $0) }
        }
        expectStrictTotalOrder(positions) { $0 < $1 }
        #expect(Position(createdAt: 1, messageID: "9") < Position(createdAt: 2, messageID: "1"))
        #expect(Position(createdAt: 1, messageID: "9") < Position(createdAt: 1, messageID: "10"))
        #expect(Position(createdAt: 5, messageID: "a").description == "5/a")
    }

    @Test func identifiersAreWrittenAsTextsAndReadFromNumbersToo() throws {
        let decoder = JSONDecoder()
        #expect(try decoder.decode([UserID].self, from: Data(#"["ann", 7]"#.utf8)) == ["ann", "7"])
        #expect(try json(["ann" as UserID]) == #"["ann"]"#)
        #expect(try json(["ann" as UserID: 5 as Timestamp]) == #"{"ann":5}"#)
        #expect(
            try decoder.decode([UserID: Timestamp].self, from: Data(#"{"ann":5}"#.utf8)) == [
                "ann": 5
            ])
    }

    @Test func roundedNumbersAreNotIdentifiers() throws {
        let decoder = JSONDecoder()
        let whole = Data("18446744073709551615".utf8)
        #expect(try decoder.decode(MessageID.self, from: whole) == "18446744073709551615")
        #expect(throws: DecodingError.self) {
            try decoder.decode(UserID.self, from: Data("123456789012345678901".utf8))
        }
    }

    @Test(arguments: [
        ("7001", "7001"), ("0", "0"), ("-5", "-5"), ("007", #""007""#), ("$x", #""$x""#),
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", #""9223372036854775808""#), ("+1", #""+1""#), ("", #""""#),
    ])
    func messageIDsAreNumbersInJSONWhereServersWriteThemSo(id: String, text: String) throws {
        let messageID = MessageID(id)
        #expect(try json(messageID) == text)
        #expect(try JSONDecoder().decode(MessageID.self, from: Data(text.utf8)) == messageID)
    }

    @Test(arguments: ["1700000000123", "1700000000123.0", "1700000000123.9", #""1700000000123""#])
    func timesAreReadHoweverServersWriteThem(text: String) throws {
        let time = try JSONDecoder().decode(Timestamp.self, from: Data(text.utf8))
        #expect(time == 1_700_000_000_123)
        #expect(try json(time) == "1700000000123")
    }

    @Test(arguments: [#""soon""#, "1e300", "null", "[]", #""""#])
    func invalidTimeIsAnError(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Timestamp.self, from: Data(text.utf8))
        }
    }

    @Test func timesAreDatesToTheMillisecond() {
        #expect(Timestamp(Date(timeIntervalSince1970: 1_700_000_000.123)) == 1_700_000_000_123)
        #expect(Timestamp(Date(timeIntervalSince1970: -0.001)) == -1)
        var random = SeededRandom(seed: 9)
        for _ in 0..<2_000 {
            let time = Timestamp(
                milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &random)
            )
            #expect(abs(Timestamp(time.date).milliseconds - time.milliseconds) == 0)
        }
        #expect(Timestamp(Date(timeIntervalSince1970: .infinity)) == .distantFuture)
        #expect(Timestamp(Date(timeIntervalSince1970: -1e300)) == .distantPast)
    }

    @Test func errorCodeDeterminesWhetherAMessageIsResendable() {
        #expect(ErrorCode.requestFailed.isResendable)
        #expect(ErrorCode.connectionRequired.isResendable)
        #expect(!ErrorCode.channelFrozen.isResendable)
        #expect(!ErrorCode(rawValue: 12345).isResendable)
        #expect(ErrorCode.ackTimeout.rawValue == 800_180)
        #expect(ErrorCode.banned.description == "banned")
        #expect(ErrorCode(rawValue: 7).description == "7")
    }

    @Test func eventSourcesDistinguishLiveEvents() {
        let events = (0..<2000).filter { CollectionEventSource(rawValue: $0).isFromEvent }
        #expect(events == Array(100..<1000))
        #expect(!CollectionEventSource.messageChangelog.isFromEvent)
        #expect(!CollectionEventSource.messageLoadNext.isFromEvent)
        #expect(CollectionEventSource(rawValue: 102) == .eventMessageUpdated)
    }

    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}

/// Checks that of two different values exactly one precedes the other, and that the order is
/// transitive.
func expectStrictTotalOrder<Value: Equatable>(
    _ values: [Value], _ precedes: (Value, Value) -> Bool
) {
    for a in values {
        for b in values {
            #expect([precedes(a, b), precedes(b, a), a == b].filter { $0 }.count == 1)
            guard precedes(a, b) else { continue }
            for c in values where precedes(b, c) { #expect(precedes(a, c)) }
        }
    }
}

@Suite struct ConvenienceTests {
    @Test func identitiesAreNeverNil() {
        var message = Message(id: "1", channelURL: "c", text: "", createdAt: 1)
        #expect(message.id == .sent("1"))
        message.requestID = "r"
        #expect(message.id == .written("r"))
        message.messageID = nil
        #expect(message.id == .written("r"))
        #expect(GroupChannel(url: "c", createdAt: 1).id == "c")
        #expect(User(id: "u").id == "u")
        #expect(Reaction(key: "+1").id == "+1")
    }

    @Test func timestampsAddDurations() {
        let time = Timestamp(milliseconds: 1000)
        #expect(time.advanced(by: .seconds(1)) == 2000)
        #expect(time.advanced(by: .milliseconds(-1)) == 999)
        #expect(Timestamp(milliseconds: 400).duration(to: time) == .milliseconds(600))
        #expect(Timestamp.distantFuture.advanced(by: .seconds(1)) == .distantFuture)
        #expect(Timestamp.distantPast.advanced(by: .seconds(-1)) == .distantPast)
        #expect(time.advanced(by: .seconds(Int64.max)) == .distantFuture)
        #expect(Date(time) == time.date)
    }

    @Test func receiptsTellWhoHasReadAMessage() {
        var message = Message(id: "1", channelURL: "c", text: "", createdAt: 10)
        var sender = Sender()
        sender.userID = "alice"
        message.sender = sender
        var channel = GroupChannel(url: "c", createdAt: 1)
        channel.members = ["alice", "bob", "carol"].map { (id: UserID) in
            var member = Member()
            (member.userID, member.state) = (id, .joined)
            return member
        }
        channel.readReceipts = ["alice": 1, "bob": 10, "carol": 9]
        #expect(channel.membersWhoHaveRead(message).map(\.id) == ["bob"])
        #expect(channel.unreadMemberCount(of: message) == 1)
        #expect(channel.isRead(message, by: "alice") && message.isSent(by: "alice"))
    }

    @Test func applicationsValuesAreCoded() throws {
        struct Mood: Codable, Equatable {
            var name: String
            var level: Int
        }
        let mood = Mood(name: "sunny", level: 3)
        var message = Message(id: "1", channelURL: "c", text: "", createdAt: 1)
        try message.encodeData(mood)
        #expect(try message.decodedData(as: Mood.self) == mood)
        message.extra["mood"] = try JSONValue(encoding: mood)
        #expect(try message.extra["mood"]?.decoded() == mood)
        #expect(throws: DecodingError.self) { try message.decodedData(as: Int.self) }
    }
}
