import Models
import ScrollbackCrashWriter
import Testing

@testable import Store

/// The contents of the cache as a reader sees them, for comparisons.
struct CachePicture: Equatable, CustomStringConvertible {
    struct Part: Equatable {
        let messages: [Message]
        let gaps: [Gap]
        let count: Int
    }

    var parts: [ChannelURL: Part] = [:]
    /// The last step that wrote to the cache, or `nil` if the token is missing.
    var step: Int?

    init(_ reader: some StoreReader) throws {
        for url in Steps.channels {
            parts[url] = Part(
                messages: try reader.messages(in: url), gaps: try reader.gaps(in: url),
                count: try reader.messageCount(in: url))
        }
        step = try reader.token(Steps.token).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    var description: String {
        var lines = ["step \(step.map(String.init) ?? "unknown")"]
        for (url, part) in parts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let ids = part.messages.map { "\($0.messageID ?? "?") \($0.text.prefix(6))" }
            lines.append("\(url) \(part.count): \(ids)")
            lines += part.gaps.map { "    \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}

extension StoreReader {
    /// Returns the outbox items as lines.
    ///
    /// Each has the last step that wrote the item.
    func outboxPicture() throws -> [String] {
        try outboxItems().map { item in
            "\(item.channelURL) \(item.requestID) \(item.message?.text ?? "")"
        }
    }
}

/// The expected contents of a store after each step, if no step fails.
final class ExpectedStore {
    let steps: Steps
    private let store: ChatStore
    private(set) var caches: [CachePicture]
    private(set) var outboxes: [[String]]

    init(_ steps: Steps) throws {
        self.steps = steps
        store = try ChatStore.inMemory()
        caches = [try CachePicture(store)]
        outboxes = [try store.outboxPicture()]
    }

    func cache(after step: Int) throws -> CachePicture {
        try advance(to: step)
        return caches[step]
    }

    func outbox(after step: Int) throws -> [String] {
        try advance(to: step)
        return outboxes[step]
    }

    private func advance(to step: Int) throws {
        while caches.count <= step {
            try steps.write(caches.count, to: store)
            caches.append(try CachePicture(store))
            outboxes.append(try store.outboxPicture())
        }
    }
}

extension Steps {
    /// Returns every version of every message that was written up to a step.
    func everyMessage(through last: Int) -> Set<Message> {
        var all: Set<Message> = []
        for number in 1...max(1, last) {
            switch kind(number) {
            case .page: all.formUnion(page(number))
            case .acknowledgement(let id): all.insert(acknowledged(id, by: number))
            default: break
            }
        }
        return all
    }

    /// Returns every version of every outbox item that was written up to a step.
    func everyOutboxItem(through last: Int) -> Set<OutboxItem> {
        var all: Set<OutboxItem> = []
        for number in 1...max(1, last) {
            switch kind(number) {
            case .outboxItem(let id), .editOfOutboxItem(let id):
                all.insert(outboxItem(id, by: number))
            default: break
            }
        }
        return all
    }
}
