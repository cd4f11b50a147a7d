public import Models
public import Observation
import Store
public import Sync

/// The messages of a group channel as a view shows them, from the cache at once and in step with the server.
///
/// ```swift
/// let collection = MessageCollection(of: "general", engine: engine)
/// collection.delegate = self
/// collection.start()
/// show(collection.items)  // what is cached, now; what the server says, soon
/// ```
///
/// Lives on the main actor. What it shows is a window on the store: who writes to the server, edits or reacts does so
/// through the engine, and the rows change because the store has. A message outside the window is stored,
/// and not shown. Views that know Observation need nothing else: ``items``, ``messages``, ``hasPrevious``,
/// ``hasNext`` and ``channel`` can be observed.
@MainActor
@Observable
public final class MessageCollection {
    /// The channel.
    public let channelURL: ChannelURL

    /// Which messages are shown, in which order, and how many are loaded at once.
    public let params: MessageListParams

    /// Where the window began, the last time it was placed.
    public private(set) var startingPoint: StartingPoint

    /// The channel as it is held; with nothing but its URL if it is not.
    public private(set) var channel: GroupChannel

    /// Who is typing in the channel.
    public private(set) var typingUsers: [User] = []

    /// Whether ``dispose()`` was called.
    public private(set) var isDisposed = false

    /// Whether the channel is the user's no more.
    public private(set) var isChannelDeleted = false

    /// Who is told of changes.
    @ObservationIgnored public weak var delegate: (any MessageCollectionDelegate)?

    /// What brings messages, and takes those that are written.
    @ObservationIgnored public let engine: SyncEngine

    private var window: Window
    @ObservationIgnored private var knownMessages: [Message]?
    @ObservationIgnored private(set) var phase = Phase.created
    @ObservationIgnored private var follower: StoreFollower?
    @ObservationIgnored private let followers = ChangeFollowers<MessageItem>()
    @ObservationIgnored var loading: Set<Direction> = []
    @ObservationIgnored var hasLoadedMore = false
    @ObservationIgnored private let viewer: Viewer
    @ObservationIgnored let tasks = TaskBag()

    enum Phase { case created, started }

    /// Creates a collection; it shows nothing until ``start(_:cacheResult:apiResult:)``.
    ///
    /// - Parameters:
    ///   - channelURL: The channel.
    ///   - startingPoint: Where the window begins. The default is the newest message.
    ///   - params: Which messages are shown, in which order, and how many are loaded at once;
    ///     `isInclusive` is not looked at: messages at the starting point are always shown.
    ///   - userID: Who looks at it, so that reactions show before they were sent; `nil` to have them
    ///     appear when they were.
    ///   - capacity: How many rows are kept at most. Beyond, rows leave at the end that is not being
    ///     loaded, and can be loaded again.
    ///   - engine: What brings the messages.
    public init(
        of channelURL: ChannelURL, startingPoint: StartingPoint = .latest,
        params: MessageListParams = MessageListParams(), userID: UserID? = nil,
        capacity: Int = 10_000, engine: SyncEngine
    ) {
        precondition(capacity > 0, "A collection shows a message or more.")
        self.channelURL = channelURL
        self.startingPoint = startingPoint
        self.params = params
        self.engine = engine
        channel = .unknown(channelURL)
        window = Window(on: channelURL, params: params, userID: userID, capacity: capacity)
        viewer = Viewer(of: channelURL, engine)
    }

    // MARK: What is shown

    /// The rows: messages, and gaps between them; the oldest first, or as the params have it.
    ///
    /// What is not sent comes after all that is.
    public var items: [MessageItem] { window.items }

    /// The messages of ``items``.
    ///
    /// - Complexity: O(*n*) after a change, else O(1).
    public var messages: [Message] {
        let items = items
        if let knownMessages { return knownMessages }
        let messages = items.compactMap(\.message)
        knownMessages = messages
        return messages
    }

