import Models
import Store

extension SyncCore {
    private static let idleLimit = IdleRequests.limit

    static let lookupLimit = 100

    mutating func planBackfill() {
        // A page that is requested before the feed is live may be outdated by then, and contains
        // messages that the feed reports anyway.
        //
        // A channel that waits for a retry keeps its place, which limits the load on a failing
        // server. Only shown and awaited channels may exceed this limit.
        while connector.isOn, state.isLive, backfill.requestCount < options.parallelRequests,
            let url = backfill.next(inBackground: backfill.busyCount < options.parallelRequests)
        {
            requestNext(in: url)
        }
    }

    private mutating func requestNext(in url: ChannelURL) {
        let work = backfill[url]
        guard let plan = backfillPlan(for: url, work) else { return waitOrStop(url) }
        guard let task = plan.next else { return requestReactions(in: url) }
        backfill[url].isBusy = true
        switch task {
        case .changes(let point):
            let run = work.changelog ?? ChangelogRun(since: .feed(point.cursor))
            backfill[url].changelog = run
            call(
                CoreCall.MessageChanges(channelURL: url, since: run.point), .changelog)
        case .fill(let gap):
            backfill[url].pages += 1
            let anchor = anchor(at: gap.upper, gap.backfillCursor, in: url)
            fetch(
                PageRequest(
                    in: url, at: anchor, bound: anchor == .newest ? nil : gap.upper,
                    older: pageSize(url, gap, work)),
                for: task)
        case .refetch(var range):
            backfill[url].pages += 1
            if let position = singlePosition(in: range) {
                return lookUp(
                    [position.messageID], in: url,
                    PageExtent(from: range.lower, through: range.upper))
            }
            var anchor = anchor(at: range.upper, work.refetchCursor(below: range.upper), in: url)
            if let gap = plan.gaps.first(where: { $0.lower < range.upper && range.upper < $0.upper }
            ) {
                // The part inside the gap is missing and cannot be verified. The message at the
                // gap's lower bound belongs to the range, so request it, too.
                range = StaleRange(
                    in: url, from: range.lower, to: gap.lower, lossNumber: range.lossNumber)
                anchor =
                    work.refetchCursor(below: range.upper).map { .cursor($0) }
                    ?? range.upper.anchorIncludingIt
            }
            fetch(
                PageRequest(
                    in: url, at: anchor, bound: anchor == .newest ? nil : range.upper,
                    older: options.pageSize),
                for: .refetch(range))
        case .newer(let cursor, let bound):
            fetch(
                PageRequest(in: url, at: .cursor(cursor), bound: bound, newer: options.pageSize),
                for: task)
        }
    }

    /// Requests unknown reactions: of returned replies, then of shown messages, newest first.
    private mutating func requestReactions(in url: ChannelURL) {
        guard let knownReactions, !backfill[url].areReactionsRefused else {
            return backfill.finish(url)
        }
        let needed = knownReactions.needed[url] ?? []
        var ids = needed.sorted()
        if let range = backfill.shownRange(of: url) {
            let shown = read { (reader) throws(StoreError) in
                try reader.positions(in: url, from: range.lower.before, to: range.upper.after)
            }
            guard let shown else { return waitOrStop(url) }
            ids += shown.map(\.messageID).filter {
                !knownReactions.contains($0, in: url) && !needed.contains($0)
            }
        }
        guard !ids.isEmpty else { return backfill.finish(url) }
        backfill[url].isBusy = true
        let requested = Array(ids.prefix(SyncCore.lookupLimit))
        call(CoreCall.Reactions(messageIDs: requested, channelURL: url), .reactions(requested))
    }

    private mutating func singlePosition(in range: StaleRange) -> Position? {
        // Any other range may lack messages of the same time, even if pages covered its other
        // parts.
        guard range.lossNumber == StaleRange.singleMessage else { return nil }
        let stored = read { (reader) throws(StoreError) in
            try reader.positions(in: range.channelURL, from: range.lower, to: range.upper)
                .filter(range.contains)
        }
        guard let stored, stored.count == 1 else { return nil }
        let bound = Gap.Bound.position(stored[0])
        return bound.before <= range.lower && range.upper <= bound.after ? stored[0] : nil
    }

