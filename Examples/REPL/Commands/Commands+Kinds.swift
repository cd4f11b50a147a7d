import Models
import Scrollback

extension Command {
    static let kinds: [Command] = [
        Command(
            "gallery KIND [in CHANNEL]",
            "Lists the messages of a kind, the newest 10 first; more continues.",
            notes: [
                "KIND is image, video, audio, voice, otherFile, link, mention, thread or files."
            ],
            example: "gallery link in general"
        ) { arguments in
            guard let word = arguments.words.first else { throw CommandError.usage }
            return try await arguments.list(arguments.words.dropFirst()) { try kind(word) }
        },
        Command(
            "mentions [in CHANNEL]", "Lists the messages that mention you, the newest 10 first."
        ) { arguments in try await arguments.list(arguments.words[...]) { .mention } },
        Command(
            "threads [in CHANNEL]", "Lists the messages that have replies, the newest 10 first."
        ) { arguments in try await arguments.list(arguments.words[...]) { .thread } },
        Command("pinned [CHANNEL]", "Lists the pinned messages of a channel.") { arguments in
            let url = try await arguments.channelOrOpenOne
            let pinned = try await arguments.client.pinnedMessages(in: url)
            var lines = [pinned.messages.lines(orNone: "no pinned messages")]
            if !pinned.missingIDs.isEmpty {
                lines.append("\(counted(pinned.missingIDs.count, "message")) cannot be fetched now")
            }
            return ValuedReply(lines.joined(separator: "\n"), list: pinned.messages)
        },
    ]

    private static func kind(_ word: String) throws -> MessageKinds {
        if word == "files" { return .files }
        guard let kind = MessageKinds.names.first(where: { $0.name == word })?.kind else {
            throw CommandError.failed("there is no kind '\(word)': help gallery lists them")
        }
        return kind
    }

    fileprivate static let pageSize = 10
}

extension Command.Arguments {
    /// Begins a list of messages of some kinds, in the channel after the word `in` or in all.
    @MainActor fileprivate func list(
        _ words: ArraySlice<String>, of kinds: () throws -> MessageKinds
    ) async throws -> any Reply {
        var url: ChannelURL?
        if let word = words.first {
            guard word == "in", words.count == 2, let name = words.last else {
                throw CommandError.usage
            }
            url = try await existing(ChannelURL(name))
        }
        let device = try device
        let list = try device.client.makeMessageList(
            of: try kinds(), in: url, pageSize: Command.pageSize)
        device.search = nil
        device.messageList = list
        return try await reply(list, try await list.start())
    }

    /// Lists the next page of a list of messages.
    @MainActor func nextPage(of list: MessageList) async throws -> any Reply {
        try await reply(list, try await list.loadPrevious())
    }

    @MainActor private func reply(
        _ list: MessageList, _ rows: [MessageList.Row]
    ) async throws -> ValuedReply {
        let messages = rows.map(\.message)
        let count = try await client.messageCount(of: list.kinds, in: list.channelURL)
        var lines = [messages.lines(orNone: "no messages")]
        if count.count > 0 || !count.isComplete {
            lines.append(counted(count.count, "message") + (count.isComplete ? "" : ", at least"))
        }
        if let gap = list.gap { lines.append("not looked through: a gap up to \(gap.upper)") }
        if list.hasPrevious { lines.append("… more messages: more") }
        return ValuedReply(lines.joined(separator: "\n"), list: messages)
    }
}
