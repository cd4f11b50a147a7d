import Scrollback

extension Command {
    static let eviction: [Command] = [
        Command(
            name: "pins",
            summary: "Lists the channels whose messages are never evicted.",
            example: "pins",
            preparation: ["draw general a b c", "pin general"],
            output: "general",
            gives: [.channelURLs]
        ) { arguments in
            try arguments.workspace.store.pinnedChannelURLs()
                .lines(\.rawValue, orNone: "nothing is pinned", as: .channelURLs)
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
            try arguments.workspace.store.write { try $0.setPinned(true, url) }
            return .of(url, "pinned \(url)")
        },
        Command(
            name: "unpin",
            usage: "CHANNEL",
            summary: "Lets a channel's messages be evicted again.",
            example: "unpin general",
            preparation: ["draw general a b c", "pin general"],
            output: "general is not pinned any more",
            offers: [.channels],
            gives: [.channelURL]
        ) { arguments in
            let url = try arguments.onlyHeldChannel
            let store = try arguments.workspace.store
            guard try store.isPinned(url) else {
                throw CommandError.failed("\(url) is not pinned: pins lists what is")
            }
            try store.write { try $0.setPinned(false, url) }
            return .of(url, "\(url) is not pinned any more")
        },
        Command(
            name: "touch",
            usage: "CHANNEL",
            summary: "Notes that a channel was opened just now: it is the last to be evicted from.",
            example: "touch general",
            preparation: ["draw general a b c"],
            output: "general is the last to be evicted from",
            offers: [.channels],
            gives: [.channelURL]
        ) { arguments in
            let url = try arguments.onlyHeldChannel
            try arguments.workspace.store.write { try $0.noteAccess(to: url) }
            return .of(url, "\(url) is the last to be evicted from")
        },
        Command(
            name: "evict",
            usage: "[CHANNEL N]",
            summary: "Removes a channel's N oldest messages; alone, lists what would go first.",
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
            if arguments.words.isEmpty { return try workspace.evictionOrder() }
            guard arguments.words.count == 2 else { throw CommandError.usage }
            let url = try arguments.heldChannel
            let limit = try arguments.count(arguments.words[1])
            let store = try workspace.store
            guard try !store.isPinned(url) else {
                throw CommandError.failed("\(url) is pinned: unpin \(url) comes first")
            }
            var count = 0
            try store.write { count = try $0.evictOldestMessages(limit, in: url) }
            var reply = Reply.picture(try workspace.picture(of: url))
            reply.text = "evicted \(counted(count, "message")) of \(url)\n\(reply.text)"
            reply.values.merge([.channelURL: url, .count: count]) { $1 }
            return reply
        },
    ]
}

extension Workspace {
    /// The channels, the one that was not opened for longest first, as a table.
    fileprivate func evictionOrder() throws -> Command.Reply {
        try store.read { snapshot in
            let urls = try snapshot.channelURLsByAccess()
            let pinned = Set(try snapshot.pinnedChannelURLs())
            let counts = try urls.map { try snapshot.messageCount(in: $0) }
            let rows = zip(urls, counts).map { url, count in
                [url.rawValue, counted(count, "message"), pinned.contains(url) ? "pinned" : ""]
            }
            return .text(
                rows.isEmpty ? "nothing is held" : Command.columns(rows),
                [
                    .channelURLs: urls, .pinned: urls.filter(pinned.contains),
                    .counts: Dictionary(uniqueKeysWithValues: zip(urls.map(\.rawValue), counts)),
                ])
        }
    }
}
