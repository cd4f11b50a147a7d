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
/// The list shows a part of the stored history, called its window, and follows the changes in that
/// part. The channel is a group channel, or an open channel that the user has entered.
///
/// Views that observe the properties need no delegate; each property is invalidated only by changes
/// of its own value.
@MainActor
@Observable
public final class MessageCollection {
    /// The channel's URL.
    public let channelURL: ChannelURL

    /// The ID of the message whose replies are listed; `nil` for a channel's messages.
    public var parentMessageID: MessageID? { window.thread?.parentID }

    /// The message whose replies are listed, in its last known version; `nil` until it is stored,
    /// and for a channel.
    public internal(set) var parentMessage: Message?

    /// A Boolean value that indicates whether the message whose replies are listed was deleted.
    ///
    /// The listed replies then stay, no more replies can be loaded, and the server refuses new
    /// ones.
    public internal(set) var isParentMessageDeleted = false

    /// The messages to show, their order, and the page sizes.
    public let params: MessageListParams

    /// The position at which the collection was created, or the last argument of ``restart(at:)``.
    public private(set) var startingPoint: StartingPoint

    /// The group channel as it was stored last, also after the cache was cleared.
    ///
    /// If it was not stored yet, or is an open channel, this value has only the URL.
    public internal(set) var channel: GroupChannel

    /// The open channel as it was stored last; `nil` if it was not stored yet, was deleted, or is a
    /// group channel.
    public internal(set) var openChannel: OpenChannel?

    /// The users who are typing in the channel; empty without a connection.
    ///
    /// Users are removed after `SyncOptions.typingTimeout` if the server does not report that they
    /// have stopped.
    public internal(set) var typingUsers: [User] = []

    /// The text that ``setDraft(_:replyingTo:)`` has saved; otherwise empty.
    public internal(set) var draft = ""

    /// The message to which the ``draft`` replies, if any.
    public internal(set) var draftReplyingTo: MessageID?

    /// The failed edits, deletions and reactions in the channel, oldest first.
    ///
    /// ``resend(_:replacing:)-(Message,_)`` retries one, and ``discardFailedItems(_:)`` discards
    /// it.
    public internal(set) var failedChanges: [OutboxItem] = []

    /// The oldest message of another user that the current user had not read when the collection
    /// was started, or when ``restart(at:)`` was called.
    ///
    /// Marking the channel as read does not change it. It is `nil` if all messages were read, or if
    /// the window does not show where the unread messages begin: start at
    /// ``StartingPoint/lastRead``.
    public internal(set) var firstUnreadMessageID: MessageID?

    /// The progress of the uploads of pending messages' files, by request IDs.
    public internal(set) var uploadProgress: [RequestID: UploadProgress] = [:]

    /// A Boolean value that indicates whether ``dispose()`` was called.
    public private(set) var isDisposed = false

    /// A Boolean value that indicates whether the channel was deleted, or the user is no longer its
    /// member.
    public internal(set) var isChannelDeleted = false

    /// The delegate that is notified of changes.
    @ObservationIgnored public weak var delegate: (any MessageCollectionDelegate)?

    /// The engine that fetches and sends messages.
    @ObservationIgnored package let engine: SyncEngine

    @ObservationIgnored var window: Window
    @ObservationIgnored var longReads = LongReads()
    @ObservationIgnored var knownMessages: [Message]?
    @ObservationIgnored var observed = ObservedValues()
    @ObservationIgnored private(set) var isStarted = false
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

    /// Creates a collection of a channel's messages, whose list is empty until ``start(_:)``.
    ///
    /// `params.isInclusive` is ignored: messages at the starting point are always shown. If
    /// `userID`, the current user, is `nil`, the user's reactions are not shown until they are
    /// sent.
    ///
    /// `capacity` is the maximum number of sent messages, and of messages in a page; at least 1. If
    /// a page would exceed it, the collection removes messages at the opposite end; they can be
    /// loaded again.
    public convenience init(
        of channelURL: ChannelURL, startingPoint: StartingPoint = .latest,
        params: MessageListParams = MessageListParams(), userID: UserID? = nil,
        capacity: Int = 10_000, engine: SyncEngine
    ) {
        self.init(
            Window(on: channelURL, params: params, userID: userID, capacity: capacity),
            startingPoint, engine)
        viewer = engine.makeViewer(of: channelURL)
    }

