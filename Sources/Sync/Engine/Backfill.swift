import Models
import Store

/// The channels whose gaps, stale ranges or changelogs the engine fetches, and the progress of
/// each.
struct Backfill {
    /// The progress in one channel.
    struct Work {
        /// The number of pages requested on this connection.
        var pages = 0
        /// The number of new messages on the pages that were fetched for the current gap while the
        /// channel was shown.
        var newMessageCount = 0
        /// The changelog that is being read.
        var changelog: ChangelogRun?
        /// The cursor and the newer end of the page that was last fetched at the newest end; `nil`
        /// if the server has no newer messages.
        var newer: (cursor: PageCursor, bound: Gap.Bound?)?
        /// The cursor of the next page of a stale range, if the last page had no messages in the
        /// range.
        var refetch: (upper: Gap.Bound, cursor: PageCursor)?
        /// The messages that are no longer used as anchors, because the server did not know them.
        var unknownMessages: Set<MessageID> = []
        /// The number of consecutive answers that made no progress.
        var idleAnswers = 0
        /// The cursors that were used since the backfill started or last made progress.
        var usedCursors = UsedCursors()
        /// The number of consecutive failures of the server.
        var failures = 0
        /// A Boolean value that indicates whether the channel has a call in flight or is waiting.
        var isBusy = false
        /// The error that stopped the work; `nil` if the work continues.
        var error: SyncError?
        /// A Boolean value that indicates whether the server has refused a request for reactions.
        ///
        /// The other work then continues.
        var areReactionsRefused = false

        /// Clears the recorded errors, so that the engine makes the failed requests again.
        mutating func clearErrors() {
            error = nil
            areReactionsRefused = false
        }

        /// Returns the cursor with which the stale range below `upper` continues; `nil` if the next
        /// page starts at `upper` itself.
        func refetchCursor(below upper: Gap.Bound) -> PageCursor? {
            refetch?.upper == upper ? refetch?.cursor : nil
        }

        /// Records the cursor with which a backfill continues after the page at `last`.
        ///
        /// If the page before this one did not return `last`, the backfill has begun again, or the
        /// page of a caller has moved it. It may then use earlier cursors again.
        ///
        /// - Returns: `true` if the server's cursors form a cycle, that is, an earlier page than the
        ///   last one had the same cursor as this page, or if there were too many without progress.
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
    /// The huge gaps that were reported, as they were at that time.
    ///
    /// They survive the connection and all viewers, so that a gap is reported once.
    private var hugeGaps: [ChannelURL: [Gap]] = [:]
    /// The channels whose recent messages the engine keeps up to date in the background.
    private(set) var recent: Set<ChannelURL> = []
    /// The channels to process, in FIFO order.
    ///
    /// `next()` may take a channel from the middle.
    private var queue: [ChannelURL] = []
    private var queued: Set<ChannelURL> = []

    // MARK: Viewers

    /// Registers a viewer and its visible range.
    ///
    /// A new viewer resumes work that has failed. A new range of a known viewer does not resume it,
    /// because scrolling changes the range often. Huge gaps that were reported stay as they are.
    ///
    /// - Returns: `true` if the viewer is new.
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

    /// Returns the reported huge gaps of a channel, as they were when they were reported.
    func hugeGaps(of url: ChannelURL) -> [Gap] { hugeGaps[url] ?? [] }

    /// Records that a huge gap is reported.
    ///
    /// - Returns: `false` if it was reported before.
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

    /// Returns the visible range of a channel: the union of all viewers' ranges.
    func view(of url: ChannelURL) -> ShownRange? {
        let ranges = viewers[url]?.values.compactMap { $0 } ?? []
        return ranges.dropFirst().reduce(ranges.first) { $0?.union($1) }
    }

    /// Returns a Boolean value that indicates whether the engine fetches the recent messages of a
    /// channel even if the app does not request them.
    func isKeptUpToDate(_ url: ChannelURL) -> Bool {
        recent.contains(url) || awaited.contains(url) || isShown(url)
    }

    func isAwaited(_ url: ChannelURL) -> Bool { awaited.contains(url) }

