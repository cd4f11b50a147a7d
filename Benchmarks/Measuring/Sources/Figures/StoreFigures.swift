import Foundation
import Measuring
import Models
import Store

/// Counts the cost of the store's calls in a new store on disk.
///
/// The store is so small that LevelDB does not compact its tables in another thread. Therefore no
/// figure includes the work of another thread.
struct StoreFigures {
    private let store: ChatStore
    private static let channels = 10
    private static let messagesPerChannel = 200

    static func all() throws -> [Figure] {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "figures-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try ChatStore(at: directory)
        defer { store.close() }
        return try StoreFigures(store: store).all()
    }

    private func all() throws -> [Figure] {
        var figures = try loading()
        // Move the rows to LevelDB's table files, which contain most rows of a real store.
        try store.purgeCleared()
        figures += try reading()
        figures += try writing()
        figures += try ofChannels()
        return figures
    }

    // MARK: Messages

    private func url(_ channel: Int) -> ChannelURL { ChannelURL("group_channel_\(100 + channel)") }

    private func id(_ channel: Int, _ number: Int) -> MessageID {
        MessageID(String(8_000_000_000 + number * 100 + channel))
    }

    private func message(_ channel: Int, _ number: Int, text: String? = nil) -> Message {
        var plain = PlainMessage(number % 32, in: .english)
        plain.messageID = id(channel, number).rawValue
        plain.createdAt = 1_763_712_000_000 + Int64(number) * 1000
        plain.channelURL = url(channel).rawValue
        plain.requestID = "request-\(1_000_000 + number * 100 + channel)"
        plain.parentMessageID = ""
        // A mention has a row in the index of kinds.
        plain.mentionedUserIDs = []
        if let text { plain.text = text }
        return Message(plain)
    }

    private func loading() throws -> [Figure] {
        let batches = (0..<20).map { batch in
            (0..<100).map { message(batch % 10, batch / 10 * 100 + $0) }
        }
        let figure = try Figure.count("save 100 new messages", calls: 16) { call in
            try store.write { batch in
                for message in batches[call] { try batch.save(message) }
            }
        }
        for channel in 0..<StoreFigures.channels {
            try store.write { batch in
                try batch.cover(url(channel), from: .beginning, through: .end)
            }
        }
        return [figure]
    }

    private func reading() throws -> [Figure] {
        let urls = (0..<StoreFigures.channels).map(url)
        let ids = (0..<StoreFigures.channels).map { id($0, 70) }
        let missing = ids.map { MessageID($0.rawValue + "0") }
        let time = Timestamp(milliseconds: 1_763_712_150_000)
        return [
            try Figure.count("newest page of 30") { call in
                keep(try store.messages(in: urls[call % 10], limit: 30))
            },
            try Figure.count("newest page, and its gaps") { call in
                let snapshot = try store.snapshot()
                let page = try snapshot.messages(in: urls[call % 10], limit: 30)
                let oldest = page.last?.position.map(Gap.Bound.position) ?? .beginning
                keep(try snapshot.gaps(in: urls[call % 10], from: oldest, to: .end))
            },
            try Figure.count("page of 30 before a time") { call in
                keep(try store.messages(in: urls[call % 10], before: .time(time), limit: 30))
            },
            try Figure.count("page of 30 after a time") { call in
                let anchor = HistoryAnchor.time(Timestamp(milliseconds: 1_763_712_050_000))
                keep(try store.messages(in: urls[call % 10], after: anchor, limit: 30))
            },
            try Figure.count("message by id") { call in
                keep(try store.message(ids[call % 10], in: urls[call % 10]))
            },
            try Figure.count("message by id, not there") { call in
                keep(try store.message(missing[call % 10], in: urls[call % 10]))
            },
            try Figure.count("count of a channel") { call in
                keep(try store.messageCount(in: urls[call % 10]))
            },
            try Figure.count("count of all") { _ in keep(try store.messageCount()) },
        ]
    }

    private func writing() throws -> [Figure] {
        let new = (0..<80).map { message($0 % 10, 1000 + $0) }
        let edited = (0..<80).map { message($0 % 10, $0 / 10 + 20, text: "edited") }
        let items = (0..<80).map { number in
            var message = message(3, 2000 + number)
            message.messageID = nil
            return OutboxItem(message, requestID: RequestID("draft-\(100 + number)"))
        }
        return [
            try Figure.count("save a new message") { call in
                _ = try store.write { batch in try batch.save(new[call]) }
            },
            try Figure.count("save it again, unchanged") { call in
                _ = try store.write { batch in try batch.save(new[call]) }
            },
            try Figure.count("save an edited message") { call in
                _ = try store.write { batch in try batch.save(edited[call]) }
            },
            try Figure.count("remove a message") { call in
                _ = try store.write { batch in
                    try batch.removeMessage(id(call % 10, call / 10 + 40), in: url(call % 10))
                }
            },
            try Figure.count("save an outbox item") { call in
                _ = try store.write { batch in try batch.save(items[call]) }
            },
            try Figure.count("remove an outbox item") { call in
                _ = try store.write { batch in try batch.removeOutboxItem(items[call].requestID) }
            },
        ]
    }

    // MARK: Channels

    private func ofChannels() throws -> [Figure] {
        var channels = (0..<100).map { number in
            var channel = GroupChannel(
                url: url(number), name: "Plans \(number)", createdAt: 1_600_000_000_000)
            channel.lastMessage = message(number, 10)
            return channel
        }
        try store.write { batch in for channel in channels { try batch.save(channel) } }
        let query = GroupChannelListQuery()
        keep(try store.groupChannels(matching: query, limit: 20))
        for number in channels.indices {
            channels[number].lastMessage = message(number, 3000 + number)
        }
        return [
            try Figure.count("touch a channel of a list") { call in
                _ = try store.write { batch in try batch.save(channels[call]) }
            },
            try Figure.count("top 20 of 100 channels") { _ in
                keep(try store.groupChannels(matching: query, limit: 20))
            },
        ]
    }
}
