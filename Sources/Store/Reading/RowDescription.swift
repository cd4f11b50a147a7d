package import Models

// Descriptions of the rows on disk in the terms of Docs/Format.md, for the prompt.

package struct RowDescription: Sendable {
    package let database: Database

    /// The name of the table, as in Docs/Format.md; `?` if no table has the key's letter.
    package let table: String

    package let key: [UInt8]
    package let value: [UInt8]

    package let parts: [String]

    package let content: Content

    package enum Database: String, CaseIterable, Sendable {
        case cache, outbox
    }

    package enum Content: Sendable {
        case record(any Record)
        case text(String)
    }

    package static func tables(of database: Database) -> [String] {
        switch database {
        case .cache: Table.allCases.map(\.name)
        case .outbox: OutboxTable.allCases.map(\.name)
        }
    }
}

extension StoreReader {
    /// Returns descriptions of the rows of a database, or of one of its tables, in the order of
    /// their keys.
    package func describedRows(
        of database: RowDescription.Database, table: String? = nil, limit: Int = .max
    ) throws(StoreError) -> [RowDescription] {
        var rows: [RowDescription] = []
        guard limit > 0 else { return [] }
        var range = KeyRange.all
        if let table {
            let letter = (UInt8.min...UInt8.max).first { database.table($0)?.name == table }
            guard let letter else { return [] }
            range = KeyRange(prefix: [letter])
        }
        try view.rows(of: database).scan(range) { (key, value) throws(StoreError) in
            rows.append(RowDescription(database, key, value))
            return rows.count < limit
        }
        return rows
    }

    package func describedRow(
        _ key: [UInt8], of database: RowDescription.Database
    ) throws(StoreError) -> RowDescription? {
        try view.rows(of: database).withValue(of: key) { (value) throws(StoreError) in
            value.map { value in key.withBytes { RowDescription(database, $0, value) } }
        }
    }
}

extension StoreView {
    func rows(of database: RowDescription.Database) -> Rows {
        switch database {
        case .cache: cache
        case .outbox: outbox
        }
    }
}

// MARK: Names

extension Table {
    var name: String {
        switch self {
        case .message: "message"
        case .creationTime: "created"
        case .request: "request"
        case .reply: "reply"
        case .kind: "kind"
        case .kindCoverage: "reached"
        case .groupChannel: "group"
        case .openChannel: "open"
        case .name: "name"
        case .url: "url"
        case .gap: "gap"
        case .staleRange: "stale"
        case .tombstone: "tombstone"
        case .user: "user"
        case .state: "state"
        case .token: "token"
        case .cleared: "cleared"
        case .schema: "schema"
        case .unsegmented: "unsegmented"
        case .segment: "segment"
        case .documents: "documents"
        case .terms: "terms"
        case .appTable: "table"
        }
    }
}

extension OutboxTable {
    var name: String {
        switch self {
        case .outboxItem: "item"
        case .request: "request"
        case .draft: "draft"
        case .pin: "pin"
        case .appTable: "table"
        case .schema: "schema"
        }
    }
}

// MARK: Keys and values

protocol DescribedTable {
    var name: String { get }
    func parts(_ reader: inout ByteReader) throws(ByteReader.Damage) -> [String]
    func content(_ value: UnsafeRawBufferPointer) throws -> RowDescription.Content
}

extension RowDescription.Database {
    func table(_ letter: UInt8?) -> (any DescribedTable)? {
        guard let letter else { return nil }
        switch self {
        case .cache: return Table(rawValue: letter)
        case .outbox: return OutboxTable(rawValue: letter)
        }
    }
}

extension RowDescription {
    fileprivate init(
        _ database: Database, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) {
        self.database = database
        self.key = Array(key)
        self.value = Array(value)
        let table = database.table(key.first)
        self.table = table?.name ?? "?"
        parts = Self.parts(key) { (reader) throws(ByteReader.Damage) in
            try table?.parts(&reader) ?? []
        }
        content = Self.content(value) { try table?.content(value) }
    }

    private static func parts(
        _ key: UnsafeRawBufferPointer,
        _ read: (inout ByteReader) throws(ByteReader.Damage) -> [String]
    ) -> [String] {
        do throws(ByteReader.Damage) {
            var reader = ByteReader(key)
            if !reader.isAtEnd { _ = try reader.byte() }
            let parts = try read(&reader)
            try reader.end()
            return parts
        } catch {
            return ["damaged: \(error)"]
        }
    }

