import Foundation
import Models
import Testing

@testable import Store

/// Tests that rows that can be decoded but contradict each other are found, and never cause a trap.
@Suite struct ContradictoryRowTests {
    private let directory: StoreDirectory

    /// Creates channel a, which has number 1 and messages 1 to 3, and channel b, which has number 2
    /// and message 4.
    init() throws {
        directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { batch in
            try batch.save(GroupChannel(url: "a", createdAt: 1))
            try batch.save(GroupChannel(url: "b", createdAt: 2))
            for message in messages { try batch.save(message) }
            try batch.cover("a", from: .beginning, through: .end)
            try batch.open(Gap(in: "a", to: .position(Position(createdAt: 10, messageID: "1"))))
            var user = User()
            user.userID = "alice"
            try batch.save(user)
            for id: RequestID in ["p", "q"] { try batch.save(outboxItem(id)) }
        }
        store.close()
    }

    private let messages = [
        Message("1", at: 10, in: "a", request: "r1"), Message("2", at: 20, in: "a"),
        Message("3", at: 30, in: "a", to: "1"), Message("4", at: 40, in: "b"),
    ]

    private func outboxItem(_ id: RequestID, in url: ChannelURL = "a") -> OutboxItem {
        OutboxItem(Message(id: nil, channelURL: url, text: "\(id)", createdAt: 5), requestID: id)
    }

    /// Writes rows directly to the database.
    private func damage(_ database: String, _ body: (Overlay) -> Void) throws {
        let database = try LevelDB(at: directory.url.appending(path: database).path)
        let batch = Overlay()
        body(batch)
        try database.write(batch, isDurable: true)
        database.close()
    }

    private func position(_ time: Int64, _ id: MessageID) -> Position {
        Position(createdAt: Timestamp(milliseconds: time), messageID: id)
    }

