public import Models
public import Observation
import Store
public import Sync

/// A live list of the messages of a channel, or of the replies to a message, which shows cached
/// messages first and stays in sync with the server.
///
/// ```swift
/// let collection = MessageCollection(of: "general", engine: engine)
/// collection.delegate = self
/// collection.start()
/// show(collection.items)  // the cached rows; the server's rows follow as changes
/// ```
///
/// The list shows a part of the stored history, called its window, and follows the changes of the
/// store in that part. Sending, editing and reacting change the store through the engine.
///
/// The channel is a group channel, or an open channel that the user has entered. A collection of
/// replies has a ``parentMessageID``, and the same window, changes and delegate as a collection of
/// a channel's messages.
///
/// The collection is isolated to the main actor. Its properties are observable, and each is
/// invalidated only by changes of its own value: a view that reads ``messages`` is not evaluated
/// again when a user types. Views that use Observation need no delegate.
@MainActor
@Observable
public final class MessageCollection {
    /// The URL of the channel.
    public let channelURL: ChannelURL

    /// The ID of the message whose replies are listed; `nil` for a channel's messages.
    public var parentMessageID: MessageID? { window.thread?.parentID }

    /// The last known version of the message whose replies are listed.
    ///
    /// It is `nil` for a channel's messages, and until the parent message is stored.
    public internal(set) var parentMessage: Message?

    /// A Boolean value that indicates whether the message whose replies are listed was deleted.
    ///
    /// If it was deleted, the listed replies stay, no more replies can be loaded, and the server
    /// refuses new ones.
    public internal(set) var isParentMessageDeleted = false

    /// The messages to show, their order, and the page sizes.
    public let params: MessageListParams

    /// The position at which the collection was created, or to which ``restart(at:)`` last moved
    /// the window.
    public private(set) var startingPoint: StartingPoint

    /// The group channel as it was stored last.
    ///
    /// If the channel was not stored yet, or is an open channel, this value has only the URL. After
    /// the cache was cleared, it keeps its value until the channel is fetched again.
    public private(set) var channel: GroupChannel

    /// The open channel as it was stored last; `nil` if it was not stored yet, was deleted, or is a
    /// group channel.
    public private(set) var openChannel: OpenChannel?

    /// The users who are typing in the channel.
    ///
    /// It is empty without a connection. If the server does not report that a user has stopped
    /// typing, the user is removed after `SyncOptions.typingTimeout`.
    public private(set) var typingUsers: [User] = []

    /// The text that the user is writing in the channel or in the thread, as saved by
    /// ``setDraft(_:replyingTo:)``; otherwise empty.
    public private(set) var draft = ""

    /// The message to which the ``draft`` replies; `nil` if the user has chosen none.
    public private(set) var draftReplyingTo: MessageID?

    /// The edits, deletions and reactions in the channel that failed, in the order in which the
    /// user made them.
    ///
    /// ``resend(_:replacing:)-(Message,_)`` retries one of them, and ``discardFailedItems(_:)``
    /// discards it.
    public private(set) var failedChanges: [OutboxItem] = []

    /// The oldest message of another user that the current user had not read when the collection
    /// was started, or when ``restart(at:)`` was called.
    ///
    /// It does not change when the channel is marked as read, so that a view can show where the
    /// unread messages begin. It is `nil` if all messages were read, or if the window does not show
    /// which message was the first unread one: start the collection at ``StartingPoint/lastRead``.
    public private(set) var firstUnreadMessageID: MessageID?

    /// The progress of the uploads of pending messages' files, by request IDs.
    public internal(set) var uploadProgress: [RequestID: UploadProgress] = [:]

    /// A Boolean value that indicates whether ``dispose()`` was called.
    public private(set) var isDisposed = false

    /// A Boolean value that indicates whether the channel was deleted, or the user left it or was
    /// banned from it.
    public private(set) var isChannelDeleted = false

    /// The delegate that is notified of changes.
    @ObservationIgnored public weak var delegate: (any MessageCollectionDelegate)?

    /// The engine that fetches and sends messages.
    @ObservationIgnored public let engine: SyncEngine

