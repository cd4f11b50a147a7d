package import Models
import Store

extension SyncCore {
    mutating func handleFailure(
        _ error: BackendError, in url: ChannelURL, of purpose: Call.Purpose,
        _ interim: Flights.Interim
    ) {
        // The server may have invited or added the user after it refused the request.
        let mayBeObsolete = error.code == .refused && interim.channels.contains(url)
        switch error.code {
        case .expired: handleExpired(error, in: url, purpose)
        case .unsupported where purpose.isOfChangelog: markStaleWithoutChangelog(in: url)
        // The backend's own `canceled`: the answers of calls that the engine canceled are ignored.
        case _ where error.isTransient || error.code == .canceled || mayBeObsolete:
            backfill[url].recordFailure(SyncError(error))
            wait(for: url, atLeast: error.retryAfter)
        case _ where purpose.isOfReactions:
            backfill[url].areReactionsRefused = true
            act(.emit(.failed(url, SyncError(error))))
            resumeOrWait(url)
        default: stop(url, SyncError(error))
        }
    }

    /// Continues a channel's work without a cursor, message or token that has expired.
    mutating func handleExpired(
        _ error: BackendError, in url: ChannelURL, _ purpose: Call.Purpose
    ) {
        if purpose.isOfChangelog { return handleExpiredChangelog(of: url) }
        backfill[url].newer = nil
        if case .page(let fetch) = purpose, case .message(let id) = fetch.request.anchor {
            backfill[url].unknownMessages.insert(id)
        } else if case .page(let fetch) = purpose, case .fill(let gap) = fetch.task,
            gap.backfillCursor != nil
        {
            // The cursor was removed, so the next request starts at the gap's upper bound.
        } else {
            backfill[url].refetch = nil
            backfill[url].recordFailure(SyncError(error))
            return wait(for: url, atLeast: nil)
        }
        resumeOrWait(url)
    }

    mutating func handleExpiredChangelog(of url: ChannelURL) {
        guard let run = backfill[url].changelog else { return markStaleWithoutChangelog(in: url) }
        let stored = read { (reader) throws(StoreError) in
            try reader.messageChangelogToken(of: url)
        }
        guard case .feed = run.point, let token = stored ?? nil else {
            return markStaleWithoutChangelog(in: url)
        }
        backfill[url].changelog = ChangelogRun(since: .token(token))
        backfill.resume(url)
    }

    /// Marks the known history as stale, because the changelog is not available or too long.
    mutating func markStaleWithoutChangelog(in url: ChannelURL) {
        backfill[url].changelog = nil
        write { (ingest) throws(StoreError) in try ingest.markKnownHistoryStale(of: url) }
        resumeOrWait(url)
    }

    mutating func stopAfterLastAttempt(_ url: ChannelURL) {
        stop(
            url,
            SyncError(.serverFailure, "requests for channel \(url) failed too often: retry later"))
    }

    mutating func stop(_ url: ChannelURL, _ error: SyncError) {
        backfill[url].changelog = nil
        backfill[url].newer = nil
        backfill[url].refetch = nil
        backfill[url].idleAnswers = 0
        backfill[url].usedCursors = UsedCursors()
        let channel = read { (reader) throws(StoreError) in try reader.groupChannel(url) } ?? nil
        let isExpected = error.endsWithInvitation(to: channel)
        backfill.fail(url, error, isExpected: isExpected)
        if !isExpected { act(.emit(.failed(url, error))) }
    }

    mutating func wait(for url: ChannelURL, atLeast duration: Duration?) {
        (backfill[url].isBusy, backfill[url].isWaiting) = (true, true)
        act(
            .wait(
                .backfill(url, generation: connector.generation),
                beforeAttempt: max(backfill[url].failures, 1) + 1, atLeast: duration))
    }
}

extension SyncError {
    /// Returns whether the error is a refusal that ends once the user accepts the invitation to a
    /// channel, which the feed reports: some servers show its history only then.
    package func endsWithInvitation(to channel: GroupChannel?) -> Bool {
        code == .refused && channel?.myMemberState == .invited
    }
}
