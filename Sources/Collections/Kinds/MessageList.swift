public import Models
public import Observation
public import Store
public import Sync

/// A live list of the messages of some kinds, such as the pictures of a channel, newest first.
///
/// ```swift
/// let pictures = try client.makeMessageList(of: [.image, .video], in: "general")
/// try await pictures.start()
/// show(pictures.rows)
/// ```
///
/// The list contains the loaded pages of stored messages. In that part of the history, it inserts
/// new messages, updates edited ones, and removes deleted ones. Unsent messages are not listed. If
/// the cache does not have the whole history of the channel, ``gap`` says where it ends, and
/// ``loadPrevious()`` continues there with the server's messages. ``rows``, ``hasPrevious`` and
/// ``gap`` are observable: views that use Observation need no delegate.
@MainActor
@Observable
public final class MessageList {
    /// The kinds of messages.
    public let kinds: MessageKinds

    /// The channel; `nil` for all channels.
    public let channelURL: ChannelURL?

    /// The number of messages in a page.
    public let pageSize: Int

    /// The newest gap in the channel's history, in which messages of the kinds may be missing; `nil`
    /// if there is none, or if the list is of all channels.
    ///
    /// The list has all messages of the kinds that are newer than the gap. A view shows one row for
    /// the gap, at ``gapIndex``. The gap's upper bound is the position that ``loadPrevious()`` has
    /// reached.
    public private(set) var gap: Gap?

    /// The delegate that is notified of changes.
    @ObservationIgnored public weak var delegate: (any MessageListDelegate)?

    /// The engine that fetches missing messages.
    @ObservationIgnored public let engine: SyncEngine

    private var list = OrderedList<Row, Place>()
    /// The last message of the loaded pages; `nil` before the first page is loaded, and after the
    /// last one was loaded.
    private var last: Message?
    private var isStarted = false
    private var isDisposed = false
    /// The user whose mentions are listed.
    @ObservationIgnored private let userID: UserID?
    /// The gaps of the channel by their upper bounds.
    @ObservationIgnored private var gaps: [Gap.Bound: Gap] = [:]
    @ObservationIgnored private var follower: StoreFollower?
    @ObservationIgnored private let followers = Followers<CollectionChange<Row>>()
    @ObservationIgnored private let tasks = TaskBag()
    @ObservationIgnored private var isLoading = false
    /// A Boolean value that indicates whether a page is being read from the store.
    @ObservationIgnored private var isReading = false
    /// A Boolean value that indicates whether the store has dropped changes since the last page was
    /// read.
    @ObservationIgnored private var isOutdated = false
    /// The changes since the page being read was requested.
    ///
    /// Some may be newer than the page.
    @ObservationIgnored private var changesWhileReading: [Change] = []
    /// The rows that were inserted since the running call of ``loadPrevious()`` began.
    @ObservationIgnored private var inserted: Set<Row.ID> = []

    /// The number of pages that one call fetches if they contain no message of the kinds.
    private static let fetchLimit = 5
    /// The number of messages in a page that is fetched.
    private static let fetchedPageSize = 200

    /// Creates a list, which is empty until ``start()``.
    ///
    /// - Parameters:
    ///   - kinds: The kinds. A message of several of them is listed once.
    ///   - channelURL: The channel; `nil` for all channels.
    ///   - userID: The user whose mentions are listed.
    ///   - pageSize: The number of messages in a page; less than 1 counts as 1.
    ///   - engine: The engine that fetches missing messages.
    public init(
        of kinds: MessageKinds, in channelURL: ChannelURL? = nil, userID: UserID? = nil,
        pageSize: Int = MessageList.defaultPageSize, engine: SyncEngine
    ) {
        self.kinds = kinds
        self.channelURL = channelURL
        self.userID = userID
        self.pageSize = max(1, pageSize)
        self.engine = engine
    }

    /// The default number of messages in a page: 40.
    nonisolated public static let defaultPageSize = 40

    // MARK: The list

    /// The messages, newest first.
    public var rows: [Row] { list.elements }

    /// The index in ``rows`` before which a view shows the gap; `nil` if there is no gap, or if it is
    /// older than the loaded pages.
    ///
    /// - Complexity: O(log *n*) in the number of rows.
    public var gapIndex: Int? {
        guard let gap, last.map({ Gap.Bound(of: $0) < gap.upper }) ?? true else { return nil }
        let place = Place.gap(below: gap.upper)
        return list.keys.partitioningIndex { place < $0 }
    }

    /// A Boolean value that indicates whether ``loadPrevious()`` may list more messages.
    ///
    /// It is `true` if the cache has older messages of the kinds, and while there is a ``gap``. A
    /// list of all channels shows only the cache.
    public var hasPrevious: Bool { !isStarted || last != nil || gap != nil }

