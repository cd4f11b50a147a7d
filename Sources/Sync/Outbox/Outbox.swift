import Models

/// The queues of the outbox, one for each channel, in the order in which the items were written.
///
/// The queues contain request IDs only; the items are on disk.
struct Outbox {
    /// A queue from which usually the first element is removed.
    private struct Line<Name: Hashable> {
        private var names: [Name] = []
        private var taken = 0

        var isEmpty: Bool { taken == names.count }
        var first: Name? { isEmpty ? nil : names[taken] }

        mutating func append(_ name: Name) { names.append(name) }

        mutating func removeFirst() -> Name {
            defer {
                taken += 1
                // The removed elements are deleted when they are half of the array. On average,
                // each element is therefore moved at most once, whatever the length of the queue.
                if taken * 2 >= names.count {
                    names.removeFirst(taken)
                    taken = 0
                }
            }
            return names[taken]
        }

        mutating func remove(_ name: Name) {
            if first == name {
                _ = removeFirst()
            } else if let index = names[taken...].firstIndex(of: name) {
                names.remove(at: index)
            }
        }
    }

    /// The queue of one channel.
    private struct Queue {
        private var ids = Line<RequestID>()
        /// A Boolean value that indicates whether the first item is being sent or has to wait.
        var isBusy = false
        /// The failed items that no later item may overtake until the user resends or removes them.
        private var stopping: Set<RequestID> = []

        var isEmpty: Bool { ids.isEmpty }

        /// The first item; `nil` if the queue is empty or if its first item is a failed one that
        /// stops it.
        var first: RequestID? { ids.first.flatMap { stopping.contains($0) ? nil : $0 } }

        mutating func stop(at id: RequestID) { stopping.insert(id) }

        mutating func append(_ id: RequestID) { ids.append(id) }

        mutating func remove(_ id: RequestID) {
            stopping.remove(id)
            ids.remove(id)
        }
    }

    private var queues: [ChannelURL: Queue] = [:]
    /// The channels to examine, the one that has waited longest first.
    private var turns = Line<ChannelURL>()
    private var haveTurn: Set<ChannelURL> = []
    /// The failed items of each channel.
    private var failed: [ChannelURL: Set<RequestID>] = [:]
    /// The failed messages that have changes waiting for them.
    private var parked: Set<RequestID> = []
    /// The changes to each unsent message, by the request ID of the message.
    ///
    /// Some of the changes may no longer exist.
    private(set) var changes: [RequestID: [RequestID]] = [:]
    /// A Boolean value that indicates whether the items after a failed message have to wait.
    private var stops = false
    /// The items that no server can have: they were written by this process, and not passed to the
    /// backend.
    private var untried: Set<RequestID> = []
    /// The messages that the server may have: the result of an attempt is unknown, or an earlier
    /// process may have made an attempt.
    private var inDoubt: Set<RequestID> = []
    /// A Boolean value that indicates whether the items on disk were loaded.
    private(set) var isLoaded = false
    /// A Boolean value that indicates whether the failed items were compared with the confirmed
    /// messages and checked for their age.
    var isCompared = false

    /// Loads the items on disk, in order, and the policy for failed messages.
    mutating func load(_ items: [OutboxItem], stops: Bool = false) {
        self = Outbox()
        (isLoaded, self.stops) = (true, stops)
        let items = items.filter(\.isUnderstood)
        inDoubt = Set(items.filter { $0.operation == .send }.map(\.requestID))
        let channels = Dictionary(grouping: items, by: \.channelURL)
        for (url, items) in channels.sorted(by: { $0.key < $1.key }) { load(items, of: url) }
    }

    /// Loads the items on disk of one channel.
    mutating func load(_ items: [OutboxItem], of url: ChannelURL) {
        let items = items.filter(\.isUnderstood)
        var queue = Queue()
        queue.isBusy = queues[url]?.isBusy ?? false
        for item in items {
            if let target = item.targetRequestID { record(item.requestID, behind: target) }
            if item.state == .pending {
                queue.append(item.requestID)
            } else if stops && item.operation == .send {
                queue.append(item.requestID)
                queue.stop(at: item.requestID)
            }
        }
        queues[url] = queue
        failed[url] = Set(items.filter { $0.state == .failed }.map(\.requestID))
        takeTurn(url)
    }

    private mutating func record(_ id: RequestID, behind target: RequestID) {
        if changes[target]?.contains(id) != true { changes[target, default: []].append(id) }
    }

    /// Adds an item that was just written.
    mutating func append(_ id: RequestID, in url: ChannelURL, behind target: RequestID? = nil) {
        if let target { record(id, behind: target) }
        untried.insert(id)
        queues[url, default: Queue()].append(id)
        takeTurn(url)
    }

    /// Returns a Boolean value that indicates whether no server can have an item, because it was
    /// never passed to the backend.
    func isUntried(_ id: RequestID) -> Bool { untried.contains(id) }

    mutating func setUntried(_ isUntried: Bool, _ id: RequestID) {
        if isUntried { untried.insert(id) } else { untried.remove(id) }
    }

    /// Returns a Boolean value that indicates whether the server may have an item, as far as this
    /// process knows.
    func isInDoubt(_ id: RequestID) -> Bool { inDoubt.contains(id) }

    mutating func doubt(_ id: RequestID) { inDoubt.insert(id) }

    /// Records that an item failed.
    ///
    /// Depending on the policy, the items after it are sent or wait.
    mutating func fail(_ id: RequestID, in url: ChannelURL, isMessage: Bool) {
        if stops && isMessage {
            queues[url]?.stop(at: id)
        } else {
            remove(id, from: url)
        }
        failed[url, default: []].insert(id)
    }

    /// A Boolean value that indicates whether any item has failed.
    var hasFailed: Bool { failed.values.contains { !$0.isEmpty } }

    /// Returns the number of failed items of a channel.
    func failedCount(in url: ChannelURL) -> Int { failed[url]?.count ?? 0 }

    /// Records that a message is no longer in the outbox.
    ///
    /// - Returns: A Boolean value that indicates whether changes waited for the message.
    mutating func settle(_ target: RequestID) -> Bool {
        changes[target] = nil
        untried.remove(target)
        inDoubt.remove(target)
        return parked.remove(target) != nil
    }

    mutating func remove(_ id: RequestID, from url: ChannelURL) {
        let hasFailed = failed[url]?.remove(id) != nil
        // A failed item is in the queue only if it stops the queue.
        if !hasFailed || stops { queues[url]?.remove(id) }
        takeTurn(url)
    }

    /// Removes a change from the queue until its message is sent again.
    mutating func park(_ id: RequestID, in url: ChannelURL, behind target: RequestID) {
        queues[url]?.remove(id)
        parked.insert(target)
    }

    /// Returns the first waiting item of a channel.
    func first(in url: ChannelURL) -> RequestID? { queues[url]?.first }

    /// Returns the next channel in which an item may be sent.
    mutating func next() -> ChannelURL? {
        while !turns.isEmpty {
            let url = turns.removeFirst()
            haveTurn.remove(url)
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
        if !isBusy { takeTurn(url) }
    }

    /// Resets the queues after all calls have ended.
    mutating func rest() {
        isCompared = false
        for url in queues.keys.sorted() { setBusy(false, url) }
    }

    private mutating func takeTurn(_ url: ChannelURL) {
        guard let queue = queues[url], !queue.isBusy, haveTurn.insert(url).inserted else { return }
        turns.append(url)
    }
}
