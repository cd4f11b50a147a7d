import Models
import Store

/// A call of the engine's caller, with what the core does with the answer, except a ``PageFetch``.
protocol CallerCall<Reply>: Sendable {
    associatedtype Call: BackendCall
    associatedtype Reply: Sendable

    var call: Call { get }

    var subject: String { get }

    /// Returns the call to make before anything is stored; `nil` to store the answer.
    ///
    /// By default, a void answer, whose `interim` is `nil`, repeats the call.
    func next(
        after answer: Call.Answer, _ interim: Flights.Interim?, isLast: Bool
    ) -> (any CallerCall)?

    func store(
        _ answer: Call.Answer, in core: inout SyncCore, since interim: Flights.Interim
    ) -> Reply?
}

extension CallerCall {
    var subject: String { call.channel.map { "channel \($0)" } ?? "'\(Call.name)'" }

    func next(
        after answer: Call.Answer, _ interim: Flights.Interim?, isLast: Bool
    ) -> (any CallerCall)? { interim == nil ? self : nil }
}

/// A call whose answer is not stored.
struct Uncached<Call: BackendCall>: CallerCall {
    let call: Call

    func next(
        after answer: Call.Answer, _ interim: Flights.Interim?, isLast: Bool
    ) -> (any CallerCall)? { nil }

    func store(
        _ answer: Call.Answer, in core: inout SyncCore, since interim: Flights.Interim
    ) -> Call.Answer? { answer }
}

// MARK: Messages

struct LookUp: CallerCall {
    let call: CoreCall.Lookup
    /// The extent of a page, which is no longer stale after this lookup, the last one of the
    /// messages that the page lacked.
    ///
    /// It stays stale if the store's loss count has changed since the page was stored.
    var verified: (extent: PageExtent, lossCount: Int64)?

    func store(
        _ lookup: MessageLookup, in core: inout SyncCore, since interim: Flights.Interim
    ) -> MessageLookup? {
        let url = call.channelURL
        return core.write { (ingest) throws(StoreError) in
            try ingest.applyLookup(lookup, in: url, since: interim, .requestMessage)
            if let verified, interim.feedHadBegun,
                try ingest.batch.lossCount() == verified.lossCount
            {
                try ingest.markVerified(url, verified.extent, since: interim)
            }
            return lookup
        }
    }
}

struct ComparePage: CallerCall {
    struct Reply: Sendable {
        let differences: HistoryDifferences
        let next: PageCursor?
        let lowerBound: Gap.Bound?
    }

    let request: PageRequest

    var call: CoreCall.Messages {
        CoreCall.Messages(
            channelURL: request.channelURL, anchor: request.anchor, older: request.older,
            newer: request.newer)
    }

    func store(
        _ page: MessagePage, in core: inout SyncCore, since interim: Flights.Interim
    ) -> Reply? {
        let ignoresReactions = core.knownReactions != nil
        return core.read { (reader) throws(StoreError) in
            try reader.compare(page, of: request, interim, ignoresReactions: ignoresReactions)
        }
    }
}

struct FindMessages: CallerCall {
    let call: SearchMessages

    var subject: String { "the search for \"\(call.params.text)\"" }

    func store(
        _ page: Page<Message>, in core: inout SyncCore, since interim: Flights.Interim
    ) -> ServerSearchPage? {
        let query = SearchQuery(call.params.text)
        let found = page.elements.filter {
            call.params.includes($0) && query.hits(in: $0) != nil
        }
        return core.store(found: found, since: interim).map { stored in
            ServerSearchPage(
                messages: stored, next: page.next,
                searchedAfter: page.elements.last.map { $0.updatedAt ?? $0.createdAt })
        }
    }
}

struct FetchMentions: CallerCall {
    let call: ListMentions

    var subject: String { "the list of mentions" }

    func store(
        _ page: Page<Message>, in core: inout SyncCore, since interim: Flights.Interim
    ) -> Page<Message>? {
        let userID = core.state.user?.userID
        let found = page.elements.filter { $0.kinds(for: userID).contains(.mention) }
        return core.store(found: found, since: interim).map { Page($0, next: page.next) }
    }
}

