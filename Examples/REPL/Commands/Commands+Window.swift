import Foundation
import Scrollback

extension Command {
    static let window: [Command] = [
        Command(
            name: "open",
            usage: "CHANNEL [at TIME | at last-read] [cacheOnly | apiOnly] [JSON]",
            summary: "Opens a channel: its cached messages at once, then those of the server.",
            notes: [
                "Without JSON, replies are shown too, and 20 messages on each side of the starting point.",
                "JSON changes what it names, such as {\"reply_type\": \"none\"}: schema MessageListParams.",
            ],
            example: "open cats",
            preparation: ["demo"],
            offers: [.channels],
            covers: [
                "ChatClient.makeMessageCollection(of:startingPoint:params:capacity:)",
                "MessageCollection.start(_:)", "MessageCollection.items",
            ],
            gives: [.channelURL, .messages, .gaps, .hasMore]
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
                guard !isAnswered else { return collection.rows() }
                return collection.rows().below(
                    start.policy == .apiOnly
                        ? "(offline: nothing from the server)"
                        : "(offline: cached messages)")
            } catch {
                guard let open = device.collection?.channelURL else { throw error }
                throw CommandError.remarked(error, "\(open) stays open")
            }
        },
        Command(
            name: "open-thread",
            usage: "ID [in CHANNEL] [JSON]",
            summary: "Opens the replies to a message, as open does a channel: send replies to it.",
            example: "open-thread 60",
            preparation: ["demo", "reply 60 So do I"],
            offers: [.messages],
            covers: [
                "ChatClient.makeThreadCollection(ofRepliesTo:in:startingPoint:params:capacity:)"
            ],
            gives: [.channelURL, .messages, .gaps, .hasMore]
        ) { arguments in
            let (id, url) = try await arguments.wordInChannel()
            let device = try arguments.device
            let collection = try device.client.makeThreadCollection(
                ofRepliesTo: MessageID(id), in: url,
                params: try arguments.params(ThreadedMessageListParams(), arguments.json))
            let isAnswered = try await collection.isAnswered(.cacheAndReplaceByAPI)
            guard isAnswered || collection.parentMessage != nil else {
                throw CommandError.failed("there is no message '\(id)' in \(url)")
            }
            device.show(collection)
            let rows = collection.rows()
            return isAnswered ? rows : rows.below("(offline: cached messages)")
        },
        Command(
            name: "close",
            summary: "Closes the channel that is open.",
            example: "close",
            preparation: ["demo"],
            output: "closed general",
            covers: ["MessageCollection.dispose()"],
            gives: [.channelURL]
        ) { arguments in
            let url = try arguments.collection.channelURL
            try arguments.device.show(nil)
            return .of(url, "closed \(url)")
        },
        Command(
            name: "show",
            usage: "[N]",
            summary: "Shows the rows of the open channel again, the newest 20 or N.",
            example: "show 3",
            preparation: ["demo"],
            covers: [
                "MessageCollection.messages", "MessageCollection.hasPrevious",
                "MessageCollection.hasNext",
            ],
            gives: [.channelURL, .messages, .gaps, .hasMore]
        ) { arguments in
            guard arguments.words.count <= 1 else { throw CommandError.usage }
            let limit = try arguments.words.first.map { try arguments.count($0) } ?? 20
            return try arguments.collection.rows(limit: limit)
        },
        Command(
            name: "window",
            summary: "Draws what the open channel shows as one line, as picture draws the cache.",
            example: "window",
            preparation: ["demo"],
            gives: [.picture]
        ) { arguments in
            let picture = try arguments.collection.picture
            return .picture(picture, orNone: "nothing")
        },
        Command(
            name: "about",
            summary: "Shows the state of the open channel, of the list, and of the push inbox.",
            example: "about",
            preparation: ["demo"],
            output: """
                channel     general, General
                opened at   latest
                typing      nobody
                draft       none
                lists       none
                push inbox  not read
                """,
            covers: [
                "ChatClient.lastAbsorption", "GroupChannelCollection.isDisposed",
                "MessageCollection.channel", "MessageCollection.isChannelDeleted",
                "MessageCollection.isDisposed", "MessageCollection.isParentMessageDeleted",
                "MessageCollection.openChannel", "MessageCollection.parentMessage",
                "MessageCollection.parentMessageID", "MessageCollection.startingPoint",
                "MessageCollection.typingUsers",
            ],
            gives: [.channelURL, .userIDs, .text]
        ) { arguments in
            let device = try arguments.device
            let collection = try arguments.collection
            let channel = collection.channel
            let state =
                collection.isDisposed ? ", closed" : collection.isChannelDeleted ? ", lost" : ""
            let typing = collection.typingUsers.map(\.userID)
            let list = device.channelList.map { $0.isDisposed ? "closed" : "open" } ?? "none"
            let pushes =
                switch device.client.lastAbsorption {
                case .success(let absorbed)?: counted(absorbed.messages.count, "message")
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
            let rows =
                [["channel", "\(channel.url), \(name)\(state)"]] + [thread].compactMap { $0 } + [
                    ["opened at", collection.startingPoint.word],
                    [
                        "typing",
                        typing.isEmpty
                            ? "nobody" : typing.map(\.rawValue).joined(separator: ", "),
                    ],
                    ["draft", collection.draft.isEmpty ? "none" : collection.draft.oneLine],
                    ["lists", list],
                    ["push inbox", pushes],
                ]
            return .text(
                columns(rows),
                [.channelURL: channel.url, .userIDs: typing, .text: collection.draft])
        },
        Command(
            name: "prev",
            usage: "[N]",
            summary: "Shows older messages: a page, or N pages.",
            example: "prev",
            preparation: ["demo"],
            covers: ["MessageCollection.loadPrevious()"],
            gives: [.channelURL, .messages, .gaps, .hasMore, .count]
        ) { arguments in
            try await arguments.load(fromOldest: true) { (collection) throws(SyncError) in
                collection.hasPrevious ? try await collection.loadPrevious() : []
            }
        },
        Command(
            name: "next",
            usage: "[N]",
            summary: "Shows newer messages: a page, or N pages.",
            example: "next",
            preparation: ["demo", "restart 2023-11-08"],
            covers: ["MessageCollection.loadNext()"],
            gives: [.channelURL, .messages, .gaps, .hasMore, .count]
        ) { arguments in
            try await arguments.load(fromOldest: false) { (collection) throws(SyncError) in
                collection.hasNext ? try await collection.loadNext() : []
            }
        },
        Command(
            name: "restart",
            usage: "latest | last-read | TIME",
            summary: "Moves the open channel's window, such as after a huge gap.",
            example: "restart 2023-11-10",
            preparation: ["demo"],
            offers: [.oneOf(["latest", "last-read"])],
            covers: ["MessageCollection.restart(at:)"],
            gives: [.channelURL, .messages, .gaps, .hasMore]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let collection = try arguments.collection
            let point = try arguments.point(arguments.words[0])
            do throws(SyncError) {
                try await collection.restart(at: point)
            } catch {
                guard error.code == .notConnected else { throw error }
                return collection.rows().below("(offline: cached messages)")
            }
            return collection.rows()
        },
        Command(
            name: "fill",
            usage: "[N]",
            summary:
                "Fetches missing messages of the newest gap that is shown: a page, or N pages.",
            example: "fill",
            preparation: ["demo", "offline", "away 1d 400", "online"],
            covers: ["MessageCollection.fill(_:)"],
            gives: [.channelURL, .coverage]
        ) { arguments in
            guard arguments.words.count <= 1 else { throw CommandError.usage }
            let collection = try arguments.collection
            let pages = try arguments.words.first.map { try arguments.count($0) } ?? 1
            for _ in 0..<pages {
                try Task.checkCancellation()
                guard let gap = collection.items.compactMap(\.gap).last else { break }
                try await collection.fill(gap)
            }
            return try arguments.workspace.coverage(of: collection.channelURL)
        },
        Command(
            name: "coverage",
            usage: "[CHANNEL]",
            summary: "Draws the coverage of a channel's history: █ known, ▒ stale, ░ missing.",
            notes: [
                "The bar is a time line from the oldest cached message to the newest one; its ends show",
                "whether older or newer messages are missing. After it, a ▸ is a message that is not sent,",
                "▸▸▸▸ four or more. A stale range may be out of date.",
            ],
            example: "coverage",
            preparation: ["demo"],
            offers: [.channels],
            covers: ["MessageCollection.coverage()", "SyncEngine.coverage(of:)"],
            gives: [.channelURL, .coverage]
        ) { arguments in
            try arguments.workspace.coverage(of: try await arguments.channelToRead)
        },
        Command(
            name: "pending",
            usage: "[limit N | all]",
            summary: "Lists the messages of the open channel that are not sent yet.",
            example: "pending",
            preparation: ["demo", "offline", "send Later"],
            output: "(alice-1)  Later",
            covers: ["MessageCollection.pendingMessages"],
            gives: [.messages]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.isEmpty else { throw CommandError.usage }
            return try arguments.collection.pendingMessages.lines(
                { "(\($0.requestID?.rawValue ?? "?"))  \($0.text.oneLine)" },
                orNone: "no pending messages", limit: limit, as: .messages)
        },
        Command(
            name: "failed",
            usage: "[limit N | all]",
            summary: "Lists messages and changes that failed, in the open channel or in all.",
            example: "failed",
            preparation: ["demo", "fail send refused", "send Hello"],
            output: "!alice-1  Hello",
            covers: [
                "MessageCollection.failedMessages", "MessageCollection.failedChanges",
                "ChatClient.failedOutboxItems()",
            ],
            gives: [.outboxItems]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.isEmpty else { throw CommandError.usage }
            let device = try arguments.device
            let url = device.collection?.channelURL
            let items = try device.client.failedOutboxItems().filter {
                url == nil || $0.channelURL == url
            }
            return items.lines(
                { item in
                    let text = item.message.map { $0.text.oneLine }
                    return "!\(item.requestID)  "
                        + (item.operation == .send
                            ? text ?? "" : "\(item.operation) of \(item.messageID ?? "?")")
                },
                orNone: "no failed items", limit: limit, as: .outboxItems)
        },
        Command(
            name: "follow",
            summary:
                "Prints each change of the open channel's rows, as a list view receives it.",
            example: "follow",
            preparation: ["demo"],
            output: "following the rows of general",
            covers: ["MessageCollection.allChanges()"],
            gives: [.channelURL]
        ) { arguments in
            let device = try arguments.device
            let url = try arguments.collection.channelURL
            device.followRows()
            return .of(url, "following the rows of \(url)")
        },
    ]
}

