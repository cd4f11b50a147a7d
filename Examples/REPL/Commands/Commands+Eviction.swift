import Scrollback

extension Command {
    static let eviction: [Command] = [
        Command("kept [limit N | all]", "Lists the channels whose messages are never evicted.") {
            arguments in
            try arguments.expectNoWords()
            let urls = try arguments.workspace.store.channelURLsKeptInCache()
            return table(urls, limit: arguments.limit, orNone: "no channel is kept in the cache") {
                [$0.rawValue]
            }
        },
        Command("keep CHANNEL", "Keeps a channel's messages from being evicted.") { arguments in
            let url = try arguments.held(arguments.onlyChannel)
            try arguments.workspace.store.write { try $0.setKeptInCache(true, for: url) }
            return "\(url) is kept in the cache"
        },
        Command("unkeep CHANNEL", "Lets a channel's messages be evicted again.") { arguments in
            let url = try arguments.held(arguments.onlyChannel)
            try arguments.workspace.store.write { try $0.setKeptInCache(false, for: url) }
            return "\(url) may be evicted"
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
                    let kept = Set(try snapshot.channelURLsKeptInCache())
                    let rows = try urls.map { url in
                        [
                            url.rawValue, counted(try snapshot.messageCount(in: url), "message"),
                            kept.contains(url) ? "kept" : "",
                        ]
                    }
                    return table(rows, limit: arguments.limit, orNone: "no cached messages") { $0 }
                }
            }
            guard words.count == 2 else { throw CommandError.usage }
            let url = try arguments.held(arguments.channel)
            let largest = try Arguments.count(words[1])
            guard try !store.isKeptInCache(url) else {
                throw CommandError.failed("\(url) is kept in the cache: unkeep \(url) first")
            }
            let count = try store.write { try $0.evictOldestMessages(largest, in: url) }
            return "evicted \(counted(count, "message")) of \(url)\n"
                + (try arguments.workspace.picture(of: url).text)
        },
    ]
}
