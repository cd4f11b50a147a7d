import Scrollback

extension Command {
    static let history: [Command] = [
        Command(
            "picture [CHANNEL] [limit N | all]",
            "Draws a channel's history: ~ is a gap, … is more history, (c) is not sent."
        ) { arguments in
            let url = try arguments.heldChannelOrOpenOne
            return try arguments.workspace.picture(of: url, limit: arguments.limit ?? 50).text
        },
        Command(
            "draw CHANNEL PICTURE", freeTextAfter: 1,
            "Replaces a channel's history and outbox items with those of a picture.",
            example: "draw general … a b ~ d (e) !f"
        ) { arguments in
            let url = try arguments.channel
            guard !arguments.rest.isEmpty else { throw CommandError.usage }
            let picture = try Picture(arguments.rest)
            let store = try arguments.workspace.store
            try store.write { try picture.write(to: url, from: 1_700_000_000_000, in: $0) }
            let counts = [
                counted(try store.messageCount(in: url), "message"),
                counted(try store.gaps(in: url).count, "gap"),
            ]
            let items = counted(try store.outboxItems(in: url).count, "outbox item")
            return "drew \(counts.joined(separator: ", ")) and \(items) in \(url)"
        },
        Command(
            "gaps [CHANNEL [FROM TO]] [limit N | all]",
            "Lists the gaps and stale ranges of a channel's history, oldest first.",
            notes: [
                "With bounds, only the gaps between them are listed. Without bounds, the list ends",
                "with the kinds whose messages were fetched inside gaps.",
            ]
        ) { arguments in
            let store = try arguments.workspace.store
            if arguments.words.count == 3 {
                let (url, from, to) = try arguments.channelAndBounds()
                let lines = try store.gaps(in: url, from: from, to: to).map(\.line)
                let none = "no gaps of \(url) from \(from) to \(to)"
                return table(lines, limit: arguments.limit, orNone: none) { [$0] }
            }
            let url = try arguments.heldChannelOrOpenOne
            let lines =
                try store.gaps(in: url).map(\.line)
                + store.staleRanges(in: url).map(\.description)
                + store.kindCoverage(in: url).map(\.description)
            let none = "no gaps: \(url) is cached completely"
            return table(lines, limit: arguments.limit, orNone: none) { [$0] }
        },
        Command(
            "open-gap CHANNEL FROM TO", "Opens a gap between two bounds: IDs, TIME/IDs, - or +.",
            example: "open-gap general a c"
        ) { arguments in
            let (url, from, to) = try arguments.channelAndBounds()
            guard from < to else {
                throw CommandError.failed(
                    "invalid gap: lower bound \(from) is not below upper bound \(to)")
            }
            try arguments.workspace.store.write { try $0.open(Gap(in: url, from: from, to: to)) }
            return try arguments.workspace.picture(of: url).text
        },
        Command(
            "cover CHANNEL FROM TO", "Closes the gaps from one bound to another, both included.",
            example: "cover general - b"
        ) { arguments in
            let (url, first, last) = try arguments.channelAndBounds()
            try arguments.workspace.store.write { try $0.cover(url, from: first, through: last) }
            return try arguments.workspace.picture(of: url).text
        },
    ]
}

extension Workspace {
    func picture(of url: ChannelURL, limit: Int = 50) throws -> Picture {
        try store.read { snapshot in
            let messages = try snapshot.messages(in: url, limit: limit).reversed()
            return Picture(
                messages: messages.compactMap(\.position), gaps: try snapshot.gaps(in: url),
                items: try snapshot.outboxItems(in: url),
                isCut: try snapshot.messageCount(in: url) > messages.count)
        }
    }
}

extension Command.Arguments {
    @MainActor fileprivate func channelAndBounds() throws -> (ChannelURL, Gap.Bound, Gap.Bound) {
        guard words.count == 3 else { throw CommandError.usage }
        let url = try held(channel)
        return (url, try bound(words[1], in: url), try bound(words[2], in: url))
    }
}

extension Gap {
    fileprivate var line: String {
        description + (backfillCursor.map { ", backfill from \($0)" } ?? "")
            + (changesSince.map { ", changes since \($0)" } ?? "")
    }
}
