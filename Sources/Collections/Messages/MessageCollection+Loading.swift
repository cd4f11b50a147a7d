public import Models
public import Store
public import Sync

extension MessageCollection {
    typealias Direction = Window.Direction

    private static let pageLimit = 5

    /// Loads `previousResultSize` older messages: first from the complete part of the cache, then
    /// from the server.
    ///
    /// If the server cannot be reached, the list also shows the next gap and the stored messages
    /// older than it. If the list exceeds its capacity, its newest messages are removed;
    /// ``loadNext()`` loads them again.
    ///
    /// - Returns: The messages that the call has listed, oldest first; the delegate receives only
    ///   the other changes. They are fewer than a page if few messages match the list, if no older
    ///   ones exist, or if a later request fails. If ``hasPrevious`` is true, call again for more.
    /// - Throws: `queryInProgress` if older messages are already being loaded; `notStarted`,
    ///   `disposed`; `notConnected` or `refused` if no more messages could be shown; `store`,
    ///   `closed`, `canceled`.
    @discardableResult
    public func loadPrevious() async throws(SyncError) -> [Message] {
        try await load(.older, window.olderPageSize)
    }

    /// Loads `nextResultSize` newer messages, as ``loadPrevious()`` loads older ones.
    ///
    /// At the newest end, the messages of a gap are not returned, but reported as added when they
    /// are fetched. If ``hasNext`` is true, call again for more.
    @discardableResult
    public func loadNext() async throws(SyncError) -> [Message] {
        try await load(.newer, window.newerPageSize)
    }

    private func load(
        _ direction: Direction, _ count: Int
    ) async throws(SyncError) -> [Message] {
        try checkIsStarted()
        try checkHasParent()
        guard loading.insert(direction).inserted else {
            throw SyncError(
                .queryInProgress, "the \(direction) messages are already being loaded")
        }
        defer { loading.remove(direction) }
        hasLoadedMore = true
        return messages(try await extend(direction, max(1, count)), loaded: direction)
    }

    /// Returns the loaded messages, oldest first, without deleted ones.
    ///
    /// They are at the list's end in that direction, so the search visits few others.
    private func messages(_ ids: Set<Message.ID>, loaded direction: Direction) -> [Message] {
        let items = window.items
        let isAtStart = (direction == .older) != params.isReversed
        var index = isAtStart ? items.startIndex : items.endIndex - 1
        var found: [Message] = []
        while found.count < ids.count, items.indices.contains(index) {
            if let message = items[index].message, ids.contains(message.id) {
                found.append(message)
            }
            index += isAtStart ? 1 : -1
        }
        return direction == .older ? found : found.reversed()
    }

    /// Extends the window, fetches messages if a gap prevents it, and returns the listed messages
    /// that were not reported to the delegate.
    ///
    /// If a request fails after messages were listed, returns these instead of the error.
    @discardableResult
    private func extend(
        _ direction: Direction, _ count: Int
    ) async throws(SyncError) -> Set<Message.ID> {
        var left = count
        var all: Set<Message.ID> = []
        var page = 0
        while true {
            let ((found, gap), shown) = try await show(direction, left, crossesGaps: false)
            all.formUnion(shown.map(\.id))
            left -= found
            guard left > 0, let gap, page < MessageCollection.pageLimit else { return all }
            page += 1
            do throws(SyncError) {
                let feedHadBegun = try await fetch(direction, left, at: gap)
                if !feedHadBegun, try !hasStaleMessages(from: .beginning, to: .end) {
                    return all.union(try await cross(direction, left).map(\.id))
                }
            } catch {
                try checkIsStarted()
                guard error.code == .notConnected else {
                    if all.isEmpty { throw error }
                    return all
                }
                let (crossed, shown) = try await show(direction, left, crossesGaps: true)
                if left == count && crossed.found == 0 { throw error }
                return all.union(shown.map(\.id))
            }
            try checkIsStarted()
        }
    }

