import Foundation
import Scrollback

extension Command {
    static let window: [Command] = [
        Command(
            "open CHANNEL [at TIME | at last-read] [cacheOnly | apiOnly] [JSON]",
            "Opens a channel: its cached messages at once, then those of the server.",
            notes: [
                "Without JSON, replies are shown too, and 20 messages on each side of the starting point.",
                "JSON changes what it names, such as {\"reply_type\": \"none\"}: schema MessageListParams.",
            ]
        ) { arguments in
            let url = try arguments.channel
            let device = try arguments.device
            let start = try arguments.start()
            do {
                let collection = try device.client.makeMessageCollection(
                    of: try await arguments.existing(url), startingPoint: start.point,
                    params: start.params)
                let isAnswered = try await collection.isAnswered(start.policy)
                device.show(collection)
                let missing =
                    start.policy == .apiOnly ? "nothing from the server" : "cached messages"
                return collection.rows() + (isAnswered ? "" : "\n(offline: \(missing))")
            } catch {
                guard let open = device.collection?.channelURL else { throw error }
                throw CommandError.remarked(error, "\(open) stays open")
            }
        },
        Command(
            "open-thread ID [in CHANNEL] [JSON]",
            "Opens the replies to a message, as open does a channel: send replies to it."
        ) { arguments in
            let (id, url) = try await arguments.messageInChannel()
            let device = try arguments.device
            let params = try arguments.params(ThreadedMessageListParams(), arguments.json)
            if device.client.connectionState == .online,
                try await device.client.message(id, in: url) == nil
            {
                throw CommandError.noMessage(id.rawValue, in: url)
            }
            let collection = try device.client.makeThreadCollection(
                ofRepliesTo: id, in: url, params: params)
            let isAnswered = try await collection.isAnswered(.cacheAndReplaceByAPI)
            guard isAnswered || collection.parentMessage != nil else {
                throw CommandError.noMessage(id.rawValue, in: url)
            }
            device.show(collection)
            return collection.rows() + (isAnswered ? "" : "\n(offline: cached messages)")
        },
        Command("close", "Closes the channel that is open.") { arguments in
            let url = try arguments.collection.channelURL
            try arguments.device.show(nil)
            return "closed \(url)"
        },
        Command("show [N]", "Shows the newest 20 (or N) rows of the open channel again.") {
            arguments in
            try arguments.collection.rows(limit: arguments.optionalCount ?? 20)
        },
        Command(
            "window", "Draws what the open channel shows as one line, as picture draws the cache."
        ) { arguments in
            Picture(try arguments.collection).text
        },
        Command("about", "Shows the state of the open channel, of the list, and of the push inbox.")
        { arguments in
            let device = try arguments.device
            let collection = try arguments.collection
            let channel = collection.channel
            let state =
                collection.isDisposed ? ", closed" : collection.isChannelDeleted ? ", lost" : ""
            let typing = collection.typingUsers.map(\.userID)
            let list = device.channelList.map { list in
                "\(list.isDisposed ? "closed" : "open"), \(list.query.order)"
            }
            let coverage = try await collection.coverage()
            let pushes =
                switch device.client.lastReceivedPushes {
                case .success(let received)?: counted(received.messages.count, "message")
                case .failure(let error)?: sentence(of: error)
                case nil: "not read"
                }
            let name = collection.openChannel?.name ?? channel.name
            let thread = collection.parentMessageID.map { id in
                [
                    "replies to",
                    collection.isParentMessageDeleted
                        ? "\(id), deleted"
                        : "\(id)  \(collection.parentMessage?.text.oneLine ?? "")",
                ]
            }
            let messages = counts(in: collection)
            let unread = collection.firstUnreadMessageID?.rawValue ?? "none"
            let history =
                "\(counted(coverage.count(.missing), "gap")), "
                + counted(coverage.count(.stale), "stale range")
            let rows =
                [["channel", "\(channel.url), \(name)\(state)"]] + [thread].compactMap { $0 } + [
                    ["opened at", collection.startingPoint.word],
                    ["messages", messages], ["unread from", unread], ["history", history],
                    [
                        "typing",
                        typing.isEmpty
                            ? "no one" : typing.map(\.rawValue).joined(separator: ", "),
                    ],
                    ["draft", collection.draft.isEmpty ? "none" : collection.draft.oneLine],
                    ["lists", list ?? "none"],
                    ["push inbox", pushes],
                ]
            return table(rows, limit: .everything, orNone: "") { $0 }
        },
        Command(
            "prev [N]", "Shows a page of older messages, or loads N pages: see show."
        ) { arguments in
            try await arguments.load(fromOldest: true) { (collection) throws(SyncError) in
                collection.hasPrevious ? try await collection.loadPrevious() : []
            }
        },
        Command(
            "next [N]", "Shows a page of newer messages, or loads N pages: see show."
        ) { arguments in
            try await arguments.load(fromOldest: false) { (collection) throws(SyncError) in
                collection.hasNext ? try await collection.loadNext() : []
            }
        },
        Command(
            "restart (latest | last-read | TIME)",
            "Moves the open channel's window, such as after a huge gap."
        ) { arguments in
            let collection = try arguments.collection
            let point = try arguments.point(arguments.onlyWord)
            do throws(SyncError) {
                try await collection.restart(at: point)
            } catch {
                guard error.code == .notConnected else { throw error }
                return collection.rows() + "\n(offline: cached messages)"
            }
            return collection.rows()
        },
        Command(
            "jump ID", "Moves the open channel's window to a message, such as one that was found."
        ) { arguments in
            let collection = try arguments.collection
            let id = try arguments.messageID(arguments.onlyWord, in: collection.channelURL)
            let message = try await collection.jump(to: id)
            return collection.rows(around: message)
        },
        Command(
            "fill [N]",
            "Fetches missing messages of the newest gap that is shown: a page, or N pages."
        ) { arguments in
            let collection = try arguments.collection
            let (store, url) = (collection.engine.store, collection.channelURL)
            let before = try store.messageCount(in: url)
            var pages = 0
            for _ in 0..<(try arguments.optionalCount ?? 1) {
                try Task.checkCancellation()
                // The newest gap is the last one that is shown, unless the order is reversed.
                let gaps = collection.items.compactMap(\.gap)
                guard let gap = collection.params.isReversed ? gaps.first : gaps.last else { break }
                try await collection.fill(gap)
                pages += 1
            }
            let count = try store.messageCount(in: url) - before
            return (pages == 0 ? "no gap is shown" : "fetched \(counted(count, "message"))")
                + "\n" + (try arguments.workspace.coverage(of: url))
        },
        Command(
            "coverage [CHANNEL]",
            "Draws the coverage of a channel's history: █ known, ▒ stale, ░ missing.",
            notes: [
                "The bar is a time line from the oldest cached message to the newest one; its ends show",
                "whether older or newer messages are missing. After it, a ▸ is a message that is not sent,",
                "▸▸▸▸ four or more. A stale range may be out of date.",
            ]
        ) { arguments in
            // The device's store may lack a channel of the server, which is then one gap.
            let url =
                try await arguments.isOnDevice
                ? arguments.channelOrOpenOne : arguments.heldChannelOrOpenOne
            return try arguments.workspace.coverage(of: url)
        },
        Command(
            "pending [CHANNEL] [limit N | all]",
            "Lists the messages of a channel that are not sent yet, and the progress of uploads."
        ) { arguments in
            let url = try arguments.optionalWord.map { try arguments.held(ChannelURL($0)) }
            let messages =
                try url.map { try arguments.workspace.store.pendingMessages(in: $0) }
                ?? arguments.collection.pendingMessages
            let progress = arguments.workspace.device?.collection?.uploadProgress ?? [:]
            return table(records: messages, limit: arguments.limit, orNone: "no pending messages") {
                message in
                let upload = message.requestID.flatMap { progress[$0] }
                return [
                    "(\(message.requestID?.rawValue ?? "?"))", message.text,
                    upload.map { "\(Int($0.fraction * 100)) percent uploaded" } ?? "",
                ]
            }
        },
        Command(
            "failed [limit N | all]",
            "Lists messages and changes that failed, in the open channel or in all."
        ) { arguments in
            try arguments.expectNoWords()
            let device = try arguments.device
            let url = device.collection?.channelURL
            let items = try await device.client.failedOutboxItems().filter {
                url == nil || $0.channelURL == url
            }
            return table(records: items, limit: arguments.limit, orNone: "no failed items") {
                item in
                [
                    "!\(item.requestID)",
                    item.operation == .send
                        ? item.message?.text ?? ""
                        : "\(item.operation) of \(item.messageID ?? "?")",
                ]
            }
        },
        Command(
            "follow", "Prints each change of the open channel's rows, as a list view receives it."
        ) { arguments in
            let device = try arguments.device
            let url = try arguments.collection.channelURL
            device.followRows()
            return "following the rows of \(url)"
        },
    ]
}

