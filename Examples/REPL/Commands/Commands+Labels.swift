import Scrollback

extension Command {
    static let labels: [Command] = [
        Command(
            "labels [CHANNEL]", "Lists the channels with local labels, or the labels of one."
        ) { arguments in
            let store = try arguments.workspace.store
            let labels = try store.channelLabels()
            if let word = try arguments.optionalWord {
                let url = ChannelURL(word)
                if labels[url] == nil { _ = try arguments.held(url) }
                return try reply(store.labels(of: url), of: url)
            }
            let rows = labels.sorted { $0.key < $1.key }.map { [$0.key.rawValue, $0.value.line] }
            return table(rows, limit: .everything, orNone: "no channel has labels") { $0 }
        },
        Command(
            "label CHANNEL [LABEL...] [sort KEY]",
            "Sets the local labels and sort key of a channel; without any, removes them.",
            example: "label general pinned work sort 1"
        ) { arguments in
            let url = try arguments.channel
            let store = try arguments.workspace.store
            // A channel keeps its labels when it leaves the cache.
            if try store.channelLabels()[url] == nil { _ = try arguments.held(url) }
            var words = Array(arguments.words.dropFirst())
            var labels = ChannelLabels()
            if words.count > 1, words[words.count - 2] == "sort" {
                labels.sortKey = words.removeLast()
                words.removeLast()
            }
            labels.labels = Set(words)
            try store.write { try $0.setLabels(labels, of: url) }
            return reply(labels, of: url)
        },
    ]

    private static func reply(_ labels: ChannelLabels, of url: ChannelURL) -> String {
        labels.isEmpty ? "\(url) has no labels" : "labels of \(url): \(labels.line)"
    }
}

extension ChannelLabels {
    fileprivate var line: String {
        let names = labels.sorted().joined(separator: ", ")
        return [names, sortKey.map { "sort \($0)" } ?? ""].filter { !$0.isEmpty }
            .joined(separator: "; ")
    }
}
