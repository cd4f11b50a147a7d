public import Models
public import Observation
public import Store
public import Sync

/// A live list of the user's group channels, which shows cached channels first and stays in sync
/// with the server.
///
/// ```swift
/// let collection = GroupChannelCollection(query: query, engine: engine)
/// collection.delegate = self
/// collection.start()
/// show(collection.channels)
/// ```
///
/// The list reaches from the first channel to the last one of the loaded pages. In that part, the
/// collection inserts, moves and deletes channels as they change. The store and the server apply
/// the same filters and the same order.
///
/// The collection is isolated to the main actor. ``channels``, ``hasMore``, ``isStale``,
/// ``drafts`` and ``labels`` are observable, and each is invalidated only by changes of its own
/// value. Views that use Observation need no delegate.
@MainActor
@Observable
public final class GroupChannelCollection {
    /// The filters and the order of the list, and the page size.
    public let query: GroupChannelListQuery

    /// The texts that the user is writing, by channel.
    ///
    /// The dictionary is empty until ``start()``. It then contains the drafts of all channels,
    /// whether or not the list contains them, and no drafts of threads.
    public private(set) var drafts: [ChannelURL: String] = [:]

    /// A Boolean value that indicates whether ``dispose()`` was called.
    public private(set) var isDisposed = false

    /// The delegate that is notified of changes.
    @ObservationIgnored public weak var delegate: (any GroupChannelCollectionDelegate)?

    /// The engine that fetches the channels.
    @ObservationIgnored public let engine: SyncEngine

    @ObservationIgnored private var window: ChannelWindow
    @ObservationIgnored private var observed = (hasMore: true, isStale: false, labels: 0)
    @ObservationIgnored private var follower: StoreFollower?
    @ObservationIgnored private let followers = Followers<CollectionChange<GroupChannel>>()
    @ObservationIgnored private let tasks = TaskBag()
    @ObservationIgnored private var isLoading = false
    @ObservationIgnored private var isAwaitingCompleteList = false
    /// The channels that the call in progress has listed, and that the delegate does not report.
    @ObservationIgnored private var unreported: Set<ChannelURL> = []
    /// The next page of the server's list to request.
    @ObservationIgnored private var serverPages = ServerPages.next(nil)
    /// The number of times that the collection has started again with the first page of the
    /// server's list.
    @ObservationIgnored private var pagingGeneration = 0

    private enum ServerPages {
        case next(PageCursor?)
        case ended
    }

    /// Creates a collection, whose list is empty until ``start()``.
    ///
    /// - Parameters:
    ///   - query: The filters and the order of the list, and the page size.
    ///   - userID: The current user; `nil`, the default, if there is none. Filters by nickname
    ///     ignore this user, and the filter by exact members includes this user implicitly.
    ///   - engine: The engine that fetches the channels.
    public init(
        query: GroupChannelListQuery = GroupChannelListQuery(), userID: UserID? = nil,
        engine: SyncEngine
    ) {
        self.query = query
        self.engine = engine
        window = ChannelWindow(of: query, userID: userID)
    }

    // MARK: The list

    /// The listed channels, in the order of the query.
    public var channels: [GroupChannel] {
        access(keyPath: \.channels)
        return window.channels
    }

    /// A Boolean value that indicates whether there may be channels that are not listed yet.
    public var hasMore: Bool {
        access(keyPath: \.hasMore)
        return window.hasMore
    }

    /// A Boolean value that indicates whether the list shows channels of a cache that was cleared
    /// or replaced since, and the engine has not fetched the whole list again.
    public var isStale: Bool {
        access(keyPath: \.isStale)
        return window.isReplaced
    }

    /// The local labels of channels, for example for an icon in the row of a pinned channel.
    ///
    /// The dictionary is empty until ``start()``. It then contains all channels with labels, whether
    /// or not the list contains them.
    public var labels: [ChannelURL: ChannelLabels] {
        access(keyPath: \.labels)
        return window.labels
    }

    private func notifyObservers() {
        let known = observed
        observed = (window.hasMore, window.isReplaced, window.labelsGeneration)
        if observed.labels != known.labels { withMutation(keyPath: \.labels) {} }
        if observed.hasMore != known.hasMore { withMutation(keyPath: \.hasMore) {} }
        if observed.isStale != known.isStale { withMutation(keyPath: \.isStale) {} }
    }

    /// Returns a stream of the changes from now on.
    ///
    /// If an app applies the changes in order to a copy of ``channels``, the copy stays equal to
    /// ``channels``. The stream buffers unread changes, and ends with ``dispose()``.
    public func allChanges() -> AsyncStream<CollectionChange<GroupChannel>> { followers.follow() }

    // MARK: Loading

    /// The maximum number of pages that one call fetches, if the pages contain few new channels.
    private static let pageLimit = 5

