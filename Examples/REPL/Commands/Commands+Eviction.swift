import Scrollback

extension Command {
    static let eviction: [Command] = [
        Command("pins [limit N | all]", "Lists the channels whose messages are never evicted.") {
            arguments in
            try arguments.expectNoWords()
            let urls = try arguments.workspace.store.pinnedChannelURLs()
            return table(urls, limit: arguments.limit, orNone: "nothing is pinned") {
                [$0.rawValue]
            }
        },
        Command("pin CHANNEL", "Keeps a channel's messages from being evicted.") { arguments in
            let url = try arguments.held(arguments.onlyChannel)
            try arguments.workspace.store.write { try $0.setPinned(true, for: url) }
            return "pinned \(url)"
        },
        Command("unpin CHANNEL", "Lets a channel's messages be evicted again.") { arguments in
            let url = try arguments.held(arguments.onlyChannel)
            try arguments.workspace.store.write { try $0.setPinned(false, for: url) }
            return "\(url) is not pinned"
        },
        Command(
            "touch CHANNEL", "Records that a channel was opened: its messages are evicted last."
        ) { arguments in
            let url = try arguments.held(arguments.onlyChannel)
            try arguments.workspace.store.write { try $0.recordAccess(to: url) }
            return "\(url) is evicted last"
        },
        Command(
            "evict [CHANNEL N] [limit N | all]",
            "Evicts a channel's N oldest messages, or lists the order of eviction."
        ) { arguments in
            let store = try arguments.workspace.store
            let words = arguments.words
            guard !words.isEmpty else {
                return try store.read { snapshot in
                    let urls = try snapshot.channelURLsByAccess()
                    let pinned = Set(try snapshot.pinnedChannelURLs())
                    let rows = try urls.map { url in
                        [
                            url.rawValue, counted(try snapshot.messageCount(in: url), "message"),
                            pinned.contains(url) ? "pinned" : "",
                        ]
                    }
                    return table(rows, limit: arguments.limit, orNone: "no cached messages") { $0 }
                }
            }
            guard words.count == 2 else { throw CommandError.usage }
            let url = try arguments.held(arguments.channel)
            let largest = try Arguments.count(words[1])
            guard try !store.isPinned(url) else {
                throw CommandError.failed("\(url) is pinned: unpin \(url) first")
            }
            let count = try store.write { try $0.evictOldestMessages(largest, in: url) }
            return "evicted \(counted(count, "message")) of \(url)\n"
                + (try arguments.workspace.picture(of: url).text)
        },
    ]
}