extension Coverage {
    func count(_ kind: Kind) -> Int { parts.count { $0.kind == kind } }
}

extension Command {
    @MainActor private static func counts(in collection: MessageCollection) -> String {
        let changes = collection.failedChanges.count
        return "\(collection.succeededMessages.count) sent, "
            + "\(collection.pendingMessages.count) pending, "
            + "\(collection.failedMessages.count) failed"
            + (changes == 0 ? "" : ", \(counted(changes, "failed change"))")
    }
}

extension Command.Arguments {
    fileprivate func point(_ word: String) throws -> StartingPoint {
        switch word {
        case "latest": .latest
        case "last-read": .lastRead
        default: .time(try time(word))
        }
    }

    fileprivate func start() throws -> (
        point: StartingPoint, policy: InitPolicy, params: MessageListParams
    ) {
        var point = StartingPoint.latest
        var policy = InitPolicy.cacheAndReplaceByAPI
        var params = MessageListParams()
        params.replyType = .all
        params.previousResultSize = 20
        params.nextResultSize = 20
        var index = 1
        while index < words.count {
            let word = words[index]
            if word == "at", index + 1 < words.count {
                point = try self.point(words[index + 1])
                index += 2
            } else if let named = InitPolicy.allCases.first(where: { "\($0)" == word }) {
                policy = named
                index += 1
            } else {
                throw CommandError.usage
            }
        }
        return (point, policy, try self.params(params, json))
    }

