import Scrollback

extension Command {
    static let history: [Command] = [
        Command(
            name: "picture",
            usage: "[CHANNEL] [limit N | all]",
            summary: "Draws a channel's history: ~ is a gap, … is more history, (c) is not sent.",
            example: "picture general",
            preparation: ["draw general … a b ~ d", "enqueue general Hello"],
            output: "… a b ~ d (r1)",
            offers: [.channels],
            gives: [.picture]
        ) { arguments in
            let (words, limit) = try arguments.limited(to: 50)
            let url = try arguments.openChannel(or: words)
            let picture = try arguments.workspace.picture(of: url, limit: limit)
            return .picture(picture)
        },
        Command(
            name: "draw",
            usage: "CHANNEL PICTURE",
            freeTextAfter: 1,
            summary: "Replaces a channel's history and outbox items with those of a picture.",
            example: "draw general … a b ~ d (e) !f",
            output: "drew 3 messages, 2 gaps and 2 outbox items in general",
            offers: [.channels],
            gives: [.channelURL]
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
            return .of(url, "drew \(counts.joined(separator: ", ")) and \(items) in \(url)")
        },
        Command(
            name: "gaps",
            usage: "[CHANNEL] [limit N | all]",
            summary: "Lists the gaps and stale ranges of a channel's history, oldest first.",
            example: "gaps general",
            preparation: ["draw general a ~ c …"],
            output: """
                general: 1700000000000/a ~ 1700000120000/c
                general: 1700000120000/c ~ +∞
                """,
            offers: [.channels],
            gives: [.channelURL, .gaps, .stale]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            let url = try arguments.openChannel(or: words)
            let store = try arguments.workspace.store
            let (gaps, stale) = (try store.gaps(in: url), try store.staleRanges(in: url))
            let lines = gaps.map(\.line) + stale.map(\.description)
            var reply = lines.lines(
                { $0 }, orNone: "no gaps: \(url) is cached completely", limit: limit)
            reply.values = [
                .channelURL: url, .gaps: gaps.map(\.bounds), .stale: stale.map(\.bounds),
            ]
            return reply
        },
        Command(
            name: "open-gap",
            usage: "CHANNEL FROM TO",
            summary: "Opens a gap between two bounds: IDs, TIME/IDs, - or +.",
            example: "open-gap general a c",
            preparation: ["draw general a b c d"],
            output: "a ~ b ~ c d",
            offers: [.channels],
            gives: [.picture]
        ) { arguments in
            let (url, from, to) = try arguments.channelAndBounds()
            guard from < to else {
                throw CommandError.failed(
                    "invalid gap: lower bound \(from) is not below upper bound \(to)")
            }
            try arguments.workspace.store.write { try $0.open(Gap(in: url, from: from, to: to)) }
            return .picture(try arguments.workspace.picture(of: url))
        },
        Command(
            name: "cover",
            usage: "CHANNEL FROM TO",
            summary: "Closes the gaps from one bound to another, both included.",
            example: "cover general - b",
            preparation: ["draw general … a ~ b ~ c"],
            output: "a b ~ c",
            offers: [.channels],
            gives: [.picture]
        ) { arguments in
            let (url, first, last) = try arguments.channelAndBounds()
            try arguments.workspace.store.write { try $0.cover(url, from: first, through: last) }
            return .picture(try arguments.workspace.picture(of: url))
        },
    ]
}

extension Workspace {
    /// Returns the newest part of a channel's history, from one snapshot.
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
        let url = try heldChannel
        return (url, try bound(words[1], in: url), try bound(words[2], in: url))
    }
}

extension Command.Reply {
    /// Returns a reply with a history as one line.
    static func picture(
        _ picture: Picture, orNone none: String = "empty: no messages and no gaps"
    ) -> Command.Reply {
        .text(
            picture.signs.isEmpty ? none : picture.description,
            [.picture: picture.description])
    }
}

extension Gap {
    /// The bounds of the gap, and the cursor at which its backfill continues.
    fileprivate var line: String {
        description + (backfillCursor.map { ", backfill from \($0)" } ?? "")
            + (changesSince.map { ", changes since \($0)" } ?? "")
    }
}
