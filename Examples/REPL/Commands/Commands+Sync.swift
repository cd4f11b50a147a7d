import Foundation
import Scrollback

extension Command {
    static let sync: [Command] = [
        Command(
            name: "heal",
            usage: "[CHANNEL]",
            summary: "Fetches the missing and stale messages of a channel, newest first.",
            example: "heal cats",
            preparation: ["demo"],
            offers: [.channels],
            covers: [
                "SyncEngine.fetchMessages(in:at:older:newer:bound:source:)",
                "SyncEngine.fetchStaleMessages(in:)",
            ],
            gives: [.channelURL, .coverage, .count]
        ) { arguments in
            let url = try await arguments.channelOrOpenOne
            let engine = try arguments.client.engine
            let workspace = arguments.workspace
            var meter = ProgressMeter("syncing \(url)", width: workspace.width)
            defer { workspace.onProgress(nil) }
            let count = try await engine.fetchAll(of: url) { count in
                if let line = meter.update(count) { workspace.onProgress(line) }
            }
            var reply = try workspace.coverage(of: url)
            reply.text = "fetched \(counted(count, "message"))\n\(reply.text)"
            reply.values[.count] = count
            return reply
        },
        Command(
            name: "verify",
            usage: "[CHANNEL] [all]",
            summary: "Compares a channel and its messages with the server; lists 20 ids or all.",
            example: "verify",
            preparation: ["demo"],
            offers: [.channels],
            covers: ["SyncEngine.verify(_:)"],
            gives: [.channelURL, .count, .missing, .extra, .different, .channel]
        ) { arguments in
            let (words, limit) = try arguments.limited(to: idLimit)
            let url = try await arguments.channelOrOpenOne(of: words)
            let engine = try arguments.client.engine
            let found = try await engine.verify(url)
            func ids(_ what: String, _ messages: [Message]) -> String? {
                guard !messages.isEmpty else { return nil }
                let ids = messages.map { $0.messageID?.rawValue ?? "?" }
                return "\(grouped(messages.count)) \(what): \(idList(ids, limit: limit))"
            }
            let lines = [
                ids("missing", found.missing), ids("not on the server", found.extra),
                ids("different", found.different),
                found.channel.map {
                    "the channel itself: \($0.fields.joined(separator: ", "))"
                },
            ].compactMap { $0 }
            // Tell the user about gaps and stale ranges, because `verify` does not compare them.
            let kinds = try await engine.coverage(of: url).segments.map(\.kind)
            guard !found.isEmpty || found.comparedCount > 0 || kinds.contains(.known) else {
                let command = kinds.contains(.stale) ? "repair \(url)" : "heal \(url)"
                return .text(
                    "no messages of \(url) are known, so only the channel was compared: "
                        + "\(command) fetches them",
                    [.channelURL: url, .count: 0])
            }
            let head = "compared \(counted(found.comparedCount, "message"))"
            let object = found.channel != nil && lines.count == 1 ? "it" : "them"
            return .text(
                found.isEmpty
                    ? "\(head): no differences from the server"
                    : ([head] + lines + ["repair \(url) fetches \(object)"])
                        .joined(separator: "\n"),
                [
                    .channelURL: url, .count: found.comparedCount, .missing: found.missing,
                    .extra: found.extra, .different: found.different,
                    .channel: found.channel?.channel,
                ])
        },
        Command(
            name: "repair",
            usage: "[CHANNEL]",
            summary: "Fetches a channel and its known messages again.",
            example: "repair",
            preparation: ["demo"],
            output: "general equals the server's copy",
            offers: [.channels],
            covers: ["SyncEngine.repair(_:)"],
            gives: [.channelURL]
        ) { arguments in
            let url = try await arguments.channelOrOpenOne
            let engine = try arguments.client.engine
            try await engine.repair(url)
            guard
                try await engine.coverage(of: url).segments.contains(where: { $0.kind != .missing }
                )
            else {
                return .of(url, "no messages of \(url) are known yet: heal \(url) fetches them")
            }
            return .of(url, "\(url) equals the server's copy")
        },
        Command(
            name: "get",
            usage: "ID [in CHANNEL]",
            summary: "Gets a message, from the cache or the server.",
            example: "get 3",
            preparation: ["demo"],
            offers: [.messages],
            covers: ["ChatClient.message(_:in:)", "SyncEngine.fetchMessages(_:in:)"],
            gives: [.message]
        ) { arguments in
            let (id, url) = try await arguments.wordInChannel()
            guard let message = try await arguments.client.message(MessageID(id), in: url) else {
                throw CommandError.failed("there is no message '\(id)' in \(url)")
            }
            return .text(Rows([message]).lines.joined(separator: "\n"), [.message: message])
        },
        Command(
            name: "around",
            usage: "TIME [in CHANNEL]",
            summary: "Gets the messages around a time, from the server if it can be reached.",
            example: "around 2023-11-10",
            preparation: ["demo"],
            covers: ["ChatClient.messages(in:around:params:)"],
            gives: [.messages]
        ) { arguments in
            let (word, url) = try await arguments.wordInChannel()
            var params = MessageListParams()
            params.replyType = .all
            params.previousResultSize = 5
            params.nextResultSize = 5
            let messages = try await arguments.client.messages(
                in: url, around: try arguments.time(word), params: params)
            return .rows(messages, orNone: "no messages")
        },
        Command(
            name: "thread",
            usage: "ID [in CHANNEL] [JSON]",
            summary: "Gets the replies to a message.",
            example: "thread 60",
            preparation: ["demo", "reply 60 So do I"],
            offers: [.messages],
            covers: [
                "ChatClient.threadedMessages(of:in:around:params:)",
                "SyncEngine.fetchReplies(to:in:at:older:newer:bound:)",
            ],
            gives: [.messages]
        ) { arguments in
            let (id, url) = try await arguments.wordInChannel()
            let params = try arguments.params(ThreadedMessageListParams(), arguments.json)
            let client = try arguments.client
            let replies = try await client.threadedMessages(
                of: MessageID(id), in: url, params: params)
            if replies.isEmpty, try await client.message(MessageID(id), in: url) == nil {
                throw CommandError.failed("there is no message '\(id)' in \(url)")
            }
            return .rows(replies, orNone: "no replies")
        },
        Command(
            name: "changelog messages",
            usage: "[TIME] [in CHANNEL] [all] [JSON]",
            summary:
                "Reads the changes of a channel's messages since a time, or since the last call.",
            example: "changelog messages 2023-11-14",
            preparation: ["demo", "send Helo", "edit 69 Hello"],
            covers: ["ChatClient.messageChanges(in:since:params:)"],
            gives: [.updated, .deleted, .hasMore]
        ) { arguments in
            let (rest, limit) = try arguments.limited(to: idLimit)
            let (words, url) = try await arguments.wordsInChannel(rest)
            guard words.count <= 1 else { throw CommandError.usage }
            let point = try words.first.map { ChangelogPoint.time(try arguments.time($0)) }
            let params =
                arguments.json.isEmpty
                ? nil : try arguments.params(MessageChangelogParams(), arguments.json)
            let changes = try await arguments.client.messageChanges(
                in: url, since: point, params: params)
            return .changes(
                changes.updated.compactMap(\.messageID), changes.deleted.map(\.messageID),
                limit: limit, hasMore: changes.hasMore)
        },
        Command(
            name: "changelog channels",
            usage: "[TIME] [all] [JSON]",
            summary:
                "Reads the changes of the user's channels since a time, or since the last call.",
            example: "changelog channels 2023-11-14",
            preparation: ["demo"],
            covers: ["ChatClient.channelChanges(since:params:)"],
            gives: [.updated, .deleted, .hasMore]
        ) { arguments in
            let (words, limit) = try arguments.limited(to: idLimit)
            guard words.count <= 1 else { throw CommandError.usage }
            let point = try words.first.map { ChangelogPoint.time(try arguments.time($0)) }
            let params =
                arguments.json.isEmpty
                ? nil : try arguments.params(GroupChannelChangelogParams(), arguments.json)
            let changes = try await arguments.client.channelChanges(since: point, params: params)
            return .changes(
                changes.updated.map(\.url), changes.deletedURLs, limit: limit,
                hasMore: changes.hasMore)
        },
        Command(
            name: "push",
            usage: "JSON",
            freeTextAfter: 0,
            summary: "Stores a message as a push notification delivers it.",
            example:
                #"push {"message_id": 99, "channel_url": "general", "created_at": 1700000000000, "message": "Ding!"}"#,
            preparation: ["demo"],
            output: """
                1 message is stored
                + general 99  (channel): Ding!
                """,
            covers: ["ChatClient.ingest(push:)", "SyncEngine.ingest(_:source:)"],
            gives: [.count]
        ) { arguments in
            let message = try arguments.message
            let count = try await arguments.client.ingest(push: [message])
            return .text(
                count == 1 ? "1 message is stored" : "the message was not stored", [.count: count])
        },
        Command(
            name: "leave-drop",
            usage: "JSON",
            freeTextAfter: 0,
            summary: "Leaves a message in the push inbox, as a notification extension does.",
            example:
                #"leave-drop {"message_id": 99, "channel_url": "general", "created_at": 1700000000000, "message": "Ding!"}"#,
            preparation: ["demo"],
            output: "there is no push inbox in memory: start with --home",
            gives: [.count]
        ) { arguments in
            let message = try arguments.message
            guard let directory = try arguments.client.engine.store.directory else {
                return .text("there is no push inbox in memory: start with --home", [.count: 0])
            }
            let key = try arguments.client.options.encryptionKey
            guard let box = try PushInbox(in: directory, encryptionKey: key) else {
                throw CommandError.failed("there is no push inbox: connect first")
            }
            try box.leave([message])
            let count = try box.count
            return .text(
                "\(counted(count, "file")) in the inbox: absorb reads them",
                [.count: count])
        },
        Command(
            name: "absorb",
            summary: "Stores the messages that other processes have left in the push inbox.",
            example: "absorb",
            preparation: ["demo"],
            output: "the push inbox is empty",
            covers: ["ChatClient.absorbPushes()"],
            gives: [.count, .damage]
        ) { arguments in
            let absorbed = try await arguments.client.absorbPushes()
            let damage = absorbed.damage.map { "\($0)" }
            let count = counted(absorbed.messages.count, "message")
            let lines =
                absorbed.isEmpty
                ? ["the push inbox is empty"]
                : [
                    "\(count) in \(counted(absorbed.pushCount, "file")), \(absorbed.heldCount) stored"
                ]
            return .text(
                (lines + damage.map { "damaged: \($0)" }).joined(separator: "\n"),
                [.count: absorbed.messages.count, .damage: damage])
        },
        Command(
            name: "cache size",
            summary: "Shows the size of the device's cache.",
            example: "cache size",
            preparation: ["demo"],
            covers: ["ChatClient.cachedDataSize()"],
            gives: [.bytes]
        ) { arguments in
            let bytes = try arguments.client.cachedDataSize()
            return .text("\(grouped(bytes)) bytes", [.bytes: bytes])
        },
        Command(
            name: "cache report",
            summary: "Shows what is damaged in the device's cache, as JSON for a bug report.",
            example: "cache report",
            preparation: ["demo"],
            output: "nothing is damaged",
            covers: ["ChatClient.damageReport()"],
            gives: [.isDamaged, .error]
        ) { arguments in
            let client = try arguments.client
            let report = try await client.damageReport()
            guard report.isDamaged || report.openingFailure != nil else {
                return .text("nothing is damaged", [.isDamaged: false])
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let json = String(decoding: try encoder.encode(report), as: UTF8.self)
            guard let failure = client.cachingError else {
                return .text(json, [.isDamaged: true])
            }
            // If the files could not be opened, the report contains only the error.
            let head = "the cache cannot be opened: \(sentence(of: failure))"
            var values: Values = [.error: sentence(of: failure)]
            if report.isDamaged { values[.isDamaged] = true }
            return .text("\(head)\n\(json)", values)
        },
        Command(
            name: "cache clear",
            usage: "[CHANNEL ...]",
            summary: "Removes cached data: all, or the messages of channels.",
            example: "cache clear cats",
            preparation: ["demo"],
            offers: [.channels],
            offersForMore: true,
            covers: ["ChatClient.clearCachedMessages(in:)", "ChatClient.clearCachedData()"],
            gives: [.channelURLs]
        ) { arguments in
            var urls: [ChannelURL] = []
            for word in arguments.words {
                urls.append(try await arguments.existing(ChannelURL(word)))
            }
            guard !urls.isEmpty else {
                try await arguments.client.clearCachedData()
                return .text("cleared; the outbox is kept")
            }
            try await arguments.client.clearCachedMessages(in: urls)
            return .text(
                "cleared the messages of \(arguments.words.joined(separator: ", "))",
                [.channelURLs: urls])
        },
        Command(
            name: "cache plan",
            usage: "[BYTES]",
            summary: "Shows which messages would be evicted to reduce the device's cache.",
            example: "cache plan",
            preparation: ["demo"],
            output: "nothing would be evicted",
            covers: ["ChatClient.evictionPlan(to:)"],
            gives: [.bytes, .counts]
        ) { arguments in
            let plan = try await arguments.client.evictionPlan(to: try arguments.sizeOrNone)
            return .eviction(plan, none: "nothing would be evicted", verb: "would go")
        },
        Command(
            name: "cache shrink",
            usage: "[BYTES]",
            summary:
                "Evicts messages from the device's cache, except those of shown and pinned channels.",
            example: "cache shrink",
            preparation: ["demo"],
            output: "nothing went",
            covers: ["ChatClient.shrinkCache(to:)"],
            gives: [.bytes, .counts]
        ) { arguments in
            let eviction = try await arguments.client.shrinkCache(to: try arguments.sizeOrNone)
            return .eviction(eviction, none: "nothing went", verb: "went")
        },
        Command(
            name: "suspend",
            summary: "Closes the device's files, as an app does in the background.",
            example: "suspend",
            preparation: ["demo"],
            output: """
                suspended: type resume to continue
                = alice is disconnected
                """,
            covers: ["ChatClient.suspend()"]
        ) { arguments in
            try await arguments.client.suspend()
            return .text("suspended: type resume to continue")
        },
        Command(
            name: "resume",
            summary: "Opens the device's files again, and reconnects.",
            example: "resume",
            preparation: ["demo", "suspend"],
            output: """
                resumed
                = alice is connected
                """,
            covers: ["ChatClient.resume()"]
        ) { arguments in
            try await arguments.client.resume()
            return .text("resumed")
        },
    ]
}

extension Command {
    /// The maximum number of IDs in a line.
    fileprivate static let idLimit = 20

