import Models

extension FeedPlan {
    /// Interleaves the events of different channels in another order.
    ///
    /// The events of each channel keep their order, and so do events that report channels, which
    /// together are an ordered list. No event moves across one about all channels.
    static func mixed(_ items: [Item], using random: inout SplitMix64) -> [Item] {
        var result: [Item] = []
        var part: [Item] = []
        for item in items {
            if item.event.channelURL != nil {
                part.append(item)
            } else {
                result += mixedChannels(part, using: &random)
                result.append(item)
                part = []
            }
        }
        return result + mixedChannels(part, using: &random)
    }

    private static func mixedChannels(
        _ items: [Item], using random: inout SplitMix64
    ) -> [Item] {
        // The order of a dictionary's keys differs in each process.
        var urls: [ChannelURL] = []
        var lanes: [ChannelURL: [Int]] = [:]
        for (index, item) in items.enumerated() {
            guard let url = item.event.channelURL else { continue }
            if lanes[url] == nil { urls.append(url) }
            lanes[url, default: []].append(index)
        }
        var channels = items.indices.filter { items[$0].event.isChannel }[...]
        var result: [Item] = []
        while result.count < items.count {
            let candidates = urls.filter { url in
                guard let head = lanes[url]?.first else { return false }
                return !items[head].event.isChannel || head == channels.first
            }
            guard let url = candidates.randomElement(using: &random),
                let head = lanes[url]?.removeFirst()
            else { break }
            if head == channels.first { channels.removeFirst() }
            result.append(items[head])
        }
        return result
    }
}

extension FeedEvent {
    fileprivate var isChannel: Bool {
        guard case .channel = self else { return false }
        return true
    }
}
