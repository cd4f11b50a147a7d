import Models
import Store

extension SyncCore {
    /// The maximum number of attempts of a request whose answers are voided.
    private static let attempts = 5

    /// Makes a request for a caller of the engine.
    mutating func ask(_ question: SyncQuestion, _ ticket: Int, attempt: Int) {
        guard connector.isOn else {
            let error = SyncError(
                .notConnected, "the request about \(question.subject) needs a connection")
            return act(.fail(error, ticket: ticket))
        }
        if case .page(let request, let source) = question {
            let caller = PageFetch.Caller(ticket: ticket, attempt: attempt, source: source)
            return fetch(withValidBound(request), callers: [caller])
        }
        call(question.request, .question(question, ticket: ticket, attempt: attempt))
    }

    /// Removes the bound from a request whose bound is the newest end, and whose cursor is no
    /// longer the backfill cursor of the gap at that end.
    ///
    /// After a truncation, messages may be missing between the bound and the page.
    private mutating func withValidBound(_ request: PageRequest) -> PageRequest {
        guard case .cursor(let cursor) = request.anchor, request.bound == .end,
            request.parentMessageID == nil
        else { return request }
        let url = request.channelURL
        let gap =
            read { (reader) throws(StoreError) in try reader.firstGap(below: .end, in: url) } ?? nil
        return gap?.upper == .end && gap?.backfillCursor == cursor ? request : request.repeated
    }

    /// Repeats a request whose answer was voided.
    mutating func repeatQuestion(_ question: SyncQuestion, _ ticket: Int, attempt: Int) {
        guard attempt < SyncCore.attempts else {
            let error = SyncError(
                .stalled,
                "every response about \(question.subject) was outdated on arrival: retry later")
            return act(.fail(error, ticket: ticket))
        }
        ask(question.repeated, ticket, attempt: attempt + 1)
    }

    mutating func handle(
        _ answer: BackendAnswer, to question: SyncQuestion, _ ticket: Int, _ attempt: Int,
        _ interim: Flights.Interim?
    ) {
        if case .failed(let error) = answer {
            return act(.fail(SyncError(error), ticket: ticket))
        }
        if case .channel(let channel) = answer, attempt < SyncCore.attempts,
            interim?.channels.contains(channel.url) ?? true
        {
            // While the request was in flight, the feed reported an event of the channel. It is
            // unknown whether the event or the answer is newer. Request the channel's current
            // state, because the operation itself, such as joining, must not be repeated.
            let isCompared = question == .compareChannel(channel.url)
            return ask(
                isCompared ? question : .channel(channel.url), ticket, attempt: attempt + 1)
        }
        guard let interim else { return repeatQuestion(question, ticket, attempt: attempt) }
        if case .found(let page) = answer,
            page.elements.contains(where: { interim.voidChannels.contains($0.channelURL) })
        {
            return repeatQuestion(question, ticket, attempt: attempt)
        }
        reply(handle(answer, to: question, interim), to: question, ticket)
    }

    /// Sends `reply` to a caller.
    ///
    /// If it is `nil`, sends the error with which storing the answer failed.
    mutating func reply(_ reply: SyncReply?, to question: SyncQuestion, _ ticket: Int) {
        if let reply { return act(.reply(reply, ticket: ticket)) }
        let error = SyncError(.store, "the answer about \(question.subject) could not be stored")
        act(.fail(state.failure ?? error, ticket: ticket))
    }