    private static func content(
        _ value: UnsafeRawBufferPointer, _ read: () throws -> Content?
    ) -> Content {
        do {
            return try read() ?? .text("\(value.count) bytes")
        } catch {
            return .text("damaged: \(error)")
        }
    }
}

extension RowDescription.Content {
    fileprivate static func text(
        _ value: UnsafeRawBufferPointer,
        _ read: (inout ByteReader) throws(ByteReader.Damage) -> String
    ) throws(ByteReader.Damage) -> Self {
        var reader = ByteReader(value)
        let text = try read(&reader)
        try reader.end()
        return .text(text)
    }
}

extension Table: DescribedTable {
    func parts(_ reader: inout ByteReader) throws(ByteReader.Damage) -> [String] {
        switch self {
        case .name, .user, .token: return [try reader.text()]
        case .appTable: return try reader.appTableParts()
        case .schema: return [try reader.schemaRow()]
        case .unsegmented: return ["row \(try reader.integer(UInt32.self))"]
        case .segment, .documents, .terms: return try indexParts(&reader)
        default: break
        }
        let channel = "channel \(try reader.integer(ChannelNumber.self))"
        switch self {
        case .message: return [channel, try reader.descendingPosition().description]
        case .reply:
            let parent = try reader.measured()
            return [channel, parent, try reader.descendingPosition().description]
        case .kind:
            let key = try KindKey(&reader)
            return [channel, key.description, try reader.descendingPosition().description]
        case .kindCoverage:
            return [channel, MessageKinds.names[Int(try KindKey.bit(&reader))].name]
        case .creationTime, .request, .tombstone: return [channel, try reader.text()]
        case .gap, .staleRange: return [channel, "up to \(try reader.bound())"]
        default: return [channel]
        }
    }

    private func indexParts(_ reader: inout ByteReader) throws(ByteReader.Damage) -> [String] {
        let segment = "segment \(try reader.integer(SegmentNumber.self))"
        switch self {
        case .documents: return [segment, "row \(try reader.integer(UInt32.self))"]
        case .terms:
            let key = try reader.rest()
            guard key.count > 5, key[key.count - 5] == 0 else {
                throw ByteReader.Damage(offset: 5, expected: "a term and the number of a document")
            }
            let document = key.suffix(4).reduce(0) { $0 << 8 | Int($1) }
            // A long term may end in the middle of a character.
            return [
                segment, "up to \(String(decoding: key.dropLast(5), as: UTF8.self))",
                "document \(document)",
            ]
        default: return [segment]
        }
    }

    func content(_ value: UnsafeRawBufferPointer) throws -> RowDescription.Content {
        switch self {
        case .documents, .terms: return .text("\(value.count) bytes")
        case .appTable: return try .appValue(value)
        // A value of four bytes is a number; others have other sizes.
        case .schema where value.count > 0 && value.count != 4:
            return .text("\(value.count) bytes")
        case .message: return .record(try Message(serialized: value))
        case .groupChannel: return .record(try GroupChannel(serialized: value))
        case .openChannel: return .record(try OpenChannel(serialized: value))
        case .user: return .record(try User(serialized: value))
        case .token: return .text(value.count == 1 ? "1 byte" : "\(value.count) bytes")
        default:
            return try .text(value) { (reader) throws(ByteReader.Damage) in
                try text(&reader)
            }
        }
    }