extension Command.Arguments {
    fileprivate func point(_ word: String) throws -> StartingPoint {
        switch word {
        case "latest": .latest
        case "last-read": .lastRead
        default: .time(try time(word))
        }
    }

    /// Reads the options of the command `open`, which follow the URL of the channel.
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

    /// Loads pages by `page`, as many as the first word says, and returns a reply with the newly
    /// listed messages.
    @MainActor fileprivate func load(
        fromOldest: Bool,
        _ page: (MessageCollection) async throws(SyncError) -> [Message]
    ) async throws -> Command.Reply {
        guard words.count <= 1 else { throw CommandError.usage }
        let collection = try collection
        let pages = try words.first.map { try count($0) } ?? 1
        var found = 0
        for _ in 0..<pages {
            try Task.checkCancellation()
            let messages = try await page(collection)
            found += messages.count
            if messages.isEmpty { break }
            if pages > 1, found % 1_000 < messages.count {
                workspace.onProgress("\(grouped(found)) messages")
            }
        }
        workspace.onProgress(nil)
        guard found > 0 else {
            return .text(
                fromOldest ? "no older messages" : "no newer messages", [.count: 0])
        }
        guard pages > 1 else {
            var reply = collection.rows(limit: found, fromOldest: fromOldest)
            reply.values[.count] = found
            return reply
        }
        return .text("\(grouped(found)) more messages", [.count: found])
    }
}

