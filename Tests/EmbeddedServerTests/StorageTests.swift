import Models
import Store
import Testing

@testable import EmbeddedServer

@Suite struct StorageTests {
    private func hex(_ write: (inout ByteWriter) -> Void) -> String {
        ByteWriter.key(write).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    @Test func keysHaveTheirGoldenBytes() {
        let position = Position(createdAt: 1000, messageID: "7")
        #expect(hex { $0.message(2, position) } == "6d00000002" + "80000000000003e8" + "000137")
        #expect(hex { $0.location("7") } == "6937")
        #expect(hex { $0.request("al", "r1") } == "720002616c7231")
        #expect(hex { $0.reply("7", position) } == "70000137" + "80000000000003e8" + "000137")
        #expect(hex { $0.log(258) } == "6c0000000000000102")
        #expect(hex { $0.channelLog(2, 258) } == "6b000000020000000000000102")
        #expect(hex { $0.removal("al", 258) } == "790002616c0000000000000102")
        #expect(hex { $0.channel(2) } == "6300000002")
        #expect(hex { $0.member(2, "al") } == "6700000002616c")
        #expect(hex { $0.restriction(2, .banned, "al") } == "620000000201616c")
        #expect(hex { $0.offset(2, "al") } == "6f00000002616c")
        #expect(hex { $0.user("al") } == "75616c")
        #expect(hex { $0.file(3) } == "660000000000000003")
        #expect(hex { $0.block("al", "bo") } == "770002616c626f")
        #expect(hex { $0.report(3) } == "650000000000000003")
        #expect(hex { $0.poll(3) } == "710000000000000003")
        #expect(hex { $0.vote(3, "al") } == "760000000000000003616c")
        #expect(hex(ServerCounters.key) == "73")
    }

    private static let position = Position(createdAt: 1000, messageID: "7")

    private static let entries: [(LogEntry.Event, String)] = [
        (.mark, ""),
        (
            .received(
                LogEntry.Receipt(
                    position: position, sender: "al", countsAsUnread: true, mentionsAll: true,
                    mentions: ["bo"])),
            "80000000000003e8000137" + "0002616c" + "03" + "0002626f"
        ),
        (.updated(position), "80000000000003e8000137"),
        (.deleted("7"), "37"),
        (
            .reacted(position, ReactionEvent(.delete, "k", by: "al", to: "7", in: "c", at: 9)),
            "80000000000003e8000137" + "0a0137" + "12016b" + "1a02616c" + "2001" + "2809" + "320163"
        ),
        (.threadChanged(position), "80000000000003e8000137"),
        (.read("al", 1000), "80000000000003e8616c"),
        (.delivered("al", 1000), "80000000000003e8616c"),
        (
            .changed(
                .members,
                LogEntry.Cause(source: .eventUserJoined, users: ["al"], actor: "bo", reason: "r")),
            "01" + "0077" + "0002626f" + "000172" + "0002616c"
        ),
        (.gained(LogEntry.Cause(source: .eventUserJoined)), "0077" + "0000" + "0000"),
        (.lost("c", .banned, by: "bo", reason: "r"), "03" + "000163" + "0002626f" + "72"),
        (.historyChanged(from: 1000, through: 1001), "80000000000003e8" + "80000000000003e9"),
        (.purged("al", ["7", "8"]), "0002616c" + "000137" + "000138"),
    ]

    @Test(arguments: Array(entries.indices))
    func entriesHaveTheirGoldenBytes(index: Int) throws {
        let (event, golden) = Self.entries[index]
        let entry = LogEntry(time: 5, channel: 2, only: "z", event: event)
        let kind = index < 16 ? "0" + String(index, radix: 16) : ""
        #expect(hex(entry.write) == kind + "8000000000000005" + "00000002" + "00017a" + golden)
        let bytes = ByteWriter.key(entry.write)
        let read = try bytes.withUnsafeBytes { buffer in
            var reader = ByteReader(buffer)
            return try LogEntry(&reader)
        }
        #expect(read == entry)
    }

    @Test func membershipsHaveTheirGoldenBytes() throws {
        var member = Membership(.invited, role: .operator, from: 3)
        member.hidden = .hiddenPreventAutoUnhide
        member.readAt = 1
        member.inviter = "al"
        let none = "0000000000000000"
        #expect(
            hex(member.write)
                == "01" + "01" + "01" + "02" + String(repeating: "0000000000000003", count: 3)
                + "8000000000000001" + none + none + none + none + "616c")
        let bytes = ByteWriter.key(member.write)
        let read = try bytes.withUnsafeBytes { buffer in
            var reader = ByteReader(buffer)
            return try Membership(&reader)
        }
        #expect(read == member)
    }

    @Test func placesAndCountersHaveTheirGoldenBytes() {
        var location = MessageLocation(channel: 2, createdAt: 1000, sequence: 258)
        location.isDeleted = true
        #expect(hex(location.write) == "00000002" + "80000000000003e8" + "0000000000000102" + "01")
        var counters = ServerCounters()
        counters.time = 1000
        counters.epoch = 1
        #expect(
            hex(counters.write)
                == "01" + "0000000000000000" + "80000000000003e8" + "0000000000000001"
                + "00000001" + "0000000000000001" + "0000000000000000" + "00000000"
                + "0000000000000001")
    }

    @Test func cursorsHaveTheirGoldenTexts() throws {
        var cursor = LogCursor(42)
        #expect(cursor.text(1) == "1:42")
        cursor.live = 3
        #expect(cursor.text(1) == "1:42.3")
        cursor.absence = LogCursor.Absence(after: 40, upTo: 50, limit: 20)
        #expect(cursor.text(1) == "1:42.3~40-50-20")
        cursor.beginning = "t 5 1 0 c@x:~."
        var counters = ServerCounters()
        counters.sequence = 50
        counters.epoch = 1
        #expect(try LogCursor(cursor.text(1), counters) == cursor)
    }

    @Test(arguments: [
        "", "5", ":7", "5:", "6:7", "05:7", "5:7:8", "5.3:7", "5:x", "5:7.x", "5:7~1-2",
        "5:7~1-2-x", "5@x:7",
        "5:7@bad", "5:9",
    ])
    func foreignCursorIsRefused(text: String) throws {
        var counters = ServerCounters()
        (counters.epoch, counters.sequence) = (5, 8)
        #expect(throws: BackendError.self) { try LogCursor(text, counters) }
        #expect(try LogCursor("5:7", counters).sequence == 7)
    }

    @Test func contradictoryCountersAreDamage() throws {
        var counters = ServerCounters()
        counters.sequence = 7
        counters.firstCursor = 7
        let read = { (counters: ServerCounters) in
            try ByteWriter.key(counters.write).withUnsafeBytes { bytes in
                var reader = ByteReader(bytes)
                return try ServerCounters(&reader)
            }
        }
        #expect(try read(counters) == counters)
        counters.firstCursor = 8
        #expect(throws: ByteReader.Damage.self) { try read(counters) }
    }
}