    private mutating func backfillPlan(for url: ChannelURL, _ work: Backfill.Work) -> BackfillPlan?
    {
        let rows = read { (reader) throws(StoreError) in
            (
                gaps: try reader.gaps(in: url), stale: try reader.staleRanges(in: url),
                isOpen: try reader.openChannel(url) != nil
            )
        }
        guard let rows else { return nil }
        // The server returns the history of an open channel only while the user is in it.
        let isExcluded = rows.isOpen && !backfill.isShown(url) || mustNotBeCached(url)
        // A gap implies that the messages of a stale range inside it must be fetched.
        let stale = rows.stale.filter { range in
            !rows.gaps.contains { $0.lower <= range.lower && range.upper <= $0.upper }
        }
        return BackfillPlan(
            gaps: isExcluded ? [] : rows.gaps, staleRanges: isExcluded ? [] : stale,
            shown: backfill.shownRange(of: url),
            isKeptUpToDate: backfill.isKeptUpToDate(url),
            hasBudget: backfill.isShown(url) || backfill.isAwaited(url)
                || work.pages < options.backgroundPages,
            stopped: options.hugeGapPolicy == .report ? backfill.hugeGaps(of: url) : [],
            newer: work.newer)
    }

    private mutating func anchor(
        at bound: Gap.Bound, _ cursor: PageCursor?, in url: ChannelURL
    ) -> MessageAnchor {
        if let cursor { return .cursor(cursor) }
        guard case .position(let position) = bound else { return .newest }
        if position.messageID.rawValue.isEmpty { return .time(position.createdAt) }
        let mayBeAnother = read { (reader) throws(StoreError) in
            try reader.mayBeOfAnotherMessage(position, in: url)
        }
        if mayBeAnother == false, !backfill[url].unknownMessages.contains(position.messageID) {
            return .message(position.messageID)
        }
        // The page excludes messages of the anchor's time, so the next millisecond is the anchor.
        return position.createdAt.next.map { .time($0) } ?? .newest
    }

    /// If huge gaps are only reported, the pages of a gap have at most one new message more than
    /// the threshold in total.
    private func pageSize(_ url: ChannelURL, _ gap: Gap, _ work: Backfill.Work) -> Int {
        guard gap.lower != .beginning, backfill.isShown(url), options.hugeGapPolicy == .report
        else {
            return options.pageSize
        }
        let left = options.hugeGapThreshold - work.newMessageCount
        return left < options.pageSize ? max(1, left + 1) : options.pageSize
    }

    // MARK: Answers

    /// Returns the answer to a lookup, or to a request of a changelog or reactions, with its
    /// channel and what was stored since the call.
    ///
    /// Returns `nil` if the answer is void, after it has queued the channel to repeat the request,
    /// or if the request has failed, after it has handled the error.
    private mutating func successOrRetry<Answer>(
        _ answer: Result<Answer, BackendError>, to call: Call, _ interim: Flights.Interim?
    ) -> (Answer, ChannelURL, Flights.Interim)? {
        guard let url = call.value.channel else { return nil }
        // Also repeat a request that has failed.
        guard let interim else {
            resumeAfterVoidAnswer(in: url)
            return nil
        }
        switch answer {
        case .success(let value): return (value, url, interim)
        case .failure(let error):
            handleFailure(error, in: url, of: call.purpose, interim)
            return nil
        }
    }

    /// Repeats a request whose answer was void, perhaps because the channel changes all the time.
    mutating func resumeAfterVoidAnswer(in url: ChannelURL) {
        backfill[url].recordVoidAnswer(.outdated("channel \(url)"))
        backfill.resume(url)
    }

    mutating func resumeOrWait(_ url: ChannelURL) {
        if lastFailure == nil { return backfill.resume(url) }
        waitOrStop(url)
    }

    /// Repeats a channel's work later, after a failure of the store.
    ///
    /// If the cache is damaged, the work stops until the cache has been replaced.
    private mutating func waitOrStop(_ url: ChannelURL) {
        guard let lastFailure, isCacheDamage(lastFailure) else {
            return wait(for: url, atLeast: nil)
        }
        stop(url, lastFailure)
    }

