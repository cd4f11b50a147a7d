import Models

/// What waits to be sent, channel by channel, in the order it was written.
///
/// It knows names alone; what they stand for is on the disk.
struct Outbox {
    /// Names in a row, of which the first one goes, and others seldom.
    private struct Line<Name: Hashable> {
        private var names: [Name] = []
        private var taken = 0

        var isEmpty: Bool { taken == names.count }
        var first: Name? { isEmpty ? nil : names[taken] }

        mutating func append(_ name: Name) { names.append(name) }

        mutating func removeFirst() -> Name {
            defer {
                taken += 1
                // So that each is moved once at most, however many wait.
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

    /// What waits in one channel.
    private struct Queue {
        private var ids = Line<RequestID>()
        /// Whether the first one is on its way, or has to wait.
        var isBusy = false
        /// What nothing goes past before somebody looks at it.
        private var stopping: Set<RequestID> = []

        var isEmpty: Bool { ids.isEmpty }

        /// The first one; `nil` if there is none, or it stops the others.
        var first: RequestID? { ids.first.flatMap { stopping.contains($0) ? nil : $0 } }

        mutating func stop(at id: RequestID) { stopping.insert(id) }

        mutating func append(_ id: RequestID) { ids.append(id) }

        mutating func remove(_ id: RequestID) {
            stopping.remove(id)
            ids.remove(id)
        }
    }

    private var queues: [ChannelURL: Queue] = [:]
    /// The channels that may be looked at, the one first that was not for longest.
    private var turns = Line<ChannelURL>()
    private var haveTurn: Set<ChannelURL> = []
    /// What has failed, of each channel.
    private var failed: [ChannelURL: Set<RequestID>] = [:]
    /// The messages that failed, and for which changes wait.
    private var parked: Set<RequestID> = []
    /// What was to be done to a message before it was sent, by the request of that; some of it may be gone.
    private(set) var changes: [RequestID: [RequestID]] = [:]
    /// Whether nothing goes past a message that failed.
    private var stops = false
    /// What no server has seen yet: what was written since the process began, and not handed over.
    private var untried: Set<RequestID> = []
    /// The messages that the server may have: of an attempt nobody knows what became, or whether there
    /// was one before the process began.
    private var inDoubt: Set<RequestID> = []
    /// Whether it knows what is on the disk.
    private(set) var isLoaded = false
    /// Whether what failed was held against the messages that have landed, and the time.
    var isCompared = false

    /// Takes over what is on the disk, in its order; and whether nothing goes past what failed.
    mutating func load(_ drafts: [Draft], stops: Bool = false) {
        self = Outbox()
        (isLoaded, self.stops) = (true, stops)
        let drafts = drafts.filter(\.isUnderstood)
        inDoubt = Set(drafts.filter { $0.operation == .send }.map(\.requestID))
        let channels = Dictionary(grouping: drafts, by: \.channelURL)
        for (url, drafts) in channels.sorted(by: { $0.key < $1.key }) { load(drafts, of: url) }
    }

    /// Takes over what is on the disk of one channel.
    mutating func load(_ drafts: [Draft], of url: ChannelURL) {
        let drafts = drafts.filter(\.isUnderstood)
        var queue = Queue()
        queue.isBusy = queues[url]?.isBusy ?? false
        for draft in drafts {
            if let target = draft.targetRequestID { note(draft.requestID, behind: target) }
            if draft.state == .pending {
                queue.append(draft.requestID)
            } else if stops && draft.operation == .send {
                queue.append(draft.requestID)
                queue.stop(at: draft.requestID)
            }
        }
        queues[url] = queue
        failed[url] = Set(drafts.filter { $0.state == .failed }.map(\.requestID))
        takeTurn(url)
    }

    private mutating func note(_ id: RequestID, behind target: RequestID) {
        if changes[target]?.contains(id) != true { changes[target, default: []].append(id) }
    }

    /// Adds what was just written.
    mutating func append(_ id: RequestID, in url: ChannelURL, behind target: RequestID? = nil) {
        if let target { note(id, behind: target) }
        untried.insert(id)
        queues[url, default: Queue()].append(id)
        takeTurn(url)
    }

    /// Whether no server can have it: nobody was asked to take it since it was written.
    func isUntried(_ id: RequestID) -> Bool { untried.contains(id) }

    mutating func setUntried(_ isUntried: Bool, _ id: RequestID) {
        if isUntried { untried.insert(id) } else { untried.remove(id) }
    }

    /// Whether the server may have it, as far as this process knows.
    func isInDoubt(_ id: RequestID) -> Bool { inDoubt.contains(id) }

    mutating func doubt(_ id: RequestID) { inDoubt.insert(id) }

    /// Notes that something failed: others go past it, or stop there.
    mutating func fail(_ id: RequestID, in url: ChannelURL, isMessage: Bool) {
        if stops && isMessage {
            queues[url]?.stop(at: id)
        } else {
            remove(id, from: url)
        }
        failed[url, default: []].insert(id)
    }

    /// Whether anything has failed.
    var hasFailed: Bool { failed.values.contains { !$0.isEmpty } }

    /// How much has failed in a channel.
    func failedCount(in url: ChannelURL) -> Int { failed[url]?.count ?? 0 }

    /// A message is no draft any more.
    ///
    /// - Returns: Whether something waited for that.
    mutating func settle(_ target: RequestID) -> Bool {
        changes[target] = nil
        untried.remove(target)
        inDoubt.remove(target)
        return parked.remove(target) != nil
    }

    mutating func remove(_ id: RequestID, from url: ChannelURL) {
        let hasFailed = failed[url]?.remove(id) != nil
        // What has failed waits no more, unless others wait for it.
        if !hasFailed || stops { queues[url]?.remove(id) }
        takeTurn(url)
    }

    /// Lets a change wait until the message that it is for is sent again.
    mutating func park(_ id: RequestID, in url: ChannelURL, behind target: RequestID) {
        queues[url]?.remove(id)
        parked.insert(target)
    }

    /// The first one that waits in a channel.
    func first(in url: ChannelURL) -> RequestID? { queues[url]?.first }

    /// The next channel in which something may be sent.
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

    /// Nothing is on its way any more.
    mutating func rest() {
        isCompared = false
        for url in queues.keys.sorted() { setBusy(false, url) }
    }

    private mutating func takeTurn(_ url: ChannelURL) {
        guard let queue = queues[url], !queue.isBusy, haveTurn.insert(url).inserted else { return }
        turns.append(url)
    }
}
