import Models
import Store

/// The channels whose gaps, stale ranges or changelogs the engine has to fetch, with the progress of
/// each.
struct Healing {
    /// The progress of a channel.
    struct Work {
        /// The number of pages requested since the connection was established.
        var pages = 0
        /// The number of messages that pages have delivered for the gap being filled.
        ///
        /// Messages that were stored before do not count.
        var walked = 0
        /// The lower bounds of the gaps that are no longer filled automatically.
        var stopped: Set<Gap.Bound> = []
        /// The changelog that is being read.
        var changelog: ChangelogRun?
        /// The newer end of the newest page, if the server has messages that are newer than the
        /// page.
        var newer: (cursor: PageCursor, edge: Gap.Bound?)?
        /// The cursor with which the next page of a stale range is requested, after a page without
        /// messages in the range.
        var refetch: (upper: Gap.Bound, cursor: PageCursor)?
        /// The messages that are not used as anchors, because the server did not know them.
        var unknownMessages: Set<MessageID> = []
        /// The number of consecutive responses without an effect.
        var idleAnswers = 0
        /// The cursors that were used since the backfill started or last made progress.
        var usedCursors: Set<PageCursor> = []
        /// The number of consecutive failures of the server.
        var failures = 0
        /// A Boolean value that indicates whether a call or a delay for the channel is pending.
        var isBusy = false
        /// The error that stopped the work on the channel; `nil` if it continues.
        var error: SyncError?

        /// Returns the cursor of the next page of the stale range below a bound; `nil` if the next
        /// page is requested at the bound itself.
        func refetchCursor(below upper: Gap.Bound) -> PageCursor? {
            refetch?.upper == upper ? refetch?.cursor : nil
        }

        /// Records the cursor from which a backfill continues.
        ///
        /// - Returns: `true` if the cursor was used before, with other cursors in between, which
        ///   means that the server's cursors form a cycle.
        mutating func isCircling(from last: PageCursor?, to next: PageCursor?) -> Bool {
            guard let next, next != last else { return false }
            return !usedCursors.insert(next).inserted
        }
    }

    private(set) var isOn = false
    private var works: [ChannelURL: Work] = [:]
    private var viewers: [ChannelURL: [Int: ShownRange?]] = [:]
    private var awaited: Set<ChannelURL> = []
    private var recent: Set<ChannelURL> = []
    /// The channels to process.
    ///
    /// Visible channels, and those that a caller waits for, take precedence; see `next()`.
    private var queue: [ChannelURL] = []
    private var queued: Set<ChannelURL> = []

    // MARK: Viewers

    /// Registers a viewer with its visible range.
    ///
    /// A new viewer resumes work that was stopped. A new range of a known viewer does not, because
    /// scrolling changes the range often.
    ///
    /// - Returns: `true` if the viewer is new.
    @discardableResult
    mutating func show(_ url: ChannelURL, _ range: ShownRange?, _ viewer: Int) -> Bool {
        let isNew = viewers[url]?[viewer] == nil
        viewers[url, default: [:]][viewer] = .some(range)
        if isNew {
            works[url]?.error = nil
            works[url]?.stopped = []
            works[url]?.walked = 0
        }
        enqueue(url)
        return isNew
    }

    mutating func hide(_ url: ChannelURL, _ viewer: Int) {
        viewers[url]?[viewer] = nil
        if viewers[url]?.isEmpty ?? false { viewers[url] = nil }
    }

    /// Returns a Boolean value that indicates whether a channel is visible.
    func isShown(_ url: ChannelURL) -> Bool { viewers[url] != nil }

    /// Returns the visible range of a channel: the union of all viewers' ranges.
    func view(of url: ChannelURL) -> ShownRange? {
        let ranges = viewers[url]?.values.compactMap { $0 } ?? []
        return ranges.dropFirst().reduce(ranges.first) { $0?.union($1) }
    }

    /// Returns a Boolean value that indicates whether the engine fetches the recent messages of a
    /// channel without a request of the app.
    func isKept(_ url: ChannelURL) -> Bool {
        recent.contains(url) || awaited.contains(url) || isShown(url)
    }