    /// The channels that are visible, or that a caller waits for.
    var inUse: Set<ChannelURL> { awaited.union(viewers.keys) }

    // MARK: The connection

    /// Resumes the work on a new connection, and clears earlier failures.
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

    /// Queues all channels that are visible, recent or awaited.
    mutating func enqueueAll() {
        works = works.filter { $0.value.isBusy }
        for url in works.keys { works[url]?.refetch = nil }
        enqueueInUse()
    }

    /// Queues the channels that are visible, recent or awaited, and keeps their progress.
    mutating func enqueueInUse() {
        for url in viewers.keys.sorted() + recent.sorted() + awaited.sorted() { enqueue(url) }
    }

    mutating func setRecent(_ urls: [ChannelURL]) {
        recent = Set(urls)
        for url in urls { enqueue(url) }
    }

    // MARK: The queue

    mutating func examine(_ url: ChannelURL, isAwaited: Bool = false, isNew: Bool = false) {
        if isAwaited { awaited.insert(url) }
        // There is a new reason to fetch the channel, so retry it even if it has failed.
        if isAwaited || isNew { works[url]?.clearErrors() }
        // If a refetch continued at its cursor, it would skip new messages that are newer than the
        // cursor.
        if isNew { works[url]?.refetch = nil }
        enqueue(url)
    }

    mutating func removeWaiter(_ url: ChannelURL) { awaited.remove(url) }

    mutating func remove(_ url: ChannelURL) {
        works[url] = nil
        hugeGaps[url] = nil
        recent.remove(url)
        if queued.remove(url) != nil { queue.removeAll { $0 == url } }
    }

    private mutating func enqueue(_ url: ChannelURL) {
        guard isOn, queued.insert(url).inserted else { return }
        queue.append(url)
    }

    /// Removes the next channel from the queue, and returns it.
    ///
    /// Channels that are visible, or that a caller waits for, come first.
    ///
    /// - Returns: The channel; `nil` if no channel can be processed.
    mutating func next() -> ChannelURL? {
        guard isOn else { return nil }
        // Search the queue, which may contain all channels, only if it contains such a channel.
        let hasFirst = viewers.keys.contains(where: isQueued) || awaited.contains(where: isQueued)
        let first =
            hasFirst
            ? queue.firstIndex { canContinue($0) && (isShown($0) || awaited.contains($0)) } : nil
        guard let index = first ?? queue.firstIndex(where: canContinue) else { return nil }
        let url = queue.remove(at: index)
        queued.remove(url)
        return url
    }

    private func isQueued(_ url: ChannelURL) -> Bool { queued.contains(url) }

    private func canContinue(_ url: ChannelURL) -> Bool {
        guard let work = works[url] else { return true }
        return !work.isBusy && work.error == nil
    }

    var busyCount: Int { works.values.count(where: \.isBusy) }

    var channelsLeft: Int { busyCount + queue.count(where: canContinue) }

    var isDone: Bool { channelsLeft == 0 }

    /// Returns a Boolean value that indicates whether a channel is being processed or will be.
    func isUnfinished(_ url: ChannelURL) -> Bool {
        works[url]?.isBusy ?? false || (queued.contains(url) && canContinue(url))
    }

    func failure(of url: ChannelURL) -> SyncError? { works[url]?.error }

    /// The error that stopped the work on a channel; if several channels have failed, the error of
    /// the channel whose URL sorts first.
    var failure: SyncError? {
        works.filter { $0.value.error != nil }.min { $0.key < $1.key }?.value.error
    }

    /// Restarts the work on all channels that have failed.
    mutating func clearFailures() {
        for (url, work) in works.sorted(by: { $0.key < $1.key }) {
            works[url]?.failures = 0
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

    /// Queues a channel after the answer of its call, or after a delay.
    mutating func resume(_ url: ChannelURL) {
        guard works[url] != nil else { return }
        works[url]?.isBusy = false
        enqueue(url)
    }

    mutating func fail(_ url: ChannelURL, _ error: SyncError) {
        works[url]?.isBusy = false
        works[url]?.error = error
    }
}
