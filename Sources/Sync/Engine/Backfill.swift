import Models
import Store

struct Backfill {
    struct Work {
        /// The number of pages requested on this connection.
        var pages = 0
        /// The new messages fetched for the current gap while the channel was shown.
        var newMessageCount = 0
        var changelog: ChangelogRun?
        /// Where the next newer page begins, after a page at the newest end with a newer cursor.
        var newer: (cursor: PageCursor, bound: Gap.Bound?)?
        /// The next cursor of a stale range in which the last page had no messages.
        var refetch: (upper: Gap.Bound, cursor: PageCursor)?
        /// The messages that the server did not know, no longer used as anchors.
        var unknownMessages: Set<MessageID> = []
        var idleAnswers = 0
        var usedCursors = UsedCursors()
        private(set) var failures = 0
        private var voidAnswers = 0
        /// The error that callers receive while the engine continues to retry.
        private(set) var errorForCallers: SyncError?
        /// True if the channel has a call in flight or is waiting.
        var isBusy = false
        /// True if the channel waits before a retry.
        var isWaiting = false
        var error: SyncError?
        /// True if ``error`` is a refusal that ends once the user accepts the invitation.
        var isErrorExpected = false
        var areReactionsRefused = false

        /// The number of consecutive failed or outdated responses after which callers receive an
        /// error.
        ///
        /// The engine continues: a homeserver may be slow because it waits for another server.
        private static let failureLimitForCallers = 5

        /// The error that stopped the work, or that callers receive.
        var failure: SyncError? { error ?? errorForCallers }

        mutating func recordFailure(_ error: SyncError) {
            failures += 1
            reportAtLimit(error)
        }

        /// The answer does not count as a failed attempt: the next request follows without a wait.
        mutating func recordVoidAnswer(_ error: SyncError) {
            voidAnswers += 1
            reportAtLimit(error)
        }

        private mutating func reportAtLimit(_ error: SyncError) {
            if failures + voidAnswers >= Self.failureLimitForCallers { errorForCallers = error }
        }

        mutating func clearFailures() { (failures, voidAnswers, errorForCallers) = (0, 0, nil) }

        /// Ends the call in flight or the wait.
        mutating func markIdle() { (isBusy, isWaiting) = (false, false) }

        mutating func clearErrors() {
            if error != nil { clearFailures() }
            error = nil
            errorForCallers = nil
            isErrorExpected = false
            areReactionsRefused = false
        }

        func refetchCursor(below upper: Gap.Bound) -> PageCursor? {
            refetch?.upper == upper ? refetch?.cursor : nil
        }

        /// Records the cursor of the page after the one at `last`, and returns `true` if the
        /// server's cursors form a cycle, or if there were too many without progress.
        ///
        /// If the previous page did not return `last`, the backfill has begun again, or a caller's
        /// page has moved it. It may then use earlier cursors again.
        mutating func recordCursor(_ next: PageCursor?, after last: PageCursor?) -> Bool {
            guard let next, next != last else { return false }
            if last == nil || last != usedCursors.last { usedCursors = UsedCursors() }
            return !usedCursors.insert(next)
        }
    }

    private(set) var isOn = false
    private var works: [ChannelURL: Work] = [:]
    private var viewers: [ChannelURL: [Int: ShownRange?]] = [:]
    private var awaited: Set<ChannelURL> = []
    /// The huge gaps as they were reported, kept across connections so that each is reported once.
    private var hugeGaps: [ChannelURL: [Gap]] = [:]
    /// The channels whose recent messages the engine fetches in the background.
    private(set) var recent: Set<ChannelURL> = []
    private var queue: [ChannelURL] = []
    private var queued: Set<ChannelURL> = []

    // MARK: Viewers

    /// Registers a viewer and its shown range, and returns `true` if the viewer is new.
    ///
    /// Only a new viewer resumes work that has failed, because scrolling changes the range often.
    @discardableResult
    mutating func show(_ url: ChannelURL, _ range: ShownRange?, _ viewer: Int) -> Bool {
        let isNew = viewers[url]?[viewer] == nil
        viewers[url, default: [:]][viewer] = .some(range)
        if isNew { works[url]?.clearErrors() }
        enqueue(url)
        return isNew
    }

    mutating func hide(_ url: ChannelURL, _ viewer: Int) {
        viewers[url]?[viewer] = nil
        if viewers[url]?.isEmpty ?? false { viewers[url] = nil }
    }

    // MARK: Huge gaps

    func hugeGaps(of url: ChannelURL) -> [Gap] { hugeGaps[url] ?? [] }

    /// Returns `false` if the gap was reported before.
    mutating func recordHugeGap(_ gap: Gap) -> Bool {
        guard !hugeGaps(of: gap.channelURL).contains(where: gap.isPart) else { return false }
        hugeGaps[gap.channelURL, default: []].append(gap)
        return true
    }

    /// Forgets the reported huge gaps of which nothing is left.
    mutating func keepHugeGaps(of url: ChannelURL, in gaps: [Gap]) {
        guard hugeGaps[url] != nil else { return }
        hugeGaps[url]?.removeAll { huge in !gaps.contains { $0.isPart(of: huge) } }
        if hugeGaps(of: url).isEmpty { hugeGaps[url] = nil }
    }

    func isShown(_ url: ChannelURL) -> Bool { viewers[url] != nil }