    /// Stores an answer.
    ///
    /// - Returns: The reply; `nil` if the answer could not be stored.
    private mutating func handle(
        _ answer: BackendAnswer, to question: SyncQuestion, _ interim: Flights.Interim
    ) -> SyncReply? {
        switch (answer, question) {
        case (.lookup(let lookup), .lookup(_, let url)):
            return write { (ingest) throws(StoreError) in
                try ingest.apply(lookup, in: url, since: interim, .requestMessage)
                return .lookup(lookup)
            }
        case (.lookup(let lookup), .lookupUnconfirmed(_, let url, let extent, let lossCount)):
            return write { (ingest) throws(StoreError) in
                try ingest.apply(lookup, in: url, since: interim, .requestMessage)
                if interim.isFollowed, try ingest.batch.lossCount() == lossCount {
                    try ingest.markVerified(url, extent)
                }
                return .lookup(lookup)
            }
        case (.lookup(let lookup), .confirm): return .lookup(lookup)
        case (.page(let page), .compare(let request)):
            let ignoresReactions = knownReactions != nil
            return read { (reader) throws(StoreError) in
                try reader.compare(page, of: request, interim, ignoresReactions: ignoresReactions)
            }
        case (.channel(let channel), .compareChannel):
            return read { (reader) throws(StoreError) in
                .comparedChannel(
                    ChannelDifference(
                        held: try reader.groupChannel(channel.url), server: channel))
            }
        case (.found(let page), .search(let params, _, _)):
            return handle(page, of: params, interim)
        case (.messageChanges(let changes), .messageChanges(let url, _, let params)):
            return handle(changes, in: url, params, interim)
        case (.channelChanges(let changes), .channelChanges(_, let params)):
            return handle(changes, params, interim)
        case (.channels(let page), .channels):
            return write { (ingest) throws(StoreError) in
                for channel in page.elements {
                    try ingest.apply(channel, since: interim, .channelLoadMore)
                }
                return .channels(page)
            }
        case (.channel(let channel), .channel), (.channel(let channel), .createChannel),
            (.channel(let channel), .updateChannel), (.channel(let channel), .join):
            // Fetch the shown history again: the server may have refused the requests for it until
            // the user joined.
            defer {
                if backfill.isShown(channel.url) { backfill.examine(channel.url, isNew: true) }
            }
            return write { (ingest) throws(StoreError) in
                try ingest.apply(channel, since: interim, .requestChannel)
                // Return the stored channel, because the answer may omit the unread counts.
                return .channel(try ingest.batch.groupChannel(channel.url) ?? channel)
            }
        default: return nil
        }
    }

    private mutating func handle(
        _ page: Page<Message>, of params: MessageSearchParams, _ interim: Flights.Interim
    ) -> SyncReply? {
        let query = SearchQuery(params.text)
        let found = page.elements.filter { params.includes($0) && query.hits(in: $0) != nil }
        let stored = write { (ingest) throws(StoreError) in
            try ingest.apply(found: found, since: interim)
        }
        guard let stored else { return nil }
        // A message may have opened a gap in a range that a viewer shows.
        for url in Set(stored.map(\.channelURL)).sorted() where backfill.isShown(url) {
            backfill.examine(url)
        }
        return .found(
            ServerSearchPage(
                messages: stored, next: page.next,
                searchedAfter: page.elements.last.map { $0.updatedAt ?? $0.createdAt }))
    }

    private mutating func handle(
        _ changes: MessageChangelog, in url: ChannelURL, _ params: MessageChangelogParams?,
        _ interim: Flights.Interim
    ) -> SyncReply? {
        write { (ingest) throws(StoreError) in
            try ingest.apply(changes, in: url, since: interim, .messageChangelog)
            // Do not save the token if it would skip changes that the parameters exclude, or
            // changes that must be read before a gap is filled.
            if params == nil,
                try ingest.batch.gaps(in: url).allSatisfy({ $0.changesSince == nil })
            {
                ingest.batch.setMessageChangelogToken(changes.next, of: url)
            }
            var reported = changes
            if let params { reported.updated.removeAll { !params.belongsTo($0) } }
            return .messageChanges(reported)
        }
    }

    private mutating func handle(
        _ changes: GroupChannelChangelog, _ params: GroupChannelChangelogParams?,
        _ interim: Flights.Interim
    ) -> SyncReply? {
        let removed = write { (ingest) throws(StoreError) in
            let removed = try ingest.apply(changes, since: interim, .channelChangelog)
            // Do not save the token if it would skip changes that the parameters exclude.
            if params == nil { ingest.batch.setChannelChangelogToken(changes.next) }
            return removed
        }
        guard let removed else { return nil }
        for url in removed { stopBackfill(of: url) }
        var reported = changes
        if let params { reported.updated.removeAll { !params.belongsTo($0) } }
        return .channelChanges(reported)
    }

