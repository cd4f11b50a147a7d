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
/// collection inserts, moves and deletes channels as they change. Views that observe the properties
/// need no delegate.
@MainActor
@Observable
public final class GroupChannelCollection {
    /// The filters and the order of the list, and the page size.
    public let query: GroupChannelListQuery

    /// The texts that the user is writing in channels, listed or not, but not in threads; empty
    /// until ``start()``.
    public private(set) var drafts: [ChannelURL: String] = [:]

    /// A Boolean value that indicates whether ``dispose()`` was called.
    public private(set) var isDisposed = false

    /// The delegate that is notified of changes.
    @ObservationIgnored public weak var delegate: (any GroupChannelCollectionDelegate)?

    /// The engine that fetches the channels.
    @ObservationIgnored package let engine: SyncEngine

    @ObservationIgnored var window: ChannelWindow
    @ObservationIgnored private var observed = (hasMore: true, isStale: false, labels: 0)
    @ObservationIgnored var follower: StoreFollower?
    @ObservationIgnored private let subscribers = Subscribers<CollectionChange<GroupChannel>>()
    @ObservationIgnored let tasks = TaskBag()
    @ObservationIgnored var isLoading = false
    @ObservationIgnored var isAwaitingCompleteList = false
    /// The channels that the call in progress has listed, and that the delegate does not report.
    @ObservationIgnored var unreported: Set<ChannelURL> = []
    @ObservationIgnored var serverPages = ServerPages.next(nil)
    /// The number of times that paging has started again with the first page.
    @ObservationIgnored var pagingGeneration = 0

    enum ServerPages {
        case next(PageCursor?)
        case ended
    }

    /// Creates a collection, whose list is empty until ``start()``.
    ///
    /// `userID` is the current user, whom filters by nickname ignore, and whom the filter by exact
    /// members includes implicitly.
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

    /// A Boolean value that indicates whether the list shows channels of a cleared or replaced
    /// cache, until the engine has fetched the whole list again.
    public var isStale: Bool {
        access(keyPath: \.isStale)
        return window.isReplaced
    }

    /// The local labels of all channels that have any, listed or not; empty until ``start()``.
    public var labels: [ChannelURL: ChannelLabels] {
        access(keyPath: \.labels)
        return window.labels
    }

    func notifyObservers() {
        let known = observed
        observed = (window.hasMore, window.isReplaced, window.labelsGeneration)
        if observed.labels != known.labels { withMutation(keyPath: \.labels) {} }
        if observed.hasMore != known.hasMore { withMutation(keyPath: \.hasMore) {} }
        if observed.isStale != known.isStale { withMutation(keyPath: \.isStale) {} }
    }

    /// Returns a stream of the changes from now until ``dispose()``, which buffers unread changes.
    public func allChanges() -> AsyncStream<CollectionChange<GroupChannel>> {
        subscribers.subscribe()
    }

    // MARK: Loading

    /// Starts the collection: lists the first page of stored channels, and fetches the list from
    /// the server.
    ///
    /// The stored channels are listed when the call returns, or soon after if that visits more than
    /// 1,000 channels, because few match a filter or the cache has never listed them in this order.
    /// From then on, the list follows all changes. If the engine is live and the cache has the
    /// first page, the collection sends no request. The collection is not released before the
    /// server has responded.
    ///
    /// - Returns: The stored channels, and the channels after the server has responded. Without a
    ///   connection, awaiting the latter throws `notConnected`.
    @discardableResult
    public func start() -> CollectionStart<GroupChannel> {
        let cached: Result<[GroupChannel], SyncError>
        var shown = ShownPart.whole
        do throws(SyncError) {
            try checkIsNotDisposed()
            shown = try show(upTo: query.pageSize, .page)
            cached = .success(channels)
        } catch {
            cached = .failure(error)
        }
        let refresh = Task { @MainActor [weak self, shown] in
            do throws(SyncError) {
                guard let self else { throw .disposed("channels") }
                try await showRest(after: shown, upTo: query.pageSize, .reported)
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
    /// The engine fetches the user's whole list automatically after the first connection. Until
    /// then, this call also requests pages, and later channels may be inserted between the listed
    /// ones. If the server cannot be reached, the stored channels stay listed, and ``hasMore``
    /// remains true. The call also starts the collection.
    ///
    /// - Returns: The channels that the call has listed, in the order of the list; the delegate
    ///   receives only the other changes.
    /// - Throws: `queryInProgress` if another call is in progress; `disposed`; `notConnected` or
    ///   `refused` if no more channels could be listed; `store`, `closed`, `canceled`.
    @discardableResult
    public func loadMore() async throws(SyncError) -> [GroupChannel] {
        try await load(upTo: channels.count + query.pageSize)
    }

    // MARK: The end

    /// Ends the collection: it loads no more channels and sends no more notifications.
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
        drafts = [:]
        apply(window.removeAll(.sessionEnded), .reported)
        dispose()
    }

    func checkIsNotDisposed() throws(SyncError) {
        if isDisposed { throw .disposed("channels") }
    }

    // MARK: Following

    func follow() throws(SyncError) -> StoreFollower {
        if let follower { return follower }
        let follower = try StoreFollower(.channels, of: engine.store) { [weak self] change in
            self?.apply(change)
        }
        self.follower = follower
        readDrafts()
        return follower
    }

    private func apply(_ change: Change) {
        var edits = window.record(change)
        if edits.isCleared { restart() }
        if edits.isMissed {
            // Ignore the error: the engine reports it.
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
        // Ignore the error, as above.
        guard let all = try? engine.store.drafts() else { return }
        let stored = all.mapValues(\.text).filter { !$0.value.isEmpty }
        if stored != drafts { drafts = stored }
    }

    func readAgain() throws(StoreError) -> ChannelEdits? {
        try follower?.readAgain { (snapshot, skipped) throws(StoreError) in
            let edits = try window.readAgain(
                isComplete: try snapshot.hasAllChannels(), in: snapshot, skipped)
            // The dropped changes may include a clearing of the cached data.
            restart()
            return edits
        }
    }

    func apply(_ edits: ChannelEdits, _ reporting: Reporting) {
        let before = CollectionChange.checked(window.channels)
        var edits = edits
        let diff = window.apply(&edits)
        notifyObservers()
        guard !diff.isEmpty else { return }
        withMutation(keyPath: \.channels) {}
        let change = CollectionChange(diff, in: window.channels, from: before)
        subscribers.notify(change)
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