    @ObservationIgnored var window: Window
    @ObservationIgnored var longReads = LongReads()
    @ObservationIgnored private var knownMessages: [Message]?
    @ObservationIgnored var observed = ObservedValues()
    @ObservationIgnored private(set) var phase = Phase.created
    @ObservationIgnored private var follower: StoreFollower?
    @ObservationIgnored private let followers = Followers<CollectionChange<MessageItem>>()
    @ObservationIgnored var loading: Set<Direction> = []
    @ObservationIgnored var threadRefresh: ThreadRefresh?
    @ObservationIgnored var hasLoadedMore = false
    /// The time up to which the user had read the channel when the window was opened.
    @ObservationIgnored private var readUpTo: Timestamp?
    @ObservationIgnored private var viewer: ChannelViewer?
    @ObservationIgnored private var shownRange: ShownRange??
    @ObservationIgnored let tasks = TaskBag()

    enum Phase { case created, started }

    /// The default capacity: 10,000 messages.
    public nonisolated static let defaultCapacity = 10_000

    /// Creates a collection of a channel's messages, whose list is empty until ``start(_:)``.
    ///
    /// - Parameters:
    ///   - channelURL: The URL of the channel.
    ///   - startingPoint: The initial position of the window. The default is the newest message.
    ///   - params: The messages to show, their order, and the page sizes. `isInclusive` is ignored:
    ///     messages at the starting point are always shown.
    ///   - userID: The current user. If it is `nil`, the user's reactions are not shown until they
    ///     are sent.
    ///   - capacity: The maximum number of sent messages; less than 1 counts as 1. Gaps and unsent
    ///     messages do not count. If a page would exceed the capacity, the collection removes
    ///     messages at the opposite end of the list; they can be loaded again. No page is larger
    ///     than the capacity, even if `params` specifies a larger one, so that loading skips no
    ///     message.
    ///   - engine: The engine that fetches the messages.
    public convenience init(
        of channelURL: ChannelURL, startingPoint: StartingPoint = .latest,
        params: MessageListParams = MessageListParams(), userID: UserID? = nil,
        capacity: Int = MessageCollection.defaultCapacity, engine: SyncEngine
    ) {
        self.init(
            Window(on: channelURL, params: params, userID: userID, capacity: capacity),
            startingPoint, engine)
        viewer = engine.makeViewer(of: channelURL)
    }

    /// Creates a collection of the replies to a message, whose list is empty until ``start(_:)``.
    ///
    /// - Parameters:
    ///   - parentMessageID: The ID of the parent message, which need not be stored.
    ///   - channelURL: The URL of its channel.
    ///   - startingPoint: The initial position of the window. The default is the newest reply.
    ///   - params: The replies to show, their order, and the page sizes. `isInclusive` is ignored.
    ///   - userID: The current user, as for a channel's messages.
    ///   - capacity: The maximum number of sent replies, as for a channel's messages.
    ///   - engine: The engine that fetches the replies.
    public convenience init(
        ofRepliesTo parentMessageID: MessageID, in channelURL: ChannelURL,
        startingPoint: StartingPoint = .latest,
        params: ThreadedMessageListParams = ThreadedMessageListParams(), userID: UserID? = nil,
        capacity: Int = MessageCollection.defaultCapacity, engine: SyncEngine
    ) {
        self.init(
            Window(
                on: channelURL, thread: ThreadCoverage(of: parentMessageID, in: channelURL),
                params: MessageListParams(params), userID: userID, capacity: capacity),
            startingPoint, engine)
    }

    private init(_ window: Window, _ startingPoint: StartingPoint, _ engine: SyncEngine) {
        channelURL = window.channelURL
        params = window.params
        self.window = window
        self.startingPoint = startingPoint
        self.engine = engine
        channel = .unknown(window.channelURL)
    }

    // MARK: The rows

    /// The rows: messages, and gaps between them.
    ///
    /// The rows are sorted from oldest to newest, or from newest to oldest if `params.isReversed`
    /// is true. Unsent messages are newer than all sent ones, and are listed wherever the window
    /// is.
    public var items: [MessageItem] {
        access(keyPath: \.items)
        return window.items
    }

