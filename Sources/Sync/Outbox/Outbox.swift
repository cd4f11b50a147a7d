public import Models

/// What waits to be sent, channel by channel, in the order it was written.
///
/// It knows names alone; what they stand for is on the disk.
struct Outbox {
    /// What waits in one channel.
    private struct Queue {
        private var ids: [RequestID] = []
        private var taken = 0
        /// Whether the first one is on its way, or has to wait.
        var isBusy = false
        /// Whether nothing goes on before somebody looks at what failed.
        var isStopped = false

        var first: RequestID? { taken < ids.count ? ids[taken] : nil }

        mutating func append(_ id: RequestID) { ids.append(id) }

        mutating func removeFirst() {
            taken += 1
            // So that each is moved once at most, however many wait.
            if taken * 2 >= ids.count {
                ids.removeFirst(taken)
                taken = 0
            }
        }

        mutating func remove(_ id: RequestID) {
            if first == id { return removeFirst() }
            guard let index = ids[taken...].firstIndex(of: id) else { return }
            ids.remove(at: index)
        }
    }

    private var queues: [ChannelURL: Queue] = [:]
    /// The channels that may be looked at, the one first that was not for longest.
    private var turns: [ChannelURL] = []
    /// What waits for a message that failed, by the request of that.
    private var parked: [RequestID: [RequestID]] = [:]
    /// Whether it knows what is on the disk.
    private(set) var isLoaded = false

    /// Takes over what is on the disk, in its order.
    mutating func load(_ drafts: [Draft]) {
        self = Outbox()
        isLoaded = true
        for draft in drafts where draft.state == .pending {
            append(draft.requestID, in: draft.channelURL)
        }
    }

    /// Takes over what is on the disk of one channel.
    mutating func load(_ drafts: [Draft], of url: ChannelURL) {
        var queue = Queue()
        queue.isBusy = queues[url]?.isBusy ?? false
        for draft in drafts where draft.state == .pending { queue.append(draft.requestID) }
        queues[url] = queue
        takeTurn(url)
    }

    mutating func append(_ id: RequestID, in url: ChannelURL) {
        queues[url, default: Queue()].append(id)
        takeTurn(url)
    }

    mutating func remove(_ id: RequestID, from url: ChannelURL) {
        queues[url]?.remove(id)
        takeTurn(url)
    }

    /// Lets a change wait until the message that it is for is sent again.
    mutating func park(_ id: RequestID, in url: ChannelURL, behind target: RequestID) {
        queues[url]?.remove(id)
        parked[target, default: []].append(id)
    }

    /// Whether anything waits behind a message that failed.
    func hasParked(behind target: RequestID) -> Bool { parked[target] != nil }

    mutating func unpark(behind target: RequestID) { parked[target] = nil }

    /// The first one that waits in a channel.
    func first(in url: ChannelURL) -> RequestID? { queues[url]?.first }

    /// The next channel in which something may be sent.
    mutating func next() -> ChannelURL? {
        while !turns.isEmpty {
            let url = turns.removeFirst()
            guard let queue = queues[url], queue.first != nil else {
                queues[url] = nil
                continue
            }
            if !queue.isBusy && !queue.isStopped { return url }
        }
        return nil
    }

    mutating func setBusy(_ isBusy: Bool, _ url: ChannelURL) {
        queues[url]?.isBusy = isBusy
        if !isBusy { takeTurn(url) }
    }

    mutating func setStopped(_ isStopped: Bool, _ url: ChannelURL) {
        queues[url]?.isStopped = isStopped
        if !isStopped { takeTurn(url) }
    }

    /// Nothing is on its way any more.
    mutating func rest() {
        for url in queues.keys.sorted() { setBusy(false, url) }
    }

    private mutating func takeTurn(_ url: ChannelURL) {
        guard let queue = queues[url], !queue.isBusy, !turns.contains(url) else { return }
        turns.append(url)
    }
}

/// What became of something that the user wrote.
public enum DraftFate: Hashable, Sendable {
    /// The server has it: the message, as it was sent or edited.
    case sent(Message)
    /// The server has done it: a message was deleted, a reaction given or taken back.
    case done
    /// The server refused it, or it was given up; the draft says why, and may be sent again.
    case failed(Draft)
    /// The user took it back before it was sent.
    case canceled
}
