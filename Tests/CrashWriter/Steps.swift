package import Models
import ScrollbackTesting
package import Store

/// The commits that tests write to a store.
///
/// Equal seeds give equal steps. Writing a step twice in a row has the same result as writing it
/// once.
package struct Steps: Sendable {
    package let seed: Int
    /// True if some steps remove messages or clear a channel.
    package let removes: Bool

    package init(seed: Int, removes: Bool = true) {
        self.seed = seed
        self.removes = removes
    }

    /// Options with logs and tables of 64 KiB, LevelDB's minimum, so that a store soon has several
    /// files.
    package static var smallFiles: StoreOptions {
        var options = StoreOptions()
        options.writeBufferByteCount = 64 << 10
        options.blockCacheByteCount = 64 << 10
        return options
    }

    /// The key of encrypted stores.
    package static let key = EncryptionKey((1...32).map { UInt8($0) })

    package static let channels: [ChannelURL] = ["general", "random", "support"]

    /// Returns the messages of a file of the push inbox.
    package static func drop(_ number: Int) -> [Message] {
        (0..<1 + number % 3).map { index in
            Message(
                id: MessageID("drop-\(number)-\(index)"), channelURL: channels[number % 3],
                text: String(repeating: "canary \(number) ", count: 1 + number % 50),
                createdAt: Timestamp(milliseconds: Int64(number * 1_000 + index)))
        }
    }

    /// The name of the token that contains the number of the last step that wrote to the cache.
    package static let token = "steps"
}

extension Steps {
    /// The kind of a step.
    package enum Kind: Equatable {
        /// Saves a page of messages, which covers a part of a channel's history.
        case page
        case outboxItem(RequestID)
        case editOfOutboxItem(RequestID)
        case removalOfOutboxItem(RequestID)
        /// Saves a sent message and removes its outbox item, which writes to both databases.
        case acknowledgement(RequestID)
        case removal
        case clearing
    }

    package func kind(_ number: Int) -> Kind {
        // The first steps save one page for each channel, so that every channel has a name row.
        if number <= Steps.channels.count { return .page }
        var random = random(number, 0)
        let item = outboxItemStep(before: number, &random).map { RequestID("r-\($0)") }
        switch (Int.random(in: 0..<20, using: &random), item) {
        case (0..<3, _), (3..<10, nil): return .outboxItem(RequestID("r-\(number)"))
        case (3, let item?): return .editOfOutboxItem(item)
        case (4..<6, let item?): return .removalOfOutboxItem(item)
        case (6..<10, let item?): return .acknowledgement(item)
        case (10, _) where removes: return .clearing
        case (11..<13, _) where removes: return .removal
        default: return .page
        }
    }

    package func channel(_ number: Int) -> ChannelURL {
        if number <= Steps.channels.count { return Steps.channels[number - 1] }
        var random = random(number, 1)
        return Steps.channels.randomElement(using: &random) ?? "general"
    }

    /// Returns the messages of a page, oldest first.
    package func page(_ number: Int) -> [Message] {
        var random = random(number, 2)
        return (0..<Int.random(in: 1...6, using: &random)).map { index in
            message(
                MessageID("m-\(number)-\(index)"), number, at: number * 1_000 + index,
                parent: index == 0 ? nil : MessageID("m-\(number)-0"), &random)
        }
    }

    package func outboxItem(_ id: RequestID, by number: Int) -> OutboxItem {
        var random = random(number, 3)
        let created = step(ofOutboxItem: id)
        var message = message("", created, at: created * 1_000, parent: nil, &random)
        message.messageID = nil
        return OutboxItem(message, requestID: id)
    }

    package func acknowledged(_ id: RequestID, by number: Int) -> Message {
        var random = random(number, 4)
        let created = step(ofOutboxItem: id)
        var message = message(
            MessageID("sent-\(id)"), created, at: created * 1_000 + 500, parent: nil, &random)
        message.requestID = id
        return message
    }

    /// Returns true if a step writes to the cache.
    ///
    /// Such a step also stores its number there.
    package func writesToCache(_ number: Int) -> Bool {
        switch kind(number) {
        case .page, .acknowledgement, .removal, .clearing: true
        case .outboxItem, .editOfOutboxItem, .removalOfOutboxItem: false
        }
    }

    /// Returns what the store promises when a step is written, as one line.
    package func promise(of number: Int) -> String {
        switch kind(number) {
        case .page, .removal, .clearing: "cache"
        case .outboxItem(let id), .editOfOutboxItem(let id): "outbox item \(id)"
        case .removalOfOutboxItem(let id): "removed \(id)"
        case .acknowledgement(let id): "cache removed \(id)"
        }
    }

    @discardableResult
    package func write(_ number: Int, to store: ChatStore) throws -> Change {
        try store.commit { batch in
            if writesToCache(number) {
                batch.setToken(Array("\(number)".utf8), for: Steps.token)
            }
            let channel = channel(number)
            switch kind(number) {
            case .page:
                let page = page(number)
                for message in page { try batch.save(message) }
                if let first = page.first?.position, let last = page.last?.position {
                    try batch.cover(channel, from: .position(first), through: .position(last))
                }
            case .outboxItem(let id), .editOfOutboxItem(let id):
                try batch.save(outboxItem(id, by: number))
            case .removalOfOutboxItem(let id):
                try batch.removeOutboxItem(id)
            case .acknowledgement(let id):
                try batch.save(acknowledged(id, by: number))
                try batch.removeOutboxItem(id)
            case .removal:
                let position = Position(
                    createdAt: Timestamp(milliseconds: Int64(number / 2 * 1_000)), messageID: "")
                try batch.removeMessages(in: channel, through: .position(position))
                try batch.open(Gap(in: channel, to: .position(position)))
            case .clearing:
                try batch.clearMessages(in: channel)
            }
        }.change
    }
}

// MARK: Random steps

extension Steps {
    private func step(ofOutboxItem id: RequestID) -> Int { Int(id.rawValue.dropFirst(2)) ?? 0 }

    /// Returns an earlier step that wrote an outbox item.
    ///
    /// The same item may be edited and sent more than once.
    private func outboxItemStep(before number: Int, _ random: inout SeededRandom) -> Int? {
        let first = Steps.channels.count + 1
        let earlier = max(first, number - 30)..<max(first, number)
        let items = earlier.filter { candidate in
            var random = self.random(candidate, 0)
            // `kind` uses the first number for something else if there are earlier items. Skip it.
            _ = random.next()
            return Int.random(in: 0..<20, using: &random) < 3
        }
        let choice = random.next()
        return items.isEmpty ? nil : items[Int(choice % UInt64(items.count))]
    }

    private func message(
        _ id: MessageID, _ number: Int, at time: Int, parent: MessageID?,
        _ random: inout SeededRandom
    ) -> Message {
        let word = String(random.next(), radix: 36) + " "
        let text = String(repeating: word, count: Int.random(in: 1...200, using: &random))
        return Message(
            id: id, channelURL: channel(number), text: "\(number) \(text)",
            createdAt: Timestamp(milliseconds: Int64(time)), parentMessageID: parent)
    }

    private func random(_ number: Int, _ stream: Int) -> SeededRandom {
        SeededRandom(seed: seed << 40 ^ number << 8 ^ stream)
    }
}
