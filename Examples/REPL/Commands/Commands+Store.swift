import Foundation
import Scrollback

extension Command {
    static let store: [Command] = [
        Command(
            name: "store",
            summary: "Shows the store's directory and its numbers of rows.",
            example: "store",
            preparation: ["draw general … a b ~ d (e)"],
            output: """
                in memory
                channels        1
                messages        3
                gaps            2
                items           1
                last change     1
                """,
            gives: [.place, .counts, .change]
        ) { arguments in
            let store = try arguments.workspace.store
            return try store.read { snapshot in
                let urls = try snapshot.channelURLs()
                let rows = [
                    ("channels", urls.count), ("messages", try snapshot.messageCount()),
                    ("gaps", try urls.reduce(0) { try $0 + snapshot.gaps(in: $1).count }),
                    ("items", try snapshot.outboxItems().count), ("last change", snapshot.number),
                ]
                return .text(
                    ([store.place] + rows.map { "\($0.padded(to: 14))  \($1)" })
                        .joined(separator: "\n"),
                    [
                        .place: store.directory?.path,
                        .counts: Dictionary(uniqueKeysWithValues: rows.dropLast()),
                        .change: snapshot.number,
                    ])
            }
        },
        Command(
            name: "store open",
            usage: "[DIRECTORY [key FILE]]",
            summary: "Opens a store in a directory, or a new one in memory.",
            example: "store open /tmp/scrollback-store",
            output: "opened /tmp/scrollback-store: created",
            offers: [.directories, .nothing, .files],
            gives: [.place, .damage]
        ) { arguments in
            let workspace = arguments.workspace
            let before = workspace.place
            let store: ChatStore
            do {
                let (directory, key) = try arguments.directoryAndKey(createsKey: true)
                store = try workspace.open(directory, key: key)
            } catch let error as StoreError {
                throw CommandError.failed(
                    "\(error)\(before.map { "; still open: the one \($0)" } ?? "")")
            }
            let place = store.directory?.path ?? "a store in memory"
            let lines = ["opened \(place): "] + store.openingReport.lines
            return .text(
                lines[0] + lines.dropFirst().joined(separator: "\n"),
                [.place: store.directory?.path, .damage: store.openingReport.lines])
        },
        Command(
            name: "store path",
            usage: "DIRECTORY APPLICATION USER",
            summary: "Shows the directory in which an app keeps a user's store.",
            example: "store path /tmp/scrollback-app default alice",
            output: "/tmp/scrollback-app/_default/_alice",
            offers: [.directories],
            covers: ["ChatStore.directory(in:applicationID:userID:hidesUser:)"],
            gives: [.path]
        ) { arguments in
            guard arguments.words.count == 3 else { throw CommandError.usage }
            let path = ChatStore.directory(
                in: try URL(typed: arguments.words[0]), applicationID: arguments.words[1],
                userID: UserID(arguments.words[2])
            ).path
            return .text(path, [.path: path])
        },
        Command(
            name: "store close",
            summary: "Closes the store; one in memory is lost.",
            example: "store close",
            output: "closed"
        ) { arguments in
            _ = try arguments.workspace.store
            arguments.workspace.close()
            return .text("closed")
        },
        Command(
            name: "store size",
            summary: "Shows the size of the store.",
            example: "store size",
            preparation: ["draw general a …"],
            output: """
                cache   141 bytes
                outbox  6 bytes
                """,
            gives: [.cacheBytes, .outboxBytes]
        ) { arguments in
            let store = try arguments.workspace.store
            let (cache, outbox) = (try store.cachedDataSize(), try store.outboxDataSize())
            return .text(
                columns([["cache", counted(cache, "byte")], ["outbox", counted(outbox, "byte")]]),
                [.cacheBytes: cache, .outboxBytes: outbox])
        },
        Command(
            name: "store clear",
            summary: "Removes all data except the outbox.",
            example: "store clear",
            preparation: ["draw general a b (c)"],
            output: "cleared; 1 outbox item stays",
            gives: [.count]
        ) { arguments in
            let store = try arguments.workspace.store
            try store.clearCachedData()
            let count = try store.outboxItems().count
            return .text(
                "cleared; \(counted(count, "outbox item")) \(count == 1 ? "stays" : "stay")",
                [.count: count])
        },
        Command(
            name: "store check",
            usage: "[limit N | all]",
            summary: "Lists rows that are damaged or contradict each other.",
            example: "store check",
            preparation: ["draw general a b (c)"],
            output: "no damage found",
            gives: [.unreadable]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.isEmpty else { throw CommandError.usage }
            let store = try arguments.workspace.store
            let names =
                try store.unreadableChannelURLs().map(\.rawValue)
                + store.unreadableOutboxItemIDs().map(\.rawValue)
            let problems = try store.check().map(\.description)
            return (names + problems).lines(
                { $0.oneLine }, orNone: "no damage found", limit: limit, as: .unreadable)
        },
        Command(
            name: "store reindex",
            usage: "DIRECTORY",
            summary: "Makes the next opening rebuild names, indexes and counts.",
            example: "store reindex /tmp/scrollback-store",
            preparation: ["store open /tmp/scrollback-store", "draw general a (b)", "store close"],
            output: "the next opening rebuilds names, indexes and counts",
            offers: [.directories],
            gives: [.path]
        ) { arguments in
            let directory = try arguments.closedStore
            try ChatStore.rebuildIndexes(at: directory)
            return .text(
                "the next opening rebuilds names, indexes and counts", [.path: directory.path])
        },
        Command(
            name: "store rebuild",
            usage: "DIRECTORY",
            summary: "Removes a cache that cannot be opened; the outbox is kept.",
            example: "store rebuild /tmp/scrollback-store",
            preparation: ["store open /tmp/scrollback-store", "draw general a (b)", "store close"],
            output: "the cache is removed: store open creates a new one",
            offers: [.directories],
            gives: [.path]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let directory = try arguments.closedStore
            try ChatStore.rebuildCache(at: directory)
            return .text(
                "the cache is removed: store open creates a new one", [.path: directory.path])
        },
        Command(
            name: "store scan",
            usage: "[TABLE] [limit N | all]",
            summary: "Lists the rows of the store, decoded.",
            example: "store scan",
            preparation: ["draw general a …"],
            output: """
                cache gap         channel 1, up to +∞ → down to 1700000000000/a
                cache created     channel 1, a → 1700000000000
                cache state       channel 1 → count 1, access 0
                cache url         channel 1 → general
                cache message     channel 1, 1700000000000/a → Message {"channel_type":"group","channel_url":"general","created_at":1700000000000,"message":"a","message_id":"a","sending_status":"succeeded"}
                cache name        general → channel 1
                cache schema      next number → 2
                cache schema      version → 2
                outbox schema     version → 2
                """,
            offers: [.tables],
            gives: [.rows, .hasMore]
        ) { arguments in
            try arguments.rows(orNone: "no rows") { row in
                "\("\(row.database) \(row.table)".padded(to: 16))  "
                    + "\(row.parts.joined(separator: ", ")) → \(try row.content.line())"
            }
        },
        Command(
            name: "store dump",
            usage: "[TABLE] [limit N | all]",
            summary: "Lists the rows of the store in hex: key → value.",
            example: "store dump gap",
            preparation: ["draw general … a"],
            output:
                "67 00 00 00 01 01 80 00 01 8b cf e5 68 00 00 01 61 → 00 00 00 00 00 00 00 00 00",
            offers: [.tables],
            gives: [.rows, .hasMore]
        ) { arguments in
            try arguments.rows(orNone: "no rows") { row in
                "\(Hex.text(row.key)) → \(row.value.isEmpty ? "nothing" : Hex.text(row.value))"
            }
        },
        Command(
            name: "store get",
            usage: "HEX",
            summary: "Shows the row of a key, with the fields of a record.",
            example: "store get 75 61 6c 69 63 65",
            preparation: [#"save User {"user_id": "alice", "nickname": "Alice"}"#],
            output: """
                cache user: alice → User, 14 bytes
                   0  0a 05 61 6c 69 63 65                     1 user_id: "alice"
                   7  12 05 41 6c 69 63 65                     2 nickname: "Alice"
                """,
            gives: [.rows]
        ) { arguments in
            guard let key = Hex.bytes(arguments.text), !key.isEmpty else {
                throw CommandError.failed("a key is pairs of hex digits, as store dump shows them")
            }
            let store = try arguments.workspace.store
            let rows = try RowDescription.Database.allCases.compactMap {
                try store.describedRow(key, of: $0)
            }
            guard !rows.isEmpty else {
                throw CommandError.failed("there is no row \(Hex.text(key))")
            }
            return .text(rows.map(\.detail).joined(separator: "\n"), [.rows: rows.map(\.values)])
        },
        Command(
            name: "token",
            usage: "SCOPE [HEX | none]",
            summary: "Shows or sets a token, with which a sync resumes.",
            example: "token feed",
            preparation: ["token feed 2a 2b"],
            output: "2a 2b",
            gives: [.name, .hex]
        ) { arguments in
            guard let scope = arguments.words.first else { throw CommandError.usage }
            let store = try arguments.workspace.store
            if arguments.words.count == 1 {
                let token = try store.token(scope).map { $0.isEmpty ? "0 bytes" : Hex.text($0) }
                return .text(token ?? "no token for \(scope)", [.name: scope, .hex: token])
            }
            if arguments.words == [scope, "none"] {
                try store.write { $0.setToken(nil, for: scope) }
                return .text("removed the token for \(scope)", [.name: scope])
            }
            guard let token = Hex.bytes(arguments.rest) else {
                throw CommandError.failed("'\(arguments.rest)' is not pairs of hex digits")
            }
            try store.write { $0.setToken(token, for: scope) }
            return .text(
                "token for \(scope): \(counted(token.count, "byte"))",
                [.name: scope, .hex: Hex.text(token)])
        },
    ]
}

extension OpeningReport {
    /// A line for each finding when the store was opened.
    var lines: [String] {
        var lines: [String] = isNew ? ["created"] : []
        if let migratedFrom { lines.append("migrated from version \(migratedFrom)") }
        for (database, logs) in [("cache", cacheLogs), ("outbox", outboxLogs)] {
            if logs.isDamaged {
                lines.append("commits are missing in the \(database): \(logs)")
            } else if logs.hasTornTail {
                lines.append("the last write to the \(database) was interrupted")
            }
        }
        if isCoverageDropped {
            lines.append("the tokens were removed, and each history is one gap")
        }
        if isOutboxRebuilt { lines.append("the outbox was rebuilt from its readable items") }
        if isOutboxReindexed { lines.append("the outbox's indexes were rebuilt") }
        lines += outboxLoss?.lines ?? []
        if isCacheNew && !isNew { lines.append("the cache was missing; the new one is empty") }
        if isOutboxLost { lines.append("the outbox was missing: its items are lost") }
        if let outboxCopy {
            lines.append("a copy of a damaged outbox is in \(outboxCopy): see acknowledge-loss")
        }
        return lines.isEmpty ? ["as it was left"] : lines
    }
}

extension OutboxLoss {
    var lines: [String] {
        if count == 0 { return [] }
        let what = count == 1 ? "1 outbox item is" : "\(count) outbox items are"
        return ["at most \(what) lost"]
            + items.map { item in
                let text =
                    item.message.map { "\"\($0.text.oneLine)\"" } ?? "request \(item.requestID)"
                return "lost in \(item.channelURL): \(text)"
            }
    }
}

extension Command.Arguments {
    /// The directory that the first word names, which must contain a store that is not open.
    fileprivate var closedStore: URL {
        get throws {
            guard let path = words.first else { throw CommandError.usage }
            return try .existingDirectory(path)
        }
    }
}

// MARK: Rows

extension Command.Arguments {
    /// Returns a reply with a line for each row of a table, or of all tables.
    @MainActor fileprivate func rows(
        orNone none: String, _ line: (RowDescription) throws -> String
    ) throws -> Command.Reply {
        let (words, limit) = try limited()
        guard words.count <= 1 else { throw CommandError.usage }
        let databases = RowDescription.Database.allCases.filter { database in
            words.isEmpty || RowDescription.tables(of: database).contains(words[0])
        }
        guard !databases.isEmpty else {
            throw CommandError.failed(
                "there is no table '\(words[0])'; the tables are \(RowDescription.allTables.joined(separator: ", "))"
            )
        }
        var lines: [String] = []
        var values: [[String: String]] = []
        var isCut = false
        try workspace.store.read { snapshot in
            for database in databases {
                // Read one row more than requested, to find out whether more exist.
                let rest = limit - lines.count
                let rows = try snapshot.describedRows(
                    of: database, table: words.first, limit: rest + 1)
                lines += try rows.prefix(rest).map(line)
                values += rows.prefix(rest).map(\.values)
                isCut = isCut || rows.count > rest
            }
        }
        if isCut { lines.append(Command.cutRemark(lines.count, of: nil)) }
        var reply = lines.lines({ $0 }, orNone: none)
        reply.values = [.rows: values, .hasMore: isCut]
        return reply
    }
}

extension RowDescription {
    /// The names of the tables of both databases, without duplicates.
    static var allTables: [String] {
        Set(Database.allCases.flatMap(tables)).sorted()
    }

    fileprivate var values: [String: String] {
        ["database": "\(database)", "table": table, "key": Hex.text(key), "value": Hex.text(value)]
    }

    /// The key and the value in words; if the value is a record, also its fields.
    fileprivate var detail: String {
        let head = "\(database) \(table): \(parts.joined(separator: ", ")) →"
        switch content {
        case .record(let record):
            let type = type(of: record).schema.name
            return "\(head) \(type), \(counted(value.count, "byte"))\n\(FieldTable(record).text)"
        case .text(let text): return "\(head) \(text)"
        }
    }
}

extension RowDescription.Content {
    fileprivate func line() throws -> String {
        switch self {
        case .record(let record): "\(type(of: record).schema.name) \(try record.json())"
        case .text(let text): text
        }
    }
}