extension CallerCall where Call.Answer == Page<Message> {
    func next(
        after page: Page<Message>, _ interim: Flights.Interim?, isLast: Bool
    ) -> (any CallerCall)? {
        guard let interim else { return self }
        // A channel that changes continually must not fail the search of the others. The messages
        // are stored as untrusted.
        guard !isLast else { return nil }
        return page.elements.contains { interim.voidChannels.contains($0.channelURL) } ? self : nil
    }
}

extension SyncCore {
    fileprivate mutating func store(
        found messages: [Message], since interim: Flights.Interim
    ) -> [Message]? {
        let stored = write { (ingest) throws(StoreError) in
            try ingest.applyFound(messages, since: interim)
        }
        // A message may have opened a gap in a range that a viewer shows.
        for url in Set((stored ?? []).map(\.channelURL)).sorted() where backfill.isShown(url) {
            backfill.enqueue(url)
        }
        return stored
    }
}

struct FetchMessageChanges: CallerCall {
    let call: CoreCall.MessageChanges

    func store(
        _ changes: MessageChangelog, in core: inout SyncCore, since interim: Flights.Interim
    ) -> MessageChangelog? {
        let (url, params) = (call.channelURL, call.params)
        return core.write { (ingest) throws(StoreError) in
            try ingest.applyChangelog(changes, in: url, since: interim, .messageChangelog)
            // The token would skip changes that the parameters exclude, or that must be read before
            // a gap is filled.
            if params == nil,
                try ingest.batch.gaps(in: url).allSatisfy({ $0.changesSince == nil })
            {
                ingest.batch.setMessageChangelogToken(changes.next, of: url)
            }
            var reported = changes
            if let params { reported.updated.removeAll { !params.belongsTo($0) } }
            return reported
        }
    }
}

// MARK: Channels

struct FetchChannelChanges: CallerCall {
    let call: CoreCall.ChannelChanges

    func store(
        _ changes: GroupChannelChangelog, in core: inout SyncCore, since interim: Flights.Interim
    ) -> GroupChannelChangelog? {
        let params = call.params
        let removed = core.write { (ingest) throws(StoreError) in
            let removed = try ingest.applyChannelChangelog(
                changes, since: interim, .channelChangelog)
            if params == nil { ingest.batch.setChannelChangelogToken(changes.next) }
            return removed
        }
        guard let removed else { return nil }
        for url in removed { core.stopBackfill(of: url) }
        var reported = changes
        if let params { reported.updated.removeAll { !params.belongsTo($0) } }
        return reported
    }
}

struct FetchChannels: CallerCall {
    let call: CoreCall.Channels

    func store(
        _ page: Page<GroupChannel>, in core: inout SyncCore, since interim: Flights.Interim
    ) -> Page<GroupChannel>? {
        core.write { (ingest) throws(StoreError) in
            for channel in page.elements {
                try ingest.applyChannel(channel, since: interim, .channelLoadMore)
            }
            return page
        }
    }
}

extension CallerCall where Call == CoreCall.Channel {
    func next(
        after channel: GroupChannel, _ interim: Flights.Interim?, isLast: Bool
    ) -> (any CallerCall)? {
        channel.mayBeOutdated(since: interim, isLast: isLast) ? self : nil
    }
}

struct FetchChannel: CallerCall {
    let call: CoreCall.Channel

    init(_ url: ChannelURL) { call = CoreCall.Channel(channelURL: url) }

    func store(
        _ channel: GroupChannel, in core: inout SyncCore, since interim: Flights.Interim
    ) -> GroupChannel? { core.store(channel, since: interim) }
}

struct CompareChannel: CallerCall {
    let call: CoreCall.Channel

    init(_ url: ChannelURL) { call = CoreCall.Channel(channelURL: url) }