    private func text(_ reader: inout ByteReader) throws(ByteReader.Damage) -> String {
        switch self {
        case .creationTime: return try reader.timestamp().description
        case .request, .url: return try reader.text()
        case .name: return "channel \(try reader.integer(ChannelNumber.self))"
        case .gap where reader.isAtEnd, .staleRange where reader.isAtEnd: return "nothing"
        case .gap:
            let lower = try reader.bound()
            let cursors = (backfill: try reader.optional(), since: try reader.optionalFeedPoint())
            return "down to \(lower)" + (cursors.backfill.map { ", backfill from \($0)" } ?? "")
                + (cursors.since.map { ", changes since \($0)" } ?? "")
        case .kindCoverage:
            let lower = try reader.bound()
            return "down to \(lower)" + (try reader.optional().map { ", pages from \($0)" } ?? "")
        case .staleRange:
            return "down to \(try reader.bound()), loss \(try reader.integer(Int64.self))"
        case .tombstone:
            let deletedAt = "deleted at \(try reader.timestamp())"
            return reader.isAtEnd
                ? deletedAt : "\(deletedAt), created at \(try reader.timestamp())"
        case .state:
            let state = try ChannelState(&reader)
            return "count \(state.messageCount), access \(state.lastAccess)"
        case .unsegmented:
            return try DocumentRow(&reader).documents.map {
                "\($0.time) in channel \($0.channel)"
            }.joined(separator: ", ")
        case .segment:
            let segment = try IndexSegment(0, &reader)
            return "\(segment.documentCount) documents, \(segment.oldest) to \(segment.newest)"
        case .schema where reader.isAtEnd: return "nothing"
        case .schema: return "\(try reader.integer(UInt32.self))"
        default: return "nothing"
        }
    }
}

extension OutboxTable: DescribedTable {
    func parts(_ reader: inout ByteReader) throws(ByteReader.Damage) -> [String] {
        switch self {
        case .outboxItem: [try reader.measured(), "number \(try reader.integer(UInt64.self))"]
        case .request, .pin: [try reader.text()]
        case .draft: try DraftPlace(&reader).parts
        case .appTable: try reader.appTableParts()
        case .schema: [try reader.schemaRow()]
        }
    }

    func content(_ value: UnsafeRawBufferPointer) throws -> RowDescription.Content {
        switch self {
        case .draft:
            return try .text(value) { (reader) throws(ByteReader.Damage) in
                let draft = try Draft(&reader)
                return (draft.replyingTo.map { "reply to \($0): " } ?? "") + draft.text
            }
        case .pin: return .text("nothing")
        case .appTable: return try .appValue(value)
        case .outboxItem: return .record(try OutboxItem(serialized: value))
        case .request:
            return try .text(value) { (reader) throws(ByteReader.Damage) in
                "\(try reader.measured()), number \(try reader.integer(UInt64.self))"
            }
        case .schema:
            return try .text(value) { (reader) throws(ByteReader.Damage) in
                // A schema version has four bytes, a number eight, and a loss more.
                switch value.count {
                case 4: return "\(try reader.integer(UInt32.self))"
                case 8: return "\(try reader.integer(UInt64.self))"
                default:
                    let loss = try OutboxLoss(&reader)
                    return "\(loss.items.count) items and \(loss.unreadableCount) unreadable rows"
                        + (loss.isWholeOutbox ? ", the whole outbox" : "")
                        + (loss.isRolledBack ? ", rolled back" : "")
                }
            }
        }
    }
}

extension RowDescription.Content {
    /// Describes the definition of a table or a row of the app.
    ///
    /// A definition begins with four bytes of its version, and a row with its version.
    fileprivate static func appValue(_ value: UnsafeRawBufferPointer) throws -> Self {
        if value.first == 0 {
            return try text(value) { (reader) throws(ByteReader.Damage) in
                let definition = try TableDefinition(&reader)
                return "version \(definition.version), keys \(definition.keyDescription), "
                    + "values \(definition.form)"
            }
        }
        var reader = ByteReader(value)
        _ = try reader.varint()
        let payload = value[reader.offset...]
        let isText = payload.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        let text = isText ? String(validUTF8: UnsafeRawBufferPointer(rebasing: payload)) : nil
        return .text(text ?? (payload.count == 1 ? "1 byte" : "\(payload.count) bytes"))
    }
}

extension ByteReader {
    fileprivate mutating func appTableParts() throws(Damage) -> [String] {
        let name = try measured()
        let start = offset
        switch try byte() {
        case 0: return [name, "definition"]
        case 1: return [name] + (try keyParts())
        default: throw Damage(offset: start, expected: "the kind of a table's row")
        }
    }

    fileprivate mutating func schemaRow() throws(Damage) -> String {
        let start = offset
        switch SchemaRow(rawValue: try byte()) {
        case .version: return "version"
        case .nextNumber: return "next number"
        case .lists: return "the first channels of lists"
        case .loss: return "loss"
        case .generation: return "generation"
        case .searchIndex: return "search index"
        case .kindFormat: return "format of kinds"
        case nil: throw Damage(offset: start, expected: "the kind of a schema row")
        }
    }
}
