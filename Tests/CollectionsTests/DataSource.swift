import Collections
import Models

/// The messages of an app's view, which changes them only as the delegate's methods for added,
/// updated and deleted messages and the returned pages say.
@MainActor
struct DataSource {
    /// The messages: sent ones, oldest first, then unsent ones.
    private(set) var rows: [Message] = []
    /// The notifications that an app could not apply.
    private(set) var problems: [String] = []
    /// The number of pages that are being loaded, whose messages may change before the app gets
    /// them.
    var loadCount = 0
    private var isLoading: Bool { loadCount > 0 }

    mutating func replace(by messages: [Message]) {
        rows = []
        for message in messages { put(message) }
    }

    mutating func insert(_ messages: [Message], isPage: Bool = false) {
        for message in messages {
            if !isLoading, index(of: message) != nil {
                problems.append("\(message.text) was already listed\(isPage ? " (page)" : "")")
            }
            put(message)
        }
    }

    mutating func update(_ messages: [Message], _ context: MessageContext) {
        // A canceled message is reported as deleted afterwards.
        if context.sendingStatus == .canceled { return }
        for message in messages {
            if index(of: message) != nil {
                put(message)
            } else if !isLoading {
                problems.append("\(message.text) was updated, but is not listed")
            }
        }
    }

    mutating func delete(_ messages: [Message]) {
        for message in messages {
            if let index = index(of: message) {
                rows.remove(at: index)
            } else if !isLoading {
                problems.append("\(message.text) was deleted, but is not listed")
            }
        }
    }

    /// Returns the differences from a collection.
    func differences(from collection: MessageCollection) -> [String] {
        let shown = collection.messages
        let sent = shown.filter { $0.messageID != nil }
        let isEqual =
            rows.filter { $0.messageID != nil }
            == (collection.params.isReversed ? sent.reversed() : sent)
            && Set(rows.filter { $0.messageID == nil })
                == Set(shown.filter { $0.messageID == nil })
        if isEqual { return problems }
        return problems + ["told \(rows.map(\.word)), shows \(shown.map(\.word))"]
    }

    private func index(of message: Message) -> Int? {
        rows.firstIndex { row in
            if let id = message.messageID, id == row.messageID { return true }
            return row.messageID == nil && row.requestID == message.requestID
        }
    }

    private mutating func put(_ message: Message) {
        if let index = index(of: message) { rows.remove(at: index) }
        let next = rows.firstIndex { row in
            guard let position = message.position else { return false }
            return row.position.map { position < $0 } ?? true
        }
        rows.insert(message, at: next ?? rows.endIndex)
    }
}
