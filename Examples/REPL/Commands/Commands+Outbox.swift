import Scrollback

extension Command {
    static let outbox: [Command] = [
        Command(
            name: "outbox",
            usage: "[CHANNEL] [limit N | all]",
            summary: "Lists the outbox items, channel by channel.",
            example: "outbox",
            preparation: ["enqueue general Hello", "draw random a !b"],
            output: """
                b   random   failed   send  b
                r1  general  pending  send  Hello
                """,
            offers: [.channels],
            gives: [.outboxItems]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.count <= 1 else { throw CommandError.usage }
            let store = try arguments.workspace.store
            let items =
                words.isEmpty
                ? try store.outboxItems() : try store.outboxItems(in: try arguments.heldChannel)
            let lines = table(items, limit: limit) { item in
                [
                    item.requestID.rawValue, item.channelURL.rawValue, "\(item.state)",
                    "\(item.operation)",
                    item.message?.text ?? item.messageID.map { "message \($0)" } ?? "",
                ]
            }
            return .text(
                lines.isEmpty ? "no outbox items" : lines.joined(separator: "\n"),
                [.outboxItems: items])
        },
        Command(
            name: "acknowledge-loss",
            summary: "Acknowledges lost outbox items, and removes the damaged files.",
            example: "acknowledge-loss",
            output: "the loss is acknowledged",
            covers: ["ChatClient.acknowledgeOutboxLoss()"]
        ) { arguments in
            let workspace = arguments.workspace
            let store = try workspace.store
            if let client = workspace.device?.client, try client.engine.store === store {
                try await client.acknowledgeOutboxLoss()
            } else {
                try store.acknowledgeOutboxLoss()
            }
            return .text("the loss is acknowledged")
        },
        Command(
            name: "enqueue",
            usage: "CHANNEL TEXT",
            freeTextAfter: 1,
            summary: "Adds a message to the outbox.",
            example: "enqueue general Hello, everybody",
            output: "wrote outbox item r1 in general",
            offers: [.channels],
            gives: [.requestID, .channelURL]
        ) { arguments in
            let text = arguments.rest
            guard !text.isEmpty else { throw CommandError.usage }
            let url = try await arguments.channelToWriteTo
            let workspace = arguments.workspace
            var id: RequestID = ""
            try workspace.store.write { batch in
                var number = 1
                repeat {
                    id = RequestID("r\(number)")
                    number += 1
                } while try batch.outboxItem(id) != nil
                    || batch.message(requestID: id, in: url) != nil
                let message = Message(
                    id: nil, channelURL: url, text: text, createdAt: workspace.now())
                let newest = try batch.messages(in: url, limit: 1).first?.position
                try batch.save(OutboxItem(message, requestID: id, follows: newest))
            }
            return .text("wrote outbox item \(id) in \(url)", [.requestID: id, .channelURL: url])
        },
        Command(
            name: "remove-item",
            usage: "REQUESTID",
            summary: "Removes an item from the outbox.",
            example: "remove-item r1",
            preparation: ["enqueue general Hello"],
            output: "removed outbox item r1",
            offers: [.requests],
            gives: [.requestID]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let id = RequestID(arguments.words[0])
            try arguments.workspace.store.write { batch in
                guard try batch.removeOutboxItem(id) else {
                    throw CommandError.failed("there is no outbox item '\(id)'")
                }
            }
            return .text("removed outbox item \(id)", [.requestID: id])
        },
    ]

    /// Returns rows of cells as text, with columns as wide as their widest cells.
    static func columns(_ rows: [[String]]) -> String {
        var rows = rows.map { $0.map(\.oneLine) }
        var count = rows.map(\.count).max() ?? 0
        // Omit columns that are empty in all rows.
        let full = (0..<count).filter { column in
            rows.contains { column < $0.count && !$0[column].isEmpty }
        }
        rows = rows.map { row in full.filter { $0 < row.count }.map { row[$0] } }
        count = full.count
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { index, cell in
                index == row.count - 1 ? cell.0 : cell.0.padded(to: cell.1)
            }
            return cells.joined(separator: "  ").trimmingSuffix(while: \.isWhitespace)
        }.joined(separator: "\n")
    }
}

extension String {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
        var text = self[...]
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return String(text)
    }
}
