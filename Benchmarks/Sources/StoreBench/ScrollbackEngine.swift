import Foundation
import Models
@_spi(Measuring) import Store

/// Scrollback's store, called in the same way as in an app.
final class ScrollbackEngine: Engine {
    static let name = "Scrollback"

    private let store: ChatStore

    init(at directory: URL) throws { store = try ChatStore(at: directory) }

    func close() { store.close() }

    func insert(_ items: [Item]) -> Call {
        let messages = items.map(\.message)
        return { [store] in
            try store.write { batch in
                for message in messages { try batch.save(message) }
            }
            return messages.count
        }
    }

    func put(_ item: Item) -> Call {
        let message = item.message
        return { [store] in
            try store.write { batch in try batch.save(message) }
            return 1
        }
    }

    /// Writes outbox items, which the store always writes durably.
    func putDurably(_ items: [Item]) -> Call? {
        let items = items.map(\.outboxItem)
        return { [store] in
            try store.write { batch in
                for item in items { try batch.save(item) }
            }
            return items.count
        }
    }

    func delete(_ item: Item) throws -> Call {
        let (id, url) = (item.message.messageID!, item.message.channelURL)
        return { [store] in
            try store.write { batch in try batch.removeMessage(id, in: url) }
            return 1
        }
    }

    /// Reads the page's rows without decoding them.
    func rawPage(_ channel: Int, before time: Timestamp?, limit: Int) -> Call? {
        let url = World.url(channel)
        return { [store] in
            var count = 0
            try store.forEachSerializedMessage(in: url, before: time) { bytes in
                keepBytes(bytes)
                count += 1
                return count < limit
            }
            return count
        }
    }

    func page(_ channel: Int, before time: Timestamp?, limit: Int) -> Call {
        let url = World.url(channel)
        let anchor: HistoryAnchor = time.map { .time($0) } ?? .newest
        return { [store] in try store.messages(in: url, before: anchor, limit: limit).count }
    }

    func checkedPage(_ channel: Int, limit: Int) -> Call? {
        let url = World.url(channel)
        return { [store] in
            let snapshot = try store.snapshot()
            let messages = try snapshot.messages(in: url, limit: limit)
            guard let oldest = messages.last?.position else { return 0 }
            let gaps = try snapshot.gaps(in: url, from: .position(oldest), to: .end)
            return gaps.isEmpty ? messages.count : 0
        }
    }

    func screen(_ channel: Int, around time: Timestamp, each limit: Int) -> Call? {
        let url = World.url(channel)
        var params = MessageListParams()
        (params.previousResultSize, params.nextResultSize) = (limit, limit)
        return { [store, params] in
            try store.messages(in: url, around: .time(time), params: params).count
        }
    }

    func lookup(_ id: MessageID, in channel: Int) -> Call {
        let url = World.url(channel)
        return { [store] in try store.message(id, in: url) == nil ? 0 : 1 }
    }

    func count(in channel: Int) -> Call {
        let url = World.url(channel)
        return { [store] in try store.messageCount(in: url) }
    }

    func count() -> Call { { [store] in try store.messageCount() } }

    func put(_ channels: [ChannelItem]) -> Call {
        let channels = channels.map(\.channel)
        return { [store] in
            try store.write { batch in
                for channel in channels { try batch.save(channel) }
            }
            return channels.count
        }
    }

    func channels(limit: Int?) -> Call {
        let query = GroupChannelListQuery()
        return { [store, query] in try store.groupChannels(matching: query, limit: limit).count }
    }

    func coverEverything() throws {
        for channel in 0..<World.channelCount {
            try store.write { batch in
                try batch.cover(World.url(channel), from: .beginning, through: .end)
            }
        }
    }

    /// Returns all rows of some tables.
    ///
    /// Each key is followed by its value.
    func rows(of tables: [UInt8]) throws -> [[UInt8]] {
        var rows: [[UInt8]] = []
        try store.forEachRow { key, value in
            if tables.contains(key[0]) { rows += [Array(key), Array(value)] }
        }
        return rows
    }
}
