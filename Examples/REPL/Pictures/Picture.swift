import Scrollback

/// A channel's history as one line, such as `… a b ~ d (e) !f`.
///
/// Messages are shown by ID, oldest first. A `~` is a gap between two messages, and a `…` is
/// history beyond the first or the last one. `(e)` is a pending message with the request ID e, and
/// `!f` a failed one.
struct Picture: Hashable {
    enum Sign: Hashable {
        case more
        case message(MessageID)
        case gap
        case pending(RequestID)
        case failed(RequestID)
    }

    private(set) var signs: [Sign] = []
}

// MARK: Drawing a store

extension Picture {
    /// Draws messages and gaps, oldest first, and outbox items in the order of creation, without
    /// unsent changes.
    ///
    /// `isCut` is true if older messages are omitted.
    init(messages: [Position], gaps: [Gap], items: [OutboxItem] = [], isCut: Bool = false) {
        var gaps = gaps[...]
        func hasGap(from lower: Gap.Bound, to upper: Gap.Bound) -> Bool {
            gaps = gaps.drop { $0.upper <= lower }
            return gaps.first.map { $0.lower < upper } ?? false
        }
        var last = Gap.Bound.beginning
        for position in messages {
            let isUnknown = hasGap(from: last, to: .position(position))
            if last == .beginning {
                if isUnknown || isCut { signs.append(.more) }
            } else if isUnknown {
                signs.append(.gap)
            }
            signs.append(.message(position.messageID))
            last = .position(position)
        }
        if hasGap(from: last, to: .end) { signs.append(.more) }
        for item in items where item.operation == .send {
            signs.append(
                item.state == .failed ? .failed(item.requestID) : .pending(item.requestID))
        }
    }
}

// MARK: Text

extension Picture: CustomStringConvertible {
    var description: String { signs.map(\.text.oneLine).joined(separator: " ") }

    var text: String { signs.isEmpty ? "empty: no messages and no gaps" : description }

    /// Reads a picture from text, in which three dots count as `…`.
    init(_ text: String) throws {
        for word in text.split(whereSeparator: \.isWhitespace) { signs.append(Sign(word)) }
        try check()
    }

    private func check() throws {
        func fail(_ message: String) -> CommandError { .failed("'\(self)': \(message)") }
        let history = signs.prefix { !$0.isOutboxItem }
        guard signs[history.count...].allSatisfy(\.isOutboxItem) else {
            throw fail("unsent messages must come last")
        }
        let ids = history.compactMap(\.messageID)
        let requests = signs.compactMap(\.requestID)
        guard Set(ids).count == ids.count, Set(requests).count == requests.count else {
            throw fail("each message can be drawn only once")
        }
        for (index, sign) in history.enumerated() {
            let isInside = index > 0 && index < history.count - 1
            if sign == .gap {
                guard isInside, history[index - 1].messageID != nil,
                    history[index + 1].messageID != nil
                else {
                    throw fail("~ must be between two messages")
                }
            }
            if sign == .more && isInside { throw fail("… must be first or last") }
        }
        if history.count == 2, history.allSatisfy({ $0 == .more }) {
            throw fail("a history without messages is drawn as …")
        }
    }
}

extension Picture.Sign {
    fileprivate init(_ word: Substring) {
        switch word {
        case "…", "...": self = .more
        case "~": self = .gap
        case _ where word.hasPrefix("!"): self = .failed(RequestID(String(word.dropFirst())))
        case _ where word.hasPrefix("(") && word.hasSuffix(")"):
            self = .pending(RequestID(String(word.dropFirst().dropLast())))
        default: self = .message(MessageID(String(word)))
        }
    }

    fileprivate var text: String {
        switch self {
        case .more: "…"
        case .message(let id): id.rawValue
        case .gap: "~"
        case .pending(let id): "(\(id))"
        case .failed(let id): "!\(id)"
        }
    }

    fileprivate var messageID: MessageID? {
        if case .message(let id) = self { id } else { nil }
    }

    fileprivate var requestID: RequestID? {
        switch self {
        case .pending(let id), .failed(let id): id
        default: nil
        }
    }

    fileprivate var isOutboxItem: Bool { requestID != nil }
}

// MARK: Storing a picture

extension Picture {
    /// Replaces the history and the outbox items of a channel by the picture's.
    ///
    /// The first message has the time `start`. Consecutive messages are a minute apart; a gap
    /// counts like a message.
    func write(to url: ChannelURL, from start: Timestamp, in batch: Batch) throws {
        try batch.clearMessages(in: url)
        for item in try batch.outboxItems(in: url) { try batch.removeOutboxItem(item.requestID) }
        var time = start
        var places: [Position?] = []
        for sign in signs {
            switch sign {
            case .more: places.append(nil)
            case .gap:
                places.append(nil)
                time = time.advanced(by: .seconds(60))
            case .message(let id):
                let message = Message(
                    id: id, channelURL: url, text: id.rawValue, createdAt: time)
                try batch.save(message)
                places.append(message.position)
                time = time.advanced(by: .seconds(60))
            case .pending(let id), .failed(let id):
                let message = Message(
                    id: nil, channelURL: url, text: id.rawValue, createdAt: time)
                var item = OutboxItem(message, requestID: id)
                if case .failed = sign { item.fail(.requestFailed) }
                try batch.save(item)
                time = time.advanced(by: .seconds(60))
            }
        }
        try batch.cover(url, from: .beginning, through: .end)
        for (index, sign) in signs.enumerated() where sign == .more || sign == .gap {
            let before = index > 0 ? places[index - 1] : nil
            let after = index + 1 < places.count ? places[index + 1] : nil
            try batch.open(
                Gap(
                    in: url, from: before.map(Gap.Bound.position) ?? .beginning,
                    to: after.map(Gap.Bound.position) ?? .end))
        }
    }
}

// MARK: Drawing a window

extension Picture {
    @MainActor init(_ collection: MessageCollection) {
        var items = collection.items
        if collection.params.isReversed { items.reverse() }
        for item in items {
            guard let message = item.message else {
                signs.append(.gap)
                continue
            }
            switch (message.sendingStatus, message.messageID, message.requestID) {
            case (.failed, nil, let id?): signs.append(.failed(id))
            case (_, let id?, _): signs.append(.message(id))
            case (_, nil, let id?): signs.append(.pending(id))
            case (_, nil, nil): break
            }
        }
        if collection.hasPrevious, signs.first != .gap { signs.insert(.more, at: 0) }
        if collection.hasNext, signs.last != .gap {
            let place = signs.lastIndex { !$0.isOutboxItem }.map { $0 + 1 } ?? 0
            signs.insert(.more, at: place)
        }
    }
}
