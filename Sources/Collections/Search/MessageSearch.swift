public import Models
public import Observation
public import Store
public import Sync

/// A live list of the messages that match a search, newest first.
///
/// ```swift
/// let search = try client.makeMessageSearch(MessageSearchParams("umbrella kitch"))
/// search.delegate = self
/// try await search.loadMore()
/// show(search.messages)
/// ```
///
/// The list contains the results of the loaded pages, and follows all changes in that part of the
/// history. Views that observe the properties need no delegate.
@MainActor
@Observable
public final class MessageSearch {
    /// The query and the filters.
    public let params: MessageSearchParams

    /// The number of messages in a page.
    package let pageSize: Int

    /// The gaps and stale ranges in the searched part of the history, where results may be missing.
    ///
    /// The searched part ends with the last loaded page, or with the oldest message if all results
    /// are listed. ``loadMore()`` and ``backfill()`` update the value.
    public private(set) var unsearched: [UnsearchedRange] = []

    /// The part that the server has searched; see ``searchServer()``.
    public private(set) var serverSearch = ServerSearch()

    private var isDisposed = false

    /// The delegate that is notified of changes.
    @ObservationIgnored public weak var delegate: (any MessageSearchDelegate)?

    /// The engine that fetches missing messages.
    @ObservationIgnored package let engine: SyncEngine

    private var list: OrderedList<FoundMessage, SearchCursor>
    /// The cursor of the last page; `nil` before the first page, and after the last one.
    private var cursor: SearchCursor?
    private var isStarted = false
    @ObservationIgnored private let query: SearchQuery
    @ObservationIgnored private var follower: StoreFollower?
    @ObservationIgnored private let subscribers = Subscribers<CollectionChange<FoundMessage>>()
    @ObservationIgnored private let tasks = TaskBag()
    @ObservationIgnored private var isLoading = false
    @ObservationIgnored private var isSearchingServer = false
    @ObservationIgnored private var isOutdated = false
    /// `true` if rows of a replaced cache stay where the history cannot be searched.
    @ObservationIgnored private var keepsRows = false
    /// The changes since the page being loaded was requested; some may be newer than the page.
    @ObservationIgnored private var changesWhileLoading: [Change] = []

    /// Creates a search, whose list is empty until ``loadMore()``.
    ///
    /// A page has at least one message.
    public init(
        _ params: MessageSearchParams, pageSize: Int = 20,
        engine: SyncEngine
    ) {
        var params = params
        params.order = .newestFirst
        self.params = params
        self.pageSize = max(1, pageSize)
        self.engine = engine
        query = SearchQuery(params.text)
        list = OrderedList()
    }

    // MARK: The list

    /// The messages that match, newest first.
    public var messages: [FoundMessage] { list.elements }

    /// A Boolean value that indicates whether older messages may match.
    public var hasMore: Bool { !isStarted || cursor != nil }

    /// Returns a stream of the changes from now until ``dispose()``, which buffers unread changes.
    public func allChanges() -> AsyncStream<CollectionChange<FoundMessage>> {
        subscribers.subscribe()
    }

    // MARK: Loading

    /// Lists the next page of matching stored messages, searched off the main actor.
    ///
    /// After the first call, the list follows all changes.
    ///
    /// - Returns: The newly listed messages; none if ``hasMore`` is false.
    /// - Throws: `queryInProgress` if another call is in progress; `disposed`, `store`, `closed`.
    @discardableResult
    public func loadMore() async throws(SyncError) -> [FoundMessage] {
        guard hasMore else {
            try checkIsNotDisposed()
            return []
        }
        return try await load(isNext: true)
    }

