import Foundation
import Scrollback

extension Command {
    static let sync: [Command] = [
        Command(
            name: "heal",
            usage: "[CHANNEL]",
            summary: "Fetches all that is missing of a channel, from its newest gap to its oldest.",
            example: "heal cats",
            preparation: ["demo"],
            offers: [.channels],
            covers: ["SyncEngine.fetchMessages(in:at:older:newer:edge:source:)"],
            gives: [.channelURL, .coverage, .count]
        ) { arguments in
            let url = try await arguments.channelOrOpenOne
            let engine = try arguments.client.engine()
            let workspace = arguments.workspace
            var meter = ProgressMeter("syncing \(url)", width: workspace.width)
            defer { workspace.onProgress(nil) }
            let count = try await engine.fetchAll(of: url) { count in
                if let line = meter.note(count) { workspace.onProgress(line) }
            }
            var reply = try workspace.coverage(of: url)
            reply.text = "fetched \(counted(count, "message"))\n\(reply.text)"
            reply.values[.count] = count
            return reply
        },
        Command(
            name: "verify",
            usage: "[CHANNEL]",
            summary: "Compares what is known of a channel with the server, and changes nothing.",
            example: "verify",
            preparation: ["demo"],
            offers: [.channels],
            covers: ["SyncEngine.verify(_:)"],
            gives: [.channelURL, .count, .missing, .extra, .different]
        ) { arguments in
            let url = try await arguments.channelOrOpenOne
            let engine = try arguments.client.engine()
            let found = try await engine.verify(url)
            func ids(_ what: String, _ messages: [Message]) -> String? {
                guard !messages.isEmpty else { return nil }
                let ids = messages.prefix(20).map { $0.messageID?.rawValue ?? "?" }
                let more = messages.count > 20 ? " …" : ""
                return "\(what): \(ids.joined(separator: " "))\(more)"
            }
            let lines = [
                ids("missing", found.missing), ids("not on the server", found.extra),
                ids("different", found.different),
            ].compactMap { $0 }
            // Nothing was asked for: that is no answer of the server.
            let kinds = try await engine.coverage(of: url).stretches.map(\.kind)
            guard !found.isEmpty || found.comparedCount > 0 || kinds.contains(.known) else {
                let way = kinds.contains(.stale) ? "repair \(url)" : "heal \(url)"
                return .text(
                    "nothing is known of \(url), so nothing was compared: \(way) fetches it",
                    [.channelURL: url, .count: 0])
            }
            let head = "compared \(counted(found.comparedCount, "message"))"
            return .text(
                found.isEmpty
                    ? "\(head): all is as on the server"
                    : ([head] + lines + ["repair \(url) fetches them"]).joined(separator: "\n"),
                [
                    .channelURL: url, .count: found.comparedCount, .missing: found.missing,
                    .extra: found.extra, .different: found.different,
                ])
        },
        Command(
            name: "repair",
            usage: "[CHANNEL]",
            summary: "Fetches again what is known of a channel.",
            example: "repair",
            preparation: ["demo"],
            output: "general is as on the server",
            offers: [.channels],
            covers: ["SyncEngine.repair(_:)"],
            gives: [.channelURL]
        ) { arguments in
            let url = try await arguments.channelOrOpenOne
            let engine = try arguments.client.engine()
            guard
                try await engine.coverage(of: url).stretches.contains(where: { $0.kind != .missing }
                )
            else {
                return .of(url, "nothing is known of \(url) yet: heal \(url) fetches it")
            }
            try await engine.repair(url)
            return .of(url, "\(url) is as on the server")
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
            summary: "Gets the messages around a time, from the server if it can be asked.",
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
                "SyncEngine.fetchReplies(to:in:at:older:newer:)",
            ],
            gives: [.messages]
        ) { arguments in
            let (words, json) = arguments.wordsAndJSON
            let (id, url) = try await arguments.with(words).wordInChannel()
            let params = try arguments.record(ThreadedMessageListParams.self, in: json)
            let replies = try await arguments.client.threadedMessages(
                of: MessageID(id), in: url, params: params ?? ThreadedMessageListParams())
            return .rows(replies, orNone: "no replies")
        },
        Command(
            name: "changelog messages",
            usage: "[TIME] [in CHANNEL]",
            summary: "Reads what became of a channel's messages since a time, or the last reading.",
            example: "changelog messages 2023-11-14",
            preparation: ["demo", "send Helo", "edit 69 Hello"],
            covers: ["ChatClient.messageChanges(in:since:)"],
            gives: [.updated, .deleted, .hasMore]
        ) { arguments in
            let (words, url) = try await arguments.wordsInChannel()
            guard words.count <= 1 else { throw CommandError.usage }
            let point = try words.first.map { ChangelogPoint.time(try arguments.time($0)) }
            let changes = try await arguments.client.messageChanges(in: url, since: point)
            return .changes(
                changes.updated.compactMap(\.messageID), changes.deleted.map(\.messageID),
                hasMore: changes.hasMore)
        },
        Command(
            name: "changelog channels",
            usage: "[TIME]",
            summary: "Reads what became of the user's channels since a time, or the last reading.",
            example: "changelog channels 2023-11-14",
            preparation: ["demo"],
            covers: ["ChatClient.channelChanges(since:)"],
            gives: [.updated, .deleted, .hasMore]
        ) { arguments in
            guard arguments.words.count <= 1 else { throw CommandError.usage }
            let point = try arguments.words.first.map {
                ChangelogPoint.time(try arguments.time($0))
            }
            let changes = try await arguments.client.channelChanges(since: point)
            return .changes(
                changes.updated.map(\.url), changes.deletedURLs, hasMore: changes.hasMore)
        },
        Command(
            name: "push",
            usage: "JSON",
            summary: "Takes in a message as it comes with a push notification.",
            example:
                #"push {"message_id": 99, "channel_url": "general", "created_at": 1700000000000, "message": "Ding!"}"#,
            preparation: ["demo"],
            output: """
                1 message is held
                + general 99  (channel): Ding!
                """,
            covers: ["ChatClient.ingest(push:)", "SyncEngine.ingest(_:source:)"],
            gives: [.count]
        ) { arguments in
            guard let message = try arguments.record(Message.self, in: arguments.text) else {
                throw CommandError.usage
            }
            let count = try await arguments.client.ingest(push: [message])
            return .text(
                count == 1 ? "1 message is held" : "nothing of it is held", [.count: count])
        },
        Command(
            name: "leave-drop",
            usage: "JSON",
            summary: "Leaves a message in the drop box, as a push extension does beside the app.",
            example:
                #"leave-drop {"message_id": 99, "channel_url": "general", "created_at": 1700000000000, "message": "Ding!"}"#,
            preparation: ["demo"],
            output: "there is no drop box in memory: start with --home",
            gives: [.count]
        ) { arguments in
            guard let message = try arguments.record(Message.self, in: arguments.text) else {
                throw CommandError.usage
            }
            guard let directory = try arguments.client.engine().store.directory else {
                return .text("there is no drop box in memory: start with --home", [.count: 0])
            }
            let key = try arguments.client.options.encryptionKey
            guard let box = try DropBox(in: directory, encryptionKey: key) else {
                throw CommandError.failed("there is no drop box: connect first")
            }
            try box.leave([message])
            let count = try box.count
            return .text(
                "\(counted(count, "drop")) in the box: absorb takes in what is there",
                [.count: count])
        },
        Command(
            name: "absorb",
            summary: "Takes in what other processes have left in the drop box.",
            example: "absorb",
            preparation: ["demo"],
            output: "nothing was left",
            covers: ["ChatClient.absorbDrops()"],
            gives: [.count, .damage]
        ) { arguments in
            let absorbed = try await arguments.client.absorbDrops()
            let damage = absorbed.damage.map { "\($0)" }
            let count = counted(absorbed.messages.count, "message")
            let lines =
                absorbed.isEmpty
                ? ["nothing was left"]
                : ["\(count) in \(counted(absorbed.dropCount, "drop")), \(absorbed.heldCount) held"]
            return .text(
                (lines + damage.map { "damaged: \($0)" }).joined(separator: "\n"),
                [.count: absorbed.messages.count, .damage: damage])
        },
        Command(
            name: "cache size",
            summary: "Tells how many bytes the device's cache takes.",
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
            summary: "Tells what is damaged in the device's cache, as JSON to hand in.",
            example: "cache report",
            preparation: ["demo"],
            output: "nothing is damaged",
            covers: ["ChatClient.damageReport()"],
            gives: [.isDamaged]
        ) { arguments in
            let report = try await arguments.client.damageReport()
            guard report.isDamaged else {
                return .text("nothing is damaged", [.isDamaged: false])
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let json = String(decoding: try encoder.encode(report), as: UTF8.self)
            return .text(json, [.isDamaged: true])
        },
        Command(
            name: "cache clear",
            usage: "[CHANNEL ...]",
            summary: "Removes what the server can give again: all, or the messages of channels.",
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
                return .text("cleared; what is not sent stays")
            }
            try await arguments.client.clearCachedMessages(in: urls)
            return .text(
                "cleared the messages of \(arguments.words.joined(separator: ", "))",
                [.channelURLs: urls])
        },
        Command(
            name: "cache plan",
            usage: "[BYTES]",
            summary: "Tells what would go if the device's cache had to be smaller.",
            example: "cache plan",
            preparation: ["demo"],
            output: "nothing would go",
            covers: ["ChatClient.evictionPlan(to:)"],
            gives: [.bytes, .counts]
        ) { arguments in
            let plan = try await arguments.client.evictionPlan(to: try arguments.sizeOrNone)
            return .eviction(plan, none: "nothing would go", verb: "would go")
        },
        Command(
            name: "cache shrink",
            usage: "[BYTES]",
            summary: "Makes the device's cache smaller; what is shown, pinned or written stays.",
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
            summary: "Lets go of the device's files, as an app does in the background.",
            example: "suspend",
            preparation: ["demo"],
            output: """
                suspended: resume goes on
                = alice is disconnected
                """,
            covers: ["ChatClient.suspend()"]
        ) { arguments in
            try await arguments.client.suspend()
            return .text("suspended: resume goes on")
        },
        Command(
            name: "resume",
            summary: "Opens the device's files again, and connects if it was connected.",
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

extension Command.Arguments {
    /// A number of bytes; `nil` where none is typed.
    fileprivate var sizeOrNone: Int? {
        get throws {
            guard let word = words.first else { return nil }
            guard words.count == 1 else { throw CommandError.usage }
            guard let size = Int(word), size >= 0 else {
                throw CommandError.failed("'\(word)' is no number of bytes, such as 1000000")
            }
            return size
        }
    }
}

extension Command.Reply {
    /// How many messages of each channel go.
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
        _ updated: [ID], _ deleted: [ID], hasMore: Bool
    ) -> Command.Reply {
        func line(_ what: String, _ ids: [ID]) -> String {
            "\(what)  \(ids.isEmpty ? "nothing" : ids.map(\.description).joined(separator: " "))"
        }
        let lines = [line("updated", updated), line("deleted", deleted)]
        return .text(
            (lines + (hasMore ? ["and more: once more goes on"] : [])).joined(separator: "\n"),
            [.updated: updated, .deleted: deleted, .hasMore: hasMore])
    }
}

extension SyncEngine {
    /// Fetches what is missing of a channel, the newest first.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - pageSize: How many messages to ask for at a time.
    ///   - progress: Is called with how many messages have come so far.
    /// - Returns: How many messages came.
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
                throw CommandError.failed("the server tells the same of \(url) again and again")
            }
            last = gap
            let anchor = gap.walkCursor.map { .cursor($0) } ?? gap.upper.anchorIncludingIt
            let fetched = try await fetchMessages(
                in: url, at: anchor, older: pageSize, newer: 0,
                edge: anchor == .newest ? nil : gap.upper)
            count += fetched.page.messages.count
            progress(count)
        }
        return count
    }
}