    /// Loads as many pages as the first word says, and returns the newly listed messages.
    @MainActor fileprivate func load(
        fromOldest: Bool,
        _ page: (MessageCollection) async throws(SyncError) -> [Message]
    ) async throws -> any Reply {
        let collection = try collection
        let pages = try optionalCount ?? 1
        var found = 0
        defer { workspace.onProgress(nil) }
        for _ in 0..<pages {
            try Task.checkCancellation()
            let messages = try await page(collection)
            found += messages.count
            if messages.isEmpty { break }
            if pages > 1 { workspace.onProgress(counted(found, "message")) }
        }
        if found == 0 { return fromOldest ? "no older messages" : "no newer messages" }
        guard pages == 1 else { return "\(grouped(found)) more messages" }
        return collection.rows(limit: found, fromOldest: fromOldest)
    }
}

extension MessageCollection {
    /// Starts the collection, and returns `false` without a connection; other errors dispose it.
    fileprivate func isAnswered(_ policy: InitPolicy) async throws(SyncError) -> Bool {
        do throws(SyncError) {
            _ = try await start(policy).refreshed
            return true
        } catch {
            if error.code == .notConnected { return false }
            dispose()
            throw error
        }
    }
}

extension Workspace {
    func coverage(of url: ChannelURL) throws -> ValuedReply {
        try store.read { snapshot in
            let coverage = try snapshot.coverage(of: url)
            let items = try snapshot.outboxItems(in: url).count
            let count = try snapshot.messageCount(in: url)
            let newest = try snapshot.messages(in: url, limit: 1).first?.createdAt ?? now()
            let oldest =
                try snapshot.messages(in: url, after: .oldest, limit: 1).first?.createdAt ?? newest
            let (gaps, staleCount) = (coverage.count(.missing), coverage.count(.stale))
            let stale = staleCount == 0 ? "" : ", \(counted(staleCount, "stale range"))"
            let bar = CoverageBar(
                coverage, from: oldest, to: newest, items: items, width: width)
            let days = [oldest, newest].map { $0.iso8601.prefix { $0 != "T" } }
            let extent = count == 0 ? "no messages" : "\(days[0]) … \(days[1])"
            return ValuedReply(
                """
                \(bar)
                \(extent), \(grouped(count)) known, \(counted(gaps, "gap"))\(stale), \(items) not sent
                """,
                [
                    "channel_url": url, "known": count, "gaps": gaps, "stale_ranges": staleCount,
                    "unsent": items,
                ])
        }
    }
}

extension StartingPoint {
    fileprivate var word: String {
        switch self {
        case .latest: "latest"
        case .time(let time): time.iso8601
        case .lastRead: "last-read"
        case .message(let id): "message \(id)"
        }
    }
}
