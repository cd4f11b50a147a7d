public import Models
public import Observation
import Store
public import Sync

/// The user's group channels as a view lists them, from the cache at once and in step with the server.
///
/// ```swift
/// let collection = GroupChannelCollection(query: query, engine: engine)
/// collection.delegate = self
/// try await collection.loadMore()
/// show(collection.channels)
/// ```
///
/// Lives on the main actor. It shows a list from its beginning to where it was loaded; in that part, a
/// channel enters, moves and leaves by the query's own rules, which are the same in memory, on disk and on
/// the server. Views that know Observation need nothing else: ``channels`` and ``hasMore`` can be observed.
@MainActor
@Observable
public final class GroupChannelCollection {
    /// Which channels are listed, in which order, and how many are loaded at once.
    public let query: GroupChannelListQuery

    /// Whether ``dispose()`` was called.
    public private(set) var isDisposed = false

    /// Who is told of changes.
    @ObservationIgnored public weak var delegate: (any GroupChannelCollectionDelegate)?

    /// What brings the channels.
    @ObservationIgnored public let engine: SyncEngine

    private var window: ChannelWindow
    @ObservationIgnored private var follower: StoreFollower?
    @ObservationIgnored private let followers = ChangeFollowers<GroupChannel>()
    @ObservationIgnored private let tasks = TaskBag()
    @ObservationIgnored private var isLoading = false
    @ObservationIgnored private var isAwaitingWholeList = false
    /// Where the server's list goes on.
    @ObservationIgnored private var serverPages = ServerPages.next(nil)
    /// How often that began anew.
    @ObservationIgnored private var beginnings = 0

    private enum ServerPages {
        case next(PageCursor?)
        case ended
    }

    /// Creates a collection; it lists nothing until ``loadMore()``.
    ///
    /// - Parameters:
    ///   - query: Which channels are listed, in which order, and how many are loaded at once.
    ///   - userID: Who looks at it: filters by nickname leave this user out, and the filter by exact
    ///     members implies it. The default, `nil`, is nobody.
    ///   - engine: What brings the channels.
    public init(
        query: GroupChannelListQuery = GroupChannelListQuery(), userID: UserID? = nil,
        engine: SyncEngine
    ) {
        self.query = query
        self.engine = engine
        window = ChannelWindow(of: query, userID: userID)
    }

    // MARK: What is listed

    /// The channels, in the order of the query.
    public var channels: [GroupChannel] { window.channels }

    /// Whether more channels exist, or may exist, that are not listed.
    public var hasMore: Bool { window.hasMore }

    /// What happens to the list from now on; folding it into ``channels`` as they are now gives those to
    /// come.
    ///
    /// What a follower has not read yet is kept for it. Ends with ``dispose()``.
    public func allChanges() -> AsyncStream<CollectionChange<GroupChannel>> { followers.follow() }

    // MARK: Loading

    /// How many pages are asked for, one after the other, where they have few channels that are new.
    private static let pageLimit = 5

    /// Lists more channels: at once those that are held, then what the server has.
    ///
    /// The server is asked only until the engine has got the user's whole list, which it does by itself
    /// after it was connected for the first time. Until then, what is held is listed as if it were all, and
    /// makes way for what comes between. Where the server cannot be asked, what is held stays, and
    /// ``hasMore`` stays true.
    ///
    /// The first call makes the collection follow what happens.
    ///
    /// - Returns: The channels that are listed now and were not before, in the order of the list; at most
    ///   the query's `limit`, beside those that came by themselves. ``hasMore`` tells whether to go on.
    /// - Throws: ``CollectionError`` with code `queryInProgress` if more is being loaded already;
    ///   `disposed`; `notConnected` or `refused` if nothing more could be listed; `store`, `canceled`.
    @discardableResult
    public func loadMore() async throws(CollectionError) -> [GroupChannel] {
        try checkIsNotDisposed()
        guard !isLoading else {
            throw CollectionError(.queryInProgress, "more channels are being loaded")
        }
        isLoading = true
        defer { isLoading = false }
        let before = Set(channels.map(\.url))
        func found() -> [GroupChannel] { channels.filter { !before.contains($0.url) } }

        let count = channels.count + max(1, query.limit)
        var isWhole = try show(upTo: count)
        for page in 0..<GroupChannelCollection.pageLimit {
            if isWhole || (page > 0 && channels.count >= count) { break }
            do throws(CollectionError) {
                try await fetch()
            } catch {
                try checkIsNotDisposed()
                if error.code == .canceled || found().isEmpty { throw error }
                break
            }
            try checkIsNotDisposed()
            isWhole = try show(upTo: count)
        }
        return found()
    }

    /// Lists so many of the channels that are held.
    ///
    /// - Returns: Whether all that exist are held.
    private func show(upTo count: Int) throws(CollectionError) -> Bool {
        let follower = try follow()
        var isWhole = false
        let edits = try follower.read { (reader) throws(StoreError) in
            isWhole = try self.isWhole(in: reader)
            return try window.load(upTo: count, isWhole: isWhole, in: reader)
        }
        try checkIsNotDisposed()
        apply(edits, .asked)
        follower.catchUp()
        try checkIsNotDisposed()
        awaitWholeList()
        return isWhole
    }

