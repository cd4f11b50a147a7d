import Foundation
import Scrollback

extension Command {
    static let searching: [Command] = [
        Command(
            name: "search",
            usage: "WORDS [in CHANNEL] [by USER] [since TIME]",
            freeTextAfter: 0,
            summary: "Finds messages on the device that contain all words, the newest 10 first.",
            notes: [
                "The last word may be unfinished; \"quoted words\" are next to each other; -WORD"
                    + " excludes messages."
            ],
            example: "search build went in general",
            preparation: ["demo"],
            covers: [
                "ChatClient.search(_:after:limit:)", "ChatClient.makeMessageSearch(_:pageSize:)",
                "MessageSearch.messages", "MessageSearch.hasMore", "MessageSearch.unsearched",
                "MessageSearch.dispose()",
            ],
            gives: [.messages, .hasMore, .outboxItems, .channels, .unsearched]
        ) { arguments in
            let params = try await arguments.search()
            let device = try arguments.device
            device.search = try device.client.makeMessageSearch(
                params, pageSize: Command.pageSize)
            // The live list contains only sent messages, so search for unsent messages separately.
            let page = try await device.client.search(params, limit: 0)
            return try await arguments.found(page)
        },
        Command(
            name: "backfill",
            summary: "Fetches what search could not read, and lists what it finds then.",
            example: "backfill",
            preparation: ["demo", "away 1d 400", "online", "search good morning"],
            covers: ["MessageSearch.backfill()"],
            gives: [.messages, .hasMore, .unsearched]
        ) { arguments in
            let search = try arguments.messageSearch
            try await search.backfill()
            return arguments.reply(search, search.messages)
        },
        Command(
            name: "search-server",
            summary: "Asks the server for messages that match, and lists those that are new.",
            example: "search-server",
            preparation: ["demo", "away 1d 400", "online", "search of 40"],
            covers: ["MessageSearch.searchServer()", "MessageSearch.serverSearch"],
            gives: [.messages, .hasMore, .unsearched, .isComplete]
        ) { arguments in
            let search = try arguments.messageSearch
            let found = try await search.searchServer()
            let isComplete = search.serverSearch.isComplete
            var reply = arguments.reply(search, found)
            reply.values[.isComplete] = isComplete
            if !found.isEmpty {
                reply.text += "\n\(counted(found.count, "message")) from the server"
            }
            if !isComplete { reply.text += "\n… more on the server: search-server" }
            return reply
        },
        Command(
            name: "index",
            usage: "[rebuild]",
            summary: "Shows the state of the search index, or builds it again.",
            example: "index",
            preparation: ["option store.isSearchIndexed true", "demo"],
            offers: [.oneOf(["rebuild"])],
            covers: ["ChatClient.searchIndexStatus()", "ChatClient.rebuildSearchIndex()"],
            gives: [.bytes, .count, .known]
        ) { arguments in
            let client = try arguments.client
            switch arguments.words {
            case []: break
            case ["rebuild"]: try await client.rebuildSearchIndex()
            default: throw CommandError.usage
            }
            guard let status = try await client.searchIndexStatus() else {
                return .text(
                    "off: searches read all messages; option store.isSearchIndexed true, before "
                        + "the device connects, turns it on")
            }
            let percent = Int(status.fractionCompleted * 100)
            return .text(
                (status.fractionCompleted == 1 ? "complete" : "\(percent) percent complete")
                    + ": \(counted(status.documentCount, "message")) in "
                    + "\(counted(status.segmentCount, "segment")), "
                    + "\(grouped(status.pendingCount)) new, \(counted(status.byteCount, "byte"))",
                [
                    .bytes: status.byteCount, .count: status.documentCount + status.pendingCount,
                    .known: percent,
                ])
        },
    ]

    fileprivate static let pageSize = 10
}

extension Command.Arguments {
    @MainActor fileprivate func search() async throws -> MessageSearchParams {
        var rest = text[...]
        var params = MessageSearchParams("")
        while let (before, option, value) = rest.lastOption {
            switch option {
            case "in": params.channelURLs = [try await existing(ChannelURL(String(value)))]
            case "by": params.senderUserIDs = [UserID(String(value))]
            default: params.since = try time(String(value))
            }
            rest = before
        }
        params.text = String(rest)
        guard !SearchQuery(params.text).isEmpty else { throw CommandError.usage }
        return params
    }

