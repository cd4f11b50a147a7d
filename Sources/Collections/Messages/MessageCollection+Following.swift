import Models
import Observation
import Store
import Sync

extension MessageCollection {
    /// Returns the follower of the channel; the first call creates it, and reads all that the
    /// collection shows beside its rows.
    func follow() throws(SyncError) -> StoreFollower {
        if let follower { return follower }
        let follower = try StoreFollower(.channel(channelURL), of: engine.store) {
            [weak self] change in self?.process(change)
        }
        self.follower = follower
        followEngine()
        readFailedChanges(notifies: false)
        readDraft()
        // Read the channel last: if its row is damaged, all else is still shown.
        channel = try follower.read { (reader) throws(StoreError) in
            try readParentMessage(in: reader)
            openChannel = try reader.openChannel(channelURL)
            return try reader.groupChannel(channelURL) ?? channel
        }
        return follower
    }

    /// For a thread, fetches the replies again when the feed is live; for a channel, reports huge
    /// gaps.
    private func followEngine() {
        let isThread = window.thread != nil
        tasks.add(
            Task { @MainActor [weak self, engine, channelURL] in
                // Filter the events, because each of them would resume this task.
                let events = await engine.events {
                    isThread ? $0.isLive : $0.isHugeGap(in: channelURL)
                }
                for await _ in events {
                    if isThread { self?.refreshThread() } else { self?.notifyHugeGap() }
                }
            })
    }

    func readFailedChanges(notifies: Bool) {
        // Ignore the error: the engine reports it.
        guard let items = try? engine.store.outboxItems(in: channelURL, state: .failed) else {
            return
        }
        let known = Set(failedChanges.map(\.requestID))
        set(\.failedChanges, to: items.filter { $0.operation != .send })
        guard notifies else { return }
        for item in failedChanges where !known.contains(item.requestID) && !isDisposed {
            delegate?.messageCollection(self, didReceive: .failedChange(item))
        }
    }

    func readDraft() {
        // Ignore the error: a damaged draft counts as empty.
        let stored = try? engine.store.draft(of: channelURL, inThreadOf: parentMessageID)
        show(draft: (stored ?? nil) ?? "")
    }

    func show(draft new: Draft) {
        set(\.draft, to: new.text)
        set(\.draftReplyingTo, to: new.replyingTo)
    }

    func notifyHugeGap() {
        processQueued()
        guard !isDisposed else { return }
        delegate?.messageCollectionDidDetectHugeGap(self)
    }

    func processQueued() { follower?.processQueued() }

    func process(_ change: Change) {
        let wasStale = window.thread?.isStale ?? false
        defer { if !wasStale { refreshThread() } }
        let edits = window.record(change)
        longReads.record(change)
        var changes = [change]
        // Ignore the error: the engine reports it.
        if let edits = edits.mustReadAgain ? try? readAgain(after: edits, &changes) : edits {
            showEdits(edits, .reported)
        }
        let concernsUnsentChanges =
            edits.mustReadAgain
            || changes.contains { change in
                change.entries.contains { $0.operation.isOfUnsentChange }
            }
        if concernsUnsentChanges { readFailedChanges(notifies: true) }
        if edits.mustReadAgain { readDraft() }
        for change in changes { notify(change) }
        if edits.mustReadAgain { readParentMessageAgain() }
        // `showEdits` is not called if the window is read again on another thread.
        notifyObservers()
        endUploads()
    }

