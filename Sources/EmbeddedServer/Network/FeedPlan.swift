import Models

/// Decides how one batch of a feed is told.
struct FeedPlan {
    let conditions: FeedConditions
    var random: SplitMix64

    /// Events that are told, each with what of the server's batch it stands for.
    struct Item {
        var event: FeedEvent
        var sources: [UInt64]
    }

    /// The events of a batch that were not told yet; `told` are the fingerprints of those that were.
    ///
    /// What has changed since is another event.
    static func items(of events: [FeedEvent], told: [UInt64] = []) -> [Item] {
        var counts: [UInt64: Int] = [:]
        for fingerprint in told { counts[fingerprint, default: 0] += 1 }
        return events.compactMap { event in
            let fingerprint = event.fingerprint
            if let count = counts[fingerprint], count > 0 {
                counts[fingerprint] = count - 1
                return nil
            }
            return Item(event: event, sources: [fingerprint])
        }
    }

    // MARK: Holes

    /// Some messages of one channel that are to be told as a hole.
    struct Hidden {
        let channelURL: ChannelURL
        let indices: [Int]
        /// A message behind all of them, to start the walk at; `nil` to start at the newest.
        let next: MessageID?
    }

    /// Picks what is told as holes.
    mutating func hidden(in items: [Item]) -> [Hidden] {
        guard conditions.holes > 0 else { return [] }
        var urls: [ChannelURL] = []
        var indices: [ChannelURL: [Int]] = [:]
        var removed: Set<ChannelURL> = []
        for (index, item) in items.enumerated() {
            guard let url = item.event.channelURL else { continue }
            if case .channelRemoved = item.event { removed.insert(url) }
            guard item.event.isOfMessage else { continue }
            if indices[url] == nil { urls.append(url) }
            indices[url, default: []].append(index)
        }
        return urls.compactMap { url in
            guard let all = indices[url], random.happens(conditions.holes) else { return nil }
            let first = Int.random(in: all.indices, using: &random)
            let last = Int.random(in: first..<all.count, using: &random)
            // Nothing can be walked in a channel that is gone.
            guard !removed.contains(url) else { return nil }
            return Hidden(url, all, first...last, of: items)
        }
    }

    /// Puts a hole where the last of some messages was.
    static func hide(_ hidden: [(Hidden, PageCursor)], in items: [Item]) -> [Item] {
        var items = items
        var isGone = Set<Int>()
        for (hidden, walk) in hidden {
            let last = hidden.indices[hidden.indices.count - 1]
            let sources = hidden.indices.flatMap { items[$0].sources }
            items[last] = Item(
                event: .hole(in: hidden.channelURL, walk: walk), sources: sources)
            isGone.formUnion(hidden.indices.dropLast())
        }
        return items.enumerated().filter { !isGone.contains($0.offset) }.map(\.element)
    }

    // MARK: Losses, repetitions, order

    /// Loses, repeats and reorders; returns what is told, and what of the batch will never be.
    mutating func arrange(_ items: [Item]) -> (told: [Item], lost: [UInt64]) {
        var told: [Item] = []
        var lost: [UInt64] = []
        for item in items {
            if random.happens(lossShare(of: item.event)) {
                lost += item.sources
                continue
            }
            told.append(item)
            if random.happens(conditions.repeatedEvents) {
                told.append(Item(event: item.event, sources: []))
            }
        }
        if random.happens(conditions.reordered) { told = FeedPlan.mixed(told, using: &random) }
        if random.happens(conditions.shuffled) { told.shuffle(using: &random) }
        return (told, lost)
    }

    private func lossShare(of event: FeedEvent) -> Double {
        switch event {
        case .typing: conditions.lostTyping
        case .read, .delivered: conditions.lostReceipts
        default: event.isOfMessage ? conditions.lost : 0
        }
    }

    /// How many of the items the next batch has, when some batches told a part of them before.
    ///
    /// Only the first of them may be empty, so that there is an end to it.
    mutating func length(of count: Int, part: Int) -> Int {
        var length = count
        let least = part == 0 ? 0 : 1
        if random.happens(conditions.split), count > least {
            length = Int.random(in: least..<count, using: &random)
        }
        return conditions.batchCap.map { min(length, max($0, 1)) } ?? length
    }
}

extension FeedPlan.Hidden {
    /// Hides nothing that a walk would not find: the messages have to be in the history of a group.
    fileprivate init?(
        _ url: ChannelURL, _ all: [Int], _ range: ClosedRange<Int>, of items: [FeedPlan.Item]
    ) {
        let received = all[range].compactMap { items[$0].event.receivedMessage }
        guard !received.isEmpty, received.allSatisfy({ $0.channelType == .group }) else {
            return nil
        }
        // Where clocks disagree, what is told next may lie before what is hidden.
        let newest = received.compactMap(\.position).max()
        let next = all[(range.upperBound + 1)...].lazy
            .compactMap { items[$0].event.receivedMessage?.position }
            .first { next in newest.map { $0 < next } ?? false }
        self.init(channelURL: url, indices: Array(all[range]), next: next?.messageID)
    }
}

extension FeedEvent {
    fileprivate var receivedMessage: Message? {
        guard case .messageReceived(let message) = self else { return nil }
        return message
    }
}
