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
            return columns(
                type.type.schema.fieldDescriptions.map { field in
                    let remarks = [
                        field.cases.joined(separator: " | "),
                        field.aliases.isEmpty
                            ? "" : "also \(field.aliases.joined(separator: ", "))",
                    ]
                    return [
                        "\(field.number)".padded(to: 3, atStart: true), field.name, field.type,
                        remarks.filter { !$0.isEmpty }.joined(separator: "; "),
                    ]
                })
        },
        Command(
            "json TYPE JSON", freeTextAfter: 1,
            "Reads a record from a server's JSON, and shows it as Scrollback writes it.",
            example: #"json Message {"msg_id": "42", "ts": 1700000000000, "custom": "a", "new": 1}"#
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            return try type.record(json: text).json(.prettyPrinted)
        },
        Command(
            "deserialize TYPE HEX", freeTextAfter: 1,
            "Shows the record of a binary form as JSON, or where it is corrupted.",
            example: "deserialize Reaction 0a 02 2b 31 12 05 61 6c 69 63 65"
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            return try type.record(hex: text).json()
        },
        Command(
            "fields TYPE JSON | HEX", freeTextAfter: 1,
            "Shows a record's bytes, field by field: offset, bytes, number, name, value.",
            example: #"fields Reaction {"key": "+1", "user_ids": ["alice"]}"#
        ) { arguments in
            let (type, text) = try arguments.typeAndText
            return FieldTable(try type.record(text)).text
        },
    ]
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