    mutating func continueBackfill(
        _ task: BackfillTask, after fetched: FetchedMessages, of request: PageRequest,
        since before: (remainder: Remainder, newMessageCount: Int)
    ) {
        let url = request.channelURL
        let page = fetched.page
        if case .newer = task {
            backfill[url].clearFailures()
            recordNewer(page, request)
            return resumeOrWait(url)
        }
        if case .message(let id) = request.anchor, page.outliers.contains(id) {
            // An outlier is not at its position in the server's pages, so its time is the next
            // anchor.
            backfill[url].unknownMessages.insert(id)
        }
        if request.bound == nil, let newer = page.newer {
            let last = page.orderedPositions.last.map(Gap.Bound.position)
            backfill[url].newer = (newer, last)
            backfill[url].usedCursors = UsedCursors()
        }
        let after = remainder(in: url)
        if backfill.isShown(url) { backfill[url].newMessageCount += before.newMessageCount }
        recordProgress(
            page, task, to: request.bound, in: url, hasChanged: after != before.remainder, after)
        let isStalled = backfill[url].idleAnswers == SyncCore.idleLimit
        if isStalled { stop(url, .stalled(url)) }
        if case .fill(let gap) = task {
            reportIfHuge(gap, in: url, left: after.gaps.first { $0.lower == gap.lower })
        }
        backfill.keepHugeGaps(of: url, in: after.gaps)
        // A stopped channel stays queued, but `Backfill.next` skips it.
        guard !isStalled, let extent = fetched.extent, !fetched.unconfirmed.isEmpty else {
            backfill[url].clearFailures()
            return resumeOrWait(url)
        }
        lookUp(fetched.unconfirmed[...], in: url, extent)
    }

    private mutating func recordProgress(
        _ page: MessagePage, _ task: BackfillTask, to bound: Gap.Bound?, in url: ChannelURL,
        hasChanged: Bool, _ left: Remainder
    ) {
        var work = backfill[url]
        var hasMoved = hasChanged || work.newer != nil
        var isCycle = false
        switch task {
        case .fill(let gap):
            let isLeft = left.gaps.contains { $0.lower == gap.lower && $0.upper == gap.upper }
            if !isLeft { work.usedCursors = UsedCursors() }
            // If the page has changed nothing, it may cover nothing, and the next one may have the
            // same cursor.
            isCycle = hasChanged && work.recordCursor(page.older, after: gap.backfillCursor)
        case .refetch(let range):
            let last = work.refetchCursor(below: range.upper)
            let isAbove = page.orderedPositions.allSatisfy { range.upper <= .position($0) }
            let isAtBound = bound != nil || page.newer == nil
            let next = isAbove && isAtBound ? page.older : nil
            work.refetch = next.map { (range.upper, $0) }
            isCycle = work.recordCursor(next, after: last)
            hasMoved = hasMoved || (next != nil && next != last)
        case .changes, .newer: break
        }
        work.idleAnswers = isCycle ? SyncCore.idleLimit : hasMoved ? 0 : work.idleAnswers + 1
        backfill[url] = work
    }

    private mutating func lookUp(
        _ ids: ArraySlice<MessageID>, in url: ChannelURL, _ extent: PageExtent
    ) {
        let requested = ids.prefix(SyncCore.lookupLimit)
        call(
            CoreCall.Lookup(messageIDs: Array(requested), channelURL: url),
            .lookup(url, extent, rest: ids.dropFirst(requested.count)))
    }

    mutating func handleLookup(
        _ answer: Result<MessageLookup, BackendError>, of extent: PageExtent,
        rest: ArraySlice<MessageID>, _ call: Call, _ interim: Flights.Interim?
    ) {
        guard let (lookup, url, interim) = successOrRetry(answer, to: call, interim) else { return }
        let isStored: Void? = write { (ingest) throws(StoreError) in
            try ingest.applyLookup(lookup, in: url, since: interim, .messageFill)
            if rest.isEmpty { try ingest.markVerified(url, extent, since: interim) }
        }
        guard isStored != nil else { return resumeOrWait(url) }
        guard rest.isEmpty else { return lookUp(rest, in: url, extent) }
        backfill[url].clearFailures()
        resumeOrWait(url)
    }

    mutating func handleReactions(
        _ answer: Result<[MessageID: [Reaction]], BackendError>, to ids: [MessageID], _ call: Call,
        _ interim: Flights.Interim?
    ) {
        guard let (reactions, url, interim) = successOrRetry(answer, to: call, interim) else {
            return
        }
        let isStored: Void? = write { (ingest) throws(StoreError) in
            try ingest.applyReactions(reactions, of: ids, in: url, since: interim)
        }
        if isStored != nil { backfill[url].clearFailures() }
        resumeOrWait(url)
    }

    private mutating func recordNewer(_ page: MessagePage, _ request: PageRequest) {
        let url = request.channelURL
        var work = backfill[url]
        let isIdle = page.messages.isEmpty && page.newer == work.newer?.cursor
        work.idleAnswers = isIdle ? work.idleAnswers + 1 : 0
        if work.recordCursor(page.newer, after: work.newer?.cursor) {
            work.idleAnswers = SyncCore.idleLimit
        }
        let last = page.orderedPositions.last.map(Gap.Bound.position) ?? request.bound
        work.newer = page.newer.map { ($0, last) }
        backfill[url] = work
        if work.idleAnswers == SyncCore.idleLimit { stop(url, .stalled(url)) }
    }

