import Models
import Store

/// Which channels an engine has to look after by itself, and how far it is with each.
struct Healing {
    /// One channel that is looked after.
    struct Work {
        /// How many pages were asked for since the connection was made.
        var pages = 0
        /// The number of missing messages that were found in the gap that is being filled.
        var walked = 0
        /// The gaps, by their older bounds, that are not filled any further by themselves.
        var stopped: Set<Gap.Bound> = []
        /// The changelog that is being read.
        var changelog: ChangelogRun?
        /// Where the newest page was left, if there is more behind it.
        var newer: (cursor: PageCursor, edge: Gap.Bound?)?
        /// Where a stale range is fetched again from, whose page had nothing that lies in it.
        var refetch: (upper: Gap.Bound, cursor: PageCursor)?
        /// The messages that cannot be anchors: the server did not know them.
        var unknownMessages: Set<MessageID> = []
        /// How many answers, one after the other, have changed nothing.
        var idleAnswers = 0
        /// The cursors that were used since a walk began, or last brought something.
        var usedCursors: Set<PageCursor> = []
        /// How often, one after the other, the server failed.
        var failures = 0
        /// Whether a call of it is on its way, or a wait.
        var isBusy = false
        /// Why it is left alone.
        var error: SyncError?

        /// The cursor of the last page that was asked for below a bound; `nil` if it led to it.
        func refetchCursor(below upper: Gap.Bound) -> PageCursor? {
            refetch?.upper == upper ? refetch?.cursor : nil
        }

        /// Notes where a walk goes on.
        ///
        /// - Returns: Whether it was there before, and has been elsewhere since.
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
    /// The channels to look at, those that are shown before all others.
    private var queue: [ChannelURL] = []
    private var queued: Set<ChannelURL> = []

    // MARK: Who shows what

    /// Notes what somebody shows.
    ///
    /// Only who comes anew is a reason to try again what was left alone: one
    /// who scrolls says so many times.
    ///
    /// - Returns: Whether they come anew.
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

    /// Whether somebody shows a channel.
    func isShown(_ url: ChannelURL) -> Bool { viewers[url] != nil }

    /// What is shown of a channel, by all who show it.
    func view(of url: ChannelURL) -> ShownRange? {
        let ranges = viewers[url]?.values.compactMap { $0 } ?? []
        return ranges.dropFirst().reduce(ranges.first) { $0?.union($1) }
    }

    func isKept(_ url: ChannelURL) -> Bool {
        recent.contains(url) || awaited.contains(url) || isShown(url)
    }

    func isAwaited(_ url: ChannelURL) -> Bool { awaited.contains(url) }

    /// The channels that somebody shows, or waits for.
    var inUse: Set<ChannelURL> { awaited.union(viewers.keys) }

    /// The channels whose recent messages are kept without being asked.
    var recentChannels: Set<ChannelURL> { recent }

    // MARK: The connection

    /// Begins anew, with nothing known of what failed.
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

    /// Looks at all channels again that are shown or kept.
    mutating func lookAgain() {
        works = works.filter { $0.value.isBusy }
        for url in works.keys { works[url]?.refetch = nil }
        for url in viewers.keys.sorted() + recent.sorted() + awaited.sorted() { enqueue(url) }
    }

    mutating func setRecent(_ urls: [ChannelURL]) {
        recent = Set(urls)
        for url in urls { enqueue(url) }
    }

    // MARK: The queue

    mutating func look(at url: ChannelURL, isWaitedFor: Bool = false, isNew: Bool = false) {
        if isWaitedFor { awaited.insert(url) }
        // What failed was of before.
        if isWaitedFor || isNew { works[url]?.error = nil }
        // What a hole hides may lie above where a cursor was.
        if isNew { works[url]?.refetch = nil }
        enqueue(url)
    }

    mutating func isWaitedForNoMore(_ url: ChannelURL) { awaited.remove(url) }

    mutating func remove(_ url: ChannelURL) {
        works[url] = nil
        recent.remove(url)
        if queued.remove(url) != nil { queue.removeAll { $0 == url } }
    }

    private mutating func enqueue(_ url: ChannelURL) {
        guard isOn, queued.insert(url).inserted else { return }
        queue.append(url)
    }

    /// Takes the next channel out of the queue whose turn it is.
    ///
    /// - Parameter isLive: Whether channels are looked at that nobody shows.
    /// - Returns: The channel; `nil` if it is nobody's turn.
    mutating func next(isLive: Bool) -> ChannelURL? {
        guard isOn else { return nil }
        let index =
            queue.firstIndex { canGoOn($0) && (isShown($0) || awaited.contains($0)) }
            ?? (isLive ? queue.firstIndex(where: canGoOn) : nil)
        guard let index else { return nil }
        let url = queue.remove(at: index)
        queued.remove(url)
        return url
    }

    private func canGoOn(_ url: ChannelURL) -> Bool {
        guard let work = works[url] else { return true }
        return !work.isBusy && work.error == nil
    }

    var busyCount: Int { works.values.count(where: \.isBusy) }

    var channelsLeft: Int { busyCount + queue.count(where: canGoOn) }

    var isDone: Bool { channelsLeft == 0 }

    /// Whether something is left to do for a channel.
    func isLeft(_ url: ChannelURL) -> Bool {
        works[url]?.isBusy ?? false || (queued.contains(url) && canGoOn(url))
    }

    func failure(of url: ChannelURL) -> SyncError? { works[url]?.error }

    /// Why a channel is left alone; the first one's, if there are several.
    var failure: SyncError? {
        works.filter { $0.value.error != nil }.min { $0.key < $1.key }?.value.error
    }

    /// Tries again what was left alone.
    mutating func forgetFailures() {
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

    /// A call of a channel has its answer, or a wait is over: it is its turn again.
    mutating func resume(_ url: ChannelURL) {
        guard works[url] != nil else { return }
        works[url]?.isBusy = false
        enqueue(url)
    }

    /// Leaves a channel alone.
    mutating func fail(_ url: ChannelURL, _ error: SyncError) {
        works[url]?.isBusy = false
        works[url]?.error = error
    }
}