    /// Starts the collection: lists the first page of stored channels, and fetches the list from
    /// the server.
    ///
    /// The stored channels are listed when the call returns, regardless of the network. From then
    /// on, the collection follows all changes. ``loadMore()`` lists more pages. The collection is
    /// not released before the server has responded.
    ///
    /// - Returns: The stored channels, and the channels after the server has responded. If the
    ///   engine is live and the cache has the first page, the collection sends no request. If there
    ///   is no connection, awaiting the second result throws `notConnected`, and the stored
    ///   channels stay listed.
    @discardableResult
    public func start() -> CollectionStart<GroupChannel> {
        let cached: Result<[GroupChannel], SyncError>
        do throws(SyncError) {
            try checkIsNotDisposed()
            _ = try show(upTo: query.pageSize)
            cached = .success(channels)
        } catch {
            cached = .failure(error)
        }
        let refresh = Task { @MainActor [weak self] in
            do throws(SyncError) {
                guard let self else { throw .disposed("channels") }
                try await load(upTo: query.pageSize, refreshes: true)
                return Result<[GroupChannel], SyncError>.success(channels)
            } catch {
                return .failure(error)
            }
        }
        tasks.add(refresh)
        return CollectionStart(cachedResult: cached, refresh: refresh)
    }

    /// Lists more channels: first stored channels, then channels from the server.
    ///
    /// The engine fetches the user's whole list automatically after the first connection. Until the
    /// engine has fetched it, this call also requests pages from the server, and later channels may
    /// be inserted between the listed ones. If the server cannot be reached, the stored channels
    /// stay listed, and ``hasMore`` remains true.
    ///
    /// If the collection has not been started, this call starts it.
    ///
    /// - Returns: The channels that the call has listed, in the order of the list. The delegate
    ///   receives all other changes during the call, so that no channel is both returned and
    ///   reported as added. If ``hasMore`` is true, call again for more.
    /// - Throws: ``/Sync/SyncError`` with code `queryInProgress` if another call is in progress;
    ///   `disposed`; `notConnected` or `refused` if no more channels could be listed; `store`,
    ///   `closed`, `canceled`.
    @discardableResult
    public func loadMore() async throws(SyncError) -> [GroupChannel] {
        try await load(upTo: channels.count + query.pageSize)
    }

    /// Lists at least `count` channels, or all channels if there are fewer, and returns the newly
    /// listed ones.
    ///
    /// If `refreshes` is true and the engine is not live, the call requests the first page even if
    /// the cache has it.
    @discardableResult
    private func load(
        upTo count: Int, refreshes: Bool = false
    ) async throws(SyncError) -> [GroupChannel] {
        try checkIsNotDisposed()
        guard !isLoading else {
            throw SyncError(.queryInProgress, "loadMore() is already in progress: wait for it")
        }
        isLoading = true
        defer { (isLoading, unreported) = (false, []) }
        func found() -> [GroupChannel] { channels.filter { unreported.contains($0.url) } }

        if refreshes, !(await engine.stateAfterConnecting.isLive) {
            try await fetch()
            try checkIsNotDisposed()
        }
        var isComplete = try show(upTo: count)
        for page in 0..<GroupChannelCollection.pageLimit {
            if isComplete || (page > 0 && channels.count >= count) { break }
            do throws(SyncError) {
                try await fetch()
            } catch {
                try checkIsNotDisposed()
                if found().isEmpty { throw error }
                break
            }
            try checkIsNotDisposed()
            isComplete = try show(upTo: count)
        }
        return found()
    }

    /// Lists at least `count` channels, or all stored channels if there are fewer.
    ///
    /// - Returns: `true` if the store has every channel of the server's list.
    private func show(upTo count: Int) throws(SyncError) -> Bool {
        let follower = try follow()
        var isComplete = false
        let edits = try follower.read { (reader) throws(StoreError) in
            isComplete = try self.isListComplete(in: reader)
            return try window.load(upTo: count, isComplete: isComplete, in: reader)
        }
        try checkIsNotDisposed()
        apply(edits, .page)
        follower.catchUp()
        try checkIsNotDisposed()
        awaitCompleteList()
        return isComplete
    }

    private func isListComplete(in reader: Snapshot) throws(StoreError) -> Bool {
        if case .ended = serverPages { return true }
        return try reader.hasAllChannels()
    }

    private func fetch() async throws(SyncError) {
        guard case .next(let cursor) = serverPages else { return }
        let generation = pagingGeneration
        do throws(SyncError) {
            let page = try await tasks.run { [engine, query] () throws(SyncError) in
                _ = await engine.stateAfterConnecting
                return try await engine.fetchChannels(matching: query, after: cursor)
            }
            // If the cache was cleared during the request, the collection has started again with
            // the first page, and this page is out of date.
            guard generation == pagingGeneration else { return }
            serverPages = page.next == nil ? .ended : .next(page.next)
        } catch {
            if cursor != nil, error.code.isServerError { restart() }
            throw error
        }
    }

    private func restart() {
        serverPages = .next(nil)
        pagingGeneration += 1
    }

    /// Waits until the engine has fetched the user's whole list, and then records that the list is
    /// whole.
    ///
    /// Until then, the server may have channels that are not stored.
    private func awaitCompleteList() {
        guard !isDisposed, !window.isComplete, !isAwaitingCompleteList else { return }
        isAwaitingCompleteList = true
        tasks.add(
            Task { @MainActor [weak self, engine] in
                for await _ in await engine.events(where: \.isLive) {
                    guard let self, !recordCompleteList() else { break }
                }
                self?.isAwaitingCompleteList = false
            })
    }