    /// The messages of ``items``.
    ///
    /// - Complexity: O(*n*) after a change, otherwise O(1).
    public var messages: [Message] {
        access(keyPath: \.messages)
        if let knownMessages { return knownMessages }
        let messages = window.items.compactMap(\.message)
        knownMessages = messages
        return messages
    }

    /// The messages that the server has accepted.
    public var succeededMessages: [Message] {
        access(keyPath: \.succeededMessages)
        return window.items.compactMap(\.message).filter { $0.messageID != nil }
    }

    /// The channel's pending messages, in the order in which the user wrote them.
    ///
    /// They include messages that do not match the list.
    public var pendingMessages: [Message] {
        access(keyPath: \.pendingMessages)
        return window.unsentMessages(.pending)
    }

    /// The channel's failed messages, in the order in which the user wrote them.
    ///
    /// They include messages that do not match the list.
    public var failedMessages: [Message] {
        access(keyPath: \.failedMessages)
        return window.unsentMessages(.failed)
    }

    /// A Boolean value that indicates whether messages older than the listed ones exist, or may
    /// exist.
    public var hasPrevious: Bool {
        access(keyPath: \.hasPrevious)
        return phase == .started && !isParentMessageDeleted && window.hasPrevious
    }

    /// A Boolean value that indicates whether messages newer than the listed ones exist, or may
    /// exist.
    public var hasNext: Bool {
        access(keyPath: \.hasNext)
        return phase == .started && !isParentMessageDeleted && window.hasNext
    }

    /// Returns the coverage of the channel's history: which ranges are complete, missing and stale.
    ///
    /// The history is read on another thread.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `store`.
    /// - Complexity: O(*n*) in the number of stored messages of the channel.
    public func coverage() async throws(SyncError) -> Coverage {
        try await onDisk { [store = engine.store, channelURL] () throws(StoreError) in
            try store.snapshot().coverage(of: channelURL)
        }
    }

    /// Returns a stream of the changes from now on.
    ///
    /// If an app applies the changes in order to a copy of ``items``, the copy stays equal to
    /// ``items``. The stream buffers unread changes, and ends with ``dispose()``.
    public func allChanges() -> AsyncStream<CollectionChange<MessageItem>> { followers.follow() }

    // MARK: Beginning and end

    /// Starts the collection: shows cached messages, and then fetches messages from the server.
    ///
    /// The cached messages are listed when the call returns, regardless of the network. From then
    /// on, the collection follows all changes. The server's messages replace the cached ones. If
    /// the engine is live and the cache has the whole first page, the collection sends no request.
    ///
    /// The returned value does not keep the collection alive.
    ///
    /// - Parameter policy: The sources to load from: the cache, the server, or both.
    /// - Returns: The cached messages, and the messages after the server has responded. If the
    ///   policy excludes the cache, the cached messages are empty. If it excludes the server, both
    ///   results are equal.
    @discardableResult
    public func start(
        _ policy: InitPolicy = .cacheAndReplaceByAPI
    ) -> CollectionStart<Message> {
        let cached = showCached(policy)
        let refresh = Task { @MainActor [weak self, engine, channelURL] in
            do throws(SyncError) {
                var isCovered = true
                if case .failure(let error) = cached, error.code != .store { throw error }
                if policy.loadsFromCache { try await self?.completeWindow(crossesGaps: true) }
                if policy.loadsFromAPI {
                    // Do not retain the collection while waiting for the server: if the app
                    // releases the collection, the wait ends.
                    let state = await engine.stateAfterConnecting
                    if let id = self?.missingParentMessageID {
                        let lookup = try await engine.fetchMessages([id], in: channelURL)
                        try self?.apply(parentLookup: lookup)
                    }
                    if let id = self?.missingStart {
                        let lookup = try await engine.fetchMessages([id], in: channelURL)
                        if lookup.found.isEmpty { throw .doesNotExist(id, channelURL) }
                    }
                    if let request = try await self?.firstPage(state) {
                        let omissions = self?.omissions
                        let fetched = try await engine.fetch(request, .messageInitialize)
                        self?.record(fetched, since: omissions)
                        isCovered = fetched.from != nil
                    }
                }
                guard let self else { throw .disposed(channelURL.rawValue) }
                return Result<[Message], SyncError>.success(
                    policy.loadsFromAPI ? try await showServer(isCovered: isCovered) : messages)
            } catch {
                // Disposing the collection cancels its requests. The error is `disposed` then, not
                // `canceled`.
                let isOver = error.code.isEnd && self?.isDisposed != false
                return .failure(isOver ? .disposed(channelURL.rawValue) : error)
            }
        }
        tasks.add(refresh)
        return CollectionStart(cachedResult: cached, refresh: refresh)
    }

