import Foundation
import Testing

@testable import Models

/// Reads and writes the binary form with protoc, which uses Docs/scrollback.proto and none of this
/// project's code.
@Suite(.enabled(if: Protoc.isNeeded || Protoc.path != nil, "protoc is not installed"))
struct InteropTests {
    @Test(arguments: RecordTests.types)
    func protocPrintsEveryFieldOfTheGoldenFiles(_ type: TypeOfRecord) throws {
        let golden = try golden(type)
        let text = String(
            decoding: try Protoc.run("decode", type.schema.name, golden), as: UTF8.self)
        // protoc prints the fields of the record itself without an indent, and an unknown field as
        // a number.
        let names = Set(text.matches(of: /(?m)^(\w+)/).map { String($0.output.1) }).subtracting([
            "}"
        ])
        #expect(names == Set(type.schema.fields.map(\.protoName)))
        #expect(!text.contains(/(?m)^\s*\d+[:\s{]/), "\(text)")
    }

    @Test(arguments: RecordTests.types)
    func recordsOfProtocAreDecoded(_ type: TypeOfRecord) throws {
        let golden = try golden(type)
        let text = try Protoc.run("decode", type.schema.name, golden)
        let bytes = try Protoc.run("encode", type.schema.name, text)
        #expect(try type.decodeAndEncode([UInt8](bytes)) == [UInt8](golden))
    }

    @Test func protocReadsAnApplicationsMessage() throws {
        var message = Message(
            id: "7001", channelURL: "general", sender: Sender(id: "ann", nickname: "Ann"),
            text: "Grüße 👋", createdAt: 1_700_000_000_123)
        message.reactions = [Reaction(key: "+1", userIDs: ["bo"], updatedAt: 1_700_000_000_456)]
        message.file = FileInfo(url: "https://example.com/a", size: 0)
        let text = try Protoc.run("decode", "Message", message.serialize())
        #expect(
            String(decoding: text, as: UTF8.self) == """
                message_id: "7001"
                created_at: 1700000000123
                sending_status: MESSAGE_SENDING_STATUS_SUCCEEDED
                user {
                  user_id: "ann"
                  nickname: "Ann"
                }
                message: "Gr\\303\\274\\303\\237e \\360\\237\\221\\213"
                channel_url: "general"
                file {
                  url: "https://example.com/a"
                  size: 0
                }
                reactions {
                  key: "+1"
                  user_ids: "bo"
                  updated_at: 1700000000456
                }
                channel_type: CHANNEL_TYPE_GROUP

                """)
    }

    @Test func aMessageThatProtocWroteIsReadFieldByField() throws {
        let text = """
            translations { key: "de" value: "Hallo" }
            translations { key: "ar" value: "" }
            type: MESSAGE_TYPE_FILE
            poll { id: 5 voted_option_ids: [3, -1] close_at: -1 status: POLL_STATUS_CLOSED
                data { double: 0.5 } }
            message: "hello" created_at: -5 silent: true
            file { size: 0 url: "https://example.com/a" }
            extra { key: "k" value { object { entries { key: "x" value { int: 3 } } } } }
            extra { key: "later" value { bool: false } }
            """
        let bytes = try Protoc.run("encode", "Message", Data(text.utf8))
        let message = try Message(serialized: bytes)
        #expect(message.translations == ["de": "Hallo", "ar": ""])
        #expect(message.type == .file)
        #expect(message.poll?.votedOptionIDs == [3, -1])
        #expect(message.poll?.closeAt == -1)
        #expect(message.poll?.status == .closed)
        #expect(message.text == "hello")
        #expect(message.createdAt == -5)
        #expect(message.isSilent)
        #expect(message.file?.size == 0)
        #expect(message.poll?.data == 0.5)
        #expect(message.extra == ["k": ["x": 3], "later": false])
    }

    private func golden(_ type: TypeOfRecord) throws -> Data {
        try Data(contentsOf: GoldenTests.newest.appending(path: "\(type.schema.name).bin"))
    }
}

/// The protobuf compiler, used to convert between bytes and text.
enum Protoc {
    /// True if the tests must fail, instead of being skipped, when protoc is missing.
    static let isNeeded =
        ProcessInfo.processInfo.environment["SCROLLBACK_REQUIRE_PROTOC"] != nil

    static let path: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":").map { URL(filePath: String($0)).appending(path: "protoc") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    struct Failure: Error {
        let message: String
    }

    /// Runs `protoc --decode` or `protoc --encode` on a type of Docs/scrollback.proto.
    static func run(_ direction: String, _ type: String, _ input: Data) throws -> Data {
        guard let path else { throw Failure(message: "protoc is not in the PATH") }
        let process = Process()
        process.executableURL = path
        let schema = ProtoTests.file
        process.arguments = [
            "--\(direction)=scrollback.\(type)",
            "--proto_path=\(schema.deletingLastPathComponent().path)", schema.lastPathComponent,
        ]
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        // The input fits into the buffer of the pipe, so writing it cannot block.
        precondition(input.count < 60_000)
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        let message = try stderr.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(message: String(decoding: message, as: UTF8.self))
        }
        return output
    }
}