    /// Reads the window again, and returns the edits; `nil` if the read continues on another
    /// thread.
    ///
    /// `changes` receives the queued changes that the snapshot contains.
    func readAgain(
        after earlier: WindowEdits, _ changes: inout [Change]
    ) throws(StoreError) -> WindowEdits? {
        try follower?.readAgain { (snapshot, skipped) throws(StoreError) in
            let stored = try snapshot.groupChannel(channelURL)
            var next = window
            next.visits = VisitLimit(Self.visitLimit)
            let edits = try next.readAgain(in: snapshot, after: earlier, skipped)
            set(\.channel, to: stored ?? channel)
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

    /// Shows and reports changes of the channel itself, its draft and its uploads; consecutive
    /// saves of the channel with one source are reported once.
    func notify(_ change: Change) {
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

    func notify(_ entry: Change.Entry) {
        switch entry.operation {
        case .savedGroupChannel(let channel) where channel.url == channelURL:
            set(\.channel, to: channel)
            set(\.isChannelDeleted, to: false)
            notifyChannel(entry.source ?? .channelBackgroundSync)
        case .savedOpenChannel(let channel):
            set(\.openChannel, to: channel)
            set(\.isChannelDeleted, to: false)
            let context = GroupChannelContext(source: entry.source ?? .channelBackgroundSync)
            delegate?.messageCollection(self, didReceive: .openChannel(channel, context))
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
            delegate?.messageCollection(self, didReceive: .upload(progress))
        default: break
        }
    }

    func notifyChannelRemoval(_ source: CollectionEventSource?) {
        set(\.openChannel, to: nil)
        set(\.isChannelDeleted, to: true)
        let context = GroupChannelContext(source: source ?? .channelBackgroundSync)
        delegate?.messageCollection(self, context: context, deletedChannel: channelURL)
    }

    /// After the cache was cleared or replaced, waits until the engine has fetched the user's
    /// channels, and then reports the channel as removed if it is not among them.
    func checkChannelAfterClearing() {
        guard !isChannelDeleted, channel != .unknown(channelURL) else { return }
        tasks.add(
            Task { @MainActor [weak self, engine] in
                for await _ in await engine.events(where: \.isLive) {
                    if self?.isChannelKnown ?? true { break }
                }
            })
    }

    /// `true` if the channel is stored again or was reported as removed.
    var isChannelKnown: Bool {
        processQueued()
        if isDisposed || isChannelDeleted { return true }
        // Ignore the error: the engine reports an unreadable store.
        let found = try? engine.stored { (reader) throws(StoreError) in
            (channel: try reader.groupChannel(channelURL), hasAll: try reader.hasAllChannels())
        }
        guard let found, found.hasAll || found.channel != nil else { return false }
        if found.channel == nil {
            if window.isReplaced { showAgain(after: WindowEdits(), .reported) }
            notifyChannelRemoval(.channelBackgroundSync)
        }
        return true
    }

    func showAgain(after edits: WindowEdits, _ reporting: Reporting) {
        var skipped: [Change] = []
        // Ignore the error: the engine reports an unreadable store.
        if let edits = try? readAgain(after: edits, &skipped) { showEdits(edits, reporting) }
        for change in skipped { notify(change) }
    }

    func notifyChannel(_ source: CollectionEventSource) {
        delegate?.messageCollection(
            self, context: GroupChannelContext(source: source), updatedChannel: channel)
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
}

extension Change.Operation {
    fileprivate func isOfChannel(_ url: ChannelURL) -> Bool {
        switch self {
        case .savedGroupChannel, .savedOpenChannel, .removedChannel, .savedDraft, .ephemeral:
            channelURL == url
        case .clearedCachedData, .replacedCache: true
        default: false
        }
    }

    fileprivate var isOfUnsentChange: Bool {
        switch self {
        case .savedOutboxItem(let item), .removedOutboxItem(let item): item.operation != .send
        default: false
        }
    }
}

// MARK: The window

extension MessageCollection {
    func openWindow(crossesGaps: Bool) throws(SyncError) {
        let start = windowStart
        try changeWindow(trimming: .oldest, .requested) { (window, reader) throws(StoreError) in
            (try window.open(at: start, crossesGaps: crossesGaps, in: reader), ())
        }
        readUpTo = readUpTo ?? channel.myLastRead
        set(\.firstUnreadMessageID, to: readUpTo.flatMap { window.firstUnread(after: $0) })
    }

    var windowStart: Window.Start {
        switch startingPoint {
        case .latest: .newest
        case .time(let time): .time(time)
        case .lastRead: channel.myLastRead.map { .time($0) } ?? .newest
        case .message(let id): storedPosition(of: id).map { .position($0) } ?? .newest
        }
    }

    /// The message at which the window starts, if it is not stored.
    var missingStart: MessageID? {
        guard case .message(let id) = startingPoint, storedPosition(of: id) == nil else {
            return nil
        }
        return id
    }

    func storedPosition(of id: MessageID) -> Position? {
        // Ignore the error: the following read of the window throws it again.
        let message = try? engine.stored { (reader) throws(StoreError) in
            try reader.message(id, in: channelURL)
        }
        return message?.position
    }

    /// Changes the window by reading from the store, and applies the resulting edits to the rows.
    ///
    /// Removes messages that exceed the capacity at `end`. Returns the closure's value, and the
    /// newly listed messages.
    @discardableResult
    func changeWindow<Value>(
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
        let diff = showEdits(edits, reporting, trimming: end)
        follower.processQueued()
        return (value, diff.insertions.compactMap(\.element.message))
    }

    func showRegardlessOfFilter(_ id: RequestID) {
        longReads.invalidate()
        showEdits(window.showRegardlessOfFilter(id), .reported)
    }

    func changeThread(_ change: (inout Window) -> WindowEdits) {
        longReads.invalidate()
        let edits = change(&window)
        if edits.mustReadAgain {
            showAgain(after: edits, .requested)
        } else {
            showEdits(edits, .requested)
        }
    }

    func setThreadIsStale(_ isStale: Bool) {
        longReads.invalidate()
        window.thread?.isStale = isStale
    }

    @discardableResult
    func showEdits(
        _ edits: WindowEdits, _ reporting: Reporting, trimming end: Window.End = .oldest
    ) -> ListDiff<MessageItem> {
        let before = CollectionChange.checked(window.items)
        var edits = edits
        let diff = window.apply(&edits, trimming: end)
        // Waking the engine's task takes longer than the notifications, so do it last.
        defer { reportShownRange() }
        if diff.hasMessages { knownMessages = nil }
        notifyObservers(of: diff)
        guard !diff.isEmpty else { return diff }
        let change = CollectionChange(diff, in: window.items, from: before)
        subscribers.notify(change)
        delegate?.messageCollection(self, didChange: change)
        guard reporting != .requested else { return diff }
        let rows = MessageChanges(
            diff, sources: edits.sources, canceled: edits.canceled, accepted: edits.accepted)
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

    /// Reports the shown range to the engine, which fills its gaps first.
    func reportShownRange() {
        // Without a range, the engine fetches the newest messages.
        let range =
            window.lower == .end || window.upper < window.lower
            ? nil : ShownRange(from: window.lower, to: window.upper)
        guard shownRange != .some(range) else { return }
        shownRange = .some(range)
        viewer?.show(range)
    }
}

// MARK: Observation

// The window has all values of a list, so the collection finds out which of its properties have
// changed, and notifies only their observers.
extension MessageCollection {
    struct ObservedValues {
        fileprivate var (hasPrevious, hasNext) = (false, false)
        fileprivate var (pending, failed): ([Message], [Message]) = ([], [])
        fileprivate var unsentGeneration = 0
    }

    func set<Value: Equatable>(
        _ property: ReferenceWritableKeyPath<MessageCollection, Value>, to value: Value
    ) {
        if self[keyPath: property] != value { self[keyPath: property] = value }
    }

    func notifyObservers(of diff: ListDiff<MessageItem>? = nil) {
        if let diff, !diff.isEmpty {
            withMutation(keyPath: \.items) {}
            if diff.hasMessages { withMutation(keyPath: \.messages) {} }
            if diff.hasSentMessages { withMutation(keyPath: \.succeededMessages) {} }
        }
        let known = observed
        (observed.hasPrevious, observed.hasNext) = (hasPrevious, hasNext)
        if observed.hasPrevious != known.hasPrevious { withMutation(keyPath: \.hasPrevious) {} }
        if observed.hasNext != known.hasNext { withMutation(keyPath: \.hasNext) {} }
        guard window.unsentGeneration != known.unsentGeneration else { return }
        observed.unsentGeneration = window.unsentGeneration
        (observed.pending, observed.failed) = (pendingMessages, failedMessages)
        if observed.pending != known.pending { withMutation(keyPath: \.pendingMessages) {} }
        if observed.failed != known.failed { withMutation(keyPath: \.failedMessages) {} }
    }

    /// Removes the progress of the files of messages that are no longer pending.
    private func endUploads() {
        let uploads = uploadProgress.filter { id, _ in
            window.outboxItems[id]?.item.state == .pending
        }
        set(\.uploadProgress, to: uploads)
    }
}

extension ListDiff<MessageItem> {
    var hasMessages: Bool { contains { $0.message != nil } }

    fileprivate var hasSentMessages: Bool { contains { $0.message?.messageID != nil } }

    private func contains(where isIncluded: (MessageItem) -> Bool) -> Bool {
        insertions.contains { isIncluded($0.element) }
            || deletions.contains { isIncluded($0.element) }
            || updates.contains { isIncluded($0.old) || isIncluded($0.element) }
            || moves.contains { isIncluded($0.old) || isIncluded($0.element) }
    }
}