    /// Creates a collection of the replies to a message, whose list is empty until ``start(_:)``.
    ///
    /// The parent message need not be stored. The other parameters are as in
    /// ``init(of:startingPoint:params:userID:capacity:engine:)``.
    package convenience init(
        ofRepliesTo parentMessageID: MessageID, in channelURL: ChannelURL,
        startingPoint: StartingPoint = .latest,
        params: ThreadedMessageListParams = ThreadedMessageListParams(), userID: UserID? = nil,
        capacity: Int = 10_000, engine: SyncEngine
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
    /// They are sorted from oldest to newest, or in reverse if `params.isReversed` is true. Unsent
    /// messages are newer than all sent ones, and are listed wherever the window is.
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

    /// The sent messages.
    public var succeededMessages: [Message] {
        access(keyPath: \.succeededMessages)
        return window.items.compactMap(\.message).filter { $0.messageID != nil }
    }

    /// The channel's pending messages oldest first, including ones that do not match the list.
    public var pendingMessages: [Message] {
        access(keyPath: \.pendingMessages)
        return window.unsentMessages(.pending)
    }

    /// The channel's failed messages, as in ``pendingMessages``.
    public var failedMessages: [Message] {
        access(keyPath: \.failedMessages)
        return window.unsentMessages(.failed)
    }

    /// A Boolean value that indicates whether there may be older messages.
    public var hasPrevious: Bool {
        access(keyPath: \.hasPrevious)
        return isStarted && !isParentMessageDeleted && window.hasPrevious
    }

    /// A Boolean value that indicates whether there may be newer messages.
    public var hasNext: Bool {
        access(keyPath: \.hasNext)
        return isStarted && !isParentMessageDeleted && window.hasNext
    }

    /// Returns the complete, missing and stale ranges of the channel's history.
    ///
    /// The stored messages are read on another thread, in O(*n*).
    ///
    /// - Throws: `store`.
    public func coverage() async throws(SyncError) -> Coverage {
        try await onDisk { [store = engine.store, channelURL] () throws(StoreError) in
            try store.snapshot().coverage(of: channelURL)
        }
    }

    /// Returns a stream of the changes from now until ``dispose()``, which buffers unread changes.
    public func allChanges() -> AsyncStream<CollectionChange<MessageItem>> {
        subscribers.subscribe()
    }

    // MARK: Beginning and end

    /// Starts the collection: shows cached messages, and then replaces them by messages from the
    /// server.
    ///
    /// The cached messages are listed when the call returns. From then on, the collection follows
    /// all changes. If the engine is live and the cache has the whole first page, the collection
    /// sends no request.
    ///
    /// - Returns: The cached messages (empty if the policy excludes the cache), and the messages
    ///   after the server has responded (the cached ones if the policy excludes the server). The
    ///   value does not keep the collection alive.
    @discardableResult
    public func start(
        _ policy: InitPolicy = .cacheAndReplaceByAPI
    ) -> CollectionStart<Message> {
        let cached = showCached(policy)
        let refresh = Task { @MainActor [weak self, engine, channelURL] in
            do throws(SyncError) {
                var feedHadBegun = true
                if case .failure(let error) = cached, error.code != .store { throw error }
                if policy.loadsFromCache { try await self?.completeWindow(crossesGaps: true) }
                if policy.loadsFromAPI {
                    // Do not retain the collection during this wait: if the app releases it, the
                    // wait ends.
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
                        self?.recordThreadPage(fetched, since: omissions)
                        feedHadBegun = fetched.feedHadBegun
                    }
                }
                guard let self else { throw .disposed(channelURL.rawValue) }
                return Result<[Message], SyncError>.success(
                    policy.loadsFromAPI
                        ? try await refreshWindow(feedHadBegun: feedHadBegun) : messages)
            } catch {
                // Disposing the collection cancels its requests: report `disposed`, not `canceled`.
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
            guard !isStarted else {
                throw SyncError(.queryInProgress, "the collection is already started")
            }
            isStarted = true
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

    /// Moves the window, and shows first the cached messages there, then the server's.
    ///
    /// - Returns: The messages after the server has responded.
    /// - Throws: `notConnected` after the window has moved to stored messages, or if the starting
    ///   point is a message that is not cached: the window then stays. `notFound` if that message
    ///   does not exist; other codes of the server and the store.
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
        var feedHadBegun = true
        if let request = try await firstPage(state) {
            feedHadBegun = try await fetch(request, .messageInitialize).feedHadBegun
        }
        return try await refreshWindow(feedHadBegun: feedHadBegun)
    }

    /// Ends the collection: it loads no more messages and sends no more notifications.
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
        showEdits(window.removeAll(.sessionEnded), .reported)
        dispose()
    }

    func checkIsStarted() throws(SyncError) {
        if isDisposed { throw .disposed(channelURL.rawValue) }
        guard isStarted else {
            throw SyncError(
                .notStarted, "the collection of \(channelURL) was not started: call start() first")
        }
    }
}