    /// Shows the messages beyond a gap that a page did not close, because the feed had not begun.
    ///
    /// If the window already shows the messages of the page, the page beyond them is fetched.
    private func cross(
        _ direction: Direction, _ count: Int
    ) async throws(SyncError) -> [Message] {
        let (crossed, shown) = try await show(direction, count, crossesGaps: true)
        guard crossed.found == 0 else { return shown }
        let (lower, upper) = (window.lower, window.upper)
        guard (direction == .older ? lower : upper) != .end else { return shown }
        try await fetch(
            direction == .older
                ? request(at: lower.anchorIncludingIt, older: count + 1)
                : request(at: upper.anchorForNewer, newer: count + 1),
            direction == .older ? .messageLoadPrevious : .messageLoadNext)
        try checkIsStarted()
        return try await show(direction, count, crossesGaps: true).shown
    }

    private func show(
        _ direction: Direction, _ count: Int, crossesGaps: Bool
    ) async throws(SyncError) -> (value: (found: Int, gap: Gap?), shown: [Message]) {
        let first = try changeWindow(trimming: direction.opposite, .page) {
            (window, reader) throws(StoreError) in
            try window.load(direction, count, crossesGaps: crossesGaps, in: reader)
        }
        guard window.visits.stop != nil else { return first }
        let left = count - first.value.found
        let (value, shown) = try await loadElsewhere(trimming: direction.opposite, .page) {
            (window, reader) throws(StoreError) in
            try window.load(direction, left, crossesGaps: crossesGaps, in: reader)
        }
        return ((first.value.found + value.found, value.gap), first.shown + shown)
    }

    /// Fetches `count` messages of a gap, from the end next to the window, and returns `true` if
    /// the feed has begun.
    private func fetch(
        _ direction: Direction, _ count: Int, at gap: Gap
    ) async throws(SyncError) -> Bool {
        let window = window
        switch direction {
        case .older:
            // If the window starts inside the gap, continue at its lower bound: the messages next
            // to it are unknown.
            let isAtGapBound = gap.upper <= window.olderBound
            let bound = isAtGapBound ? gap.upper : window.lower
            let anchor =
                (isAtGapBound ? gap.backfillCursor : nil).map { .cursor($0) }
                ?? bound.anchorIncludingIt
            return try await fetch(
                request(
                    at: anchor, bound: isAtGapBound && anchor != .newest ? bound : nil, older: count
                ),
                .messageLoadPrevious
            ) { $0 < bound }
        case .newer:
            let isAtGapBound = gap.lower >= window.upper || window.upper == .end
            let bound = isAtGapBound ? gap.lower : window.upper
            return try await fetch(
                request(
                    at: bound.anchorForNewer, bound: isAtGapBound ? bound : nil, newer: count + 1),
                .messageLoadNext
            ) { $0 > bound }
        }
    }

    /// Fetches consecutive pages until one contains a wanted message, and returns `true` if the
    /// feed has begun.
    ///
    /// A page has none if it is empty, or if more messages have the anchor's time than fit in a
    /// page.
    @discardableResult
    private func fetch(
        _ first: PageRequest, _ source: CollectionEventSource,
        until isWanted: (Gap.Bound) -> Bool
    ) async throws(SyncError) -> Bool {
        var request = first
        var usedCursors = UsedCursors()
        while true {
            let fetched = try await fetch(request, source)
            let page = fetched.page
            let next = request.newer > 0 ? page.newer : page.older
            let hasWanted = page.messages.compactMap(\.position).contains {
                isWanted(.position($0))
            }
            guard !hasWanted, let next else { return fetched.feedHadBegun }
            guard usedCursors.insert(next) else { throw .stalled(channelURL) }
            try checkIsStarted()
            request.anchor = .cursor(next)
        }
    }

    @discardableResult
    func fetch(
        _ request: PageRequest, _ source: CollectionEventSource
    ) async throws(SyncError) -> FetchedMessages {
        let omissions = omissions
        do throws(SyncError) {
            let fetched = try await tasks.run { [engine] () throws(SyncError) in
                try await engine.fetch(request, source)
            }
            recordThreadPage(fetched, since: omissions)
            return fetched
        } catch {
            // Disposing the collection cancels its requests: throw `disposed`, not `canceled`.
            try checkIsStarted()
            throw error
        }
    }

