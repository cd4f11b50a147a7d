import Foundation
import Scrollback

extension Command {
    static let searching: [Command] = [
        Command(
            "search WORDS [in CHANNEL] [by USER] [since TIME]", freeTextAfter: 0,
            "Finds messages on the device that contain all words, the newest 10 first.",
            notes: [
                "The last word may be unfinished; \"quoted words\" are next to each other; -WORD"
                    + " excludes messages."
            ], example: "search build went in general"
        ) { arguments in
            let device = try arguments.device
            let params = try await arguments.search { try await arguments.existing($0) }
            guard !SearchQuery(params.text).isEmpty else {
                return ValuedReply("no messages: the query has no word to find", list: [Message]())
            }
            device.messageList = nil
            device.search = try device.client.makeMessageSearch(
                params, pageSize: Command.pageSize)
            // The live list has only sent messages: search for unsent ones separately.
            let page = try await device.client.search(params, limit: 0)
            return try await arguments.found(page)
        },
        Command(
            "search-backfill",
            "Fetches the ranges that were not searched, and lists the results again."
        ) { arguments in
            let search = try arguments.messageSearch
            try await search.backfill()
            return arguments.reply(search, search.messages)
        },
        Command(
            "search-server",
            "Asks the server for messages that match, and lists those that are new."
        ) { arguments in
            let search = try arguments.messageSearch
            let found = try await search.searchServer()
            return arguments.reply(search, found)
                + (found.isEmpty
                    ? "" : "\n\(counted(found.count, "message")) from the server")
                + (search.serverSearch.isComplete ? "" : "\n… more on the server: search-server")
        },
        Command(
            "index [rebuild | finish]",
            "Shows the state of the search index, builds it again, or indexes the rest now."
        ) { arguments in
            let client = try arguments.client
            switch arguments.words {
            case []: break
            case ["rebuild"]: try await client.rebuildSearchIndex()
            case ["finish"]:
                let store = try client.engine.store
                while try store.indexMessages() { try Task.checkCancellation() }
            default: throw CommandError.usage
            }
            guard let status = try await client.searchIndexStatus() else {
                return "off: searches read all messages; option store.isSearchIndexed true, then "
                    + "relaunch and connect, turn it on for this run of the prompt"
            }
            let percent = Int(status.fractionCompleted * 100)
            return (status.fractionCompleted == 1 ? "complete" : "\(percent) percent complete")
                + ": \(counted(status.documentCount, "message")) in "
                + "\(counted(status.segmentCount, "segment")), "
                + "\(grouped(status.unsegmentedCount)) unsegmented, \(counted(status.byteCount, "byte"))"
        },
    ]

    fileprivate static let pageSize = 10
}

extension Command.Arguments {
    @MainActor fileprivate func search(
        in channel: @MainActor (ChannelURL) async throws -> ChannelURL
    ) async throws -> MessageSearchParams {
        var rest = text[...]
        var params = MessageSearchParams("")
        while let (before, option, value) = rest.lastOption {
            switch option {
            case "in": params.channelURLs = [try await channel(ChannelURL(String(value)))]
            case "by": params.senderUserIDs = [UserID(String(value))]
            default: params.since = try time(String(value))
            }
            rest = before
        }
        params.text = String(rest)
        guard !params.text.isEmpty else {
            guard text.isEmpty else {
                throw CommandError.failed("the query has no word to find, only options")
            }
            throw CommandError.usage
        }
        return params
    }

    @MainActor func foundInStore() async throws -> any Reply {
        let params = try await search { try held($0) }
        let found = try workspace.store.searchMessages(params, limit: Command.pageSize)
        return Self.reply(found, to: params)
    }

    @MainActor var messageSearch: MessageSearch {
        get throws {
            if let search = try device.search { return search }
            throw CommandError.failed("there is no search: search WORDS")
        }
    }

    /// Lists the next page of the search; the first one also has matching channels and unsent
    /// messages.
    @MainActor func found(_ page: SearchPage? = nil) async throws -> any Reply {
        let search = try messageSearch
        let messages = try await search.loadMore()
        let urls = page?.channels.map(\.url.rawValue.oneLine) ?? []
        return (urls.isEmpty ? "" : "channels: \(urls.joined(separator: ", "))\n")
            + reply(search, messages, page?.outboxItems.compactMap(\.message) ?? [])
    }

    @MainActor fileprivate func reply(
        _ search: MessageSearch, _ messages: [FoundMessage], _ unsent: [Message] = []
    ) -> ValuedReply {
        var reply = Self.reply(messages, to: search.params, unsent)
        var lines = [reply.text]
        if search.hasMore { lines.append("… more results: more") }
        if !search.unsearched.isEmpty {
            let urls = Set(search.unsearched.map { $0.channelURL.rawValue.oneLine }).sorted()
            let gaps = search.unsearched.filter { $0.reason == .gap }.count
            let stale = search.unsearched.count - gaps
            let what = [
                gaps == 0 ? nil : counted(gaps, "gap"),
                stale == 0 ? nil : counted(stale, "stale range"),
            ].compactMap { $0 }.joined(separator: " and ")
            lines.append(
                "not searched: \(what) in \(urls.joined(separator: ", ")): search-backfill")
        }
        reply.text = lines.joined(separator: "\n")
        return reply
    }

    private static func reply(
        _ messages: [FoundMessage], to params: MessageSearchParams, _ unsent: [Message] = []
    ) -> ValuedReply {
        let query = SearchQuery(params.text)
        let short = ShortIDs((unsent + messages.map(\.message)).map(\.name))
        let rows =
            unsent.map { row(of: $0, query.hits(in: $0) ?? [], short) }
            + messages.map { row(of: $0.message, $0.hits, short) }
        return ValuedReply(
            rows.isEmpty ? "no messages" : Command.columns(rows),
            list: unsent + messages.map(\.message))
    }

    private static func row(
        of message: Message, _ hits: [SearchHit], _ short: ShortIDs
    ) -> [String] {
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
            message.channelURL.rawValue,
            message.messageID == nil ? "(\(short[message.name]))" : short[message.name],
            String(time.prefix(16)).replacing("T", with: " "),
            message.author, texts.joined(separator: " "),
        ]
    }
}

extension Substring {
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