    func store(
        _ channel: GroupChannel, in core: inout SyncCore, since interim: Flights.Interim
    ) -> ChannelDifference?? {
        core.read { (reader) throws(StoreError) in
            ChannelDifference(
                stored: try reader.groupChannel(channel.url), server: channel)
        }
    }
}

struct AppRequest<Request: BackendRequest>: CallerCall {
    let call: Request

    var subject: String { call.channel.map { "channel \($0)" } ?? "\(Request.name)" }

    func next(
        after answer: Request.Answer, _ interim: Flights.Interim?, isLast: Bool
    ) -> (any CallerCall)? {
        guard case .channel = call.effect(of: answer), let channel = answer as? GroupChannel,
            channel.mayBeOutdated(since: interim, isLast: isLast)
        else { return nil }
        // The operation itself, such as joining, must not be repeated.
        return FetchChannel(channel.url)
    }

    func store(
        _ answer: Request.Answer, in core: inout SyncCore, since interim: Flights.Interim
    ) -> Request.Answer? {
        switch call.effect(of: answer) {
        case .none: return answer
        case .channel(let channel):
            // The answer may omit the unread counts of the stored channel.
            return core.store(channel, since: interim).map { $0 as? Request.Answer ?? answer }
        case .message(let message, let source):
            return isDone { () throws(SyncError) in
                _ = try core.ingestMessages([message], source)
            } ? answer : nil
        case .entered(let channel):
            return isDone { () throws(SyncError) in try core.enter(channel) } ? answer : nil
        }
    }

    private func isDone(_ change: () throws(SyncError) -> Void) -> Bool {
        (try? change()) != nil
    }
}

extension GroupChannel {
    /// Returns whether an event during the call may be newer than the answer; after the last
    /// attempt, the stored channel is returned.
    fileprivate func mayBeOutdated(since interim: Flights.Interim?, isLast: Bool) -> Bool {
        guard let interim else { return true }
        return !isLast && interim.channels.contains(url)
    }
}

extension SyncCore {
    fileprivate mutating func store(
        _ channel: GroupChannel, since interim: Flights.Interim
    ) -> GroupChannel? {
        // The server may have refused to return the shown history until the user joined.
        defer {
            if backfill.isShown(channel.url) { backfill.enqueue(channel.url, retriesFailed: true) }
        }
        return write { (ingest) throws(StoreError) in
            try ingest.applyChannel(channel, since: interim, .requestChannel)
            return try ingest.batch.groupChannel(channel.url) ?? channel
        }
    }
}

extension StoreReader {
    func compare(
        _ page: MessagePage, of request: PageRequest, _ interim: Flights.Interim,
        ignoresReactions: Bool
    ) throws(StoreError) -> ComparePage.Reply {
        let url = request.channelURL
        var found = HistoryDifferences()
        let gaps = try gaps(in: url)
        let stale = try staleRanges(in: url)
        func isKnown(_ position: Position) -> Bool {
            !gaps.contains { $0.contains(position) } && !stale.contains { $0.contains(position) }
        }
        for var message in page.messages {
            guard let position = message.position, isKnown(position),
                !interim.hasChanged(position.messageID)
            else { continue }
            found.comparedCount += 1
            guard let stored = try self.message(position.messageID, in: url) else {
                found.missing.append(message)
                continue
            }
            if ignoresReactions { message.reactionHistory = stored.reactionHistory }
            if stored.replaced(by: message) != stored { found.different.append(message) }
        }
        let bound = try bound(of: request, answeredBy: page)
        let extent = PageExtent(page, of: request, from: bound, feedHadBegun: interim.feedHadBegun)
        if let extent {
            let idsOnPage = Set(page.messages.compactMap(\.messageID))
            for position in try positions(in: url, from: extent.from, to: extent.through)
            where isKnown(position) && !idsOnPage.contains(position.messageID)
                && !interim.hasChanged(position.messageID)
            {
                if let stored = try message(position.messageID, in: url) {
                    found.extra.append(stored)
                }
            }
        }
        return ComparePage.Reply(
            differences: found, next: page.older, lowerBound: extent?.from)
    }
}