    /// Returns a text with the first IDs and the number of omitted IDs.
    fileprivate static func idList(_ ids: [String], limit: Int) -> String {
        let more = ids.count - limit
        return ids.prefix(limit).map(\.oneLine).joined(separator: " ")
            + (more > 0 ? " … and \(grouped(more)) more: add all for the rest" : "")
    }
}

extension Command.Arguments {
    /// The message that the text, a JSON object, describes.
    ///
    /// An unknown field is an error.
    fileprivate var message: Message {
        get throws {
            guard text.hasPrefix("{"),
                let message = try RecordType(named: "Message").typedRecord(json: text) as? Message
            else { throw CommandError.usage }
            return message
        }
    }

    /// The number of bytes that the only word specifies; `nil` if there is no word.
    fileprivate var sizeOrNone: Int? {
        get throws {
            guard let word = words.first else { return nil }
            guard words.count == 1 else { throw CommandError.usage }
            guard let size = Int(word), size >= 0 else {
                throw CommandError.failed("'\(word)' is not a number of bytes, such as 1000000")
            }
            return size
        }
    }
}

extension Command.Reply {
    fileprivate static func eviction(
        _ eviction: Eviction, none: String, verb: String
    ) -> Command.Reply {
        var counts: [String: Int] = [:]
        for part in eviction.parts {
            counts[part.channelURL.rawValue, default: 0] += part.messageCount
        }
        let lines = counts.sorted { $0.key < $1.key }.map { url, count in
            "\(counted(count, "message")) of \(url) \(verb)"
        }
        return .text(
            lines.isEmpty ? none : lines.joined(separator: "\n"),
            [.bytes: eviction.sizeAfter, .counts: counts])
    }

