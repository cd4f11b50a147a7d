import Models
import Store

extension SyncCore {
    private static let attempts = 5

    mutating func make(_ made: some CallerCall, _ ticket: Int, attempt: Int) {
        guard canMakeCall(about: made.subject, ticket) else { return }
        call(made.call, .caller(made, ticket: ticket, attempt: attempt))
    }

    mutating func canMakeCall(about subject: String, _ ticket: Int) -> Bool {
        if connector.isOn { return true }
        let error = SyncError(
            .notConnected, "the request about \(subject) needs a connection")
        act(.fail(error, ticket: ticket))
        return false
    }

    mutating func canRepeat(about subject: String, _ ticket: Int, _ attempt: Int) -> Bool {
        if attempt < SyncCore.attempts { return true }
        act(.fail(.outdated(subject), ticket: ticket))
        return false
    }

    mutating func handle<Made: CallerCall>(
        _ answer: CallResult, to made: Made, _ ticket: Int, attempt: Int,
        _ interim: Flights.Interim?
    ) {
        switch answer.of(Made.Call.self) {
        case .failure(let error): act(.fail(SyncError(error), ticket: ticket))
        case .success(let answer):
            let isLast = attempt >= SyncCore.attempts
            if let next = made.next(after: answer, interim, isLast: isLast) {
                guard canRepeat(about: next.subject, ticket, attempt) else { return }
                return make(next, ticket, attempt: attempt + 1)
            }
            let stored = made.store(answer, in: &self, since: interim ?? Flights.Interim())
            reply(stored, about: made.subject, ticket)
        }
    }

    mutating func reply(_ reply: (some Sendable)?, about subject: String, _ ticket: Int) {
        if let reply { return act(.reply(reply, ticket: ticket)) }
        let error = SyncError(.store, "the answer about \(subject) could not be stored")
        act(.fail(state.failure ?? error, ticket: ticket))
    }

    /// Pushed messages are synced to disk (`fsync`): the notification is not available again.
    ///
    /// Those of channels that the user does not have, or is only invited to, are ignored: the
    /// server could not confirm them.
    mutating func ingestMessages(
        _ messages: [Message], _ source: CollectionEventSource, arePushed: Bool = false
    ) throws(SyncError) -> Int {
        // A message may acknowledge an outbox item.
        try loadOutbox()
        let message = "the \(messages.count) given messages could not be stored"
        let count = try write(orFail: message) { (ingest) throws(StoreError) in
            ingest.batch.isDurable = arePushed
            var count = 0
            for var message in messages where try !ingest.mayBeDeleted(message) {
                if arePushed {
                    if try ingest.cannotConfirm(messagesIn: message.channelURL) { continue }
                    // The server's version would not replace them.
                    message.removeUnknownFields()
                    // A false message would end the item of a pending one, whose later changes
                    // would be sent for it.
                    message.requestID = nil
                }
                if try ingest.applyAlone(message, source, .untrusted) { count += 1 }
            }
            return count
        }
        for url in Set(messages.map(\.channelURL)).sorted() { backfill.enqueue(url) }
        return count
    }

    /// Marks an open channel's messages as stale, and adds a gap at its newest end: they may have
    /// changed while the user was not in it.
    mutating func leave(openChannel url: ChannelURL) throws(SyncError) {
        let isStored = read { (reader) throws(StoreError) in
            try reader.openChannel(url) != nil
        }
        guard isStored ?? false else { return }
        let message = "open channel \(url) could not be changed"
        try write(orFail: message) { (ingest) throws(StoreError) in
            try ingest.openGapAtNewestEnd(in: url, since: nil)
            try ingest.markKnownHistoryStale(of: url)
        }
    }

    mutating func enter(_ channel: OpenChannel) throws(SyncError) {
        let message = "open channel \(channel.url) could not be saved"
        try write(orFail: message) { (ingest) throws(StoreError) in
            try ingest.batch.save(channel, source: .eventChannelChanged)
        }
        backfill.enqueue(channel.url, retriesFailed: true)
    }

    mutating func markStale(_ url: ChannelURL) throws(SyncError) {
        let message = "channel \(url) could not be marked as stale"
        try write(orFail: message) { (ingest) throws(StoreError) in
            try ingest.markKnownHistoryStale(of: url)
        }
        if backfill.isShown(url) { backfill.enqueue(url) }
    }
}

extension SyncError {
    static func outdated(_ subject: String) -> SyncError {
        SyncError(
            .stalled, "every response about \(subject) was outdated on arrival: retry later")
    }
}