    mutating func handleChangelog(
        _ answer: Result<MessageChangelog, BackendError>, _ call: Call, _ interim: Flights.Interim?
    ) {
        guard let (changes, url, interim) = successOrRetry(answer, to: call, interim) else {
            return
        }
        guard var run = backfill[url].changelog else { return backfill.resume(url) }
        let next = run.step(
            token: changes.next, hasMore: changes.hasMore,
            isEmpty: changes.updated.isEmpty && changes.deleted.isEmpty)
        let isStored: Void? = write { (ingest) throws(StoreError) in
            try ingest.applyChangelog(changes, in: url, since: interim, .messageChangelog)
            guard case .done(let token) = next else { return }
            try ingest.changeGaps(of: url) { $0.changesSince = nil }
            ingest.batch.setMessageChangelogToken(token, of: url)
        }
        guard isStored != nil else { return waitOrStop(url) }
        backfill[url].clearFailures()
        backfill[url].changelog = next == .more ? run : nil
        switch next {
        case .stalled: stop(url, .stalled(url))
        case .tooLong: markStaleWithoutChangelog(in: url)
        case .more, .done: resumeOrWait(url)
        }
    }

    mutating func stopBackfill(of url: ChannelURL) {
        if backfill[url].isBusy {
            act(.cancelWait(.backfill(url, generation: connector.generation)))
        }
        backfill.remove(url)
        for (number, call) in calls.sorted(by: { $0.key < $1.key })
        where call.value.channel == url {
            switch call.purpose {
            case .page(var fetch) where fetch.task != nil:
                fetch.task = nil
                setFetch(fetch, of: number)
            case .changelog, .lookup, .reactions: cancelCall(number)
            case .page, .connect, .feed, .caller, .outbox: break
            }
        }
    }

    // MARK: Huge gaps

    mutating func newMessageCount(
        on page: MessagePage, _ task: BackfillTask, in url: ChannelURL
    ) -> Int {
        guard case .fill(let gap) = task else { return 0 }
        let found = page.messages.filter { $0.position.map(gap.contains) ?? false }
        let positions = found.compactMap(\.position)
        guard let first = positions.min(), let last = positions.max() else { return 0 }
        let userID = state.user?.userID
        let stored = read { (reader) throws(StoreError) in
            var stored = try reader.positions(
                in: url, from: max(gap.lower, Gap.Bound.position(first).before),
                to: min(gap.upper, Gap.Bound.position(last).after))
            for (message, position) in zip(found, positions)
            where try reader.outboxItem(of: message, by: userID) != nil { stored.append(position) }
            return stored
        }
        return Set(positions).subtracting(stored ?? []).count
    }

    /// Reports a gap once, if it is huge; `left` is what a page has left of it.
    private mutating func reportIfHuge(_ gap: Gap, in url: ChannelURL, left: Gap?) {
        guard gap.lower != .beginning else { return }
        let isHuge = backfill[url].newMessageCount > options.hugeGapThreshold
        if isHuge || left == nil { backfill[url].newMessageCount = 0 }
        guard isHuge, backfill.isShown(url), left.map({ backfill.recordHugeGap($0) }) ?? true
        else { return }
        act(.emit(.hugeGap(url)))
    }

    mutating func remainder(in url: ChannelURL) -> Remainder {
        let rows = read { (reader) throws(StoreError) in
            Remainder(gaps: try reader.gaps(in: url), stale: try reader.staleRanges(in: url))
        }
        return rows ?? Remainder()
    }

    /// The ranges that are left to fetch.
    struct Remainder: Hashable {
        var gaps: [Gap] = []
        var stale: [StaleRange] = []
    }
}

extension SyncCore.Call.Purpose {
    var isOfChangelog: Bool { if case .changelog = self { true } else { false } }

    var isOfReactions: Bool { if case .reactions = self { true } else { false } }
}

extension Ingest {
    /// Changes the stored gaps of a channel.
    func changeGaps(of url: ChannelURL, _ change: (inout Gap) -> Void) throws(StoreError) {
        for stored in try batch.gaps(in: url) {
            var gap = stored
            change(&gap)
            if gap != stored { try batch.update(gap) }
        }
    }
}
