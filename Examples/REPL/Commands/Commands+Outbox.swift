import Scrollback

extension Command {
    static let outbox: [Command] = [
        Command(
            name: "drafts",
            usage: "[CHANNEL] [limit N | all]",
            summary: "Lists what the server has not acknowledged, channel by channel.",
            example: "drafts",
            preparation: ["draft general Hello", "draw random a !b"],
            output: """
                b   random   failed   send  b
                r1  general  pending  send  Hello
                """,
            offers: [.channels],
            gives: [.drafts]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.count <= 1 else { throw CommandError.usage }
            let store = try arguments.workspace.store
            let drafts =
                words.isEmpty
                ? try store.drafts() : try store.drafts(in: try arguments.heldChannel)
            let lines = table(drafts, limit: limit) { draft in
                [
                    draft.requestID.rawValue, draft.channelURL.rawValue, "\(draft.state)",
                    "\(draft.operation)",
                    draft.message?.text ?? draft.messageID.map { "message \($0)" } ?? "",
                ]
            }
            return .text(
                lines.isEmpty ? "no drafts" : lines.joined(separator: "\n"), [.drafts: drafts])
        },
        Command(
            name: "draft",
            usage: "CHANNEL TEXT",
            freeTextAfter: 1,
            summary: "Adds a message to the outbox.",
            example: "draft general Hello, everybody",
            output: "wrote draft r1 in general",
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
                } while try batch.draft(id) != nil || batch.message(requestID: id, in: url) != nil
                let message = Message(
                    id: nil, channelURL: url, text: text, createdAt: workspace.now())
                let newest = try batch.messages(in: url, limit: 1).first?.position
                try batch.save(Draft(message, requestID: id, follows: newest))
            }
            return .text("wrote draft \(id) in \(url)", [.requestID: id, .channelURL: url])
        },
        Command(
            name: "remove-draft",
            usage: "REQUESTID",
            summary: "Removes a draft from the outbox.",
            example: "remove-draft r1",
            preparation: ["draft general Hello"],
            output: "removed draft r1",
            offers: [.requests],
            gives: [.requestID]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let id = RequestID(arguments.words[0])
            try arguments.workspace.store.write { batch in
                guard try batch.removeDraft(id) else {
                    throw CommandError.failed("there is no draft '\(id)'")
                }
            }
            return .text("removed draft \(id)", [.requestID: id])
        },
    ]

    /// Rows of cells, each column as wide as its widest cell.
    static func columns(_ rows: [[String]]) -> String {
        var rows = rows.map { $0.map(\.oneLine) }
        var count = rows.map(\.count).max() ?? 0
        // A column that is empty in all rows is left out.
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