    /// Expects that the check finds a kind of problem, and that no call traps.
    private func expectFound(
        _ kind: StoreProblem.Kind, in url: ChannelURL? = "a",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let store = try directory.open()
        let problems = try store.check()
        #expect(
            problems.contains { $0.kind == kind && $0.channelURL == url }, "\(problems)",
            sourceLocation: sourceLocation)
        try readAndWriteAll(StoreDirectory(of: directory))
        store.close()
    }

    /// Expects that reindexing the outbox keeps all items.
    private func expectReindexed(
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try ChatStore.reindexOutbox(at: directory.url)
        let store = try directory.open()
        #expect(store.openingReport.isOutboxReindexed, sourceLocation: sourceLocation)
        #expect(try store.check() == [], sourceLocation: sourceLocation)
        #expect(
            try store.outboxItems().map(\.requestID) == ["p", "q"], sourceLocation: sourceLocation)
        try store.write { try $0.save(outboxItem("s", in: "c")) }
        #expect(try store.contradictions() == [], sourceLocation: sourceLocation)
        store.close()
    }

    /// Calls everything that reads or writes the rows.
    ///
    /// The only errors that it accepts are reports of damage.
    private func readAndWriteAll(_ copy: StoreDirectory) throws {
        let store = try copy.open()
        func attempt(_ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as StoreError where [.corruption, .invalid].contains(error.code) {
            }
        }
        for url: ChannelURL in ["a", "b", "new"] {
            try attempt { _ = try store.messages(in: url) }
            try attempt { _ = try store.gaps(in: url) }
            try attempt { _ = try store.staleRanges(in: url) }
            try attempt { _ = try store.replies(to: "1", in: url) }
            try attempt { _ = try store.firstGap(below: .end, in: url) }
            let middle = position(25, "x")
            try attempt { _ = try store.write { try $0.open(Gap(in: url, to: .position(middle))) } }
            try attempt {
                _ = try store.write {
                    try $0.cover(
                        url, from: .position(position(12, "x")), through: .position(middle))
                }
            }
            try attempt {
                _ = try store.write { try $0.markStale(StaleRange(in: url, lossNumber: 1)) }
            }
            try attempt {
                _ = try store.write {
                    try $0.markVerified(url, from: .beginning, through: .position(middle))
                }
            }
            try attempt { _ = try store.write { try $0.save(Message("2", at: 50, in: url)) } }
            try attempt { _ = try store.write { try $0.removeMessages(in: url) } }
            try attempt { _ = try store.write { try $0.clearMessages(in: url) } }
        }
        try attempt { _ = try store.write { try $0.clearCachedData() } }
        store.close()
    }

    // MARK: Channels

    @Test func nameRowWithAnotherChannelsNumber() throws {
        try damage("cache") { $0.put({ $0.nameKey("a") }, { $0.integer(ChannelNumber(2)) }) }
        let store = try directory.open()
        // Channel a is unknown. It must not show the messages of b.
        #expect(try store.messages(in: "a") == [])
        #expect(try store.messages(in: "b") == [messages[3]])
        store.close()
        try expectFound(.channelNumber)
    }

    @Test func channelWithoutItsNumberGetsANewOne() throws {
        try damage("cache") { $0.put({ $0.nameKey("a") }, { $0.integer(ChannelNumber(2)) }) }
        let store = try directory.open()
        try store.write { try $0.save(Message("5", at: 50, in: "a")) }
        #expect(try store.messages(in: "a").map(\.messageID) == ["5"])
        #expect(try store.messages(in: "b").map(\.messageID) == ["4"])
        #expect(try store.view.number(of: "a") == 3)
    }

    @Test(arguments: [Table.name, .url]) func lostRowOfAChannelsNumber(table: Table) throws {
        try damage("cache") { batch in
            batch.remove {
                if table == .name { $0.nameKey("a") } else { $0.table(.url, 1) }
            }
        }
        try expectFound(.channelNumber)
    }

    @Test(arguments: [0, 1, 2] as [ChannelNumber])
    func channelNumberIsNeverAssignedTwice(next: ChannelNumber) throws {
        try damage("cache") { batch in
            batch.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next) })
        }
        let store = try directory.open()
        #expect(try store.check().map(\.kind) == [.nextNumber])
        try store.write { try $0.save(Message("5", at: 50, in: "c")) }
        #expect(try store.view.number(of: "c") == 3)
        #expect(try store.messages(in: "b") == [messages[3]])
        #expect(try store.check() == [])
    }

    @Test func lostCounterOfChannels() throws {
        try damage("cache") { $0.remove { $0.schemaKey(.nextNumber) } }
        try expectFound(.nextNumber, in: nil)
    }

    @Test func channelUnderAnotherChannelsKey() throws {
        let other = GroupChannel(url: "b", createdAt: 2)
        try damage("cache") { batch in
            batch.put({ $0.table(.groupChannel, 1) }, { $0.raw(other.serializedBytes) })
        }
        try expectFound(.key)
    }

    @Test func rowsOfANumberWithoutAChannel() throws {
        let lost = Message("7", at: 70, in: "lost")
        try damage("cache") { batch in
            batch.put({ $0.messageKey(77, lost.position!) }, { $0.raw(lost.serializedBytes) })
        }
        try expectFound(.unnamed, in: nil)
    }

    // MARK: Messages

    @Test func messageUnderTwoKeys() throws {
        let older = Message("2", at: 5, in: "a")
        try damage("cache") { batch in
            batch.put({ $0.messageKey(1, older.position!) }, { $0.raw(older.serializedBytes) })
        }
        try expectFound(.duplicateMessage)
    }

    @Test func messageThatDisagreesWithItsKey() throws {
        try damage("cache") { batch in
            batch.remove { $0.messageKey(1, position(20, "2")) }
            batch.put(
                { $0.messageKey(1, position(60, "8")) }, { $0.raw(messages[1].serializedBytes) })
        }
        try expectFound(.key)
    }

    @Test func messageOfAnotherChannel() throws {
        let other = Message("4", at: 40, in: "b")
        try damage("cache") { batch in
            batch.put({ $0.messageKey(1, position(40, "4")) }, { $0.raw(other.serializedBytes) })
        }
        try expectFound(.key)
    }

    @Test func lostRowOfAKind() throws {
        let store = try directory.open()
        let link = Message(id: "9", channelURL: "a", text: "http://a.de", createdAt: 90)
        try store.write { try $0.save(link) }
        store.close()
        let kind = KindKey.all(of: link)[0]
        try damage("cache") { batch in batch.remove { $0.kindKey(1, kind, position(90, "9")) } }
        try expectFound(.index)
    }

    @Test func rowOfAKindThatTheMessageIsNot() throws {
        let kind = KindKey.all(of: .link, for: nil)[0]
        try damage("cache") { batch in batch.put { $0.kindKey(1, kind, position(20, "2")) } }
        try expectFound(.index)
        // Lists omit the message.
        let store = try directory.open()
        #expect(try store.messages(of: .link, in: "a", limit: 9) == [])
    }

    @Test(arguments: 0..<3) func lostIndexRow(index: Int) throws {
        try damage("cache") { batch in
            batch.remove {
                switch index {
                case 0: $0.creationTimeKey(1, "2")
                case 1: $0.requestKey(1, "r1")
                default: $0.replyKey(1, "1", position(30, "3"))
                }
            }
        }
        try expectFound(.index)
    }

    @Test(arguments: 0..<3) func indexRowWithoutATarget(index: Int) throws {
        try damage("cache") { batch in
            switch index {
            case 0: batch.put({ $0.creationTimeKey(1, "8") }, { $0.timestamp(80) })
            case 1: batch.put({ $0.requestKey(1, "r8") }, { $0.text("2") })
            default: batch.put { $0.replyKey(1, "2", position(30, "3")) }
            }
        }
        try expectFound(.index)
    }

    @Test(arguments: 0..<3) func indexRowWithBytesAfterItsEnd(index: Int) throws {
        try damage("cache") { batch in
            switch index {
            case 0:
                batch.put({ $0.creationTimeKey(1, "2") }) {
                    $0.timestamp(20)
                    $0.raw([0])
                }
            case 1:
                batch.put({ $0.requestKey(1, "r1") }) {
                    $0.text("1")
                    $0.raw([0])
                }
            default:
                batch.put {
                    $0.replyKey(1, "1", position(30, "3"))
                    $0.raw([0])
                }
            }
        }
        try expectFound(.index)
    }

    @Test func wrongCount() throws {
        var state = ChannelState()
        state.messageCount = 99
        try damage("cache") { batch in batch.put({ $0.table(.state, 1) }, state.write) }
        try expectFound(.messageCount)
    }

    @Test func userUnderAnotherKey() throws {
        var user = User()
        user.userID = "bob"
        try damage("cache") { batch in
            batch.put({ $0.userKey("alice") }, { $0.raw(user.serializedBytes) })
        }
        let store = try directory.open()
        #expect(try store.check().map(\.kind) == [.key])
    }

    // MARK: Coverage

    private func overlap<Value: HistoryRange>(_ first: Value, _ second: Value) throws {
        try damage("cache") { batch in
            for range in [first, second] {
                batch.put({ $0.boundKey(Value.table, 1, range.upper) }, range.writeValue)
            }
        }
    }

    @Test func overlappingGaps() throws {
        try overlap(
            Gap(in: "a", from: .beginning, to: .position(position(25, "x"))),
            Gap(in: "a", from: .position(position(15, "x")), to: .end))
        try expectFound(.overlap)
    }

    @Test func overlappingStaleRanges() throws {
        try overlap(
            StaleRange(in: "a", from: .beginning, to: .position(position(25, "x")), lossNumber: 1),
            StaleRange(in: "a", from: .position(position(15, "x")), to: .end, lossNumber: 2))
        try expectFound(.overlap)
    }

    @Test func writingToOverlappingGapsIsDamage() throws {
        try overlap(
            Gap(in: "a", from: .beginning, to: .position(position(25, "x"))),
            Gap(in: "a", from: .position(position(15, "x")), to: .end))
        let store = try directory.open()
        #expect(
            code {
                _ = try store.write {
                    try $0.cover("a", from: .position(position(10, "1")), through: .end)
                }
            } == .corruption)
        #expect(store.cacheDamage != nil)
    }

    // MARK: The outbox

    @Test func itemWithoutItsIndexRow() throws {
        try damage("outbox") { $0.remove { $0.outboxItemRequestKey("p") } }
        try expectFound(.index)
        try expectReindexed()
    }

    @Test func itemUnderAnotherChannelsKey() throws {
        try damage("outbox") { batch in
            batch.put(
                { $0.outboxItemKey("a", 2) }, { $0.raw(outboxItem("q", in: "b").serializedBytes) })
        }
        try expectFound(.key)
        try expectReindexed()
        let store = try directory.open()
        #expect(try store.outboxItems(in: "b") == [outboxItem("q", in: "b")])
    }

    @Test(arguments: [nil, 0, 1, 2] as [UInt64?])
    func itemIsNeverReplacedByANewOne(next: UInt64?) throws {
        try damage("outbox") { batch in
            if let next {
                batch.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next) })
            } else {
                batch.remove { $0.schemaKey(.nextNumber) }
            }
        }
        let store = try directory.open()
        #expect(try store.check().map(\.kind) == [.nextNumber])
        try store.write { try $0.save(outboxItem("new")) }
        #expect(try store.outboxItems().map(\.requestID) == ["p", "q", "new"])
        #expect(try store.check() == [])
    }
}
