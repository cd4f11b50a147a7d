import Foundation
import ScrollbackTestSupport
import Testing

@testable import Models

/// Compares the bytes in Docs/Format.md with those of records that are created in Swift.
@Suite struct FormatTests {
    static let page = Repository.root.appending(path: "Docs/Format.md")

    /// Returns the bytes of the page's first block that shows the fields of a type and contains a
    /// text.
    private func bytes(_ type: String, containing text: String) throws -> [UInt8] {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let block = page.components(separatedBy: "```").first {
            $0.contains("scrollback> fields \(type) ") && $0.contains(text)
        }
        // A line has an offset, bytes and a name: "  22    0a 05 61        1 user_id: …"
        let rows = try #require(block).split(separator: "\n").compactMap { row in
            row.firstMatch(of: /^ *\d+ {2,}((?:[0-9a-f]{2} )+)\s/)?.output.1
        }
        return rows.joined().split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }

    private var message: Message {
        Message(
            id: "42", channelURL: "general", sender: Sender(id: "alice"), text: "Hi!",
            createdAt: 1_700_000_000_000)
    }

    @Test func theReactionOnThePageIsTheOneInSwift() throws {
        let reaction = Reaction(
            key: "+1", userIDs: ["alice", "bob"], updatedAt: 1_700_000_000_000)
        let bytes = try bytes("Reaction", containing: "alice")
        #expect(bytes.count == 23)
        #expect(reaction.serializedBytes == bytes)
        #expect(try Reaction(serialized: bytes) == reaction)
    }

    @Test func theMessageOnThePageIsTheOneInSwift() throws {
        let bytes = try bytes("Message", containing: "Hi!")
        #expect(bytes.count == 39)
        #expect(message.serializedBytes == bytes)
        #expect(try Message(serialized: bytes) == message)
    }

    @Test(.enabled(if: Protoc.isNeeded || Protoc.path != nil, "protoc is not installed"))
    func protocOutputEqualsThePage() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let block = try #require(
            page.components(separatedBy: "```").first { $0.contains("$ echo") })
        let (command, output) = try #require(
            block.firstMatch(of: /\$ echo ([0-9a-f ]+)\|\n.*\n((?:.*\n)+)/).map {
                ($0.output.1, $0.output.2)
            })
        let hex = message.serializedBytes.map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        #expect(command.replacing(" ", with: "") == hex.joined())
        let text = try Protoc.run("decode", "Message", message.serialize())
        #expect(String(decoding: text, as: UTF8.self) == output)
    }
}
