import Models

struct FeedPlan {
    let conditions: FeedConditions
    var random: SplitMix64

    /// An event, with the fingerprints of the server's events that it represents.
    struct Item {
        var event: FeedEvent
        var sources: [UInt64]
    }

    /// Returns the events of a batch that are not among the reported ones, given by their
    /// fingerprints in order.
    ///
    /// A changed event counts as not reported.
    static func items(of events: [FeedEvent], reported: [UInt64] = []) -> [Item] {
        var places: [UInt64: [Int]] = [:]
        for (place, fingerprint) in reported.enumerated() {
            places[fingerprint, default: []].append(place)
        }
        // Events of a channel that were reported before the user lost it do not count. The place is
        // after the removal, or the end if the removal was not reported.
        var beginnings: [ChannelURL: Int] = [:]
        return events.compactMap { event in
            let fingerprint = event.fingerprint
            let beginning = event.channelURL.flatMap { beginnings[$0] } ?? 0
            let index = places[fingerprint]?.firstIndex { $0 >= beginning }
            let place = index.flatMap { places[fingerprint]?.remove(at: $0) }
            if case .channelRemoved(let url, _) = event {
                beginnings[url] = place.map { $0 + 1 } ?? reported.count
            }
            return place == nil ? Item(event: event, sources: [fingerprint]) : nil
        }
    }

    /// Returns the fingerprints of reported events that are also valid for a newer batch.
    ///
    /// Those of truncations and changed ranges are not: an equal event of the newer batch may be
    /// about other messages.
    static func fingerprints(
        _ reported: [UInt64], validForNewer events: [FeedEvent]
    ) -> [UInt64] {
        let omissions = Set(events.filter(\.omitsMessages).map(\.fingerprint))
        return reported.filter { !omissions.contains($0) }
    }

    // MARK: Truncations

    struct OmittedItems {
        let channelURL: ChannelURL
        /// The indices in ascending order; at least one.
        let indices: [Int]
    }

    mutating func omitted(from items: [Item]) -> [OmittedItems] {
        guard conditions.truncations > 0 else { return [] }
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
            guard let all = indices[url], random.happens(conditions.truncations) else { return nil }
            let first = Int.random(in: all.indices, using: &random)
            let last = Int.random(in: first..<all.count, using: &random)
            // The user could not backfill a channel that the batch also removes.
            guard !removed.contains(url) else { return nil }
            return OmittedItems(url, Array(all[first...last]), of: items)
        }
    }

    /// Puts the truncation in place of the channel's last omitted message.
    static func truncate(_ items: [Item], omitting omitted: [OmittedItems]) -> [Item] {
        var items = items
        var isGone = Set<Int>()
        for part in omitted {
            let last = part.indices[part.indices.count - 1]
            let sources = part.indices.flatMap { items[$0].sources }
            items[last] = Item(event: .truncation(in: part.channelURL), sources: sources)
            isGone.formUnion(part.indices.dropLast())
        }
        return items.enumerated().filter { !isGone.contains($0.offset) }.map(\.element)
    }

    // MARK: Losses, repetitions, order

    /// Drops, repeats and reorders events, and returns the fingerprints of the dropped ones, too.
    mutating func arrange(_ items: [Item]) -> (reported: [Item], lost: [UInt64]) {
        var reported: [Item] = []
        var lost: [UInt64] = []
        for item in items {
            if random.happens(lossShare(of: item.event)) {
                lost += item.sources
                continue
            }
            var item = item
            if conditions.editsWithoutContent > 0 { omitContent(of: &item) }
            reported.append(item)
            if random.happens(conditions.repeatedEvents) {
                reported.append(Item(event: item.event, sources: []))
            }
        }
        if random.happens(conditions.reordered) {
            reported = FeedPlan.mixed(reported, using: &random)
        }
        if random.happens(conditions.shuffled) { reported.shuffle(using: &random) }
        return (reported, lost)
    }

    private mutating func omitContent(of item: inout Item) {
        guard case .messageUpdated(let message) = item.event, message.channelType == .group,
            let id = message.messageID, random.happens(conditions.editsWithoutContent)
        else { return }
        item.event = .messageChanged(id, in: message.channelURL)
    }

    private func lossShare(of event: FeedEvent) -> Double {
        switch event {
        case .typing: conditions.lostTyping
        case .read, .delivered: conditions.lostReceipts
        default: event.isOfMessage ? conditions.lost : 0
        }
    }

    /// Returns the length of a part.
    ///
    /// Only the first part may be empty: the parts must come to an end.
    mutating func length(of count: Int, part: Int) -> Int {
        var length = count
        let least = part == 0 ? 0 : 1
        if random.happens(conditions.split), count > least {
            length = Int.random(in: least..<count, using: &random)
        }
        return conditions.batchCap.map { min(length, max($0, 1)) } ?? length
    }
}

extension FeedPlan.OmittedItems {
    /// Returns `nil` if the items contain no new message, or one of an open channel: a backfill
    /// might not find it.
    fileprivate init?(_ url: ChannelURL, _ indices: [Int], of items: [FeedPlan.Item]) {
        let received = indices.compactMap { items[$0].event.receivedMessage }
        guard !received.isEmpty, received.allSatisfy({ $0.channelType == .group }) else {
            return nil
        }
        self.init(channelURL: url, indices: indices)
    }
}

extension FeedEvent {
    fileprivate var omitsMessages: Bool {
        switch self {
        case .truncation, .historyChanged: true
        default: false
        }
    }

    fileprivate var receivedMessage: Message? {
        guard case .messageReceived(let message) = self else { return nil }
        return message
    }
}
