import Models

/// The request IDs of the outbox, in a queue for each channel, in the order of writing.
struct Outbox {
    private struct ChannelQueue {
        private var ids: [RequestID] = []
        /// True if the first item is in flight or waits for its next attempt.
        var isBusy = false
        private var stopping: Set<RequestID> = []

        var isEmpty: Bool { ids.isEmpty }

        var first: RequestID? { ids.first.flatMap { stopping.contains($0) ? nil : $0 } }

        mutating func stop(at id: RequestID) { stopping.insert(id) }

        mutating func append(_ id: RequestID) { ids.append(id) }

        mutating func remove(_ id: RequestID) {
            stopping.remove(id)
            if let index = ids.firstIndex(of: id) { ids.remove(at: index) }
        }
    }

    private var queues: [ChannelURL: ChannelQueue] = [:]
    private var readyChannels: [ChannelURL] = []
    private var queuedChannels: Set<ChannelURL> = []
    private var failed: [ChannelURL: Set<RequestID>] = [:]
    /// The failed messages for which changes in the outbox wait.
    private var parked: Set<RequestID> = []
    private(set) var changesOfUnsent: [RequestID: [RequestID]] = [:]
    private var stops = false
    /// The items that this process wrote and has not passed to the backend.
    private var untried: Set<RequestID> = []
    /// The messages that the server may have: the result of an attempt, or whether an earlier
    /// process made one, is unknown.
    private var possiblySent: Set<RequestID> = []
    private(set) var isLoaded = false
    var areFailedItemsChecked = false

    mutating func load(_ items: [OutboxItem], stops: Bool = false) {
        self = Outbox()
        (isLoaded, self.stops) = (true, stops)
        let items = items.filter(\.isUnderstood)
        possiblySent = Set(items.filter { $0.operation == .send }.map(\.requestID))
        let channels = Dictionary(grouping: items, by: \.channelURL)
        for (url, items) in channels.sorted(by: { $0.key < $1.key }) { load(items, of: url) }
    }

    mutating func load(_ items: [OutboxItem], of url: ChannelURL) {
        let items = items.filter(\.isUnderstood)
        var queue = ChannelQueue()
        queue.isBusy = queues[url]?.isBusy ?? false
        for item in items {
            if let target = item.targetRequestID { recordChange(item.requestID, of: target) }
            if item.state == .pending {
                queue.append(item.requestID)
            } else if stops && item.operation == .send {
                queue.append(item.requestID)
                queue.stop(at: item.requestID)
            }
        }
        queues[url] = queue
        failed[url] = Set(items.filter { $0.state == .failed }.map(\.requestID))
        enqueueIfReady(url)
    }

    private mutating func recordChange(_ id: RequestID, of target: RequestID) {
        guard changesOfUnsent[target]?.contains(id) != true else { return }
        changesOfUnsent[target, default: []].append(id)
    }

    mutating func append(_ id: RequestID, in url: ChannelURL, changing target: RequestID? = nil) {
        if let target { recordChange(id, of: target) }
        untried.insert(id)
        queues[url, default: ChannelQueue()].append(id)
        enqueueIfReady(url)
    }

    func isUntried(_ id: RequestID) -> Bool { untried.contains(id) }

    mutating func setUntried(_ isUntried: Bool, _ id: RequestID) {
        if isUntried { untried.insert(id) } else { untried.remove(id) }
    }

    func mayHaveBeenSent(_ id: RequestID) -> Bool { possiblySent.contains(id) }

    mutating func markPossiblySent(_ id: RequestID) { possiblySent.insert(id) }

    /// The ``FailedItemPolicy`` decides whether the items that follow a failed one are sent.
    mutating func fail(_ id: RequestID, in url: ChannelURL, isMessage: Bool) {
        if stops && isMessage {
            queues[url]?.stop(at: id)
        } else {
            remove(id, from: url)
        }
        failed[url, default: []].insert(id)
    }

    var hasFailed: Bool { failed.values.contains { !$0.isEmpty } }

    func failedCount(in url: ChannelURL) -> Int { failed[url]?.count ?? 0 }

    /// Ends an item, and returns `true` if changes waited for its message.
    mutating func end(_ id: RequestID, in url: ChannelURL) -> Bool {
        changesOfUnsent[id] = nil
        untried.remove(id)
        possiblySent.remove(id)
        let hasWaiting = parked.remove(id) != nil
        remove(id, from: url)
        return hasWaiting
    }

    mutating func remove(_ id: RequestID, from url: ChannelURL) {
        let hasFailed = failed[url]?.remove(id) != nil
        // A failed item is still in the queue only if it stops the queue.
        if !hasFailed || stops { queues[url]?.remove(id) }
        enqueueIfReady(url)
    }

    mutating func park(_ id: RequestID, in url: ChannelURL, until target: RequestID) {
        queues[url]?.remove(id)
        parked.insert(target)
    }

    func first(in url: ChannelURL) -> RequestID? { queues[url]?.first }

    mutating func next() -> ChannelURL? {
        while !readyChannels.isEmpty {
            let url = readyChannels.removeFirst()
            queuedChannels.remove(url)
            guard let queue = queues[url], !queue.isEmpty else {
                queues[url] = nil
                continue
            }
            if !queue.isBusy && queue.first != nil { return url }
        }
        return nil
    }

    mutating func setBusy(_ isBusy: Bool, _ url: ChannelURL) {
        queues[url]?.isBusy = isBusy
        if !isBusy { enqueueIfReady(url) }
    }

    var busyChannels: [ChannelURL] { queues.filter(\.value.isBusy).keys.sorted() }

    mutating func reset() {
        areFailedItemsChecked = false
        for url in queues.keys.sorted() { setBusy(false, url) }
    }

    private mutating func enqueueIfReady(_ url: ChannelURL) {
        guard let queue = queues[url], !queue.isBusy, queuedChannels.insert(url).inserted else {
            return
        }
        readyChannels.append(url)
    }
}
