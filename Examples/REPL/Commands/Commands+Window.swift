import Foundation
import Scrollback

extension Command {
    static let window: [Command] = [
        Command(
            name: "open",
            usage: "CHANNEL [at TIME | at last-read] [cacheOnly | apiOnly] [JSON]",
            summary: "Opens a channel: its cached messages at once, then what the server has.",
            example: "open cats",
            preparation: ["demo"],
            offers: [.channels],
            covers: [
                "ChatClient.makeMessageCollection(of:startingPoint:params:capacity:)",
                "MessageCollection.start(_:cacheResult:apiResult:)", "MessageCollection.items",
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
                        ? "(offline: the cache was not to be asked)"
                        : "(offline: this is what is cached)")
            } catch {
                guard let open = device.collection?.channelURL else { throw error }
                throw CommandError.remarked(error, "\(open) stays open")
            }
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
            name: "prev",
            usage: "[N]",
            summary: "Shows older messages: a page, or N pages.",
            example: "prev",
            preparation: ["demo"],
            covers: ["MessageCollection.loadPrevious()"],
            gives: [.channelURL, .messages, .gaps, .hasMore, .count]
        ) { arguments in
            try await arguments.load(fromOldest: true) { (collection) throws(CollectionError) in
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
            try await arguments.load(fromOldest: false) { (collection) throws(CollectionError) in
                collection.hasNext ? try await collection.loadNext() : []
            }
        },
        Command(
            name: "restart",
            usage: "latest | last-read | TIME",
            summary: "Places the open channel's window anew, such as after a huge gap.",
            example: "restart 2023-11-10",
            preparation: ["demo"],
            offers: [.oneOf(["latest", "last-read"])],
            covers: ["MessageCollection.restart(at:)"],
            gives: [.channelURL, .messages, .gaps, .hasMore]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let collection = try arguments.collection
            let point = try arguments.point(arguments.words[0])
            do throws(CollectionError) {
                try await collection.restart(at: point)
            } catch {
                guard error.code == .notConnected else { throw error }
                return collection.rows().below("(offline: this is what is cached)")
            }
            return collection.rows()
        },
        Command(
            name: "fill",
            usage: "[N]",
            summary:
                "Fetches what is missing in the newest gap that is shown: a page, or N.",
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
            summary: "Draws what is known of a channel's history: █ known, ▒ stale, ░ missing.",
            notes: [
                "The line goes from the oldest message that is held to the newest, as time went by;",
                "what is missing before and after them is at its ends. Behind it, a ▸ is a message",
                "that is not sent, and ▸▸▸▸ four or more. What is stale may have changed meanwhile.",
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
            summary: "Lists what waits to be sent in the open channel.",
            example: "pending",
            preparation: ["demo", "offline", "send Later"],
            output: "(alice-1)  Later",
            covers: ["MessageCollection.pendingMessages"],
            gives: [.messages]
        ) { arguments in
            try arguments.collection.pendingMessages.lines(
                { "(\($0.requestID?.rawValue ?? "?"))  \($0.text.oneLine)" },
                orNone: "nothing is pending", as: .messages)
        },
        Command(
            name: "failed",
            summary: "Lists what could not be sent in the open channel.",
            example: "failed",
            preparation: ["demo", "fail send refused", "send Hello"],
            output: "!alice-1  Hello",
            covers: ["MessageCollection.failedMessages"],
            gives: [.messages]
        ) { arguments in
            try arguments.collection.failedMessages.lines(
                { "!\($0.requestID?.rawValue ?? "?")  \($0.text.oneLine)" },
                orNone: "nothing has failed", as: .messages)
        },
        Command(
            name: "follow",
            summary:
                "Tells each change of the open channel's rows, as a list view hears it.",
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
    /// Where a window begins.
    fileprivate func point(_ word: String) throws -> StartingPoint {
        switch word {
        case "latest": .latest
        case "last-read": .lastRead
        default: .time(try time(word))
        }
    }

    /// How a channel is opened: what follows its name.
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
            } else if let record = try record(MessageListParams.self, in: text(behind: index)) {
                params = record
                break
            } else {
                throw CommandError.usage
            }
        }
        return (point, policy, params)
    }

    /// Loads some pages, and shows what came.
    @MainActor fileprivate func load(
        fromOldest: Bool,
        _ page: (MessageCollection) async throws(CollectionError) -> [Message]
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
                fromOldest ? "this is the beginning" : "this is the end", [.count: 0])
        }
        guard pages > 1 else {
            var reply = collection.rows(limit: found, fromOldest: fromOldest)
            reply.values[.count] = found
            return reply
        }
        return .text("\(grouped(found)) messages more", [.count: found])
    }
}

extension MessageCollection {
    /// Starts it, and tells whether the server has answered; without a connection, it has not.
    ///
    /// What fails otherwise is thrown, and the collection is disposed of.
    fileprivate func isAnswered(_ policy: InitPolicy) async throws -> Bool {
        do {
            let task = start(policy)
            // By itself, waiting for a task ends with the task alone.
            _ = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            return true
        } catch let error as CollectionError where error.code == .notConnected {
            return false
        } catch {
            dispose()
            throw error
        }
    }
}

extension Command.Reply {
    /// The reply with a line more.
    fileprivate func below(_ line: String) -> Command.Reply {
        var reply = self
        reply.text += "\n\(line)"
        return reply
    }
}

/// A number with commas between its thousands.
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
    /// The bar of a channel's coverage, and what it says in numbers.
    func coverage(of url: ChannelURL) throws -> Command.Reply {
        try store.read { snapshot in
            let coverage = try snapshot.coverage(of: url)
            let drafts = try snapshot.drafts(in: url).count
            let count = try snapshot.messageCount(in: url)
            let newest = try snapshot.messages(in: url, limit: 1).first?.createdAt ?? now()
            let oldest =
                try snapshot.messages(in: url, after: .oldest, limit: 1).first?.createdAt ?? newest
            let gaps = coverage.stretches.filter { $0.kind == .missing }.count
            let bar = CoverageBar(
                coverage, from: oldest, to: newest, drafts: drafts, width: width)
            let days = [oldest, newest].map { $0.iso8601.prefix { $0 != "T" } }
            let extent = count == 0 ? "no messages" : "\(days[0]) … \(days[1])"
            return .text(
                """
                \(bar)
                \(extent), \(grouped(count)) known, \(counted(gaps, "gap")), \(drafts) not sent
                """,
                [
                    .channelURL: url,
                    .coverage: [
                        "known": count, "gaps": gaps, "unsent": drafts,
                        "from": Int(oldest.milliseconds), "to": Int(newest.milliseconds),
                    ],
                ])
        }
    }
}
