import Scrollback

// Each message and each day has a line.

extension MessageCollection {
    func rows(limit: Int = 20, fromOldest: Bool = false) -> ValuedReply {
        let isReversed = params.isReversed
        let shown = fromOldest != isReversed ? items.prefix(limit) : items.suffix(limit)
        let isCut = shown.count < items.count && !fromOldest
        let older = hasPrevious ? ["… more before: prev"] : isCut ? ["…"] : []
        let newer = hasNext ? ["… more after: next"] : []
        return reply(shown, between: isReversed ? newer : older, and: isReversed ? older : newer)
    }

    func rows(around message: Message) -> ValuedReply {
        let index = items.firstIndex { $0.message == message } ?? items.startIndex
        let shown = items[max(0, index - 5)..<min(items.count, index + 6)]
        return reply(
            shown, between: shown.startIndex > 0 ? ["…"] : [],
            and: shown.endIndex < items.count ? ["…"] : [])
    }

    private func reply(
        _ shown: ArraySlice<MessageItem>, between above: [String], and below: [String]
    ) -> ValuedReply {
        let lines = above + Rows(shown).lines + below
        return ValuedReply(
            lines.isEmpty ? "no messages" : lines.joined(separator: "\n"),
            [
                "channel_url": channelURL, "messages": shown.compactMap(\.message),
                "has_more": hasPrevious,
            ])
    }
}

struct Rows {
    private(set) var lines: [String] = []

    init(_ items: some Collection<MessageItem>) {
        let short = ShortIDs(items.compactMap { $0.message?.name })
        let labels = items.map { $0.label(short) }
        let width = labels.map(\.count).max() ?? 0
        let names = items.compactMap { $0.message?.author.count }.max() ?? 0
        var lastDay = ""
        for (item, label) in zip(items, labels) {
            guard let message = item.message else {
                lines.append("\(String(repeating: "~", count: max(1, width)))  missing: fill")
                continue
            }
            let time = message.createdAt.iso8601
            let day = String(time.prefix { $0 != "T" })
            if day != lastDay {
                lines.append("— \(day) —")
                lastDay = day
            }
            let clock = time.drop { $0 != "T" }.dropFirst().prefix(8)
            lines.append(
                "\(label.oneLine.padded(to: width))  \(clock)  "
                    + "\(message.author.oneLine.padded(to: min(names, 16)))  \(message.line(short))"
            )
        }
    }

    static func reply(_ messages: [Message], orNone none: String) -> ValuedReply {
        let lines = Rows(messages.map { MessageItem.message($0) }).lines
        return ValuedReply(
            lines.isEmpty ? none : lines.joined(separator: "\n"), list: messages)
    }
}

extension MessageItem {
    /// The message's ID, `(…)` for a pending message, `!…` for a failed one, or `~` for a gap.
    fileprivate func label(_ short: ShortIDs) -> String {
        guard let message else { return "~" }
        let name = short[message.name]
        return switch message.sendingStatus {
        case .pending: "(\(name))"
        case .failed: "!\(name)"
        default: name
        }
    }
}

extension Message {
    var name: String { messageID?.rawValue ?? requestID?.rawValue ?? "?" }

    var author: String {
        if type == .admin { return "*" }
        return sender?.displayName ?? "?"
    }

    fileprivate func line(_ short: ShortIDs) -> String {
        var parts: [String] = []
        if let parentMessageID { parts.append("↳ \(short[parentMessageID.rawValue])") }
        if !files.isEmpty {
            parts.append("[\(files.map { $0.name ?? "file" }.joined(separator: ", "))]")
        }
        if !text.isEmpty { parts.append(text) }
        if updatedAt ?? createdAt > createdAt { parts.append("(edited)") }
        let given = reactions.filter { $0.count > 0 }.map { "\($0.key) \($0.count)" }
        if !given.isEmpty { parts.append("[\(given.joined(separator: ", "))]") }
        if let count = threadInfo?.replyCount, count > 0 {
            parts.append(count == 1 ? "(1 reply)" : "(\(count) replies)")
        }
        return parts.joined(separator: " ").oneLine
    }
}