    private func showCached(_ policy: InitPolicy) -> Result<[Message], SyncError> {
        do throws(SyncError) {
            guard !isDisposed else { throw .disposed(channelURL.rawValue) }
            guard phase == .created else {
                throw SyncError(.queryInProgress, "the collection is already started")
            }
            phase = .started
            _ = try follow()
            notifyObservers()
            readUpTo = channel.myLastRead
            if policy.loadsFromCache {
                if let id = missingStart, !policy.loadsFromAPI {
                    throw .isNotCached(id, channelURL)
                }
                if missingStart == nil { try openWindow(crossesGaps: true) }
            }
            return .success(messages)
        } catch {
            return .failure(error)
        }
    }

    /// Moves the window to another position, and shows first the cached messages there, then the
    /// server's.
    ///
    /// The delegate and the subscribers of changes stay. To skip a huge gap, pass the time of the
    /// first message that is visible in the app's view.
    ///
    /// - Returns: The messages after the server has responded.
    /// - Throws: ``/Sync/SyncError``. After an error with code `notConnected`, the window has moved
    ///   and shows the stored messages, except if the starting point is a message that is not
    ///   cached: the window then stays. The code is `notFound` if that message does not exist.
    @discardableResult
    public func restart(at point: StartingPoint) async throws(SyncError) -> [Message] {
        try checkIsStarted()
        if case .message(let id) = point { try await fetchIfMissing(id) }
        startingPoint = point
        hasLoadedMore = false
        readUpTo = channel.myLastRead
        try openWindow(crossesGaps: true)
        try await completeWindow(crossesGaps: true)
        // Disposing the collection cancels the wait.
        let state = try await tasks.run { [engine] () throws(SyncError) in
            await engine.stateAfterConnecting
        }
        var isCovered = true
        if let request = try await firstPage(state) {
            isCovered = try await fetch(request, .messageInitialize).from != nil
        }
        return try await showServer(isCovered: isCovered)
    }

    /// Ends the collection: it loads no more messages and sends no more notifications.
    ///
    /// Calling this method again has no effect.
    public func dispose() {
        guard !isDisposed else { return }
        isDisposed = true
        follower?.stop()
        tasks.cancelAll()
        viewer = nil
        followers.end()
    }

    func endSession() {
        guard !isDisposed else { return }
        follower?.stop()
        (channel, openChannel, parentMessage) = (.unknown(channelURL), nil, nil)
        (typingUsers, draft, failedChanges, uploadProgress) = ([], "", [], [:])
        draftReplyingTo = nil
        apply(window.removeAll(.sessionEnded), .reported)
        dispose()
    }

    func checkIsStarted() throws(SyncError) {
        if isDisposed { throw .disposed(channelURL.rawValue) }
        guard phase == .started else {
            throw SyncError(
                .notStarted, "the collection of \(channelURL) was not started: call start() first")
        }
    }

    func stored<Value>(
        _ read: (Snapshot) throws(StoreError) -> Value
    ) throws(SyncError) -> Value {
        do throws(StoreError) {
            return try read(try engine.store.snapshot())
        } catch {
            throw SyncError(error)
        }
    }

    // MARK: Following

