import Foundation
import Scrollback

extension Command {
    static let store: [Command] = [
        Command("store", "Shows the store's directory and its numbers of rows and bytes.") {
            arguments in
            let store = try arguments.workspace.store
            return try store.read { snapshot in
                let urls = try snapshot.channelURLs()
                let rows = [
                    ("channels", urls.count), ("messages", try snapshot.messageCount()),
                    ("gaps", try urls.reduce(0) { try $0 + snapshot.gaps(in: $1).count }),
                    ("items", try snapshot.outboxItems().count), ("last change", snapshot.number),
                    ("cache bytes", try store.cachedDataSize()),
                    ("outbox bytes", try store.outboxDataSize()),
                ]
                return ([store.place] + rows.map { "\($0.padded(to: 14))  \($1)" }).joined(
                    separator: "\n")
            }
        },
        Command(
            "store open [DIRECTORY [key FILE]]",
            "Opens a store in a directory, or a new one in memory; a missing one is created."
        ) { arguments in
            let workspace = arguments.workspace
            let before = workspace.place
            let store: ChatStore
            do {
                let (words, key) = try arguments.wordsAndKey(arguments.words, creates: true)
                guard words.count <= 1 else { throw CommandError.usage }
                store = try workspace.open(try words.first.map { try URL(typed: $0) }, key: key)
            } catch let error as StoreError {
                throw CommandError.failed(
                    "\(error)\(before.map { "; still open: the one \($0)" } ?? "")")
            }
            return "opened \(store.directory?.path ?? "a store in memory"): "
                + store.openingReport.lines.joined(separator: "\n")
        },
        Command(
            "store path DIRECTORY APPLICATION USER",
            "Shows the directory in which an app keeps a user's store."
        ) { arguments in
            guard arguments.words.count == 3 else { throw CommandError.usage }
            return ChatStore.directory(
                in: try URL(typed: arguments.words[0]), applicationID: arguments.words[1],
                userID: UserID(arguments.words[2])
            ).path
        },
        Command("store close", "Closes the store; one in memory is lost.") { arguments in
            _ = try arguments.workspace.store
            arguments.workspace.close()
            return "closed"
        },
        Command("store clear", "Removes all data except the outbox, and frees the disk space.") {
            arguments in
            let store = try arguments.workspace.store
            try store.clearCachedData()
            try store.purgeCleared()
            let count = try store.outboxItems().count
            return "cleared; \(counted(count, "outbox item")) \(count == 1 ? "stays" : "stay")"
        },
        Command(
            "store check [limit N | all]", "Lists rows that are damaged or contradict each other."
        ) { arguments in
            try arguments.expectNoWords()
            let store = try arguments.workspace.store
            let names = try store.unreadableOutboxItemIDs().map(\.rawValue)
            let problems = try store.check().map(\.description)
            return table(names + problems, limit: arguments.limit, orNone: "no damage found") {
                [$0]
            }
        },
        Command(
            "store reindex DIRECTORY", "Makes the next opening rebuild the index of the outbox."
        ) { arguments in
            try ChatStore.reindexOutbox(at: .existingDirectory(arguments.onlyWord))
            return "the next opening rebuilds the index of the outbox"
        },
        Command("store remove-cache DIRECTORY", "Removes a cache; the outbox is kept.") {
            arguments in
            try ChatStore.removeCache(at: .existingDirectory(arguments.onlyWord))
            return "the cache is removed: store open creates a new one"
        },
        Command("store scan [TABLE] [limit N | all]", "Lists the rows of the store, decoded.") {
            arguments in
            try arguments.rows { row in
                "\("\(row.database) \(row.table)".padded(to: 16))  "
                    + "\(row.parts.joined(separator: ", ")) → \(try row.content.line())"
            }
        },
        Command(
            "store dump [TABLE] [limit N | all]", "Lists the rows of the store in hex: key → value."
        ) { arguments in
            try arguments.rows { row in
                "\(Hex.text(row.key)) → \(row.value.isEmpty ? "nothing" : Hex.text(row.value))"
            }
        },
        Command(
            "store get HEX", "Shows the row of a key, with the fields of a record.",
            example: "store get 75 61 6c 69 63 65"
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
            return rows.map(\.detail).joined(separator: "\n")
        },
        Command(
            "store search WORDS [in CHANNEL] [by USER] [since TIME]", freeTextAfter: 0,
            "Finds messages in the store, the newest 10 first, as search does on the device."
        ) { arguments in
            try await arguments.foundInStore()
        },
        Command(
            "token SCOPE [HEX | none]", "Shows, sets or removes a token, such as the feed cursor."
        ) { arguments in
            guard let scope = arguments.words.first else { throw CommandError.usage }
            let store = try arguments.workspace.store
            if arguments.words.count == 1 {
                let token = try store.token(scope).map { $0.isEmpty ? "0 bytes" : Hex.text($0) }
                return token ?? "no token for \(scope)"
            }
            if arguments.words == [scope, "none"] {
                try store.write { $0.setToken(nil, for: scope) }
                return "removed the token for \(scope)"
            }
            guard let token = Hex.bytes(arguments.rest) else {
                throw CommandError.failed("'\(arguments.rest)' is not pairs of hex digits")
            }
            try store.write { $0.setToken(token, for: scope) }
            return "token for \(scope): \(counted(token.count, "byte"))"
        },
    ]
}

extension OpeningReport {
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
        if let replacedCache {
            lines.append("the cache was replaced by an empty one: \(replacedCache.message)")
        }
        if isOutboxRebuilt { lines.append("the outbox was rebuilt from its readable items") }
        if isOutboxReindexed { lines.append("the outbox's indexes were rebuilt") }
        lines += outboxLoss?.lines ?? []
        if isCacheNew && !isNew && replacedCache == nil {
            lines.append("the cache was missing; the new one is empty")
        }
        if isOutboxLost { lines.append("the outbox was missing: its items are lost") }
        if let outboxCopy {
            lines.append("a copy of a damaged outbox is in \(outboxCopy): see acknowledge-loss")
        }
        return lines.isEmpty ? ["no problems found"] : lines
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

// MARK: Rows

extension Command.Arguments {
    @MainActor fileprivate func rows(
        _ line: (RowDescription) throws -> String
    ) throws -> String {
        let table = try optionalWord
        guard table == nil || RowDescription.allTables.contains(table ?? "") else {
            throw CommandError.failed(
                "there is no table '\(table ?? "")'; the tables are "
                    + RowDescription.allTables.joined(separator: ", "))
        }
        let limit = limit ?? Command.rowLimit
        var lines: [String] = []
        try workspace.store.read { snapshot in
            for database in RowDescription.Database.allCases
            where table == nil || RowDescription.tables(of: database).contains(table ?? "") {
                lines += try snapshot.describedRows(
                    of: database, table: table, limit: limit + 1 - lines.count
                ).map(line)
            }
        }
        if lines.count > limit { lines[limit...] = [Command.cutRemark(limit, of: nil)] }
        return lines.isEmpty ? "no rows" : lines.joined(separator: "\n")
    }
}

extension RowDescription {
    static var allTables: [String] { Set(Database.allCases.flatMap(tables)).sorted() }

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