    /// Returns a stream of the changes from now on.
    ///
    /// If an app applies the changes in order to a copy of ``rows``, the copy stays equal to
    /// ``rows``. The stream buffers unread changes, and ends with ``dispose()``.
    public func allChanges() -> AsyncStream<CollectionChange<Row>> { followers.follow() }

    // MARK: Loading

    /// Lists the first page of stored messages, from which on the list follows all changes.
    ///
    /// The call needs no connection, and does not read on the main actor.
    ///
    /// - Returns: The rows of the page; none if the list was started before.
    /// - Throws: ``/Sync/SyncError``, as ``loadPrevious()`` does.
    @discardableResult
    public func start() async throws(SyncError) -> [Row] {
        try checkIsNotDisposed()
        return isStarted ? [] : try await loadPrevious()
    }

    /// Lists the next page of older messages.
    ///
    /// These are stored messages first. If no more are stored, and the history has a ``gap``, the
    /// call fetches the newest messages of the gap from the server, until a message of the kinds is
    /// among them: at most 1,000 messages. If none is, the result is empty, and the upper bound of
    /// ``gap`` is the position that was reached. Call again while ``hasPrevious`` is true.
    ///
    /// - Returns: The newly listed rows, newest first.
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` or `refused` if the server is needed
    ///   but unavailable; `stalled` if it repeats a page; `queryInProgress` if another call is in
    ///   progress; `disposed`, `store`, `closed`, `canceled`.
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
            try await fetch(gap)
            let isOlder = { (row: Row) in Gap.Bound(of: row.message) < gap.upper }
            let found = rows.filter { inserted.contains($0.id) && isOlder($0) }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Fetches the newest messages of a gap.
    private func fetch(_ gap: Gap) async throws(SyncError) {
        let anchor = gap.backfillCursor.map { .cursor($0) } ?? gap.upper.anchorIncludingIt
        let bound = anchor == .newest ? nil : gap.upper
        let (url, count) = (gap.channelURL, MessageList.fetchedPageSize)
        _ = try await tasks.run { [engine] () throws(SyncError) in
            try await engine.fetchMessages(
                in: url, at: anchor, older: count, newer: 0, bound: bound)
        }
        try checkIsNotDisposed()
        // List the messages, which were stored before the engine returned them.
        follower?.catchUp()
        if self.gap == gap {
            throw SyncError(.stalled, "the server repeats the same page of \(url)")
        }
    }

    /// Reads the next page, or all loaded pages again.
    private func read(isNext: Bool) async throws(SyncError) -> [Row] {
        isReading = true
        defer { (isReading, changesWhileReading) = (false, []) }
        try follow()
        let (kinds, userID, url, store) = (kinds, userID, channelURL, engine.store)
        let (last, count) = (isNext ? last : nil, isNext ? pageSize : max(pageSize, rows.count))
        let (number, page, gaps) = try await onDisk { () throws(StoreError) in
            let snapshot = try store.snapshot()
            // The additional message shows whether the page is the last one.
            let page = try snapshot.messages(
                of: kinds, for: userID, in: url, after: last, limit: count + 1)
            let gaps = if let url { try snapshot.gaps(in: url) } else { [] as [Gap] }
            return (snapshot.number, page, gaps)
        }
        try checkIsNotDisposed()
        let shown = page.prefix(count).map(Row.init)
        isStarted = true
        self.last = page.count > count ? shown.last?.message : nil
        self.gaps = Dictionary(uniqueKeysWithValues: gaps.map { ($0.upper, $0) })
        var edits = ListEdits<Row, Place>()
        if !isNext {
            let found = Set(shown.map(\.id))
            for row in rows where !found.contains(row.id) { edits.remove(row.id) }
        }
        for row in shown { edits.save(row, at: .message(row)) }
        // Changes that were committed after the page was read are not part of it.
        for change in changesWhileReading where change.number > number {
            add(change, to: &edits)
        }
        updateGap()
        apply(edits)
        return isNext ? shown.filter { list[$0.id] != nil } : []
    }

    // MARK: The end

    /// Ends the list: it loads no more messages and sends no more notifications.
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
        var edits = ListEdits<Row, Place>()
        for row in rows { edits.remove(row.id) }
        gap = nil
        apply(edits)
        dispose()
    }

    private func checkIsNotDisposed() throws(SyncError) {
        if isDisposed { throw .disposed("messages of a kind") }
    }

    // MARK: Following

    private func follow() throws(SyncError) {
        if follower != nil { return }
        let part = channelURL.map { ObservedPart.channel($0) } ?? .everything
        follower = try StoreFollower(part, of: engine.store) { [weak self] change in
            self?.apply(change)
        }
    }

    private func apply(_ change: Change) {
        let isReplaced = change.operations.contains { $0 == .missed || $0 == .replacedCache }
        if isReplaced {
            isOutdated = true
            readAgain()
            return
        }
        if isReading { changesWhileReading.append(change) }
        guard isStarted else { return }
        var edits = ListEdits<Row, Place>()
        add(change, to: &edits)
        updateGap()
        apply(edits)
    }

    /// Reads all loaded pages again after the store has dropped changes, unless a page is being
    /// loaded.
    private func readAgain() {
        guard isOutdated, !isLoading, !isDisposed else { return }
        isOutdated = false
        guard isStarted else { return }
        isLoading = true
        tasks.add(
            Task { @MainActor [weak self] in
                // Ignore the error: the engine reports an unreadable store.
                _ = try? await self?.read(isNext: false)
                self?.isLoading = false
                self?.readAgain()
            })
    }

    /// Adds the effect of a change to the edits, and to the gaps.
    private func add(_ change: Change, to edits: inout ListEdits<Row, Place>) {
        func remove(where isRemoved: (Message) -> Bool) {
            let saved = edits.saved.values.map(\.element)
            for row in rows + saved where isRemoved(row.message) { edits.remove(row.id) }
        }
        for operation in change.operations {
            switch operation {
            case .savedMessage(let message):
                guard channelURL == nil || channelURL == message.channelURL else { continue }
                let row = Row(message)
                let place = Place.message(row)
                let isLoaded = last.map { place <= .message(Row($0)) } ?? true
                if isLoaded, !message.kinds(for: userID).isDisjoint(with: kinds) {
                    edits.save(row, at: place)
                } else {
                    edits.remove(row.id)
                }
            case .removedMessage(let id, _, let url):
                edits.remove(Row.ID(channelURL: url, messageID: id))
            case .removedMessages(let url, let first, let last):
                remove {
                    let bound = Gap.Bound(of: $0)
                    return $0.channelURL == url && first <= bound && bound <= last
                }
            case .clearedMessages(let url):
                remove { $0.channelURL == url }
                if url == channelURL { gaps = [:] }
            case .removedChannel(let url):
                remove { $0.channelURL == url }
                if url == channelURL { gaps = [.end: Gap(in: url)] }
            case .clearedCachedData:
                remove { _ in true }
                gaps = channelURL.map { [.end: Gap(in: $0)] } ?? [:]
            case .savedGap(let gap) where gap.channelURL == channelURL: gaps[gap.upper] = gap
            case .removedGap(let gap) where gap.channelURL == channelURL: gaps[gap.upper] = nil
            default: break
            }
        }
    }

    private func updateGap() {
        let newest = gaps.values.max { $0.upper < $1.upper }
        if gap != newest { gap = newest }
    }

    private func apply(_ edits: ListEdits<Row, Place>) {
        if edits.isEmpty { return }
        let before = CollectionChange.checked(rows)
        let diff = list.apply(edits)
        guard !diff.isEmpty else { return }
        if isLoading { inserted.formUnion(diff.insertions.map(\.element.id)) }
        let change = CollectionChange(diff, in: rows)
        change.check(from: before, to: rows)
        followers.notify(change)
        delegate?.messageList(self, didChange: change)
    }
}

extension MessageList: ChatClient.Collection {}

// MARK: Rows

extension MessageList {
    /// A message of a list.
    public struct Row: Hashable, Sendable, Identifiable {
        /// The identity of a row: the channel and the ID of its message.
        public struct ID: Hashable, Sendable {
            /// The URL of the channel.
            public let channelURL: ChannelURL
            /// The ID of the message.
            public let messageID: MessageID
        }

        /// The message.
        public let message: Message

        init(_ message: Message) { self.message = message }

        /// The identity of the row, which stays the same while the message is listed.
        public var id: ID {
            ID(channelURL: message.channelURL, messageID: message.messageID ?? "")
        }
    }

    /// The location of a row in the list: newer ones come first.
    fileprivate struct Place: Comparable {
        let bound: Gap.Bound
        /// The channel of a message; `nil` for a gap below the bound, which follows the message at
        /// the bound.
        let url: String?

        static func message(_ row: Row) -> Place {
            Place(bound: Gap.Bound(of: row.message), url: row.message.channelURL.rawValue)
        }

        static func gap(below bound: Gap.Bound) -> Place { Place(bound: bound, url: nil) }

        static func < (left: Place, right: Place) -> Bool {
            if left.bound != right.bound { return left.bound > right.bound }
            guard let url = left.url, let other = right.url else { return left.url != nil }
            return url.utf8.lexicographicallyPrecedes(other.utf8)
        }
    }
}

extension MessageList.Row: ListRow {
    var rowID: ID { id }
}

extension Gap.Bound {
    /// The position of a stored message.
    fileprivate init(of message: Message) {
        self = message.position.map { .position($0) } ?? .beginning
    }
}

extension [MessageList.Place] {
    /// Returns the index of the first element that satisfies a condition that no earlier element,
    /// but each later one, satisfies.
    fileprivate func partitioningIndex(_ isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