    func follow() throws(SyncError) -> StoreFollower {
        if let follower { return follower }
        let follower = try StoreFollower(.channel(channelURL), of: engine.store) {
            [weak self] change in self?.apply(change)
        }
        self.follower = follower
        let isThread = window.thread != nil
        tasks.add(
            Task { @MainActor [weak self, engine, channelURL] in
                // Filter the events, because the engine emits one for each message, and each would
                // resume this task.
                let events = await engine.events {
                    isThread ? $0.isLive : $0.isHugeGap(in: channelURL)
                }
                for await _ in events {
                    if isThread { self?.refreshThread() } else { self?.notifyHugeGap() }
                }
            })
        // Read the channel last: if its row is damaged, the messages before this step are
        // nevertheless shown.
        channel = try follower.read { (reader) throws(StoreError) in
            try readParentMessage(in: reader)
            openChannel = try reader.openChannel(channelURL)
            return try reader.groupChannel(channelURL) ?? channel
        }
        readFailedChanges(notifies: false)
        readDraft()
        return follower
    }

    /// Reads the failed changes, and optionally notifies the delegate of the new ones.
    private func readFailedChanges(notifies: Bool) {
        // Ignore the error: a closed store reports no changes, and the engine reports an unreadable
        // one.
        guard let items = try? engine.store.outboxItems(in: channelURL, state: .failed) else {
            return
        }
        let known = Set(failedChanges.map(\.requestID))
        set(\.failedChanges, to: items.filter { $0.operation != .send })
        guard notifies else { return }
        for item in failedChanges where !known.contains(item.requestID) && !isDisposed {
            delegate?.messageCollection(self, didFail: item)
        }
    }

    private func readDraft() {
        // Ignore the error: a closed store reports no changes, and a damaged draft counts as empty.
        let stored = try? engine.store.draft(of: channelURL, inThreadOf: parentMessageID)
        show(draft: (stored ?? nil) ?? "")
    }

    private func show(draft new: Draft) {
        set(\.draft, to: new.text)
        set(\.draftReplyingTo, to: new.replyingTo)
    }

    private func notifyHugeGap() {
        catchUp()
        guard !isDisposed else { return }
        delegate?.messageCollectionDidDetectHugeGap(self)
    }

    func catchUp() { follower?.catchUp() }

    private func apply(_ change: Change) {
        let wasStale = window.thread?.isStale ?? false
        defer { if !wasStale { refreshThread() } }
        let edits = window.fold(change)
        longReads.record(change)
        var changes = [change]
        // Ignore the error: a closed store reports no changes, and the engine reports an unreadable
        // one.
        if let edits = edits.isMissed ? try? readAgain(after: edits, &changes) : edits {
            apply(edits, .reported)
        }
        let concernsChanges =
            edits.isMissed
            || changes.contains { change in
                change.entries.contains { $0.operation.isOfUnsentChange }
            }
        if concernsChanges { readFailedChanges(notifies: true) }
        if edits.isMissed { readDraft() }
        for change in changes { notify(change) }
        if edits.isMissed { readParentMessageAgain() }
        notifyObservers()
    }

    private func readAgain(
        after earlier: WindowEdits, _ changes: inout [Change]
    ) throws(StoreError) -> WindowEdits? {
        try follower?.readAgain { (snapshot, skipped) throws(StoreError) in
            let held = try snapshot.groupChannel(channelURL)
            var next = window
            next.visits = VisitLimit(Self.visitLimit)
            let edits = try next.readAgain(in: snapshot, after: earlier, skipped)
            set(\.channel, to: held ?? channel)
            set(\.openChannel, to: try snapshot.openChannel(channelURL))
            changes += skipped
            if next.visits.stop != nil {
                readAgainElsewhere(after: edits)
                return nil
            }
            longReads.invalidate()
            window = next
            return edits
        }
    }

    /// Notifies the delegate of a commit's changes of the channel itself.
    ///
    /// If a commit saves the channel several times with the same source, for example because many
    /// messages arrived, the delegate is notified once.
    private func notify(_ change: Change) {
        let entries = change.entries.filter { $0.operation.isOfChannel(channelURL) }
        if window.thread != nil { notifyParent(change) }
        for (entry, next) in zip(entries, entries.dropFirst().map(Optional.some) + [nil])
        where !isDisposed {
            if case .savedGroupChannel = entry.operation,
                case .savedGroupChannel? = next?.operation, next?.source == entry.source
            {
                continue
            }
            notify(entry)
        }
    }

