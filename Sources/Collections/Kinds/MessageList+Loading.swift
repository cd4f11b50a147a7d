import Models
import Store
public import Sync

extension MessageList {
    /// Lists the first page of stored messages, and then follows all changes.
    ///
    /// If the list was started before, the result is empty.
    ///
    /// - Throws: As ``loadPrevious()``.
    @discardableResult
    public func start() async throws(SyncError) -> [Row] {
        try checkIsNotDisposed()
        return isStarted ? [] : try await loadPrevious()
    }

    /// Lists the next page of older messages: first stored ones, then messages of the server.
    ///
    /// If no more are stored, and there is a ``gap``, the call fetches at most five pages of its
    /// newest messages, until a message of the kinds is among them. If none is, the result is
    /// empty, and the gap has become smaller. Call again while ``hasPrevious`` is true.
    ///
    /// A list of all channels fetches from the channel with the newest gap, and omits the rest of a
    /// channel that the server refuses. A list of all mentions first reads the server's list of
    /// mentions, if it has one.
    ///
    /// - Returns: The newly listed rows, newest first.
    /// - Throws: `notConnected` or `refused` if the server is needed but unavailable; `stalled` if
    ///   it repeats a page; `queryInProgress` if another call is in progress; `disposed`, `store`,
    ///   `closed`, `canceled`.
    @discardableResult
    public func loadPrevious() async throws(SyncError) -> [Row] {
        try checkIsNotDisposed()
        guard !isLoading else {
            throw SyncError(.queryInProgress, "a page of the list is already being loaded")
        }
        (isLoading, inserted) = (true, [])
        defer {
            (isLoading, inserted) = (false, [])
            readAgain()
        }
        let isFirst = !isStarted
        if isFirst || last != nil {
            let page = try await read(isNext: true)
            if isFirst || !page.isEmpty || gap == nil { return page }
        }
        for _ in 0..<MessageList.fetchLimit {
            guard let gap else { break }
            let isOfAllChannels = !hasReadMentions
            if isOfAllChannels { try await fetchMentions() } else { try await fetch(gap) }
            let found = rows.filter { row in
                inserted.contains(row.id)
                    && (order == .lastReplyFirst || isOfAllChannels
                        || Gap.Bound(of: row.message) < gap.upper)
            }
            if !found.isEmpty { return found }
        }
        return []
    }

    func fetchMentions() async throws(SyncError) {
        let (cursor, count) = (mentionCursor, pageSize)
        // After an error, such as an expired cursor, begin with the newest mentions.
        mentionCursor = nil
        let page = try await tasks.run { [engine] () throws(SyncError) in
            try await engine.fetchMentions(after: cursor, limit: count)
        }
        (mentionCursor, hasReadMentions) = (page.next, page.next == nil)
        try checkIsNotDisposed()
        follower?.processQueued()
        updateGap()
    }

    /// Lists older messages until the list has at least `count` rows or nothing is missing.
    ///
    /// Cancel the task to stop the requests.
    ///
    /// - Throws: As ``loadPrevious()``; the loaded rows stay.
    public func loadPrevious(upTo count: Int) async throws(SyncError) {
        var idleCalls = 0
        while rows.count < count, hasPrevious {
            let (rowCount, last) = (rows.count, gap)
            try await loadPrevious()
            let isIdle = rows.count == rowCount && gap?.upper == last?.upper
            idleCalls = isIdle ? idleCalls + 1 : 0
            guard idleCalls * MessageList.fetchLimit < UsedCursors.limit else {
                throw SyncError(
                    .stalled, "the server returns pages without new messages: retry later")
            }
        }
    }

    func fetch(_ gap: Gap) async throws(SyncError) {
        let (url, kinds, count) = (gap.channelURL, kinds, pageSize)
        do throws(SyncError) {
            _ = try await tasks.run { [engine] () throws(SyncError) in
                try await engine.fetchMessages(of: kinds, in: url, limit: count)
            }
        } catch {
            guard channelURL == nil, error.code == .refused || error.code == .notFound else {
                throw error
            }
            gaps[url] = nil
        }
        try checkIsNotDisposed()
        // List the messages, which the engine has stored.
        follower?.processQueued()
        updateGap()
    }

    /// Reads the next page, or all loaded pages again.
    func read(isNext: Bool) async throws(SyncError) -> [Row] {
        isReading = true
        defer { (isReading, changesWhileReading) = (false, []) }
        try follow()
        let (kinds, order, userID, url, store) = (kinds, order, userID, channelURL, engine.store)
        let (last, count) = (isNext ? last : nil, isNext ? pageSize : max(pageSize, rows.count))
        let (number, page, gaps, hasChannels) = try await onDisk { () throws(StoreError) in
            let snapshot = try store.snapshot()
            // The additional message shows whether more follow.
            let page = try snapshot.rows(
                of: kinds, order, for: userID, in: url, after: last, limit: count + 1)
            var gaps: [ChannelURL: KindGaps] = [:]
            let urls = if let url { [url] } else { try snapshot.channelURLs() }
            for url in urls {
                gaps[url] = try snapshot.kindGaps(in: url)
            }
            let hasChannels = url == nil ? try snapshot.hasAllChannels() : true
            return (snapshot.number, page, gaps, hasChannels)
        }
        try checkIsNotDisposed()
        let shown = page.prefix(count)
        isStarted = true
        self.last = page.count > count ? shown.last?.message : nil
        self.gaps = gaps
        var edits = ListEdits<Row, Place>()
        if !isNext {
            let kept = keepsRows ? rows.filter { !hasChannels || mayBeMissing($0) } : []
            keepsRows = !kept.isEmpty
            let left = Set(shown.map(\.id)).union(kept.map(\.id))
            for row in rows where !left.contains(row.id) { edits.remove(row.id) }
        }
        for row in shown { edits.save(row, at: place(of: row.message)) }
        // These changes were committed after the page was read.
        for change in changesWhileReading where change.number > number {
            add(change, to: &edits)
        }
        updateGap()
        apply(edits)
        return isNext ? shown.compactMap { list[$0.id] } : []
    }
}
