public import Models
public import Observation
public import Store
package import Sync

/// A live list of the messages of some kinds, such as the pictures of a channel, newest first; or
/// of threads, the one with the last reply first.
///
/// ```swift
/// let pictures = try client.makeMessageList(of: [.image, .video], in: "general")
/// try await pictures.start()
/// show(pictures.rows)
/// ```
///
/// The list contains the loaded pages of stored messages, but no unsent ones, and follows all
/// changes in that part of the history. If the cache may lack messages of the kinds, ``gap`` says
/// where, and ``loadPrevious()`` continues there with the server's messages: with those of the
/// kinds if the server can filter, otherwise with the whole history. Views that observe the
/// properties need no delegate.
@MainActor
@Observable
public final class MessageList {
    /// The kinds of messages.
    public let kinds: MessageKinds

    /// The channel; `nil` for all channels.
    public let channelURL: ChannelURL?

    /// The order of the rows.
    public let order: Order

    /// The number of messages in a page.
    package let pageSize: Int

    /// The newest part of the listed channels' histories in which messages of the kinds may be
    /// missing or stale; `nil` if there is none.
    ///
    /// A view shows one row for the gap, at ``gapIndex``. Its upper bound is the position that
    /// ``loadPrevious()`` has reached.
    public private(set) var gap: Gap?

    /// The delegate that is notified of changes.
    @ObservationIgnored public weak var delegate: (any MessageListDelegate)?

    /// The engine that fetches missing messages.
    @ObservationIgnored package let engine: SyncEngine

    /// An order of the rows of a list.
    public enum Order: Hashable, Sendable {
        /// The newest message first.
        case newestFirst
        /// The message whose thread has the last reply first.
        case lastReplyFirst
    }

    var list = OrderedList<Row, Place>()
    /// The last message of the loaded pages; `nil` before the first page, and after the last one.
    var last: Message?
    var isStarted = false
    private var isDisposed = false
    @ObservationIgnored let userID: UserID?
    @ObservationIgnored var gaps: [ChannelURL: KindGaps] = [:]
    /// The times at which the user has last read the channels, for a list of threads.
    @ObservationIgnored private var readTimes: [ChannelURL: Timestamp] = [:]
    @ObservationIgnored var follower: StoreFollower?
    @ObservationIgnored private let subscribers = Subscribers<CollectionChange<Row>>()
    @ObservationIgnored let tasks = TaskBag()
    @ObservationIgnored var isLoading = false
    @ObservationIgnored var isReading = false
    @ObservationIgnored private var isOutdated = false
    /// `true` if rows of a replaced cache stay where the server's history is missing.
    @ObservationIgnored var keepsRows = false
    /// The changes since the page being read was requested; some may be newer than the page.
    @ObservationIgnored var changesWhileReading: [Change] = []
    /// The cursor of the server's list of mentions; `nil` before its first page.
    @ObservationIgnored var mentionCursor: PageCursor?
    /// `true` if there is no list of mentions, or it was read to its end.
    @ObservationIgnored var hasReadMentions: Bool
    /// The rows inserted since the running call of ``loadPrevious()`` began.
    @ObservationIgnored var inserted: Set<Row.ID> = []

    /// The number of pages that one call fetches while they contain no message of the kinds.
    static let fetchLimit = 5

    /// Creates a list, which is empty until ``start()``.
    ///
    /// A message of several `kinds` is listed once. A `channelURL` of `nil` lists all channels.
    /// `userID` is the user whose mentions are listed, and `pageSize` is at least 1.
    package init(
        of kinds: MessageKinds, in channelURL: ChannelURL? = nil, order: Order = .newestFirst,
        userID: UserID? = nil, pageSize: Int = 40, engine: SyncEngine
    ) {
        self.kinds = kinds
        self.channelURL = channelURL
        self.order = order
        self.userID = userID
        self.pageSize = min(max(1, pageSize), .max - 1)
        self.engine = engine
        hasReadMentions =
            kinds != .mention || channelURL != nil
            || !engine.backend.capabilities.contains(.mentionList)
    }

    // MARK: The list

    /// The messages in the order of the list.
    public var rows: [Row] { list.elements }

    /// The index in ``rows`` before which a view shows the gap; `nil` if there is no gap, or if it
    /// is older than the loaded pages.
    ///
    /// In a list of threads, it is the end: a missing thread may have any last reply.
    ///
    /// - Complexity: O(log *n*) in the number of rows.
    public var gapIndex: Int? {
        if order == .lastReplyFirst { return gap == nil || last != nil ? nil : rows.count }
        guard let gap, last.map({ Gap.Bound(of: $0) < gap.upper }) ?? true else { return nil }
        let place = Place.gap(below: gap.upper)
        return list.keys.partitioningIndex { place < $0 }
    }

    /// A Boolean value that indicates whether ``loadPrevious()`` may list more messages.
    public var hasPrevious: Bool { !isStarted || last != nil || gap != nil }

    /// Returns a stream of the changes from now until ``dispose()``, which buffers unread changes.
    public func allChanges() -> AsyncStream<CollectionChange<Row>> { subscribers.subscribe() }

    // MARK: The end

