import Foundation
import Scrollback
import Store

extension Command {
    static let sync: [Command] = [
        Command(
            "backfill [CHANNEL]",
            "Fetches the missing and stale messages of a channel, newest first."
        ) { arguments in
            let url = try await arguments.channelOrOpenOne
            let engine = try arguments.client.engine
            let workspace = arguments.workspace
            defer { workspace.onProgress(nil) }
            let meter = ProgressMeter("syncing \(url)", in: workspace)
            let (new, refreshed) = try await fetchAll(of: url, with: engine) { meter.update($0) }
            let again =
                refreshed > 0 ? ", and \(grouped(refreshed)) that may have been out of date" : ""
            let line = "fetched \(counted(new, "missing message"))\(again)"
            return try "\(line)\n" + workspace.coverage(of: url)
        },
        Command(
            "verify [CHANNEL] [all]",
            "Compares a channel and its messages with the server; lists the first 20 ids or all."
        ) { arguments in
            let url = try await arguments.channelOrOpenOne
            let engine = try arguments.client.engine
            let found = try await engine.verify(url)
            func ids(_ messages: [Message]) -> [String] {
                messages.map { $0.messageID?.rawValue ?? "?" }
            }
            func line(_ what: String, _ messages: [Message]) -> String? {
                guard !messages.isEmpty else { return nil }
                let list = idList(ids(messages), arguments.limit)
                return "\(grouped(messages.count)) \(what): \(list)"
            }
            let lines = [
                line("missing", found.missing), line("not on the server", found.extra),
                line("different", found.different),
                found.channel.map {
                    "the channel itself: \($0.fields.joined(separator: ", "))"
                },
            ].compactMap { $0 }
            // Mention gaps and stale ranges: `verify` does not compare them.
            let coverage = try await engine.coverage(of: url)
            let skipped = [
                (coverage.count(.missing), "gap"), (coverage.count(.stale), "stale range"),
            ].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }.joined(separator: " and ")
            let rest = skipped.isEmpty ? [] : ["not compared: \(skipped): backfill \(url)"]
            guard !found.isEmpty || found.comparedCount > 0 || coverage.count(.known) > 0 else {
                let command = coverage.count(.stale) > 0 ? "repair \(url)" : "backfill \(url)"
                return "no messages of \(url) are known, so only the channel was compared: "
                    + "\(command) fetches them"
            }
            let head = "compared \(counted(found.comparedCount, "message"))"
            let advice =
                found.extra.isEmpty
                ? "repair \(url) fetches \(found.channel != nil && lines.count == 1 ? "it" : "them")"
                : "repair \(url) makes the cache equal to the server"
            return ValuedReply(
                ((found.isEmpty
                    ? ["\(head): no differences from the server"]
                    : [head] + lines + [advice]) + rest)
                    .joined(separator: "\n"),
                [
                    "count": found.comparedCount, "missing": ids(found.missing),
                    "extra": ids(found.extra), "different": ids(found.different),
                ])
        },
        Command("repair [CHANNEL]", "Fetches a channel and its known messages again.") {
            arguments in
            let url = try await arguments.channelOrOpenOne
            let engine = try arguments.client.engine
            try await engine.repair(url)
            guard
                try await engine.coverage(of: url).parts.contains(where: { $0.kind != .missing }
                )
            else {
                return "no messages of \(url) are known yet: backfill \(url) fetches them"
            }
            return "\(url) equals the server's copy"
        },
        Command("get ID [in CHANNEL]", "Gets a message, from the cache or the server.") {
            arguments in
            let (id, url) = try await arguments.messageInChannel()
            guard let message = try await arguments.client.message(id, in: url) else {
                throw CommandError.noMessage(id.rawValue, in: url)
            }
            return ValuedReply(Rows([.message(message)]).lines.joined(separator: "\n"), message)
        },
        Command(
            "around TIME [in CHANNEL]",
            "Gets the messages around a time, from the server if it can be reached."
        ) { arguments in
            let (word, url) = try await arguments.wordInChannel()
            var params = MessageListParams()
            params.replyType = .all
            params.previousResultSize = 5
            params.nextResultSize = 5
            let messages = try await arguments.client.messages(
                in: url, around: try arguments.time(word), params: params)
            return Rows.reply(messages, orNone: "no messages")
        },
        Command(
            "thread ID [in CHANNEL] [JSON]", "Gets the replies to a message."
        ) { arguments in
            let (id, url) = try await arguments.messageInChannel()
            let params = try arguments.params(ThreadedMessageListParams(), arguments.json)
            let client = try arguments.client
            let replies = try await client.threadedMessages(of: id, in: url, params: params)
            if replies.isEmpty, try await client.message(id, in: url) == nil {
                throw CommandError.noMessage(id.rawValue, in: url)
            }
            return Rows.reply(replies, orNone: "no replies")
        },
        Command(
            "changelog messages [TIME] [in CHANNEL] [all] [JSON]",
            "Reads the changes of a channel's messages since a time, or since the last call."
        ) { arguments in
            let (words, url) = try await arguments.wordsInChannel()
            guard words.count <= 1 else { throw CommandError.usage }
            let point = try words.first.map { ChangelogPoint.time(try arguments.time($0)) }
            let params =
                arguments.json.isEmpty
                ? nil : try arguments.params(MessageChangelogParams(), arguments.json)
            let changes = try await arguments.client.messageChanges(
                in: url, since: point, params: params)
            return changed(
                changes.updated.compactMap(\.messageID), changes.deleted.map(\.messageID),
                hasMore: changes.hasMore,
                limit: arguments.limit)
        },
        Command(
            "changelog channels [TIME] [all] [JSON]",
            "Reads the changes of the user's channels since a time, or since the last call."
        ) { arguments in
            let point = try arguments.optionalWord.map {
                ChangelogPoint.time(try arguments.time($0))
            }
            let params =
                arguments.json.isEmpty
                ? nil : try arguments.params(GroupChannelChangelogParams(), arguments.json)
            let changes = try await arguments.client.channelChanges(since: point, params: params)
            return changed(
                changes.updated.map(\.url), changes.deletedURLs, hasMore: changes.hasMore,
                limit: arguments.limit)
        },
        Command(
            "push JSON", freeTextAfter: 0, "Stores a message as a push notification delivers it.",
            example:
                #"push {"message_id": 99, "channel_url": "general", "created_at": 1700000000000, "message": "Ding!"}"#
        ) { arguments in
            let message = try arguments.message
            let client = try arguments.client
            if try await client.ingest(push: [message]) == 1 { return "1 message is stored" }
            let url = message.channelURL
            return "the message was not stored: "
                + (try client.engine.store.holds(url)
                    ? "it was deleted" : "the cache does not have the channel \(url)")
        },
        Command(
            "leave-push JSON", freeTextAfter: 0,
            "Leaves a message in the push inbox, as a notification extension does.",
            example:
                #"leave-push {"message_id": 99, "channel_url": "general", "created_at": 1700000000000, "message": "Ding!"}"#
        ) { arguments in
            let message = try arguments.message
            let client = try arguments.client
            guard client.isUsingLocalCaching, let directory = try client.engine.store.directory
            else { return "there is no push inbox in memory: start with --home" }
            let key = client.options.encryptionKey
            guard let box = try PushInbox(in: directory, encryptionKey: key) else {
                throw CommandError.failed("there is no push inbox: connect first")
            }
            try box.leave([message])
            let count = try box.count
            return "\(counted(count, "file")) in the inbox: read-pushes reads them"
        },
        Command(
            "read-pushes", "Stores the messages that other processes have left in the push inbox."
        ) {
            arguments in
            let received = try await arguments.client.readPushInbox()
            let damage = received.damage.map { "\($0)" }
            let count = counted(received.messages.count, "message")
            let lines =
                received.isEmpty
                ? ["the push inbox is empty"]
                : [
                    "\(count) in \(counted(received.pushCount, "file")), \(received.storedCount) stored"
                ]
            let failure = received.failure.map { ["not read: \(sentence(of: $0))"] } ?? []
            return (lines + damage.map { "damaged: \($0)" } + failure).joined(separator: "\n")
        },
        Command(
            "cache size",
            "Shows the size of the device's cache or, before a connection, of all files."
        ) { arguments in
            guard arguments.workspace.device != nil else {
                let users = try await arguments.world.storedUsers
                let bytes = users.byteCount
                return "\(counted(bytes, "byte")) in the files of \(counted(users.count, "user"))"
            }
            return counted(try arguments.client.cachedDataSize(), "byte")
        },
        Command(
            "cache report", "Shows what is damaged in the device's cache, as JSON for a bug report."
        ) { arguments in
            let client = try arguments.client
            let report = try await client.damageReport()
            guard report.isDamaged || report.openingFailure != nil else {
                return "nothing is damaged"
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let json = String(decoding: try encoder.encode(report), as: UTF8.self)
            guard let failure = client.cachingError else { return json }
            return "the cache cannot be opened: \(sentence(of: failure))\n\(json)"
        },
        Command(
            "cache clear [CHANNEL ...]", "Removes cached data: all, or the messages of channels."
        ) { arguments in
            var urls: [ChannelURL] = []
            for word in arguments.words {
                urls.append(try await arguments.existing(ChannelURL(word)))
            }
            guard !urls.isEmpty else {
                try await arguments.client.clearCachedData()
                return "cleared; the outbox is kept"
            }
            try await arguments.client.clearCachedMessages(in: urls)
            return "cleared the messages of \(arguments.words.joined(separator: ", "))"
        },
        Command(
            "remove-downloads", "Removes the downloaded files of messages from this device.",
            example: "remove-downloads"
        ) { arguments in
            try arguments.expectNoWords()
            try await arguments.client.removeDownloads()
            return "the downloaded files are removed"
        },
        Command(
            "cache plan [BYTES]",
            "Shows which messages would be evicted to reduce the device's cache."
        ) { arguments in
            let plan = try await arguments.client.evictionPlan(to: try arguments.sizeOrNone)
            return evicted(plan, none: "nothing would be evicted", verb: "would be evicted")
        },
        Command(
            "cache shrink [BYTES]",
            "Evicts messages from the device's cache, except those of shown and kept channels."
        ) { arguments in
            let eviction = try await arguments.client.shrinkCache(to: try arguments.sizeOrNone)
            return evicted(eviction, none: "nothing was evicted", verb: "evicted")
        },
        Command("suspend", "Closes the device's files, as an app does in the background.") {
            arguments in
            try await arguments.client.suspend()
            return "suspended: type resume to continue"
        },
        Command("resume", "Opens the device's files again, and reconnects.") { arguments in
            try await arguments.client.resume()
            return "resumed"
        },
    ]
}