    /// Lists the next page, or reads all loaded pages again.
    private func load(isNext: Bool) async throws(SyncError) -> [FoundMessage] {
        try checkIsNotDisposed()
        guard !isLoading else {
            throw SyncError(.queryInProgress, "a page of the search is already being loaded")
        }
        isLoading = true
        defer {
            (isLoading, changesWhileLoading) = (false, [])
            readAgain()
        }
        try follow()
        let (params, store, last) = (params, engine.store, isNext ? cursor : nil)
        let limit = isNext ? pageSize : max(pageSize, messages.count)
        let (number, page, hasChannels) = try await onDisk { () throws(StoreError) in
            let snapshot = try store.snapshot()
            let page = try SearchPage(params, after: last, limit: limit, in: snapshot)
            let hasChannels = params.channelURLs.isEmpty ? try snapshot.hasAllChannels() : true
            return (snapshot.number, page, hasChannels)
        }
        try checkIsNotDisposed()
        let before = Set(messages.map(\.rowID))
        (isStarted, cursor, unsearched) = (true, page.cursor, page.unsearched)
        var edits = ListEdits<FoundMessage, SearchCursor>()
        if !isNext {
            let kept = keepsRows ? messages.filter { !hasChannels || mayBeMissing($0) } : []
            keepsRows = !kept.isEmpty
            let left = Set(page.messages.map(\.rowID)).union(kept.map(\.rowID))
            for row in messages where !left.contains(row.rowID) { edits.remove(row.rowID) }
        }
        for found in page.messages { edits.save(found, at: found.cursor) }
        for change in changesWhileLoading where change.number > number {
            add(change, to: &edits)
        }
        apply(edits)
        return messages.filter { !before.contains($0.rowID) }
    }

    /// Searches on the server, and adds one page of its results, newest first.
    ///
    /// The server searches by its own rules: it may not find the beginnings of words, and its
    /// results are listed only if they match by the rules of `SearchQuery`. They are stored, each
    /// inside a gap of its channel, so ``unsearched`` does not shrink. Those older than the last
    /// loaded page are listed by ``loadMore()``. If the backend has the capability
    /// `separateReactions`, a result has only stored reactions until a message collection shows the
    /// message.
    ///
    /// Repeat the call until ``ServerSearch/isComplete`` is true for more results. An error is also
    /// in ``ServerSearch/error``.
    ///
    /// - Returns: The newly listed messages; none if the server has searched everything, or if the
    ///   query has no word to find.
    /// - Throws: `unsupported` if the backend cannot search; `notConnected`, `refused`;
    ///   `queryInProgress` if another call is in progress; `disposed`, `store`, `closed`,
    ///   `canceled`.
    @discardableResult
    public func searchServer() async throws(SyncError) -> [FoundMessage] {
        try checkIsNotDisposed()
        guard !isSearchingServer else {
            throw SyncError(.queryInProgress, "the server is already being searched")
        }
        isSearchingServer = true
        defer { isSearchingServer = false }
        if !isStarted { try await loadMore() }
        guard !serverSearch.isComplete, !query.isEmpty else { return [] }
        let before = Set(messages.map(\.rowID))
        do throws(SyncError) {
            let (params, cursor, pageSize) = (params, serverSearch.cursor, pageSize)
            let page = try await tasks.run { [engine] () throws(SyncError) in
                try await engine.searchMessages(matching: params, after: cursor, limit: pageSize)
            }
            try checkIsNotDisposed()
            // List the messages, which the engine has stored.
            follower?.processQueued()
            serverSearch.add(page)
            let found = Set(
                page.messages.map { FoundMessage.RowID(url: $0.channelURL, id: $0.messageID) })
            return messages.filter { found.contains($0.rowID) && !before.contains($0.rowID) }
        } catch {
            if !isDisposed {
                serverSearch.error = error
                // If the cursor has expired, the next call starts again.
                if (error.cause as? BackendError)?.code == .expired { serverSearch.cursor = nil }
            }
            throw error
        }
    }

