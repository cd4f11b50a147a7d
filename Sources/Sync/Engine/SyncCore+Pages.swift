import Models
import Store

struct PageFetch {
    struct Caller {
        let ticket: Int
        let attempt: Int
        let source: CollectionEventSource
    }

    let request: PageRequest
    var task: BackfillTask?
    var callers: [Caller]
}

extension SyncCore {
    /// Requests a page, unless a request in flight also serves.
    mutating func fetch(
        _ request: PageRequest, for task: BackfillTask? = nil, callers: [PageFetch.Caller] = []
    ) {
        for (number, call) in calls.sorted(by: { $0.key < $1.key }) {
            guard case .page(var fetch) = call.purpose, request.isServed(by: fetch.request),
                task == nil || fetch.task == nil, let flight = call.flight,
                flights.isValid(flight), flight.feedHadBegun == hasFeedBegun
            else { continue }
            fetch.task = fetch.task ?? task
            fetch.callers += callers
            calls[number]?.purpose = .page(fetch)
            return
        }
        call(request.call, .page(PageFetch(request: request, task: task, callers: callers)))
    }

    mutating func fetchForCaller(_ request: PageRequest, _ caller: PageFetch.Caller) {
        guard canMakeCall(about: "channel \(request.channelURL)", caller.ticket) else { return }
        fetch(withValidBound(request), callers: [caller])
    }

    /// Removes the bound from a request whose cursor is no longer that of the gap below the bound:
    /// messages may then be missing between the bound and the page.
    private mutating func withValidBound(_ request: PageRequest) -> PageRequest {
        guard case .cursor(let cursor) = request.anchor, let bound = request.bound,
            request.newer == 0, request.parentMessageID == nil, request.kinds.isEmpty
        else { return request }
        let url = request.channelURL
        let gap =
            read { (reader) throws(StoreError) in try reader.firstGap(below: bound, in: url) }
            ?? nil
        guard let gap, gap.upper == bound else { return bound == .end ? request.repeated : request }
        return gap.backfillCursor == cursor ? request : request.repeated
    }

    /// Returns whether the answer may be older than a reply, reported since the request, to a
    /// message that is neither stored nor on the page.
    private mutating func lacksThread(
        _ page: MessagePage, of request: PageRequest, since interim: Flights.Interim
    ) -> Bool {
        guard request.kinds.contains(.thread) else { return false }
        let ids = interim.changedThreads.subtracting(page.messages.compactMap(\.messageID))
        let url = request.channelURL
        return ids.contains { id in
            let stored = read { (reader) throws(StoreError) in try reader.message(id, in: url) }
            return (stored ?? nil) == nil
        }
    }

    mutating func setFetch(_ fetch: PageFetch, of number: Int) {
        if fetch.task == nil, fetch.callers.isEmpty { return cancelCall(number) }
        calls[number]?.purpose = .page(fetch)
    }

    mutating func handlePage(
        _ answer: Result<MessagePage, BackendError>, _ fetch: PageFetch,
        _ interim: Flights.Interim?
    ) {
        let request = fetch.request
        let url = request.channelURL
        let page: MessagePage
        switch answer {
        case .success(let answer): page = answer
        case .failure(let error):
            if error.code == .expired, case .cursor(let cursor) = request.anchor {
                write { (ingest) throws(StoreError) in
                    // Without a cursor, the backfill starts again at the gap's upper bound.
                    try ingest.changeGaps(of: url) { gap in
                        if gap.backfillCursor == cursor { gap.backfillCursor = nil }
                    }
                }
            }
            let next = error.code == .expired ? request.withoutCursor : nil
            for caller in fetch.callers {
                guard let next else {
                    act(.fail(SyncError(error), ticket: caller.ticket))
                    continue
                }
                repeatFetch(next, for: caller)
            }
            guard fetch.task != nil else { return }
            // Repeat a request whose answer is void, even if it failed.
            guard let interim else { return resumeAfterVoidAnswer(in: url) }
            return handleFailure(error, in: url, of: .page(fetch), interim)
        }
        guard let interim, !lacksThread(page, of: request, since: interim) else {
            for caller in fetch.callers { repeatFetch(request.repeated, for: caller) }
            if fetch.task != nil { resumeAfterVoidAnswer(in: url) }
            return
        }
        let before = fetch.task.map {
            (remainder: remainder(in: url), newMessageCount: newMessageCount(on: page, $0, in: url))
        }
        let source = fetch.callers.first?.source ?? .messageFill
        let fetched = write { (ingest) throws(StoreError) in
            let report = try ingest.applyPage(page, of: request, since: interim, source)
            return FetchedMessages(
                page: page, extent: report.extent, feedHadBegun: interim.feedHadBegun,
                unconfirmed: report.unconfirmed,
                lossCount: try ingest.batch.lossCount())
        }
        for caller in fetch.callers {
            reply(fetched, about: "channel \(url)", caller.ticket)
        }
        if let task = fetch.task, let before {
            guard let fetched else { return resumeOrWait(url) }
            continueBackfill(task, after: fetched, of: request, since: before)
        } else if let fetched, !fetched.unconfirmed.isEmpty, request.parentMessageID == nil {
            backfill.enqueue(url)
        }
    }

    private mutating func repeatFetch(_ request: PageRequest, for caller: PageFetch.Caller) {
        guard canRepeat(about: "channel \(request.channelURL)", caller.ticket, caller.attempt)
        else {
            return
        }
        fetchForCaller(
            request,
            PageFetch.Caller(
                ticket: caller.ticket, attempt: caller.attempt + 1, source: caller.source))
    }
}