extension Command {
    /// Fetches the missing and stale messages of a channel, newest first.
    ///
    /// `progress` receives the number of new messages so far.
    @MainActor static func fetchAll(
        of url: ChannelURL, with engine: SyncEngine, progress: (Int) -> Void
    ) async throws -> (new: Int, refreshed: Int) {
        let store = engine.store
        let before = try store.messageCount(in: url)
        var newCount: Int { get throws { max(0, try store.messageCount(in: url) - before) } }
        var last: Gap?
        while let gap = try store.gaps(in: url).last {
            try Task.checkCancellation()
            guard gap != last else {
                throw CommandError.failed("the server repeats the same page of \(url)")
            }
            last = gap
            let anchor = gap.backfillCursor.map { .cursor($0) } ?? gap.upper.anchorIncludingIt
            _ = try await engine.fetchMessages(
                in: url, at: anchor, older: 200, newer: 0,
                bound: anchor == .newest ? nil : gap.upper)
            progress(try newCount)
        }
        let refreshed = try await engine.fetchStaleMessages(in: url)
        progress(try newCount)
        return (try newCount, refreshed)
    }

    private static func idList(_ ids: [String], _ limit: Int?) -> String {
        let shown = ids.prefix(limit ?? 20)
        let more = ids.count - shown.count
        return shown.map(\.oneLine).joined(separator: " ")
            + (more > 0 ? " … and \(grouped(more)) more: add all for the rest" : "")
    }