    /// Those of the messages that the server has.
    public var succeededMessages: [Message] { messages.filter { $0.messageID != nil } }

    /// The messages of the channel that wait to be sent, in the order they were written, in view or not.
    public var pendingMessages: [Message] { window.unsentMessages(.pending) }

    /// The messages of the channel that could not be sent, in the order they were written, in view or not.
    public var failedMessages: [Message] { window.unsentMessages(.failed) }

    /// Whether older messages exist, or may exist, that are not shown.
    public var hasPrevious: Bool { phase == .started && window.hasPrevious }

    /// Whether newer messages exist, or may exist, that are not shown.
    public var hasNext: Bool { phase == .started && window.hasNext }

    /// What is known of the channel's history, and what is not, from its beginning to its end.
    ///
    /// - Throws: ``CollectionError`` with code `store`.
    /// - Complexity: O(*n*) in the messages of the channel that are held.
    public func coverage() throws(CollectionError) -> Coverage {
        try stored { (reader) throws(StoreError) in try reader.coverage(of: channelURL) }
    }

    /// What happens to the rows from now on; folding it into ``items`` as they are now gives those to come.
    ///
    /// What a follower has not read yet is kept for it. Ends with ``dispose()``.
    public func allChanges() -> AsyncStream<CollectionChange<MessageItem>> { followers.follow() }

    // MARK: Beginning and end

    /// Begins to show the channel.
    ///
    /// What is cached is shown when the call returns, however slow the network is. Then the server is
    /// asked, and its answer takes the place of the rows; where all of it is known already, and the engine
    /// is live, that needs no request. From the beginning on, changes are followed.
    ///
    /// Disposed of, or let go of, a collection waits for no server any more: the task ends with `disposed`.
    ///
    /// - Parameters:
    ///   - policy: Whether the cache and the server are asked.
    ///   - cacheResult: Is called once, before this returns, with the messages that are cached; none where
    ///     the cache is not to be asked.
    ///   - apiResult: Is called once, with the messages after the server has answered, or why it has not:
    ///     then what was cached stays, and follows when there is a connection.
    /// - Returns: What `apiResult` is told; the messages as they are for `cacheOnly`.
    @discardableResult
    public func start(
        _ policy: InitPolicy = .cacheAndReplaceByAPI,
        cacheResult: (@MainActor (Result<[Message], CollectionError>) -> Void)? = nil,
        apiResult: (@MainActor (Result<[Message], CollectionError>) -> Void)? = nil
    ) -> Task<[Message], any Error> {
        let cached = showCached(policy)
        cacheResult?(cached)
        let task = Task { @MainActor [weak self, engine, channelURL] () throws -> [Message] in
            let result: Result<[Message], CollectionError>
            do throws(CollectionError) {
                if case .failure(let error) = cached, error.code != .store { throw error }
                if policy.loadsFromAPI {
                    // Not held while the server is waited for: let go of, it waits no longer.
                    let state = await engine.settledState
                    if let request = try self?.firstPage(state) {
                        do throws(SyncError) {
                            _ = try await request.page(of: channelURL, by: engine)
                        } catch {
                            throw CollectionError(error)
                        }
                    }
                }
                guard let self else { throw .disposed(channelURL.rawValue) }
                result = .success(policy.loadsFromAPI ? try await showServer() : messages)
            } catch {
                // The end cancels what is under way.
                let isOver = error.code == .canceled && self?.isDisposed != false
                result = .failure(isOver ? .disposed(channelURL.rawValue) : error)
            }
            if self?.isDisposed == false || !cached.isSuccess { apiResult?(result) }
            return try result.get()
        }
        tasks.add(task)
        return task
    }

    private func showCached(_ policy: InitPolicy) -> Result<[Message], CollectionError> {
        do throws(CollectionError) {
            guard !isDisposed else { throw .disposed(channelURL.rawValue) }
            guard phase == .created else {
                throw CollectionError(.queryInProgress, "the collection was started before")
            }
            phase = .started
            _ = try follow()
            if policy.loadsFromCache { try place(crossesGaps: true) }
            return .success(messages)
        } catch {
            return .failure(error)
        }
    }

