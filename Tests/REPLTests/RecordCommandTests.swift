import Scrollback
import Testing

@testable import ScrollbackREPL

@Suite(.timeLimit(.minutes(10))) @MainActor struct RecordCommandTests {
    private func reply(_ line: String) async throws -> String {
        try await Command.perform(line).text
    }

    @Test func schemaListsEveryType() async throws {
        let names = try await reply("schema").split(separator: "\n").map(String.init)
        #expect(names == RecordType.names && names.contains("Message"))
    }

    @Test(arguments: RecordType.names)
    func theSampleHasValues(type: String) async throws {
        let sample = try await reply("sample \(type)")
        #expect(sample != "{}")
    }

    /// A field may be missing in a sample only if its record contains the sample's own type.
    @Test func aSampleHasAValueInEachField() throws {
        func missing(_ name: String) throws -> [String] {
            let type = try RecordType(named: name)
            let there = Set(try type.sample().fieldBytes.map(\.number))
            return type.type.schema.fieldDescriptions
                .filter { $0.number != RecordType.extraNumber && !there.contains($0.number) }
                .map(\.name)
        }
        let recursive = ["Message", "GroupChannel"]
        for name in RecordType.names where !recursive.contains(name) {
            #expect(try missing(name) == [], "\(name)")
        }
    }

    @Test(arguments: RecordType.names)
    func sampleSurvivesTheBinaryForm(type: String) async throws {
        let sample = try await reply("sample \(type)")
        let lines = try await reply("serialize \(type) \(sample)").split(separator: "\n")
        #expect(try await reply("deserialize \(type) \(lines[0])") == sample)
        #expect(try await reply("fields \(type) \(lines[0])") == reply("fields \(type) \(sample)"))
    }

    @Test(arguments: RecordType.names)
    func theRowsOfFieldsHoldEachByteOnce(type: String) throws {
        let record = try RecordType(named: type).sample()
        let rows = FieldTable(record).text.split(separator: "\n")
        let hex = rows.flatMap { (row: Substring) -> [Substring] in
            // If its indentation is deep, a row of the table is wider than the others.
            let bytes = row.dropFirst(6)
            let indent = bytes.prefix { $0 == " " }.count
            return bytes.prefix(max(FieldTable.hexWidth, indent + 35)).split(separator: " ")
        }
        #expect(hex.joined(separator: " ") == Hex.text(record.serializedBytes))
    }

    @Test func schemaListsNumbersNamesTypesAndAliases() async throws {
        let lines = try await reply("schema message").split(separator: "\n")
        #expect(
            lines[0].split(separator: " ").joined(separator: " ")
                == "1 type MessageType MESG | FILE | ADMM; also message_type")
        #expect(
            lines.contains { $0.hasPrefix(" 15  reactions") && $0.hasSuffix("repeated Reaction") })
        #expect(lines.last?.hasPrefix("100  extra") == true)
    }

    @Test func fieldsIndentsNestedRecords() async throws {
        let fields = try await reply(
            #"fields ReactionEvent {"reaction": "+1", "new": ["it goes below"]}"#)
        #expect(
            fields == """
                   0  12 02 2b 31                              2 reaction: "+1"
                   4  a2 06 1a                                 100 extra: entry
                   7    0a 03 6e 65 77                           1 key: "new"
                  12    12 13                                    2 value: JSONValue
                  14      32 11                                    6 array: JSONArray
                  16        0a 0f                                    1 elements: JSONValue
                  18          2a 0d 69 74 20 67 6f 65 73 20 62 65        5 string: "it goes below"
                  30          6c 6f 77
                """)
    }

    @Test func fieldsShowsNumbersOfUnknownFields() async throws {
        #expect(
            try await reply("fields Reaction 0a 02 2b 31 f8 01 07 92 03 01 00")
                == """
                   0  0a 02 2b 31                              1 key: "+1"
                   4  f8 01 07                                 31: unknown, of wire type 0
                   7  92 03 01 00                              50: unknown, of wire type 2
                """)
    }

    @Test func jsonIsReadLeniently() async throws {
        #expect(
            try await reply(#"json reaction {"key": 1, "updated_at": "5", "user_ids": ["a"]}"#)
                == """
                {
                  "key" : "1",
                  "updated_at" : 5,
                  "user_ids" : [
                    "a"
                  ]
                }
                """)
    }

    @Test(arguments: RecordType.names)
    func theSampleHasTheTypesOfTheSchema(type: String) async throws {
        let sample = try await reply("sample \(type)")
        #expect(throws: Never.self) { try RecordType(named: type).typedRecord(json: sample) }
    }

    @Test func anErrorInJSONNamesTheKey() async {
        let line = #"json Message {"reactions": [{"updated_at": "x"}]}"#
        let error = await #expect(throws: CommandError.self) { try await Command.perform(line) }
        #expect(error?.description.hasPrefix("Message: reactions[0].updated_at: ") == true)
    }

    @Test func tabCompletesTypesIgnoringCase() {
        #expect(Completion.words("mem", after: "sample ") == ["Member"])
        #expect(Completion.words("LinkP", after: "fields ") == ["LinkPreview", "LinkPreviewImage"])
        #expect(Completion.words("m", after: "fields Message ") == [])
        #expect(Completion.words("m", after: "tiem ") == [])
    }
}