    private func notify(_ entry: Change.Entry) {
        switch entry.operation {
        case .savedGroupChannel(let channel) where channel.url == channelURL:
            set(\.channel, to: channel)
            set(\.isChannelDeleted, to: false)
            notifyChannel(entry.source ?? .channelBackgroundSync)
        case .savedOpenChannel(let channel):
            set(\.openChannel, to: channel)
            set(\.isChannelDeleted, to: false)
            let context = GroupChannelContext(source: entry.source ?? .channelBackgroundSync)
            delegate?.messageCollection(self, context: context, updatedOpenChannel: channel)
        case .removedChannel(channelURL): notifyChannelRemoval(entry.source)
        case .clearedCachedData, .replacedCache: checkChannelAfterClearing()
        case .ephemeral(.typing(let users, channelURL)):
            set(\.typingUsers, to: users)
            notifyChannel(.eventTypingStatusUpdated)
        case .savedDraft(let new, channelURL, parentMessageID): show(draft: new)
        case .ephemeral(.uploadProgress(let id, channelURL, let bytes, let total)):
            let progress = UploadProgress(
                requestID: id, channelURL: channelURL, bytesTransferred: bytes, bytesInAll: total)
            set(\.uploadProgress[id], to: progress)
            delegate?.messageCollection(self, uploaded: bytes, of: total, for: id)
        default: break
        }
    }

    private func notifyChannelRemoval(_ source: CollectionEventSource?) {
        set(\.openChannel, to: nil)
        set(\.isChannelDeleted, to: true)
        let context = GroupChannelContext(source: source ?? .channelBackgroundSync)
        delegate?.messageCollection(self, context: context, deletedChannel: channelURL)
    }

    /// Waits until the engine has fetched the user's channels again, after the cache was cleared or
    /// replaced, and then reports the channel as removed if it is not among them.
    ///
    /// Until then, the collection keeps showing the channel as it was stored last.
    private func checkChannelAfterClearing() {
        guard !isChannelDeleted, channel != .unknown(channelURL) else { return }
        tasks.add(
            Task { @MainActor [weak self, engine] in
                for await _ in await engine.events(where: \.isLive) {
                    if self?.isChannelKnown ?? true { break }
                }
            })
    }

    /// Whether the channel is stored again or was reported as removed.
    private var isChannelKnown: Bool {
        catchUp()
        if isDisposed || isChannelDeleted { return true }
        // Ignore the error: a closed store reports no changes, and the engine reports an unreadable
        // one.
        let found = try? stored { (reader) throws(StoreError) in
            (channel: try reader.groupChannel(channelURL), hasAll: try reader.hasAllChannels())
        }
        guard let found, found.hasAll || found.channel != nil else { return false }
        if found.channel == nil {
            removeReplacedRows()
            notifyChannelRemoval(.channelBackgroundSync)
        }
        return true
    }

    /// Removes the rows of a replaced cache, because the user has lost the channel.
    private func removeReplacedRows() {
        var changes: [Change] = []
        // Ignore the error: a closed store reports no changes, and the engine reports an unreadable
        // one.
        guard window.isReplaced,
            let edits = try? readAgain(after: WindowEdits(), &changes)
        else { return }
        apply(edits, .reported)
        for change in changes { notify(change) }
    }

    private func notifyChannel(_ source: CollectionEventSource) {
        delegate?.messageCollection(
            self, context: GroupChannelContext(source: source), updatedChannel: channel)
    }

    // MARK: The window

    func openWindow(crossesGaps: Bool) throws(SyncError) {
        let start = windowStart
        try load(trimming: .oldest, .requested) { (window, reader) throws(StoreError) in
            (try window.open(at: start, crossesGaps: crossesGaps, in: reader), ())
        }
        readUpTo = readUpTo ?? channel.myLastRead
        set(\.firstUnreadMessageID, to: readUpTo.flatMap { window.firstUnread(after: $0) })
    }