    /// Fetches the messages of the ranges in ``unsearched`` from the server, newest first.
    ///
    /// The list shows matching messages as they arrive. ``loadMore()`` may add ranges.
    ///
    /// If a channel's history cannot be fetched, that of the others is fetched before the error is
    /// thrown. The history of a channel to which the user is only invited stays unsearched, without
    /// an error, if the server does not show it yet.
    ///
    /// - Throws: `notConnected`, `refused`, `stalled` if the server repeats a page, `disposed`,
    ///   `store`, `closed`, `canceled`. Messages that were fetched before the error are stored.
    public func backfill() async throws(SyncError) {
        var progress = BackfillProgress()
        var stopped: Set<ChannelURL> = []
        var failure: SyncError?
        try await readUnsearched()
        while let range = unsearched.filter({ !stopped.contains($0.channelURL) })
            .max(by: { $0.upper < $1.upper })
        {
            try checkIsNotDisposed()
            let url = range.channelURL
            do throws(SyncError) { try await fetch(range, &progress) } catch {
                let isOnline = await engine.state.connection == .online
                switch error.code {
                case .disposed, .store, .closed, .canceled, .noUser, .sessionEnded, .throttled:
                    throw error
                default: if !isOnline { throw error }
                }
                let channel = try engine.stored { (reader) throws(StoreError) in
                    try reader.groupChannel(url)
                }
                stopped.insert(url)
                if !error.endsWithInvitation(to: channel) { failure = failure ?? error }
            }
            try await readUnsearched()
        }
        if let failure { throw failure }
    }

    private struct BackfillProgress {
        var lastGap: Gap?
        var lastStale: ChannelURL?
        var idle = IdleRequests()
        var usedCursors = UsedCursors()
    }

    private func fetch(
        _ range: UnsearchedRange, _ progress: inout BackfillProgress
    ) async throws(SyncError) {
        let url = range.channelURL
        if range.reason == .stale {
            guard progress.idle.allowsMore(hasMoved: url != progress.lastStale) else {
                throw SyncError(.stalled, "stale messages of \(url) stay stale")
            }
            progress.lastStale = url
            _ = try await tasks.run { [engine] () throws(SyncError) in
                try await engine.fetchStaleMessages(in: url)
            }
            return
        }
        let gaps = try engine.stored { (reader) throws(StoreError) in try reader.gaps(in: url) }
        guard let gap = gaps.first(where: { $0.upper == range.upper }) else { return }
        let last = progress.lastGap
        guard progress.idle.allowsMore(hasMoved: gap != last) else {
            throw SyncError(.stalled, "the server repeats the same page of \(url)")
        }
        if gap.channelURL != last?.channelURL || gap.upper != last?.upper {
            progress.usedCursors = UsedCursors()
        }
        if gap != last, let cursor = gap.backfillCursor, !progress.usedCursors.insert(cursor) {
            throw .stalled(url)
        }
        progress.lastGap = gap
        let anchor = gap.backfillCursor.map { .cursor($0) } ?? gap.upper.anchorIncludingIt
        _ = try await tasks.run { [engine] () throws(SyncError) in
            try await engine.waitForFeed()
            return try await engine.fetchMessages(
                in: url, at: anchor, older: 200, newer: 0,
                bound: anchor == .newest ? nil : gap.upper)
        }
    }

    private func readUnsearched() async throws(SyncError) {
        try checkIsNotDisposed()
        let (params, query, store, cursor) = (params, query, engine.store, cursor)
        let ranges = try await onDisk { () throws(StoreError) in
            try store.snapshot().unsearchedRanges(
                for: params, query, from: cursor.map { .position($0.position) } ?? .beginning)
        }
        try checkIsNotDisposed()
        unsearched = ranges
    }

    // MARK: The end

    /// Ends the search: it loads no more messages and sends no more notifications.
    public func dispose() {
        guard !isDisposed else { return }
        isDisposed = true
        follower?.stop()
        tasks.cancelAll()
        subscribers.end()
    }