    private func isWhole(in reader: Snapshot) throws(StoreError) -> Bool {
        if case .ended = serverPages { return true }
        return try reader.hasAllChannels()
    }

    /// Has the server's next page stored.
    private func fetch() async throws(CollectionError) {
        guard case .next(let cursor) = serverPages else { return }
        let asked = beginnings
        do throws(CollectionError) {
            let page = try await tasks.ask { [engine, query] () throws(SyncError) in
                _ = await engine.settledState
                return try await engine.fetchChannels(matching: query, after: cursor)
            }
            // What was cleared meanwhile is listed from its beginning.
            guard asked == beginnings else { return }
            serverPages = page.next == nil ? .ended : .next(page.next)
        } catch {
            if cursor != nil, error.code == .refused { beginAnew() }
            throw error
        }
    }

    /// Asks for the server's list from its beginning next.
    private func beginAnew() {
        serverPages = .next(nil)
        beginnings += 1
    }

    /// Notes when the engine has got the user's whole list: until then, more may exist than is held.
    private func awaitWholeList() {
        guard !isDisposed, !window.isWhole, !isAwaitingWholeList else { return }
        isAwaitingWholeList = true
        tasks.add(
            Task { @MainActor [weak self, engine] in
                for await _ in await engine.events(where: \.isLive) {
                    guard let self, !noteWholeList() else { break }
                }
                self?.isAwaitingWholeList = false
            })
    }

    /// - Returns: Whether the whole list is held, or nobody has to know any more.
    private func noteWholeList() -> Bool {
        if isDisposed || window.isWhole { return true }
        // A store that is closed has nothing to tell; one that cannot be read is told by the engine.
        let holdsAll = try? follow().read { (reader) throws(StoreError) in
            let holdsAll = try self.isWhole(in: reader)
            if holdsAll { window.noteIsWhole() }
            return holdsAll
        }
        return holdsAll ?? false
    }

    // MARK: The end

    /// Ends it: nothing is told from here on, and nothing loaded.
    ///
    /// Doing it twice is doing it once.
    public func dispose() {
        guard !isDisposed else { return }
        isDisposed = true
        follower?.stop()
        tasks.cancelAll()
        followers.end()
    }

    private func checkIsNotDisposed() throws(CollectionError) {
        if isDisposed { throw .disposed("channels") }
    }

    // MARK: Following

    private func follow() throws(CollectionError) -> StoreFollower {
        if let follower { return follower }
        let follower = try StoreFollower(.channels, of: engine.store) { [weak self] change in
            self?.take(change)
        }
        self.follower = follower
        return follower
    }

    private func take(_ change: Change) {
        var edits = window.fold(change)
        if edits.isCleared { beginAnew() }
        if edits.isMissed {
            // A store that is closed has nothing to tell; one that cannot be read is told by the engine.
            guard let read = try? readAgain() else { return }
            edits = read
        }
        apply(edits, .told)
        awaitWholeList()
    }

    private func readAgain() throws(StoreError) -> ChannelEdits? {
        try follower?.readAgain { (snapshot, ahead) throws(StoreError) in
            let edits = try window.readAgain(
                isWhole: try snapshot.hasAllChannels(), in: snapshot, ahead)
            // What is held may have been cleared.
            beginAnew()
            return edits
        }
    }

    private func apply(_ edits: ChannelEdits, _ telling: Telling) {
        let before = CollectionChange.checked(window.channels)
        let diff = window.apply(edits)
        guard !diff.isEmpty else { return }
        let change = CollectionChange(diff, in: window.channels)
        change.check(from: before, to: window.channels)
        followers.tell(change)
        delegate?.channelCollection(self, didChange: change)
        if telling == .told { tell(diff, edits.sources) }
    }

    private func tell(
        _ diff: ListDiff<GroupChannel>, _ sources: [ChannelURL: CollectionEventSource]
    ) {
        func context(_ channel: GroupChannel) -> GroupChannelContext {
            GroupChannelContext(source: sources[channel.url] ?? .channelBackgroundSync)
        }
        func isAsked(_ context: GroupChannelContext) -> Bool {
            isLoading && context.source == .channelLoadMore
        }
        var added = ToldRows<GroupChannelContext, GroupChannel>()
        var updated = added
        var deleted = ToldRows<GroupChannelContext, ChannelURL>()
        for row in diff.insertions { added.add(row.element, context(row.element)) }
        for row in diff.changed { updated.add(row.element, context(row.element)) }
        for row in diff.deletions { deleted.add(row.element.url, context(row.element)) }
        for (context, channels) in added.parts where !isDisposed && !isAsked(context) {
            delegate?.channelCollection(self, context: context, addedChannels: channels)
        }
        for (context, channels) in updated.parts where !isDisposed && !isAsked(context) {
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
