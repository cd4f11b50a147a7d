import Foundation
import Scrollback

extension Command {
    static let records: [Command] = [
        Command(
            name: "types",
            summary: "Lists the types of records.",
            example: "types",
            gives: [.types]
        ) { _ in
            .text(RecordType.names.joined(separator: "\n"), [.types: RecordType.names])
        },
        Command(
            name: "schema",
            usage: "TYPE",
            summary: "Shows the fields of a type: number, name in JSON, type, other names.",
            example: "schema Reaction",
            offers: [.types],
            gives: [.name, .fields]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let type = try RecordType(named: arguments.words[0])
            let fields = type.type.schema.fieldDescriptions.map {
                ["number": "\($0.number)", "name": $0.name, "type": $0.type]
            }
            return .text(schema(of: type), [.name: type.name, .fields: fields])
        },
        Command(
            name: "sample",
            usage: "TYPE",
            summary: "Shows a record with example values as JSON, for other commands.",
            example: "sample Message",
            offers: [.types],
            gives: [.record]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let record = try Sample.of(try RecordType(named: arguments.words[0]))
            return .text(try record.json(), [.record: record])
        },
        Command(
            name: "json",
            usage: "TYPE JSON",
            freeTextAfter: 1,
            summary: "Reads a record from a server's JSON, and shows it as Scrollback writes it.",
            example:
                #"json Message {"msg_id": "42", "ts": 1700000000000, "custom": "a", "new": 1}"#,
            offers: [.types],
            gives: [.record]
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            let record = try type.record(json: text)
            return .text(try record.json(.prettyPrinted), [.record: record])
        },
        Command(
            name: "serialize",
            usage: "TYPE JSON",
            freeTextAfter: 1,
            summary: "Shows the binary form of a record, in hex, and its size.",
            example: #"serialize Reaction {"key": "+1", "user_ids": ["alice"]}"#,
            offers: [.types],
            gives: [.hex, .bytes]
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            let bytes = try type.record(json: text).serializedBytes
            let size = counted(bytes.count, "byte")
            return .text(
                bytes.isEmpty ? size : "\(Hex.text(bytes))\n\(size)",
                [.hex: Hex.text(bytes), .bytes: bytes.count])
        },
        Command(
            name: "deserialize",
            usage: "TYPE HEX",
            freeTextAfter: 1,
            summary: "Shows the record of a binary form as JSON, or where it is corrupted.",
            example: "deserialize Reaction 0a 02 2b 31 12 05 61 6c 69 63 65",
            offers: [.types],
            gives: [.record]
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            let record = try type.record(hex: text)
            return .text(try record.json(), [.record: record])
        },
        Command(
            name: "fields",
            usage: "TYPE JSON | HEX",
            freeTextAfter: 1,
            summary: "Shows a record's bytes, field by field: offset, bytes, number, name, value.",
            example: #"fields Reaction {"key": "+1", "user_ids": ["alice"]}"#,
            offers: [.types],
            gives: [.record]
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            let record = try type.record(text)
            return .text(FieldTable(record).text, [.record: record])
        },
    ]

    private static func schema(of type: RecordType) -> String {
        let fields = type.type.schema.fieldDescriptions
        let widths = (
            name: fields.map(\.name.count).max() ?? 0, type: fields.map(\.type.count).max() ?? 0
        )
        return fields.map { field in
            let remarks = [
                field.cases.joined(separator: " | "),
                field.aliases.isEmpty ? "" : "also \(field.aliases.joined(separator: ", "))",
            ].filter { !$0.isEmpty }.joined(separator: "; ")
            let columns = [
                "\(field.number)".padded(to: 3, atStart: true),
                field.name.padded(to: widths.name),
                remarks.isEmpty ? field.type : field.type.padded(to: widths.type),
                remarks,
            ]
            return columns.filter { !$0.isEmpty }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

extension Command.Arguments {
    /// The record type that the first word names, and the text after that word.
    var typeAndText: (RecordType, String) {
        get throws {
            guard let name = words.first else { throw CommandError.usage }
            let type = try RecordType(named: name)
            guard !rest.isEmpty else { throw CommandError.usage }
            return (type, rest)
        }
    }
}
