import Scrollback

extension Command {
    static let eviction: [Command] = [
        Command(
            name: "pins",
            usage: "[limit N | all]",
            summary: "Lists the channels whose messages are never evicted.",
            example: "pins",
            preparation: ["draw general a b c", "pin general"],
            output: "general",
            gives: [.channelURLs]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.isEmpty else { throw CommandError.usage }
            return try arguments.workspace.store.pinnedChannelURLs()
                .lines(\.rawValue, orNone: "nothing is pinned", limit: limit, as: .channelURLs)
        },
        Command(
            name: "pin",
            usage: "CHANNEL",
            summary: "Keeps a channel's messages from being evicted.",
            example: "pin general",
            preparation: ["draw general a b c"],
            output: "pinned general",
            offers: [.channels],
            gives: [.channelURL]
        ) { arguments in
            let url = try arguments.onlyHeldChannel
            try arguments.workspace.store.write { try $0.setPinned(true, for: url) }
            return .of(url, "pinned \(url)")
        },
        Command(
            name: "unpin",
            usage: "CHANNEL",
            summary: "Lets a channel's messages be evicted again.",
            example: "unpin general",
            preparation: ["draw general a b c", "pin general"],
            output: "general is no longer pinned",
            offers: [.channels],
            gives: [.channelURL]
        ) { arguments in
            let url = try arguments.onlyHeldChannel
            let store = try arguments.workspace.store
            guard try store.isPinned(url) else {
                throw CommandError.failed("\(url) is not pinned: pins lists the pinned channels")
            }
            try store.write { try $0.setPinned(false, for: url) }
            return .of(url, "\(url) is no longer pinned")
        },
        Command(
            name: "touch",
            usage: "CHANNEL",
            summary: "Records that a channel was opened: its messages are evicted last.",
            example: "touch general",
            preparation: ["draw general a b c"],
            output: "general is evicted last",
            offers: [.channels],
            gives: [.channelURL]
        ) { arguments in
            let url = try arguments.onlyHeldChannel
            try arguments.workspace.store.write { try $0.recordAccess(to: url) }
            return .of(url, "\(url) is evicted last")
        },
        Command(
            name: "evict",
            usage: "[CHANNEL N] [limit N | all]",
            summary:
                "Evicts a channel's N oldest messages, or lists the order of eviction.",
            example: "evict general 2",
            preparation: ["draw general a b c"],
            output: """
                evicted 2 messages of general
                … c
                """,
            offers: [.channels],
            gives: [.channelURL, .count, .picture, .channelURLs, .pinned, .counts]
        ) { arguments in
            let workspace = arguments.workspace
            let (words, limit) = try arguments.limited()
            if words.isEmpty { return try workspace.evictionOrder(limit) }
            guard arguments.words.count == 2 else { throw CommandError.usage }
            let url = try arguments.heldChannel
            let largest = try arguments.count(arguments.words[1])
            let store = try workspace.store
            guard try !store.isPinned(url) else {
                throw CommandError.failed("\(url) is pinned: unpin \(url) first")
            }
            let count = try store.write { try $0.evictOldestMessages(largest, in: url) }
            var reply = Reply.picture(try workspace.picture(of: url))
            reply.text = "evicted \(counted(count, "message")) of \(url)\n\(reply.text)"
            reply.values.merge([.channelURL: url, .count: count]) { $1 }
            return reply
        },
    ]
}

extension Workspace {
    /// Returns the channels as a table, the least recently opened one first.
    fileprivate func evictionOrder(_ limit: Int) throws -> Command.Reply {
        try store.read { snapshot in
            let urls = try snapshot.channelURLsByAccess()
            let pinned = Set(try snapshot.pinnedChannelURLs())
            let counts = try urls.map { try snapshot.messageCount(in: $0) }
            let lines = Command.table(Array(zip(urls, counts)), limit: limit) { url, count in
                [url.rawValue, counted(count, "message"), pinned.contains(url) ? "pinned" : ""]
            }
            return .text(
                lines.isEmpty ? "no cached messages" : lines.joined(separator: "\n"),
                [
                    .channelURLs: urls, .pinned: urls.filter(pinned.contains),
                    .counts: Dictionary(uniqueKeysWithValues: zip(urls.map(\.rawValue), counts)),
                ])
        }
    }
}