    /// Places the window anew, with what is held there at once, and then what the server has.
    ///
    /// For what was called the viewpoint once; the collection, its delegate and its followers stay. After a
    /// huge gap, the time of the first message that is seen is a good place.
    ///
    /// - Returns: The messages, after the server has answered.
    /// - Throws: ``CollectionError``; with code `notConnected` what is held there is shown.
    @discardableResult
    public func restart(at point: StartingPoint) async throws(CollectionError) -> [Message] {
        try checkIsStarted()
        startingPoint = point
        hasLoadedMore = false
        try place(crossesGaps: true)
        // As a page is waited for: not beyond the end.
        let state = try await tasks.ask { [engine] () throws(SyncError) in
            await engine.settledState
        }
        if let request = try firstPage(state) { try await fetch(request) }
        return try await showServer()
    }

    /// Ends it: nothing is told from here on, and nothing loaded.
    ///
    /// Doing it twice is doing it once.
    public func dispose() {
        guard !isDisposed else { return }
        isDisposed = true
        follower?.stop()
        tasks.cancelAll()
        viewer.leave()
        followers.end()
    }

    func checkIsStarted() throws(CollectionError) {
        if isDisposed { throw .disposed(channelURL.rawValue) }
        guard phase == .started else {
            throw CollectionError(
                .notStarted, "the collection of \(channelURL) was not started: call start() first")
        }
    }

    func stored<Value>(
        _ read: (Snapshot) throws(StoreError) -> Value
    ) throws(CollectionError) -> Value {
        do throws(StoreError) {
            return try read(try engine.store.snapshot())
        } catch {
            throw CollectionError(error)
        }
    }

    // MARK: Following

    private func follow() throws(CollectionError) -> StoreFollower {
        if let follower { return follower }
        let follower = try StoreFollower(.channel(channelURL), of: engine.store) {
            [weak self] change in self?.take(change)
        }
        self.follower = follower
        tasks.add(
            Task { @MainActor [weak self, engine, channelURL] in
                // Each message that comes changes the state; nobody is to be woken for that.
                for await _ in await engine.events(where: { $0.isHugeGap(in: channelURL) }) {
                    self?.tellHugeGap()
                }
            })
        // The last: if the channel cannot be read, its messages may be, and all else is followed by then.
        channel = try follower.read { (reader) throws(StoreError) in
            try reader.groupChannel(channelURL) ?? channel
        }
        return follower
    }

    private func tellHugeGap() {
        catchUp()
        guard !isDisposed else { return }
        delegate?.messageCollectionDidDetectHugeGap(self)
    }

    /// Takes over what the store has told so far.
    func catchUp() { follower?.catchUp() }

    private func take(_ change: Change) {
        let edits = window.fold(change)
        var taken = [change]
        // A store that is closed has nothing to tell; one that cannot be read is told by the engine.
        if let edits = edits.isMissed ? try? readAgain(after: edits, &taken) : edits {
            apply(edits, .told)
        }
        for entry in taken.lazy.flatMap(\.entries) where !isDisposed { tell(entry) }
    }

    private func readAgain(
        after told: WindowEdits, _ taken: inout [Change]
    ) throws(StoreError) -> WindowEdits? {
        try follower?.readAgain { (snapshot, ahead) throws(StoreError) in
            let held = try snapshot.groupChannel(channelURL)
            let edits = try window.readAgain(in: snapshot, after: told, ahead)
            channel = held ?? channel
            taken += ahead
            return edits
        }
    }

