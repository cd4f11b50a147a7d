import Foundation
import Scrollback

extension Command {
    static let outbox: [Command] = [
        Command("outbox [CHANNEL] [limit N | all]", "Lists the outbox items, channel by channel.") {
            arguments in
            let store = try arguments.workspace.store
            let url = try arguments.optionalWord.map { try arguments.held(ChannelURL($0)) }
            let items = try url.map { try store.outboxItems(in: $0) } ?? store.outboxItems()
            return table(records: items, limit: arguments.limit, orNone: "no outbox items") {
                item in
                [
                    item.requestID.rawValue, item.channelURL.rawValue, "\(item.state)",
                    "\(item.operation)",
                    item.message?.text ?? item.messageID.map { "message \($0)" } ?? "",
                ]
            }
        },
        Command(
            "acknowledge-loss", "Acknowledges lost outbox items, and removes the damaged files."
        ) { arguments in
            let workspace = arguments.workspace
            let store = try workspace.store
            if let client = workspace.device?.client, try client.engine.store === store {
                try await client.acknowledgeOutboxLoss()
            } else {
                try store.acknowledgeOutboxLoss()
            }
            return "the loss is acknowledged"
        },
        Command("enqueue CHANNEL TEXT", freeTextAfter: 1, "Adds a message to the outbox.") {
            arguments in
            let text = arguments.rest
            guard !text.isEmpty else { throw CommandError.usage }
            // In a store other than the device's, the channel may be new.
            let url = try arguments.channel
            if try arguments.isOnDevice { _ = try await arguments.existing(url) }
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
            return "wrote outbox item \(id) in \(url)"
        },
        Command("remove-item REQUESTID", "Removes an item from the outbox.") { arguments in
            let id = RequestID(try arguments.onlyWord)
            try arguments.workspace.store.write { batch in
                guard try batch.removeOutboxItem(id) else {
                    throw CommandError.failed("there is no outbox item '\(id)'")
                }
            }
            return "removed outbox item \(id)"
        },
        Command(
            "outgoing-file REQUESTID N [PATH]",
            "Shows the size of the Nth file of an unsent message, or saves it.",
            example: "outgoing-file alice-1 1"
        ) { arguments in
            let words = arguments.words
            guard (2...3).contains(words.count) else { throw CommandError.usage }
            let id = RequestID(words[0])
            let index = try Arguments.count(words[1]) - 1
            guard let data = try await arguments.client.outgoingFile(index, of: id) else {
                throw CommandError.failed("no unsent message \(id) has a file \(words[1])")
            }
            return try shown(data, nil, savedTo: words.dropFirst(2).first)
        },
    ]
}

/// Returns the name and the size of a file, or saves it.
func shown(_ data: Data, _ name: String?, savedTo path: String?) throws -> String {
    guard let path else {
        return "\((name ?? "a file").oneLine): \(counted(data.count, "byte"))"
    }
    let output = try OutputFile(path.fromHome)
    output.write(data)
    guard output.end() else { throw OutputFile.failure(path.fromHome) }
    return "saved \(counted(data.count, "byte")) to \(path)"
}
