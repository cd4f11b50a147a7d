import Models
import Store
import Sync

extension MessageCollection {
    func checkHasParent() throws(SyncError) {
        guard isParentMessageDeleted, let parentMessageID else { return }
        throw SyncError(.notFound, "message \(parentMessageID) of \(channelURL) was deleted")
    }

    // MARK: The parent message

    var missingParentMessageID: MessageID? { parentMessage == nil ? parentMessageID : nil }

    func readParentMessage(in reader: Snapshot) throws(StoreError) {
        guard let parentMessageID else { return }
        set(
            \.parentMessage,
            to: try reader.message(parentMessageID, in: channelURL) ?? parentMessage)
        set(\.isParentMessageDeleted, to: try isDeleted(parentMessageID, in: reader))
    }

    func readParentMessageAgain() {
        guard parentMessageID != nil else { return }
        let (known, wasDeleted) = (parentMessage, isParentMessageDeleted)
        // Ignore the error: a closed store reports no changes.
        try? engine.stored { (reader) throws(StoreError) in try readParentMessage(in: reader) }
        if isParentMessageDeleted, !wasDeleted {
            notifyParent(nil, nil)
        } else if parentMessage != known {
            notifyParent(parentMessage, nil)
        }
    }

    /// An evicted message is not deleted: it has no tombstone.
    private func isDeleted(
        _ id: MessageID, in reader: Snapshot
    ) throws(StoreError) -> Bool {
        guard try reader.message(id, in: channelURL) == nil else { return false }
        return try reader.tombstone(of: id, in: channelURL) != nil
    }

    func apply(parentLookup lookup: MessageLookup) throws(SyncError) {
        processQueued()
        if let found = lookup.found.first { set(\.parentMessage, to: found) }
        if !lookup.gone.isEmpty { set(\.isParentMessageDeleted, to: true) }
        notifyObservers()
        try checkHasParent()
    }

    func notifyParent(_ change: Change) {
        for entry in change.entries {
            switch entry.operation {
            case .savedMessage(let message)
            where message.channelURL == channelURL && message.messageID == parentMessageID:
                set(\.parentMessage, to: message)
                set(\.isParentMessageDeleted, to: false)
                notifyParent(message, entry.source)
            case .removedMessage(let id, _, channelURL) where id == parentMessageID:
                // Ignore the error: a closed store reports no changes.
                let isDeleted = try? engine.stored { (reader) throws(StoreError) in
                    try self.isDeleted(id, in: reader)
                }
                guard isDeleted ?? false, !isParentMessageDeleted else { continue }
                isParentMessageDeleted = true
                notifyParent(nil, entry.source)
            default: break
            }
        }
    }

    private func notifyParent(_ message: Message?, _ source: CollectionEventSource?) {
        guard !isDisposed else { return }
        let context = MessageContext(source: source ?? .messageFill, sendingStatus: .succeeded)
        delegate?.messageCollection(self, didReceive: .parentMessage(message, context))
    }

    // MARK: Pages

    /// The number of times that the feed has omitted messages; `nil` if no thread is shown.
    var omissions: Int? { window.thread?.omissions }

    /// Records the range of a thread that a page covers; without a thread, it has no effect.
    ///
    /// `omissions` is the value of ``omissions`` when the page was requested.
    func recordThreadPage(_ fetched: FetchedMessages, since omissions: Int?) {
        // Without a thread, the engine has recorded the page.
        guard omissions != nil else { return }
        // The page is fetched again when the feed has begun.
        if !fetched.feedHadBegun { return setThreadIsStale(true) }
        guard let from = fetched.from, let through = fetched.through else { return }
        processQueued()
        // The feed has omitted messages since the request.
        guard !isDisposed, self.omissions == omissions else { return }
        changeThread { $0.cover(from: from, through: through) }
    }

    // MARK: Fetching again

    struct ThreadRefresh {
        var anchor: MessageAnchor
        /// The lower bound of the fetched range; initially the upper bound of the window.
        var bound: Gap.Bound?
        var usedCursors = UsedCursors()

        /// Large, so that a long thread needs few requests.
        static let pageSize = 100
    }

    /// Fetches the shown replies again, newest first.
    func refreshThread() {
        guard let thread = window.thread, thread.isStale, threadRefresh == nil, !isDisposed,
            !isParentMessageDeleted
        else { return }
        beginRefresh()
        tasks.add(
            Task { @MainActor [weak self, engine, channelURL] in
                while let request = self?.nextRefreshRequest() {
                    let omissions = self?.omissions
                    do throws(SyncError) {
                        let fetched = try await engine.fetch(request, .messageFill)
                        self?.continueRefresh(fetched, since: omissions)
                    } catch {
                        let isGone = error.code == .notFound || error.code == .refused
                        if isGone, let id = self?.parentMessageID {
                            // If the parent message was deleted, this lookup removes it from the
                            // store.
                            _ = try? await engine.fetchMessages([id], in: channelURL)
                        }
                        self?.endRefresh(isStale: true)
                    }
                }
            })
    }

    private func beginRefresh() {
        let upper = window.upper
        threadRefresh = ThreadRefresh(
            anchor: upper.anchorIncludingIt, bound: upper == .end ? nil : upper)
        setThreadIsStale(false)
    }

    private func nextRefreshRequest() -> PageRequest? {
        guard let threadRefresh, !isDisposed else { return nil }
        return request(
            at: threadRefresh.anchor, bound: threadRefresh.bound, older: ThreadRefresh.pageSize)
    }

    private func continueRefresh(_ fetched: FetchedMessages, since omissions: Int?) {
        recordThreadPage(fetched, since: omissions)
        guard let thread = window.thread, !isDisposed else { return }
        guard fetched.feedHadBegun else { return endRefresh(isStale: true) }
        // The feed has omitted messages again.
        if thread.isStale { return beginRefresh() }
        guard let from = fetched.from else { return endRefresh(isStale: true) }
        guard let older = fetched.page.older, window.lower < from else {
            return endRefresh(isStale: false)
        }
        if let bound = threadRefresh?.bound, from < bound {
            threadRefresh?.usedCursors = UsedCursors()
        }
        guard threadRefresh?.usedCursors.insert(older) ?? false else {
            return endRefresh(isStale: true)
        }
        threadRefresh?.anchor = .cursor(older)
        threadRefresh?.bound = from
    }

    private func endRefresh(isStale: Bool) {
        threadRefresh = nil
        if isStale { setThreadIsStale(true) }
    }
}

extension MessageListParams {
    init(_ params: ThreadedMessageListParams) {
        self.init()
        previousResultSize = params.previousResultSize
        nextResultSize = params.nextResultSize
        isInclusive = params.isInclusive
        isReversed = params.isReversed
        messageType = params.messageType
        customTypes = params.customTypes
        senderUserIDs = params.senderUserIDs
        replyType = .all
    }
}
