import Foundation
import Scrollback

extension Command {
    static let records: [Command] = [
        Command(
            "schema [TYPE]",
            "Lists the types of records, or the fields of one: number, JSON name, type, aliases."
        ) { arguments in
            guard !arguments.words.isEmpty else {
                return RecordType.names.joined(separator: "\n")
            }
            let type = try RecordType(named: arguments.onlyWord)
            return table(
                type.type.schema.fieldDescriptions, limit: .everything, orNone: ""
            ) { field in
                let remarks = [
                    field.cases.joined(separator: " | "),
                    field.aliases.isEmpty
                        ? "" : "also \(field.aliases.joined(separator: ", "))",
                ]
                return [
                    "\(field.number)".padded(to: 3, atStart: true), field.name, field.type,
                    remarks.filter { !$0.isEmpty }.joined(separator: "; "),
                ]
            }
        },
        Command(
            "json TYPE JSON", freeTextAfter: 1,
            "Reads a record from a server's JSON, and shows it as Scrollback writes it.",
            example: #"json Message {"msg_id": "42", "ts": 1700000000000, "custom": "a", "new": 1}"#
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            return try reply(type.record(json: text), .prettyPrinted)
        },
        Command(
            "sample TYPE", "Shows a record with example values as JSON, for other commands."
        ) { arguments in
            try reply(RecordType(named: arguments.onlyWord).sample())
        },
        Command(
            "serialize TYPE JSON", freeTextAfter: 1,
            "Shows the binary form of a record, in hex, and its size.",
            example: #"serialize Reaction {"key": "+1", "user_ids": ["alice"]}"#
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            let bytes = try type.record(json: text).serializedBytes
            let size = counted(bytes.count, "byte")
            return ValuedReply(
                bytes.isEmpty ? size : "\(Hex.text(bytes))\n\(size)",
                ["hex": Hex.text(bytes), "bytes": bytes.count])
        },
        Command(
            "deserialize TYPE HEX", freeTextAfter: 1,
            "Shows the record of a binary form as JSON, or where it is corrupted.",
            example: "deserialize Reaction 0a 02 2b 31 12 05 61 6c 69 63 65"
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            return try reply(type.record(hex: text))
        },
        Command(
            "fields TYPE JSON | HEX", freeTextAfter: 1,
            "Shows a record's bytes, field by field: offset, bytes, number, name, value.",
            example: #"fields Reaction {"key": "+1", "user_ids": ["alice"]}"#
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            return FieldTable(try type.record(text)).text
        },
        Command(
            "time MILLISECONDS | DATE",
            "Shows a timestamp as a date in ISO 8601, or such a date as a timestamp.",
            example: "time 1700000000000"
        ) { arguments in
            let word = try arguments.onlyWord
            if let milliseconds = Int64(word) {
                return Timestamp(milliseconds: milliseconds).iso8601
            }
            let time = try arguments.time(word)
            return word.hasPrefix("@") ? time.iso8601 : "\(time.milliseconds)"
        },
    ]

    private static func reply(
        _ record: any Record, _ formatting: JSONEncoder.OutputFormatting = []
    ) throws -> any Reply {
        func reply<Value: Record>(_ record: Value) throws -> any Reply {
            ValuedReply(try record.json(formatting), record)
        }
        return try reply(record)
    }
}

extension Command.Arguments {
    var typeAndText: (RecordType, String) {
        get throws {
            guard let name = words.first else { throw CommandError.usage }
            let type = try RecordType(named: name)
            guard !rest.isEmpty else { throw CommandError.usage }
            return (type, rest)
        }
    }
}
