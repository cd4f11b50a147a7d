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
    public internal(set) var channel: GroupChannel

    /// The open channel as it was stored last; `nil` if it was not stored yet, was deleted, or is a
    /// group channel.
    public internal(set) var openChannel: OpenChannel?

    /// The users who are typing in the channel.
    ///
    /// It is empty without a connection. If the server does not report that a user has stopped
    /// typing, the user is removed after `SyncOptions.typingTimeout`.
    public internal(set) var typingUsers: [User] = []

    /// The text that the user is writing in the channel or in the thread, as saved by
    /// ``setDraft(_:replyingTo:)``; otherwise empty.
    public internal(set) var draft = ""

    /// The message to which the ``draft`` replies; `nil` if the user has chosen none.
    public internal(set) var draftReplyingTo: MessageID?

    /// The edits, deletions and reactions in the channel that failed, in the order in which the
    /// user made them.
    ///
    /// ``resend(_:replacing:)-(Message,_)`` retries one of them, and ``discardFailedItems(_:)``
    /// discards it.
    public internal(set) var failedChanges: [OutboxItem] = []

    /// The oldest message of another user that the current user had not read when the collection
    /// was started, or when ``restart(at:)`` was called.
    ///
    /// It does not change when the channel is marked as read, so that a view can show where the
    /// unread messages begin. It is `nil` if all messages were read, or if the window does not show
    /// which message was the first unread one: start the collection at ``StartingPoint/lastRead``.
    public internal(set) var firstUnreadMessageID: MessageID?

    /// The progress of the uploads of pending messages' files, by request IDs.
    public internal(set) var uploadProgress: [RequestID: UploadProgress] = [:]

    /// A Boolean value that indicates whether ``dispose()`` was called.
    public private(set) var isDisposed = false

    /// A Boolean value that indicates whether the channel was deleted, or the user left it or was
    /// banned from it.
    public internal(set) var isChannelDeleted = false

    /// The delegate that is notified of changes.
    @ObservationIgnored public weak var delegate: (any MessageCollectionDelegate)?

    /// The engine that fetches and sends messages.
    @ObservationIgnored public let engine: SyncEngine

    @ObservationIgnored var window: Window
    @ObservationIgnored var longReads = LongReads()
    @ObservationIgnored var knownMessages: [Message]?
    @ObservationIgnored var observed = ObservedValues()
    @ObservationIgnored private(set) var phase = Phase.created
    @ObservationIgnored var follower: StoreFollower?
    @ObservationIgnored let subscribers = Subscribers<CollectionChange<MessageItem>>()
    @ObservationIgnored var loading: Set<Direction> = []
    @ObservationIgnored var threadRefresh: ThreadRefresh?
    @ObservationIgnored var hasLoadedMore = false
    /// The time up to which the user had read the channel when the window was opened.
    @ObservationIgnored var readUpTo: Timestamp?
    @ObservationIgnored var viewer: ChannelViewer?
    @ObservationIgnored var shownRange: ShownRange??
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
    public func allChanges() -> AsyncStream<CollectionChange<MessageItem>> {
        subscribers.subscribe()
    }

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
                var isFollowed = true
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
                        isFollowed = fetched.isFollowed
                    }
                }
                guard let self else { throw .disposed(channelURL.rawValue) }
                return Result<[Message], SyncError>.success(
                    policy.loadsFromAPI ? try await showServer(isFollowed: isFollowed) : messages)
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
        var isFollowed = true
        if let request = try await firstPage(state) {
            isFollowed = try await fetch(request, .messageInitialize).isFollowed
        }
        return try await showServer(isFollowed: isFollowed)
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
        subscribers.end()
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
}