    /// The search that the command `search` started.
    @MainActor var messageSearch: MessageSearch {
        get throws {
            if let search = try device.search { return search }
            throw CommandError.failed("there is no search: search WORDS")
        }
    }

    /// Lists the next page of the search.
    ///
    /// On the first page, matching channels and unsent messages precede it.
    @MainActor func found(_ page: SearchPage? = nil) async throws -> Command.Reply {
        let search = try messageSearch
        let messages = try await search.loadMore()
        var reply = reply(search, messages, page?.outboxItems.compactMap(\.message) ?? [])
        if let page {
            reply.values[.outboxItems] = page.outboxItems
            reply.values[.channels] = page.channels
            if !page.channels.isEmpty {
                let urls = page.channels.map { $0.url.rawValue.oneLine }
                reply.text = "channels: \(urls.joined(separator: ", "))\n\(reply.text)"
            }
        }
        return reply
    }

    /// Returns a reply with the messages that match, and the ranges that were not searched.
    @MainActor fileprivate func reply(
        _ search: MessageSearch, _ messages: [FoundMessage], _ unsent: [Message] = []
    ) -> Command.Reply {
        var lines: [String] = []
        let query = SearchQuery(search.params.text)
        let rows =
            unsent.map { row(of: $0, query.hits(in: $0) ?? []) }
            + messages.map { row(of: $0.message, $0.hits) }
        lines.append(rows.isEmpty ? "no messages" : Command.columns(rows))
        if search.hasMore { lines.append("… more results: more") }
        if !search.unsearched.isEmpty {
            let urls = Set(search.unsearched.map { $0.channelURL.rawValue.oneLine }).sorted()
            let gaps = search.unsearched.filter { $0.reason == .gap }.count
            let stale = search.unsearched.count - gaps
            let what = [
                gaps == 0 ? nil : counted(gaps, "gap"),
                stale == 0 ? nil : counted(stale, "stale range"),
            ].compactMap { $0 }.joined(separator: " and ")
            lines.append("not searched: \(what) in \(urls.joined(separator: ", ")): backfill")
        }
        return .text(
            lines.joined(separator: "\n"),
            [
                .messages: messages.map(\.message), .hasMore: search.hasMore,
                .unsearched: search.unsearched.map { range in
                    [
                        "channel_url": range.channelURL.rawValue, "reason": range.reason.rawValue,
                        "from": range.lower.word, "to": range.upper.word,
                    ]
                },
            ])
    }

    private func row(of message: Message, _ hits: [SearchHit]) -> [String] {
        let texts = message.searchedTexts.map { field, text in
            let marked = hits.filter { $0.field == field }.reversed().reduce(into: text) {
                text, hit in
                text.insert("]", at: hit.range.upperBound)
                text.insert("[", at: hit.range.lowerBound)
            }
            return field == .text ? marked : "(\(marked))"
        }
        let time = message.createdAt.iso8601
        return [
            message.channelURL.rawValue.oneLine,
            (message.messageID?.rawValue ?? "(\(message.requestID?.rawValue ?? "?"))").oneLine,
            String(time.prefix(16)).replacing("T", with: " "),
            (message.sender?.userID.rawValue ?? "*").oneLine, texts.joined(separator: " ").oneLine,
        ]
    }
}

extension Substring {
    /// The text before the last two words, if they are an option and its value and are not in
    /// quotes.
    fileprivate var lastOption: (before: Substring, option: Substring, value: Substring)? {
        let words = split(whereSeparator: \.isWhitespace)
        guard words.count > 2 else { return nil }
        let (option, value) = (words[words.count - 2], words[words.count - 1])
        let before = self[..<option.startIndex]
        guard ["in", "by", "since"].contains(option), !value.contains("\""),
            before.filter({ $0 == "\"" }).count.isMultiple(of: 2)
        else { return nil }
        return (self[..<words[words.count - 3].endIndex], option, value)
    }
}
