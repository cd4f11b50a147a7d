import Foundation
import Models
import Scrollback

extension Command {
    static let kinds: [Command] = [
        Command(
            "gallery KIND [in CHANNEL] [by PERIOD]",
            "Lists the messages of a kind, the newest 10 first; more continues.",
            notes: [
                "KIND is image, video, audio, voice, otherFile, link, mention, thread or files.",
                "With by PERIOD (day, month or year), the messages are also counted for each period.",
            ],
            example: "gallery link in general by month"
        ) { arguments in
            guard let word = arguments.words.first else { throw CommandError.usage }
            var words = arguments.words.dropFirst()
            var period: Calendar.Component?
            if words.count >= 2, words[words.endIndex - 2] == "by" {
                period = try Command.period(words.removeLast())
                words.removeLast()
            }
            let reply = try await arguments.list(words) { client, url in
                try client.makeMessageList(of: try kind(word), in: url, pageSize: pageSize)
            }
            guard let period, let list = try arguments.device.messageList, !list.rows.isEmpty else {
                return reply
            }
            return reply + "\n" + counts(in: list, by: period)
        },
        Command(
            "mentions [in CHANNEL]", "Lists the messages that mention you, the newest 10 first."
        ) { arguments in
            try await arguments.list(arguments.words[...]) { client, url in
                try client.makeMessageList(of: .mention, in: url, pageSize: pageSize)
            }
        },
        Command(
            "threads [in CHANNEL]", "Lists 10 threads, the one with the last reply first."
        ) { arguments in
            try await arguments.list(arguments.words[...]) { client, url in
                try client.makeThreadList(in: url, pageSize: pageSize)
            }
        },
        Command("pinned [CHANNEL]", "Lists the pinned messages of a channel.") { arguments in
            let url = try await arguments.channelOrOpenOne
            let pinned = try await arguments.client.pinnedMessages(in: url)
            var lines = [pinned.messages.lines(orNone: "no pinned messages", isShort: true)]
            if !pinned.missingIDs.isEmpty {
                lines.append("\(counted(pinned.missingIDs.count, "message")) cannot be fetched now")
            }
            return ValuedReply(lines.joined(separator: "\n"), list: pinned.messages)
        },
    ]

    private static func period(_ word: String) throws -> Calendar.Component {
        switch word {
        case "day": .day
        case "month": .month
        case "year": .year
        default: throw CommandError.failed("'\(word)' is not day, month or year")
        }
    }

    /// Returns the number of listed messages in each period of UTC, the newest first.
    @MainActor private static func counts(
        in list: MessageList, by period: Calendar.Component
    ) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return list.sections(by: period, in: calendar).map { section in
            let day = Timestamp(section.period.start).iso8601.prefix { $0 != "T" }
            return "from \(day): \(counted(section.rows.count, "message"))"
        }.joined(separator: "\n")
    }

    static func kind(_ word: String) throws -> MessageKinds {
        if word == "files" { return .files }
        guard let kind = MessageKinds.names.first(where: { $0.name == word })?.kind else {
            throw CommandError.failed("there is no kind '\(word)': help gallery lists them")
        }
        return kind
    }

    fileprivate static let pageSize = 10
}

extension Command.Arguments {
    /// Begins a list of messages of some kinds, in the channel after `in` or in all.
    @MainActor fileprivate func list(
        _ words: ArraySlice<String>, _ make: (ChatClient, ChannelURL?) throws -> MessageList
    ) async throws -> ValuedReply {
        var url: ChannelURL?
        if let word = words.first {
            guard word == "in", words.count == 2, let name = words.last else {
                throw CommandError.usage
            }
            url = try await existing(ChannelURL(name))
        }
        let device = try device
        let list = try make(device.client, url)
        device.search = nil
        device.messageList = list
        return try await reply(list, try await list.start())
    }

    @MainActor func nextPage(of list: MessageList, _ count: Int?) async throws -> any Reply {
        guard let count else { return try await reply(list, try await list.loadPrevious()) }
        let before = Set(list.rows.map(\.id))
        try await list.loadPrevious(upTo: before.count + min(count, 10_000))
        return try await reply(list, list.rows.filter { !before.contains($0.id) })
    }

    @MainActor private func reply(
        _ list: MessageList, _ rows: [MessageList.Row]
    ) async throws -> ValuedReply {
        let messages = rows.map(\.message)
        let count = try await client.messageCount(of: list.kinds, in: list.channelURL)
        let none = list.order == .lastReplyFirst ? "no threads" : "no messages"
        var lines = messages.lines(orNone: none, isShort: true).split(separator: "\n")
            .map(String.init)
        for (index, row) in rows.enumerated() where row.thread != nil {
            lines[index] += "\n" + row.threadLine
        }
        if count.count > 0 || !count.isComplete {
            lines.append(counted(count.count, "message") + (count.isComplete ? "" : ", at least"))
        }
        if let gap = list.gap {
            let channel = list.channelURL == nil ? " of \(gap.channelURL)" : ""
            // The message below which the list continues, unless the gap is at the end.
            let next = list.gapIndex.flatMap { list.rows.dropFirst($0).first?.message.name }
            lines.append(
                "not looked through: a gap\(channel) up to \(gap.upper)"
                    + (next.map { ", above \($0)" } ?? ""))
        }
        if list.hasPrevious { lines.append("… more messages: more") }
        return ValuedReply(lines.joined(separator: "\n"), list: messages)
    }
}

extension MessageList.Row {
    fileprivate var threadLine: String {
        let count = message.threadInfo?.replyCount ?? 0
        var parts = [count == 1 ? "1 reply" : "\(grouped(count)) replies"]
        let names = thread?.participants.map(\.displayName)
        if let names, !names.isEmpty { parts[0] += " by \(names.joined(separator: ", "))" }
        parts.append("\(thread?.unreadCount ?? 0) unread")
        if let last = thread?.lastReply { parts.append("the last: \(last.text)") }
        return "    " + parts.joined(separator: ", ").oneLine
    }
}