    /// Records whether the store has the whole list.
    ///
    /// - Returns: `true` if no more waiting is needed: the store has the whole list, or the
    ///   collection was disposed.
    private func recordCompleteList() -> Bool {
        if isDisposed || window.isComplete { return true }
        // Ignore the error: a closed store reports no changes, and the engine reports an unreadable
        // one.
        let holdsAll = try? follow().read { (reader) throws(StoreError) in
            let holdsAll = try self.isListComplete(in: reader)
            if holdsAll { window.recordIsComplete() }
            return holdsAll
        }
        // Remove the rows of channels that the user has lost.
        if holdsAll == true, window.isReplaced, let edits = try? readAgain() {
            apply(edits, .reported)
        }
        notifyObservers()
        return holdsAll ?? false
    }

    // MARK: The end

    /// Ends the collection: it loads no more channels and sends no more notifications.
    ///
    /// Calling this method again has no effect.
    public func dispose() {
        guard !isDisposed else { return }
        isDisposed = true
        follower?.stop()
        tasks.cancelAll()
        followers.end()
    }

    func endSession() {
        guard !isDisposed else { return }
        follower?.stop()
        drafts = [:]
        apply(window.removeAll(.sessionEnded), .reported)
        dispose()
    }

    private func checkIsNotDisposed() throws(SyncError) {
        if isDisposed { throw .disposed("channels") }
    }

    // MARK: Following

    private func follow() throws(SyncError) -> StoreFollower {
        if let follower { return follower }
        let follower = try StoreFollower(.channels, of: engine.store) { [weak self] change in
            self?.apply(change)
        }
        self.follower = follower
        readDrafts()
        return follower
    }

    private func apply(_ change: Change) {
        var edits = window.fold(change)
        if edits.isCleared { restart() }
        if edits.isMissed {
            // Ignore the error: a closed store reports no changes, and the engine reports an
            // unreadable one.
            guard let read = try? readAgain() else { return }
            edits = read
            readDrafts()
        }
        for case .savedDraft(let draft, let url, nil) in change.operations {
            let text = draft.text.isEmpty ? nil : draft.text
            if drafts[url] != text { drafts[url] = text }
        }
        apply(edits, .reported)
        awaitCompleteList()
    }

    private func readDrafts() {
        // Ignore the error: a closed store reports no changes, and the engine reports an unreadable
        // one.
        guard let all = try? engine.store.drafts() else { return }
        let stored = all.mapValues(\.text).filter { !$0.value.isEmpty }
        if stored != drafts { drafts = stored }
    }

    private func readAgain() throws(StoreError) -> ChannelEdits? {
        try follower?.readAgain { (snapshot, skipped) throws(StoreError) in
            let edits = try window.readAgain(
                isComplete: try snapshot.hasAllChannels(), in: snapshot, skipped)
            // The dropped changes may include a clearing of the cached data.
            restart()
            return edits
        }
    }

    private func apply(_ edits: ChannelEdits, _ reporting: Reporting) {
        let before = CollectionChange.checked(window.channels)
        var edits = edits
        let diff = window.apply(&edits)
        notifyObservers()
        guard !diff.isEmpty else { return }
        withMutation(keyPath: \.channels) {}
        let change = CollectionChange(diff, in: window.channels)
        change.check(from: before, to: window.channels)
        followers.notify(change)
        delegate?.channelCollection(self, didChange: change)
        notify(diff, edits.sources, reporting)
    }

    private func notify(
        _ diff: ListDiff<GroupChannel>, _ sources: [ChannelURL: CollectionEventSource],
        _ reporting: Reporting
    ) {
        func context(_ channel: GroupChannel) -> GroupChannelContext {
            GroupChannelContext(source: sources[channel.url] ?? .channelBackgroundSync)
        }
        func isRequested(_ context: GroupChannelContext) -> Bool {
            isLoading && context.source == .channelLoadMore
        }
        var added = ReportedRows<GroupChannelContext, GroupChannel>()
        var updated = added
        var deleted = ReportedRows<GroupChannelContext, ChannelURL>()
        for row in diff.insertions {
            let context = context(row.element)
            if reporting == .page || isRequested(context) {
                unreported.insert(row.element.url)
            } else {
                added.add(row.element, context)
            }
        }
        for row in diff.changed { updated.add(row.element, context(row.element)) }
        for row in diff.deletions { deleted.add(row.element.url, context(row.element)) }
        for (context, channels) in added.parts where !isDisposed {
            delegate?.channelCollection(self, context: context, addedChannels: channels)
        }
        for (context, channels) in updated.parts where !isDisposed {
            delegate?.channelCollection(self, context: context, updatedChannels: channels)
        }
        for (context, urls) in deleted.parts where !isDisposed {
            delegate?.channelCollection(self, context: context, deletedChannelURLs: urls)
        }
    }
}

extension SyncEvent {
    fileprivate var isLive: Bool {
        if case .state(let state) = self { state.isLive } else { false }
    }
}