    /// Fetches pages of a gap of ``items``, from its upper bound, until one has a message of the
    /// gap, and returns the remaining gap; `nil` if it is closed.
    ///
    /// - Throws: As ``loadPrevious()``.
    @discardableResult
    public func fill(_ gap: Gap) async throws(SyncError) -> Gap? {
        try checkIsStarted()
        try checkHasParent()
        func left() throws(SyncError) -> Gap? {
            let gaps = try engine.stored { (reader) throws(StoreError) in
                try reader.gaps(in: channelURL, from: gap.lower, to: gap.upper)
            }
            guard let thread = window.thread else { return gaps.last }
            return thread.remaining(of: gaps).last { $0.lower < gap.upper && gap.lower < $0.upper }
        }
        guard let stored = try left() else { return nil }
        let hasSameUpperBound = stored.upper == gap.upper || gap.upper == .end
        let cursor = hasSameUpperBound ? stored.backfillCursor : nil
        let upper = (hasSameUpperBound ? stored : gap).upper
        let anchor = cursor.map { .cursor($0) } ?? upper.anchorIncludingIt
        try await fetch(
            request(
                at: anchor, bound: hasSameUpperBound && anchor != .newest ? upper : nil,
                older: max(1, window.olderPageSize)),
            .messageFill
        ) { $0 < upper }
        try checkIsStarted()
        processQueued()
        return try left()
    }

    // MARK: Beginning

    /// Returns the request for the first page at the starting point; `nil` if the cache has it and
    /// it is up to date.
    func firstPage(_ state: SyncState) async throws(SyncError) -> PageRequest? {
        try checkIsStarted()
        let start = windowStart
        if state.isLive {
            let isKnown = try await onDisk {
                [store = engine.store, window] () throws(StoreError) in
                try window.isKnown(at: start, in: try store.snapshot())
            }
            try checkIsStarted()
            if isKnown { return nil }
        }
        switch start {
        case .newest:
            return request(at: .newest, older: max(1, window.olderPageSize))
        case .time(let time):
            return request(
                at: .time(time), older: window.olderPageSize, newer: window.newerPageSize)
        case .position(let position):
            return request(
                at: .message(position.messageID), older: window.olderPageSize,
                newer: max(1, window.newerPageSize))
        }
    }

    func request(
        at anchor: MessageAnchor, bound: Gap.Bound? = nil, older: Int = 0, newer: Int = 0
    ) -> PageRequest {
        PageRequest(
            in: channelURL, repliesTo: parentMessageID, at: anchor, bound: bound, older: older,
            newer: newer)
    }

    /// Shows the server's messages at the starting point.
    ///
    /// A page that was requested before the feed began (`feedHadBegun` is false) closes no gap: the
    /// list shows its messages and the gap, which is filled later. If the listed messages are
    /// stale, the page is fetched again: the server may lack some of them.
    func refreshWindow(feedHadBegun: Bool) async throws(SyncError) -> [Message] {
        try checkIsStarted()
        if hasLoadedMore {
            // Keep the position of a window to which the user has loaded more messages.
            processQueued()
            return messages
        }
        // A restored server may lack stale messages, so then the list shows only the page.
        let crossesGaps =
            feedHadBegun ? false : try !hasStaleMessages(from: .beginning, to: .end)
        try openWindow(crossesGaps: crossesGaps)
        try await completeWindow(crossesGaps: crossesGaps)
        if crossesGaps { return messages }
        await extendToSize()
        try checkIsStarted()
        guard !feedHadBegun, window.thread == nil,
            try hasStaleMessages(from: window.lower, to: window.upper),
            let request = try await firstPage(await engine.state)
        else { return messages }
        // Ignore the error: the first page is listed.
        _ = try? await fetch(request, .messageInitialize)
        return try await refreshWindow(feedHadBegun: true)
    }

    private func hasStaleMessages(
        from lower: Gap.Bound, to upper: Gap.Bound
    ) throws(SyncError) -> Bool {
        try engine.stored { (reader) throws(StoreError) in
            try !reader.staleRanges(in: channelURL, from: lower, to: upper).isEmpty
        }
    }

    private func extendToSize() async {
        let count = succeededMessages.count
        let size = window.olderPageSize
        guard count < size, window.hasPrevious else { return }
        guard loading.insert(.older).inserted else { return }
        defer { loading.remove(.older) }
        // Ignore an error: `loadPrevious` throws it again.
        _ = try? await extend(.older, size - count)
    }
}