    /// Changes the window by reading from the store, and applies the resulting edits to the rows.
    ///
    /// If messages exceed the capacity, they are removed at `end`. Returns the closure's value, and
    /// the newly listed messages.
    @discardableResult
    func load<Value>(
        trimming end: Window.End, _ reporting: Reporting,
        _ read: (inout Window, Snapshot) throws(StoreError) -> (edits: WindowEdits, Value)
    ) throws(SyncError) -> (value: Value, shown: [Message]) {
        try checkIsStarted()
        let follower = try follow()
        window.visits = VisitLimit(Self.visitLimit)
        let (edits, value) = try follower.read { (reader) throws(StoreError) in
            try read(&window, reader)
        }
        longReads.invalidate()
        try checkIsStarted()
        let diff = apply(edits, reporting, trimming: end)
        follower.catchUp()
        return (value, diff.insertions.compactMap(\.element.message))
    }

    var shownWindow: Window { window }

    /// Shows a message that was written in this collection, even if it does not match the list.
    func showWritten(_ id: RequestID) {
        longReads.invalidate()
        apply(window.showWritten(id), .reported)
    }

    func changeThread(_ change: (inout Window) -> WindowEdits) {
        longReads.invalidate()
        apply(change(&window), .requested)
    }

    /// Sets whether the shown replies have to be fetched again, because the feed may have omitted
    /// changes of them.
    func setThreadIsStale(_ isStale: Bool) {
        longReads.invalidate()
        window.thread?.isStale = isStale
    }

    @discardableResult
    func apply(
        _ edits: WindowEdits, _ reporting: Reporting, trimming end: Window.End = .oldest
    ) -> ListDiff<MessageItem> {
        let before = CollectionChange.checked(window.items)
        var edits = edits
        let diff = window.apply(&edits, trimming: end)
        // Report the shown range last, because that takes as long as everything else in this
        // method.
        defer { showWindow() }
        if diff.hasMessages { knownMessages = nil }
        notifyObservers(of: diff)
        guard !diff.isEmpty else { return diff }
        let change = CollectionChange(diff, in: window.items)
        change.check(from: before, to: window.items)
        followers.notify(change)
        delegate?.messageCollection(self, didChange: change)
        guard reporting != .requested else { return diff }
        let rows = MessageChanges(diff, edits.sources, edits.canceled, edits.accepted)
        for (context, messages) in rows.added.parts where !isDisposed && reporting == .reported {
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

    /// Reports the shown range to the engine, which fills the gaps in that range first.
    private func showWindow() {
        // If the window is empty, report no range: the engine then fetches the newest messages.
        let range =
            window.lower == .end || window.upper < window.lower
            ? nil : ShownRange(from: window.lower, to: window.upper)
        guard shownRange != .some(range) else { return }
        shownRange = .some(range)
        viewer?.show(range)
    }
}

extension GroupChannel {
    static func unknown(_ url: ChannelURL) -> GroupChannel {
        GroupChannel(url: url, createdAt: Timestamp(milliseconds: 0))
    }
}

extension SyncEvent {
    fileprivate func isHugeGap(in url: ChannelURL) -> Bool {
        if case .hugeGap(url) = self { true } else { false }
    }

    fileprivate var isLive: Bool {
        if case .state(let state) = self { state.isLive } else { false }
    }
}

extension Change.Operation {
    /// Returns a Boolean value that indicates whether the operation changes the channel `url`
    /// itself, and not only its messages.
    fileprivate func isOfChannel(_ url: ChannelURL) -> Bool {
        switch self {
        case .savedGroupChannel, .savedOpenChannel, .removedChannel, .savedDraft, .ephemeral:
            channelURL == url
        case .clearedCachedData, .replacedCache: true
        default: false
        }
    }

    /// A Boolean value that indicates whether the operation saves or removes an unsent edit,
    /// deletion or reaction.
    fileprivate var isOfUnsentChange: Bool {
        switch self {
        case .savedOutboxItem(let item), .removedOutboxItem(let item): item.operation != .send
        default: false
        }
    }
}
