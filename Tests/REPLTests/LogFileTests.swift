import Foundation
import Scrollback
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Tests files that are not logs, and logs with harmful contents.
@Suite(.timeLimit(.minutes(10))) struct LogFileTests {
    private func lines(of bytes: Data) throws -> [String] {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let url = directory.url.appending(path: "log")
        try bytes.write(to: url)
        let file = try LogFile(url.path)
        defer { file.close() }
        var lines: [String] = []
        while try file.readLines({ lines.append(String(decoding: $0, as: UTF8.self)) }) {}
        return lines
    }

    @Test(arguments: 2...5) func truncatedGzipFileIsAnError(count: Int) throws {
        let bytes = Data([0x1F, 0x8B, 8, 0, 0].prefix(count))
        let error = #expect(throws: CommandError.self) { try lines(of: bytes) }
        #expect("\(try #require(error))".hasPrefix("the gzip file is truncated or corrupted"))
    }

    @Test func byteOrderMarkIsSkippedOnlyAtTheBeginning() throws {
        let mark = Data(LogFile.byteOrderMark)
        #expect(try lines(of: mark + Data("a\nb".utf8)) == ["a", "b"])
        #expect(try lines(of: mark) == [])
        #expect(try lines(of: mark.prefix(2) + Data("\n".utf8)).count == 1)
        #expect(try lines(of: Data("a\n".utf8) + mark) == ["a", "\u{FEFF}"])
    }

    @Test func aLineWithoutAnEndDoesNotFillTheMemory() throws {
        let bytes = Data("a\n".utf8) + Data(repeating: 0x62, count: LogFile.longestLine + (1 << 20))
        let error = #expect(throws: CommandError.self) { try lines(of: bytes) }
        #expect("\(try #require(error))".hasPrefix("a line has more than 16 MiB"))
        #expect(try lines(of: Data("a\nb".utf8)) == ["a", "b"])
    }

    @Test(arguments: [
        (Int64.min, Int64.min), (Int64.max, Int64.max), (-99_999_999_999, -99_999_999_999_000),
        (100_000_000_000, 100_000_000_000),
    ])
    func everyIntegerIsReadAsATime(number: Int64, milliseconds: Int64) throws {
        let message = try message(
            #"{"channel_url": "g", "created_at": \#(number), "message": "m"}"#)
        #expect(message.createdAt == Timestamp(milliseconds: milliseconds))
    }

    @Test(arguments: [
        (#""alice""#, "alice alice"), ("7", "7 7"), ("null", "-"),
        (#"{"user_id": "alice", "nickname": "Alice"}"#, "alice Alice"),
        (#"{"metadata": {"user_id": "x"}, "name": "A", "guest_id": 7}"#, "7 A"),
        (#"{"user_id": "alice"}"#, "alice alice"),
    ])
    func senderIsAnIDOrAnObjectWithAnID(json: String, sender: String) throws {
        let message = try message(
            #"{"channel_url": "g", "created_at": 1, "message": "m", "sender": \#(json)}"#)
        #expect(message.sender.map { "\($0.userID) \($0.nickname)" } ?? "-" == sender)
        #expect(message.type == (sender == "-" ? .admin : .user))
    }

    @Test(arguments: [
        (#"{"nickname": "Alice"}"#, "no field 'user_id' in 'sender'"),
        (#"["alice"]"#, "the field 'sender' is neither a user's id nor an object"),
        ("true", "the field 'sender' is neither a user's id nor an object"),
        (#"{"user_id" "alice"}"#, "in 'sender': no ':' at byte 12"),
    ])
    func unknownUserMakesABadLine(json: String, reason: String) {
        let error = #expect(throws: JSONLine.Damage.self) {
            try message(
                #"{"channel_url": "g", "created_at": 1, "message": "m", "sender": \#(json)}"#)
        }
        #expect(error?.description == reason)
    }

    private func message(_ text: String) throws -> Message {
        let fields = LogFields()
        let line = try Array(text.utf8).withUnsafeBufferPointer {
            try JSONLine($0, fields: fields.bytes)
        }
        return try fields.message(line, number: 1)
    }
}