    func isAwaited(_ url: ChannelURL) -> Bool { awaited.contains(url) }

    /// The channels that are visible, or that a caller waits for.
    var inUse: Set<ChannelURL> { awaited.union(viewers.keys) }

    /// The channels whose recent messages are kept up to date in the background.
    var recentChannels: Set<ChannelURL> { recent }

    // MARK: The connection

    /// Resumes the work after connecting, and clears the failures of earlier connections.
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

    /// Queues all visible channels, and those that the engine keeps up to date, to be processed
    /// again.
    mutating func examineAgain() {
        works = works.filter { $0.value.isBusy }
        for url in works.keys { works[url]?.refetch = nil }
        for url in viewers.keys.sorted() + recent.sorted() + awaited.sorted() { enqueue(url) }
    }

    mutating func setRecent(_ urls: [ChannelURL]) {
        recent = Set(urls)
        for url in urls { enqueue(url) }
    }

    // MARK: The queue

    mutating func examine(_ url: ChannelURL, isAwaited: Bool = false, isNew: Bool = false) {
        if isAwaited { awaited.insert(url) }
        // There is a new reason to fetch the channel: retry it even if it had failed.
        if isAwaited || isNew { works[url]?.error = nil }
        // New messages may be newer than the cursor, and would be skipped.
        if isNew { works[url]?.refetch = nil }
        enqueue(url)
    }

    mutating func removeWaiter(_ url: ChannelURL) { awaited.remove(url) }

    mutating func remove(_ url: ChannelURL) {
        works[url] = nil
        recent.remove(url)
        if queued.remove(url) != nil { queue.removeAll { $0 == url } }
    }

    private mutating func enqueue(_ url: ChannelURL) {
        guard isOn, queued.insert(url).inserted else { return }
        queue.append(url)
    }

    /// Removes the next channel to process from the queue.
    ///
    /// Visible channels, and those that a caller waits for, come first.
    ///
    /// - Returns: The channel; `nil` if no channel can be processed.
    mutating func next() -> ChannelURL? {
        guard isOn else { return nil }
        let index =
            queue.firstIndex { canContinue($0) && (isShown($0) || awaited.contains($0)) }
            ?? queue.firstIndex(where: canContinue)
        guard let index else { return nil }
        let url = queue.remove(at: index)
        queued.remove(url)
        return url
    }

    private func canContinue(_ url: ChannelURL) -> Bool {
        guard let work = works[url] else { return true }
        return !work.isBusy && work.error == nil
    }

    var busyCount: Int { works.values.count(where: \.isBusy) }

    var channelsLeft: Int { busyCount + queue.count(where: canContinue) }

    var isDone: Bool { channelsLeft == 0 }

    /// Returns a Boolean value that indicates whether work is left for a channel.
    func isLeft(_ url: ChannelURL) -> Bool {
        works[url]?.isBusy ?? false || (queued.contains(url) && canContinue(url))
    }

    func failure(of url: ChannelURL) -> SyncError? { works[url]?.error }

    /// The error that stopped the work on a channel.
    ///
    /// If there are several, the error of the channel whose URL sorts first.
    var failure: SyncError? {
        works.filter { $0.value.error != nil }.min { $0.key < $1.key }?.value.error
    }

    /// Restarts the work on all channels that failed.
    mutating func clearFailures() {
        for url in works.keys.sorted() {
            works[url]?.failures = 0
            guard works[url]?.error != nil else { continue }
            works[url]?.error = nil
            enqueue(url)
        }
    }

    // MARK: One channel

    subscript(url: ChannelURL) -> Work {
        get { works[url] ?? Work() }
        set { works[url] = newValue }
    }

    /// Processes a channel again, after a call for it was answered or a delay has ended.
    mutating func resume(_ url: ChannelURL) {
        guard works[url] != nil else { return }
        works[url]?.isBusy = false
        enqueue(url)
    }

    /// Stops processing a channel.
    mutating func fail(_ url: ChannelURL, _ error: SyncError) {
        works[url]?.isBusy = false
        works[url]?.error = error
    }
}