extension MessageCollection {
    /// Starts the collection, and returns a Boolean value that indicates whether the server has
    /// answered.
    ///
    /// If there is no connection, the result is `false`.
    ///
    /// - Throws: Any other error. The collection is then disposed.
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

extension Command.Reply {
    fileprivate func below(_ line: String) -> Command.Reply {
        var reply = self
        reply.text += "\n\(line)"
        return reply
    }
}

/// Returns a number with commas between groups of three digits.
func grouped(_ number: Int) -> String {
    var digits = Array(String(abs(number)))
    var index = digits.count - 3
    while index > 0 {
        digits.insert(",", at: index)
        index -= 3
    }
    return (number < 0 ? "-" : "") + String(digits)
}

extension Workspace {
    /// Returns a reply with the coverage of a channel, as a bar and as numbers.
    func coverage(of url: ChannelURL) throws -> Command.Reply {
        try store.read { snapshot in
            let coverage = try snapshot.coverage(of: url)
            let items = try snapshot.outboxItems(in: url).count
            let count = try snapshot.messageCount(in: url)
            let newest = try snapshot.messages(in: url, limit: 1).first?.createdAt ?? now()
            let oldest =
                try snapshot.messages(in: url, after: .oldest, limit: 1).first?.createdAt ?? newest
            let gaps = coverage.segments.filter { $0.kind == .missing }.count
            let bar = CoverageBar(
                coverage, from: oldest, to: newest, items: items, width: width)
            let days = [oldest, newest].map { $0.iso8601.prefix { $0 != "T" } }
            let extent = count == 0 ? "no messages" : "\(days[0]) … \(days[1])"
            return .text(
                """
                \(bar)
                \(extent), \(grouped(count)) known, \(counted(gaps, "gap")), \(items) not sent
                """,
                [
                    .channelURL: url,
                    .coverage: [
                        "known": count, "gaps": gaps, "unsent": items,
                        "from": Int(oldest.milliseconds), "to": Int(newest.milliseconds),
                    ],
                ])
        }
    }
}

extension StartingPoint {
    /// The starting point as the command `open` reads it.
    fileprivate var word: String {
        switch self {
        case .latest: "latest"
        case .time(let time): time.iso8601
        case .lastRead: "last-read"
        }
    }
}