    func endSession() {
        guard !isDisposed else { return }
        follower?.stop()
        var edits = ListEdits<FoundMessage, SearchCursor>()
        for message in messages { edits.remove(message.rowID) }
        apply(edits)
        dispose()
    }

    private func checkIsNotDisposed() throws(SyncError) {
        if isDisposed { throw .disposed("results") }
    }

    // MARK: Following

    private func follow() throws(SyncError) {
        if follower != nil { return }
        follower = try StoreFollower(.everything, of: engine.store) { [weak self] change in
            self?.apply(change)
        }
    }

    private func apply(_ change: Change) {
        if change.operations.contains(.replacedCache) {
            (keepsRows, serverSearch) = (true, ServerSearch())
        }
        if change.operations.contains(where: { $0 == .missed || $0 == .replacedCache }) {
            isOutdated = true
            readAgain()
            return
        }
        if isLoading { changesWhileLoading.append(change) }
        guard isStarted else { return }
        var edits = ListEdits<FoundMessage, SearchCursor>()
        add(change, to: &edits)
        apply(edits)
        if keepsRows, change.changesKnownHistory {
            isOutdated = true
            readAgain()
        }
    }

    private func mayBeMissing(_ found: FoundMessage) -> Bool {
        let position = Gap.Bound.position(found.cursor.position)
        return unsearched.contains {
            $0.channelURL == found.message.channelURL && $0.lower <= position
                && position <= $0.upper
        }
    }

    /// Reads all loaded pages again, unless a page is being loaded.
    private func readAgain() {
        guard isOutdated, !isLoading, !isDisposed else { return }
        isOutdated = false
        guard isStarted else { return }
        // Ignore the error: the engine reports it.
        tasks.add(Task { @MainActor [weak self] in _ = try? await self?.load(isNext: false) })
    }

    private func contains(_ place: SearchCursor) -> Bool {
        cursor.map { $0 >= place } ?? true
    }

    private func add(_ change: Change, to edits: inout ListEdits<FoundMessage, SearchCursor>) {
        func remove(where isRemoved: (FoundMessage) -> Bool) {
            let saved = edits.saved.values.map(\.element)
            for row in messages + saved where isRemoved(row) { edits.remove(row.rowID) }
        }
        for operation in change.operations {
            switch operation {
            case .savedMessage(let message):
                guard let position = message.position else { continue }
                let place = SearchCursor(position: position, channelURL: message.channelURL)
                if contains(place), let hits = params.hits(in: message, of: query) {
                    let found = FoundMessage(message: message, hits: hits, cursor: place)
                    edits.save(found, at: place)
                } else {
                    edits.remove(FoundMessage.RowID(url: message.channelURL, id: message.messageID))
                }
            case .removedMessage(let id, _, let url):
                edits.remove(FoundMessage.RowID(url: url, id: id))
            case .removedMessages(let url, let first, let last):
                remove {
                    let position = Gap.Bound.position($0.cursor.position)
                    return $0.message.channelURL == url && first <= position && position <= last
                }
            case .clearedMessages(let url), .removedChannel(let url):
                remove { $0.message.channelURL == url }
            case .clearedCachedData:
                remove { _ in true }
                serverSearch = ServerSearch()
            default: break
            }
        }
    }

    private func apply(_ edits: ListEdits<FoundMessage, SearchCursor>) {
        if edits.isEmpty { return }
        let before = CollectionChange.checked(messages)
        let diff = list.apply(edits)
        guard !diff.isEmpty else { return }
        let change = CollectionChange(diff, in: messages, from: before)
        subscribers.notify(change)
        delegate?.messageSearch(self, didChange: change)
    }
}

extension FoundMessage: ListRow {
    struct RowID: Hashable, Sendable {
        let url: ChannelURL
        let id: MessageID?
    }

    var rowID: RowID { RowID(url: message.channelURL, id: message.messageID) }
}

extension MessageSearch: ChatClient.Collection {}