    func shownRange(of url: ChannelURL) -> ShownRange? {
        let ranges = viewers[url]?.values.compactMap { $0 } ?? []
        return ranges.dropFirst().reduce(ranges.first) { $0?.union($1) }
    }

    func isKeptUpToDate(_ url: ChannelURL) -> Bool {
        recent.contains(url) || awaited.contains(url) || isShown(url)
    }

    func isAwaited(_ url: ChannelURL) -> Bool { awaited.contains(url) }

    var inUse: Set<ChannelURL> { awaited.union(viewers.keys) }

    // MARK: The connection

    mutating func begin() {
        isOn = true
        works = [:]
        recent = []
        for url in viewers.keys.sorted() { enqueue(url) }
        for url in awaited.sorted() { enqueue(url) }
    }

    mutating func end() {
        isOn = false
        works = [:]
        queue = []
        queued = []
    }

    /// Queues all channels that are shown, recent or awaited.
    ///
    /// With `restarts`, their progress is forgotten.
    mutating func enqueueFollowed(restarts: Bool) {
        if restarts {
            works = works.filter { $0.value.isBusy }
            for url in works.keys { works[url]?.refetch = nil }
        }
        for url in viewers.keys.sorted() + recent.sorted() + awaited.sorted() { enqueue(url) }
    }

    mutating func setRecent(_ urls: [ChannelURL]) {
        recent = Set(urls)
        for url in urls { enqueue(url) }
    }

    // MARK: The queue

    mutating func enqueue(_ url: ChannelURL, isAwaited: Bool = false, retriesFailed: Bool = false) {
        if isAwaited { awaited.insert(url) }
        // There is a new reason to fetch the channel, so retry it even if it has failed.
        if isAwaited || retriesFailed { works[url]?.clearErrors() }
        // At its cursor, a refetch would skip new messages that are newer than the cursor.
        if retriesFailed { works[url]?.refetch = nil }
        guard isOn, queued.insert(url).inserted else { return }
        queue.append(url)
    }

    mutating func removeWaiter(_ url: ChannelURL) { awaited.remove(url) }

    mutating func remove(_ url: ChannelURL) {
        works[url] = nil
        hugeGaps[url] = nil
        recent.remove(url)
        if queued.remove(url) != nil { queue.removeAll { $0 == url } }
    }

    /// Removes and returns the next channel.
    ///
    /// Shown and awaited channels come first; others follow only if `inBackground` is true.
    mutating func next(inBackground: Bool = true) -> ChannelURL? {
        guard isOn else { return nil }
        // Search the queue, which may contain all channels, only if it contains such a channel.
        let hasFirst = !queued.isDisjoint(with: viewers.keys) || !awaited.isDisjoint(with: queued)
        let first =
            hasFirst
            ? queue.firstIndex { canContinue($0) && (isShown($0) || awaited.contains($0)) } : nil
        let index = first ?? (inBackground ? queue.firstIndex(where: canContinue) : nil)
        guard let index else { return nil }
        let url = queue.remove(at: index)
        queued.remove(url)
        return url
    }

    private func canContinue(_ url: ChannelURL) -> Bool {
        guard let work = works[url] else { return true }
        return !work.isBusy && work.error == nil
    }

    var busyChannels: [ChannelURL] { works.filter(\.value.isBusy).keys.sorted() }

    var busyCount: Int { works.values.count(where: \.isBusy) }

    /// The number of busy channels that do not wait.
    var requestCount: Int { works.values.count { $0.isBusy && !$0.isWaiting } }

    var channelsLeft: Int { busyCount + queue.count(where: canContinue) }

    /// `true` if callers do not wait for any channel any longer.
    var isDone: Bool {
        !works.values.contains { $0.isBusy && $0.errorForCallers == nil }
            && !queue.contains { canContinue($0) && works[$0]?.errorForCallers == nil }
    }

    func isUnfinished(_ url: ChannelURL) -> Bool {
        guard works[url]?.errorForCallers == nil else { return false }
        return works[url]?.isBusy ?? false || (queued.contains(url) && canContinue(url))
    }

    func failure(of url: ChannelURL) -> SyncError? { works[url]?.failure }

    var failure: SyncError? {
        works.filter { $0.value.failure != nil && !$0.value.isErrorExpected }
            .min { $0.key < $1.key }?.value.failure
    }

    mutating func clearFailures() {
        for (url, work) in works.sorted(by: { $0.key < $1.key }) {
            works[url]?.clearFailures()
            guard work.error != nil || work.areReactionsRefused else { continue }
            works[url]?.clearErrors()
            enqueue(url)
        }
    }

    // MARK: One channel

    subscript(url: ChannelURL) -> Work {
        get { works[url] ?? Work() }
        set { works[url] = newValue }
    }

    mutating func resume(_ url: ChannelURL) {
        guard works[url] != nil else { return }
        works[url]?.markIdle()
        enqueue(url)
    }

    /// Forgets the failures of a channel for which nothing is left to do.
    mutating func finish(_ url: ChannelURL) { works[url]?.clearFailures() }

    mutating func fail(_ url: ChannelURL, _ error: SyncError, isExpected: Bool = false) {
        works[url]?.markIdle()
        works[url]?.error = error
        works[url]?.isErrorExpected = isExpected
    }
}