    private static func changed<ID: CustomStringConvertible>(
        _ updated: [ID], _ deleted: [ID], hasMore: Bool, limit: Int?
    ) -> any Reply {
        func line(_ what: String, _ ids: [ID]) -> String {
            let list = idList(ids.map(\.description), limit)
            return "\(what)  \(ids.isEmpty ? "nothing" : "\(grouped(ids.count)): \(list)")"
        }
        let lines =
            [line("updated", updated), line("deleted", deleted)]
            + (hasMore ? ["there are more: repeat the command"] : [])
        return ValuedReply(
            lines.joined(separator: "\n"),
            [
                "updated": updated.map(\.description), "deleted": deleted.map(\.description),
                "has_more": hasMore,
            ])
    }

    private static func evicted(_ eviction: Eviction, none: String, verb: String) -> String {
        var counts: [String: Int] = [:]
        for part in eviction.parts {
            counts[part.channelURL.rawValue, default: 0] += part.messageCount
        }
        let lines = counts.sorted { $0.key < $1.key }.map { url, count in
            "\(counted(count, "message")) of \(url.oneLine) \(verb)"
        }
        return lines.isEmpty ? none : lines.joined(separator: "\n")
    }
}

extension Command.Arguments {
    /// The message of the JSON text; an unknown field is an error.
    fileprivate var message: Message {
        get throws {
            guard text.hasPrefix("{"),
                let message = try RecordType(named: "Message").typedRecord(json: text) as? Message
            else { throw CommandError.usage }
            let missing = [
                message.messageID == nil ? "message_id" : nil,
                message.channelURL.rawValue.isEmpty ? "channel_url" : nil,
                message.createdAt == 0 ? "created_at" : nil,
            ].compactMap(\.self)
            guard missing.isEmpty else {
                throw CommandError.failed(
                    "the message has no \(missing.joined(separator: ", no "))")
            }
            return message
        }
    }

    fileprivate var sizeOrNone: Int? {
        get throws {
            guard let word = try optionalWord else { return nil }
            guard let size = Int(word), size >= 0 else {
                throw CommandError.failed("'\(word)' is not a number of bytes, such as 1000000")
            }
            return size
        }
    }
}