    fileprivate static func rows(_ messages: [Message], orNone none: String) -> Command.Reply {
        .text(
            messages.isEmpty ? none : Rows(messages).lines.joined(separator: "\n"),
            [.messages: messages])
    }

    fileprivate static func changes<ID: Encodable & Sendable & CustomStringConvertible>(
        _ updated: [ID], _ deleted: [ID], limit: Int, hasMore: Bool
    ) -> Command.Reply {
        func line(_ what: String, _ ids: [ID]) -> String {
            let list = Command.idList(ids.map(\.description), limit: limit)
            return "\(what)  \(ids.isEmpty ? "nothing" : "\(grouped(ids.count)): \(list)")"
        }
        let lines = [line("updated", updated), line("deleted", deleted)]
        return .text(
            (lines + (hasMore ? ["there are more: repeat the command"] : [])).joined(
                separator: "\n"),
            [.updated: updated, .deleted: deleted, .hasMore: hasMore])
    }
}

extension SyncEngine {
    /// Fetches the missing and stale messages of a channel, newest first.
    ///
    /// - Parameters:
    ///   - url: The URL of the channel.
    ///   - pageSize: The maximum number of messages that a request returns.
    ///   - progress: A closure that is called with the number of messages fetched so far.
    /// - Returns: The number of fetched messages.
    /// - Throws: `SyncError`, and `CancellationError`.
    @MainActor
    func fetchAll(
        of url: ChannelURL, pageSize: Int = 200, progress: (Int) -> Void
    ) async throws -> Int {
        var count = 0
        var last: Gap?
        while let gap = try store.gaps(in: url).last {
            try Task.checkCancellation()
            guard gap != last else {
                throw CommandError.failed("the server repeats the same page of \(url)")
            }
            last = gap
            let anchor = gap.backfillCursor.map { .cursor($0) } ?? gap.upper.anchorIncludingIt
            let fetched = try await fetchMessages(
                in: url, at: anchor, older: pageSize, newer: 0,
                bound: anchor == .newest ? nil : gap.upper)
            count += fetched.page.messages.count
            progress(count)
        }
        count += try await fetchStaleMessages(in: url)
        progress(count)
        return count
    }
}