    private func tell(_ entry: Change.Entry) {
        switch entry.operation {
        case .savedGroupChannel(let channel) where channel.url == channelURL:
            self.channel = channel
            isChannelDeleted = false
            tellChannel(entry.source ?? .eventChannelChanged)
        case .removedChannel(channelURL), .clearedCachedData:
            isChannelDeleted = true
            let context = GroupChannelContext(source: entry.source ?? .eventChannelDeleted)
            delegate?.messageCollection(self, context: context, deletedChannel: channelURL)
        case .told(.typing(let users, channelURL)):
            typingUsers = users
            tellChannel(.eventTypingStatusUpdated)
        case .told(.uploadProgress(let id, channelURL, let bytes, let total)):
            delegate?.messageCollection(self, uploaded: bytes, of: total, for: id)
        default: break
        }
    }

    private func tellChannel(_ source: CollectionEventSource) {
        delegate?.messageCollection(
            self, context: GroupChannelContext(source: source), updatedChannel: channel)
    }

    // MARK: Rows

    /// Places the window at the starting point.
    func place(crossesGaps: Bool) throws(CollectionError) {
        let start = start
        try load(trimming: .oldest) { (window, reader) throws(StoreError) in
            (try window.open(at: start, crossesGaps: crossesGaps, in: reader), ())
        }
    }

    /// Where the window begins.
    var start: Window.Start {
        switch startingPoint {
        case .latest: .newest
        case .time(let time): .time(time)
        case .lastRead: channel.myLastRead.map { .time($0) } ?? .newest
        }
    }

    /// Changes the window by reading, and the rows by what was read.
    ///
    /// - Parameters:
    ///   - end: Where rows leave if there are too many.
    ///   - read: Reads, and says what is to be done to the rows.
    /// - Returns: What it returns, and the messages that are shown since.
    /// - Throws: What it throws; `disposed`.
    @discardableResult
    func load<Value>(
        trimming end: Window.End,
        _ read: (inout Window, Snapshot) throws(StoreError) -> (edits: WindowEdits, Value)
    ) throws(CollectionError) -> (value: Value, shown: [Message]) {
        try checkIsStarted()
        let follower = try follow()
        let (edits, value) = try follower.read { (reader) throws(StoreError) in
            try read(&window, reader)
        }
        try checkIsStarted()
        let diff = apply(edits, .asked, trimming: end)
        follower.catchUp()
        return (value, diff.insertions.compactMap(\.element.message))
    }

    /// The window as it is, to decide by.
    var shownWindow: Window { window }

    @discardableResult
    private func apply(
        _ edits: WindowEdits, _ telling: Telling, trimming end: Window.End = .oldest
    ) -> ListDiff<MessageItem> {
        let before = CollectionChange.checked(window.items)
        let diff = window.apply(edits, trimming: end)
        // Last: it wakes the engine, which takes as long as all else here.
        defer { viewer.shows(window) }
        guard !diff.isEmpty else { return diff }
        knownMessages = nil
        let change = CollectionChange(diff, in: window.items)
        change.check(from: before, to: window.items)
        followers.tell(change)
        delegate?.messageCollection(self, didChange: change)
        guard telling == .told else { return diff }
        let rows = MessageChanges(diff, edits.sources, edits.canceled)
        for (context, messages) in rows.added.parts where !isDisposed {
            delegate?.messageCollection(
                self, context: context, channel: channel, addedMessages: messages)
        }
        for (context, messages) in rows.updated.parts where !isDisposed {
            delegate?.messageCollection(
                self, context: context, channel: channel, updatedMessages: messages)
        }
        for (context, messages) in rows.deleted.parts where !isDisposed {
            delegate?.messageCollection(
                self, context: context, channel: channel, deletedMessages: messages)
        }
        return diff
    }
}

extension GroupChannel {
    /// A channel of which nothing is known.
    static func unknown(_ url: ChannelURL) -> GroupChannel {
        GroupChannel(url: url, createdAt: Timestamp(milliseconds: 0))
    }
}

extension SyncEvent {
    fileprivate func isHugeGap(in url: ChannelURL) -> Bool {
        if case .hugeGap(url) = self { true } else { false }
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