    /// Stores messages that the engine has not requested, such as those of a push.
    ///
    /// If `isDurable` is set, the messages are written and synced to disk (`fsync`) when the method
    /// returns.
    ///
    /// - Returns: The number of messages that are now stored, in the given version or a newer one.
    mutating func ingestMessages(
        _ messages: [Message], _ source: CollectionEventSource, isDurable: Bool = false
    ) throws(SyncError) -> Int {
        // A message may acknowledge an outbox item.
        try loadOutbox()
        let message = "the \(messages.count) given messages could not be stored"
        let count = try write(orFail: message) { (ingest) throws(StoreError) in
            ingest.batch.isDurable = isDurable
            var count = 0
            for message in messages where try !ingest.mayBeDeleted(message) {
                if try ingest.applyAlone(message, source, .untrusted) { count += 1 }
            }
            return count
        }
        for url in Set(messages.map(\.channelURL)).sorted() { backfill.examine(url) }
        return count
    }

    /// Records that an open channel may have changed while the user was not in it.
    ///
    /// Adds a gap at the newest end of its history, and marks the stored messages as stale.
    mutating func leave(openChannel url: ChannelURL) throws(SyncError) {
        let isStored = read { (reader) throws(StoreError) in
            try reader.openChannel(url) != nil
        }
        guard isStored ?? false else { return }
        let message = "open channel \(url) could not be changed"
        try write(orFail: message) { (ingest) throws(StoreError) in
            try ingest.openTruncation(in: url, since: nil)
            try ingest.markKnownHistoryStale(of: url)
        }
    }

    /// Stores an open channel that the user has entered, and fetches the ranges that viewers show.
    mutating func enter(_ channel: OpenChannel) throws(SyncError) {
        let message = "open channel \(channel.url) could not be saved"
        try write(orFail: message) { (ingest) throws(StoreError) in
            try ingest.batch.save(channel, source: .eventChannelChanged)
        }
        backfill.examine(channel.url, isNew: true)
    }

    /// Marks all stored messages of a channel as stale.
    mutating func markStale(_ url: ChannelURL) throws(SyncError) {
        let message = "channel \(url) could not be marked as stale"
        try write(orFail: message) { (ingest) throws(StoreError) in
            try ingest.markKnownHistoryStale(of: url)
        }
        if backfill.isShown(url) { backfill.examine(url) }
    }
}

extension StoreReader {
    /// Compares a page with the stored messages in known ranges of the history.
    fileprivate func compare(
        _ page: MessagePage, of request: PageRequest, _ interim: Flights.Interim,
        ignoresReactions: Bool
    ) throws(StoreError) -> SyncReply {
        let url = request.channelURL
        var found = HistoryDifferences()
        let gaps = try gaps(in: url)
        let stale = try staleRanges(in: url)
        func isKnown(_ position: Position) -> Bool {
            !gaps.contains { $0.contains(position) } && !stale.contains { $0.contains(position) }
        }
        for var message in page.messages {
            guard let position = message.position, isKnown(position),
                !interim.touched.contains(position.messageID)
            else { continue }
            found.comparedCount += 1
            guard let held = try self.message(position.messageID, in: url) else {
                found.missing.append(message)
                continue
            }
            if ignoresReactions { message.reactionHistory = held.reactionHistory }
            if held.replaced(by: message) != held { found.different.append(message) }
        }
        let bound = try bound(of: request, answeredBy: page)
        let extent = PageExtent(page, of: request, from: bound, isFollowed: interim.isFollowed)
        if let extent {
            let idsOnPage = Set(page.messages.compactMap(\.messageID))
            for position in try positions(in: url, from: extent.from, to: extent.through)
            where isKnown(position) && !idsOnPage.contains(position.messageID)
                && !interim.touched.contains(position.messageID)
            {
                if let held = try message(position.messageID, in: url) {
                    found.extra.append(held)
                }
            }
        }
        return .compared(found, next: page.older, from: extent?.from)
    }
}