    /// Ends the list: it loads no more messages and sends no more notifications.
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
        var edits = ListEdits<Row, Place>()
        for row in rows { edits.remove(row.id) }
        gap = nil
        apply(edits)
        dispose()
    }

    func checkIsNotDisposed() throws(SyncError) {
        if isDisposed { throw .disposed("messages of a kind") }
    }

    // MARK: Following

    func follow() throws(SyncError) {
        if follower != nil { return }
        let part = channelURL.map { ObservedPart.channel($0) } ?? .everything
        follower = try StoreFollower(part, of: engine.store) { [weak self] change in
            self?.apply(change)
        }
    }

    func apply(_ change: Change) {
        if change.operations.contains(.replacedCache) { keepsRows = true }
        if change.operations.contains(where: { $0 == .missed || $0 == .replacedCache }) {
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
        if keepsRows, change.changesKnownHistory {
            isOutdated = true
            readAgain()
        }
    }

    /// Reads all loaded pages again, unless a page is being loaded.
    func readAgain() {
        guard isOutdated, !isLoading, !isDisposed else { return }
        isOutdated = false
        guard isStarted else { return }
        isLoading = true
        tasks.add(
            Task { @MainActor [weak self] in
                // Ignore the error: the engine reports it.
                _ = try? await self?.read(isNext: false)
                self?.isLoading = false
                self?.readAgain()
            })
    }

    func add(_ change: Change, to edits: inout ListEdits<Row, Place>) {
        func remove(where isRemoved: (Message) -> Bool) {
            let saved = edits.saved.values.map(\.element)
            for row in rows + saved where isRemoved(row.message) { edits.remove(row.id) }
        }
        var threads: Set<Row.ID> = []
        for operation in change.operations {
            addToGaps(operation)
            switch operation {
            case .savedMessage(let message):
                guard channelURL == nil || channelURL == message.channelURL else { continue }
                let row = Row(message)
                let place = place(of: message)
                let isLoaded = last.map { place <= self.place(of: $0) } ?? true
                if isLoaded, !message.kinds(for: userID).isDisjoint(with: kinds) {
                    edits.save(row, at: place)
                    threads.insert(row.id)
                } else {
                    edits.remove(row.id)
                }
                if let parent = message.parentMessageID {
                    threads.insert(Row.ID(channelURL: message.channelURL, messageID: parent))
                }
            case .removedMessage(let id, _, let url):
                edits.remove(Row.ID(channelURL: url, messageID: id))
                threads.formUnion(
                    rows.filter { $0.thread?.lastReply?.messageID == id }.map(\.id))
            case .removedMessages(let url, let first, let last):
                remove {
                    let bound = Gap.Bound(of: $0)
                    return $0.channelURL == url && first <= bound && bound <= last
                }
            case .clearedMessages(let url), .removedChannel(let url):
                remove { $0.channelURL == url }
            case .clearedCachedData: remove { _ in true }
            case .savedGroupChannel(let channel) where order == .lastReplyFirst:
                let readTime = channel.myLastRead ?? 0
                guard readTimes.updateValue(readTime, forKey: channel.url) != readTime else {
                    continue
                }
                threads.formUnion(rows.map(\.id).filter { $0.channelURL == channel.url })
            default: break
            }
        }
        if order == .lastReplyFirst { addThreads(threads, to: &edits) }
    }

    private func addThreads(_ ids: Set<Row.ID>, to edits: inout ListEdits<Row, Place>) {
        for id in ids where !edits.removed.contains(id) {
            guard let row = edits.saved[id]?.element ?? list[id] else { continue }
            // Ignore the error: the engine reports it.
            let thread = try? engine.stored { (reader) throws(StoreError) in
                try reader.thread(of: row.message, for: userID)
            }
            edits.save(Row(row.message, thread ?? row.thread), at: place(of: row.message))
        }
    }

    private func addToGaps(_ operation: Change.Operation) {
        switch operation {
        case .clearedCachedData:
            gaps = channelURL.map { [$0: KindGaps($0)] } ?? [:]
        case .removedChannel(let url) where channelURL == nil: gaps[url] = nil
        case .savedGroupChannel(let channel) where channelURL == nil:
            if gaps[channel.url] == nil { gaps[channel.url] = KindGaps(channel.url) }
        case .savedGap, .removedGap, .savedStaleRange, .removedStaleRange, .savedKindCoverage,
            .removedKindCoverage, .clearedMessages, .removedChannel:
            guard let url = operation.channelURL, channelURL == nil || channelURL == url else {
                return
            }
            gaps[url, default: KindGaps(url)].apply(operation)
        default: break
        }
    }

    func place(of message: Message) -> Place { .message(message, order) }

    /// Returns whether the message is not above the newest gap of its channel.
    func mayBeMissing(_ row: Row) -> Bool {
        guard let newest = gaps[row.message.channelURL]?.newest(of: kinds) else { return false }
        return Gap.Bound(of: row.message) <= newest.upper
    }

    func updateGap() {
        let newest = gaps.values.compactMap { $0.newest(of: kinds) }.max { left, right in
            left.upper == right.upper
                ? right.channelURL.rawValue < left.channelURL.rawValue : left.upper < right.upper
        }
        if gap != newest { gap = newest }
    }

    func apply(_ edits: ListEdits<Row, Place>) {
        if edits.isEmpty { return }
        let before = CollectionChange.checked(rows)
        let diff = list.apply(edits)
        guard !diff.isEmpty else { return }
        if isLoading { inserted.formUnion(diff.insertions.map(\.element.id)) }
        let change = CollectionChange(diff, in: rows, from: before)
        subscribers.notify(change)
        delegate?.messageList(self, didChange: change)
    }
}

extension MessageList: ChatClient.Collection {}

extension Change {
    /// True if rows of a replaced cache may no longer be missing, or no longer exist.
    var changesKnownHistory: Bool {
        operations.contains { operation in
            switch operation {
            case .savedGap, .removedGap, .savedStaleRange, .removedStaleRange, .savedKindCoverage,
                .removedKindCoverage, .savedGroupChannel:
                true
            default: false
            }
        }
    }
}
