import Foundation
import Scrollback

extension Command {
    static let tables: [Command] = [
        Command(
            "table put NAME KEY JSON", "Saves a value in a table of the app, or in a new one.",
            notes: [
                "A key of several parts is separated by commas. In a new table, a part that is a",
                "number is an integer, and any other part is a text. New tables are kept.",
            ],
            example: #"table put bookmarks general,5 {"note": "read again"}"#
        ) { arguments in
            guard arguments.words.count == 2, !arguments.json.isEmpty else {
                guard arguments.words.count > 2 else { throw CommandError.usage }
                throw CommandError.failed(
                    #"the value is no JSON object, such as {"note": "read again"}"#)
            }
            let (name, word) = (arguments.words[0], arguments.words[1])
            let value = try JSONValue.object(in: arguments.json)
            let store = try arguments.workspace.store
            let found = try store.tables().first { $0.name == name }
            let table =
                found
                ?? AppTable(
                    name, home: .kept, TableDefinition(jsonWithKeysOf: word.guessedKeyParts))
            guard table.isJSON else {
                throw CommandError.failed("the values of table \(name) are no JSON")
            }
            let key = try table.key(word)
            let isNew = try store.write { batch in
                let isNew = try !batch.contains(key, in: table)
                try batch.put(value, for: key, in: table)
                return isNew
            }
            return "\(isNew ? "saved" : "replaced") \(key.line) in table \(name)"
        },
        Command("table get NAME KEY", "Shows a value of a table of the app.") { arguments in
            guard arguments.words.count == 2 else { throw CommandError.usage }
            let table = try arguments.appTable
            let key = try table.key(arguments.words[1])
            guard let value = try arguments.workspace.store.value(for: key, in: table) else {
                return "there is no \(key.line) in table \(table.name)"
            }
            return table.line(value)
        },
        Command(
            "table list [NAME] [from KEY] [to KEY] [limit N | all]",
            "Lists the rows of a table of the app from a key to another, or all tables."
        ) { arguments in
            let store = try arguments.workspace.store
            guard !arguments.words.isEmpty else {
                return try store.read { snapshot in
                    let rows = try snapshot.tables().map { table in
                        let first = try snapshot.first(in: table)?.key.line ?? ""
                        let last = try snapshot.last(in: table)?.key.line ?? ""
                        return [
                            table.name, "\(table.home)", table.definition.keyDescription,
                            counted(try snapshot.count(in: table), "row"),
                            first == last ? first : "\(first) … \(last)",
                        ]
                    }
                    return Command.table(
                        rows, limit: arguments.limit, orNone: "there are no tables"
                    ) {
                        $0
                    }
                }
            }
            let table = try arguments.appTable
            let range = try arguments.keyRange(of: table, after: 1)
            let rows =
                try arguments.words.count == 1
                ? store.values(in: table) : store.values(in: table, within: range)
            return Command.table(
                Array(rows), limit: arguments.limit, orNone: "no rows in table \(table.name)"
            ) { [$0.key.line, table.line($0.value)] }
        },
        Command(
            "table remove NAME [KEY] [from KEY] [to KEY]",
            "Removes a row, a range of rows, or a whole table of the app."
        ) { arguments in
            let table = try arguments.appTable
            let store = try arguments.workspace.store
            let words = arguments.words
            if words.count == 1 {
                try store.write { try $0.removeTable(table.name) }
                return "removed table \(table.name)"
            }
            if words.count == 2 {
                let key = try table.key(words[1])
                let isFound = try store.write { try $0.removeValue(for: key, in: table) }
                return isFound
                    ? "removed \(key.line) from table \(table.name)"
                    : "there is no \(key.line) in table \(table.name)"
            }
            let range = try arguments.keyRange(of: table, after: 1)
            let count = try store.write { try $0.removeValues(in: table, within: range) }
            return "removed \(counted(count, "row")) from table \(table.name)"
        },
        Command(
            "table watch NAME", "Prints changes of a table of the app after each reply.",
            notes: ["The command unobserve ends it."]
        ) { arguments in
            let table = try arguments.appTable
            let number = try arguments.workspace.observe(.table(table))
            return "observing table \(table.name) after change \(number)"
        },
    ]
}

/// A table of the app whose definition has the types.
private typealias AppTable = StoreTable<RawKey, Data>

extension Command.Arguments {
    @MainActor fileprivate var appTable: AppTable {
        get throws {
            guard let name = words.first else { throw CommandError.usage }
            let tables = try workspace.store.tables()
            guard let table = tables.first(where: { $0.name == name }) else {
                throw CommandError.failed("there is no table '\(name)': table list lists them")
            }
            return table
        }
    }

    fileprivate func keyRange(
        of table: AppTable, after count: Int
    ) throws -> StoreKeyRange<RawKey> {
        var rest = words.dropFirst(count)
        func bound(_ name: String) throws -> RawKey? {
            guard rest.first == name else { return nil }
            guard let word = rest.dropFirst().first else { throw CommandError.usage }
            rest = rest.dropFirst(2)
            return try table.key(word, isWhole: false)
        }
        let (lower, upper) = (try bound("from"), try bound("to"))
        guard rest.isEmpty else { throw CommandError.usage }
        return StoreKeyRange(from: lower, to: upper)
    }
}

extension StoreTable where Key == RawKey, Value == Data {
    fileprivate var isJSON: Bool { definition.form == "json" }

    /// Reads a key; if it need not be whole, also the first parts of one.
    fileprivate func key(_ word: String, isWhole: Bool = true) throws -> RawKey {
        let types = definition.keyParts
        let parts = types.count == 1 ? [word] : word.keyParts
        guard !isWhole || parts.count == types.count, let key = RawKey(parts, as: types) else {
            throw CommandError.failed(
                "'\(word)' is no key of table \(name): its keys are "
                    + types.map { "\($0)" }.joined(separator: ","))
        }
        return key
    }

    fileprivate func line(_ value: Data) -> String {
        isJSON ? String(decoding: value, as: UTF8.self) : Hex.text(Array(value))
    }
}

extension RawKey {
    fileprivate var line: String { parts.joined(separator: ",") }
}

extension String {
    fileprivate var keyParts: [String] {
        split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    fileprivate var guessedKeyParts: [StoreKeyPart] {
        keyParts.map { Int64($0) == nil ? .text : .integer }
    }
}

extension JSONValue {
    fileprivate static func object(in text: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(
                try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8)))
        } catch {
            throw CommandError.failed("the value is no JSON object: \(text)")
        }
    }
}
