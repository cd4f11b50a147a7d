import Models
import Store

extension SyncCore {
    // MARK: Answers

    mutating func takeOutbox(
        _ answer: BackendAnswer, _ id: RequestID, _ call: Call, _ news: Flights.News?
    ) {
        guard let url = call.request.channelURL else { return }
        let found = read { (reader) throws(StoreError) in try reader.draft(orNil: id) }
        guard let found else { return wait(forOutboxOf: url, atLeast: nil) }
        guard let draft = found else {
            // The item was withdrawn, or the feed has confirmed it meanwhile.
            return outbox.setBusy(false, url)
        }
        if case .failed(let error) = answer { return takeFailure(error, draft, call) }
        let isShown = healing.isShown(url)
        let fate = write { (ingest) throws(StoreError) -> DraftFate? in
            switch answer {
            case .message(let message):
                // If the feed did not deliver everything since the call began, the messages beside
                // this one are unknown. If so many events have arrived that the answer is void, the
                // message may have been deleted; a page will show it otherwise.
                if let news, news.isFollowed {
                    ingest.isAlone = true
                    try ingest.take(message, since: news, .eventMessageSent)
                } else if let news, let messageID = message.messageID,
                    !news.deleted.contains(messageID)
                {
                    // A viewer of a channel that is not stored must keep showing the message.
                    let isHeld = try ingest.batch.groupChannel(orNil: url) != nil
                    if isHeld || isShown {
                        try ingest.takeAlone(message, .eventMessageSent, .hearsay)
                    }
                }
                guard draft.operation == .send else {
                    try ingest.batch.removeDraft(id, source: .eventMessageUpdated)
                    return .sent(message)
                }
                // Storing the message has already removed its item.
                if !ingest.landed.contains(where: { $0.draft.requestID == id }) {
                    try ingest.land(draft, as: message)
                }
                return nil
            case .deleted:
                if case .delete(let messageID, _, _) = call.request {
                    try ingest.delete(messageID, in: url, at: nil, .eventMessageDeleted)
                }
                try ingest.batch.removeDraft(id, source: .eventMessageDeleted)
                return .done
            case .reaction(let event):
                try ingest.change(
                    event.messageID, in: url, by: .reaction(event), .eventReactionUpdated
                ) { $0.apply(event) }
                try ingest.batch.removeDraft(id, source: .eventReactionUpdated)
                return .done
            case .uploaded(let file):
                var draft = draft
                if case .upload(_, let index) = call.request {
                    draft.setUploadedFile(file, at: index)
                }
                try ingest.batch.save(draft)
                return nil
            default: return nil
            }
        }
        guard let fate = fate ?? acknowledge(draft, answer) else {
            return wait(forOutboxOf: url, atLeast: nil)
        }
        if let fate {
            outbox.remove(id, from: url)
            settle(draft)
            finish(draft, fate)
        }
        attempts[id] = nil
        outbox.setBusy(false, url)
    }

    /// Removes an item whose answer a damaged cache could not store: the server has it.
    ///
    /// - Returns: The delivery result; `nil` if that could not be written either, or if the failure
    ///   has another cause.
    private mutating func acknowledge(_ draft: Draft, _ answer: BackendAnswer) -> DraftFate?? {
        guard isHaltedByDamage else { return nil }
        let fate: DraftFate
        switch answer {
        case .message(let message): fate = .sent(message)
        case .deleted, .reaction: fate = .done
        default: return nil
        }
        let removed = write { (ingest) throws(StoreError) in
            try ingest.batch.removeDraft(draft.requestID, source: fate.source(of: draft))
        }
        return removed == nil ? nil : .some(fate)
    }

    private mutating func takeFailure(_ error: BackendError, _ draft: Draft, _ call: Call) {
        let url = draft.channelURL
        var draft = draft
        // The engine did not cancel the call, so it is unknown whether the request reached the
        // server.
        let isInDoubt = [.unanswered, .canceled].contains(error.code)
        if !isInDoubt { draft.isDoubtful = false }
        if isInDoubt, case .send = call.request { outbox.doubt(draft.requestID) }
        if isInDoubt && call.isRepeatable(with: capabilities) {
            return wait(forOutboxOf: url, atLeast: error.retryAfter)
        }
        let isOver: Bool
        switch error.code {
        case .throttled:
            let pause = max(error.retryAfter ?? .zero, options.backoff.interval)
            let (end, overflows) = time.milliseconds.addingReportingOverflow(pause.milliseconds)
            draft.notBefore = overflows ? nil : Timestamp(milliseconds: end)
            // If the item cannot be written, it still waits, but only for the life of the process.
            save(draft)
            return wait(forOutboxOf: url, atLeast: pause)
        case .notFound where draft.operation == .delete:
            // The message does not exist, which is the intended result.
            isOver = remove(draft, .done)
        case .unanswered, .canceled:
            isOver = fail(draft, error.detail ?? .ackTimeout, error.message)
        case .serverFailure:
            isOver = fail(draft, error.detail ?? .internalServerError, error.message)
        default: isOver = fail(draft, error.detail ?? .requestFailed, error.message)
        }
        if isOver { outbox.setBusy(false, url) }
    }

    /// Gives up an item after the maximum number of attempts, so that the items after it can be
    /// sent.
    mutating func giveUpSending(in url: ChannelURL) {
        guard let id = outbox.first(in: url) else { return outbox.setBusy(false, url) }
        let found = read { (reader) throws(StoreError) in try reader.draft(orNil: id) }
        // An item that cannot be read or written now waits for the next connection.
        guard let draft = found ?? nil else { return }
        guard give(up: draft, .pendingError, "it was tried as often as it may be") else { return }
        outbox.setBusy(false, url)
    }

    /// Marks an item as failed until the user sends it again.
    ///
    /// If that cannot be written, the item waits.
    ///
    /// - Returns: A Boolean value that indicates whether the item is marked as failed.
    mutating func fail(_ draft: Draft, _ code: ErrorCode, _ text: String) -> Bool {
        let isOver = give(up: draft, code, text)
        if !isOver { wait(forOutboxOf: draft.channelURL, atLeast: nil) }
        return isOver
    }

    private mutating func give(up draft: Draft, _ code: ErrorCode, _ text: String) -> Bool {
        var draft = draft
        let (id, url) = (draft.requestID, draft.channelURL)
        draft.attempts += attempts[id] ?? 0
        draft.fail(code, text)
        guard save(draft, .localMessageFailed) else { return false }
        attempts[id] = nil
        outbox.fail(id, in: url, isMessage: draft.operation == .send)
        finish(draft, .failed(draft))
        limitFailed(in: url)
        return true
    }

    /// Saves an item.
    ///
    /// - Returns: A Boolean value that indicates whether it was written.
    @discardableResult
    mutating func save(_ draft: Draft, _ source: CollectionEventSource? = nil) -> Bool {
        let saved: Void? = write { (ingest) throws(StoreError) in
            try ingest.batch.save(draft, source: source)
        }
        return saved != nil
    }

    mutating func remove(_ draft: Draft, _ fate: DraftFate) -> Bool {
        let removed = write { (ingest) throws(StoreError) in
            try ingest.batch.removeDraft(draft.requestID, source: fate.source(of: draft))
        }
        guard removed != nil else {
            wait(forOutboxOf: draft.channelURL, atLeast: nil)
            return false
        }
        outbox.remove(draft.requestID, from: draft.channelURL)
        settle(draft)
        finish(draft, fate)
        return true
    }

    /// Clears the doubtful mark of an item that did not reach the server.
    mutating func withdrawDoubt(of id: RequestID) {
        let found = read { (reader) throws(StoreError) in try reader.draft(orNil: id) }
        guard var draft = found ?? nil, draft.isDoubtful else { return }
        draft.isDoubtful = false
        save(draft)
    }

    /// Lets the changes continue that waited for a message.
    private mutating func settle(_ draft: Draft) {
        let url = draft.channelURL
        guard draft.operation == .send, outbox.settle(draft.requestID) else { return }
        let drafts = read { (reader) throws(StoreError) in try reader.drafts(in: url) }
        if let drafts { outbox.load(drafts, of: url) }
    }

    /// Removes failed items of a channel, the oldest first, if there are too many.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - looksAtAge: A Boolean value that indicates whether to remove items, too, that failed too
    ///     long ago; this reads all failed items.
    mutating func limitFailed(in url: ChannelURL, looksAtAge: Bool = false) {
        let count = outbox.failedCount(in: url)
        let excess = options.failedDraftLimit.map { max(0, count - $0) } ?? 0
        let lifetime = looksAtAge ? options.failedDraftLifetime : nil
        guard excess > 0 || lifetime != nil else { return }
        let failed = read { (reader) throws(StoreError) in
            try reader.drafts(in: url, state: .failed, limit: lifetime == nil ? excess : nil)
        }
        guard let failed else { return }
        let old = failed.dropFirst(excess).filter { draft in
            lifetime.map { draft.hasWaited(longerThan: $0, at: time) } ?? false
        }
        takeOut((failed.prefix(excess) + old).map(\.requestID))
    }

    // MARK: Results

    /// Notes that messages were confirmed whose items were in the outbox.
    mutating func noteLanded(_ landed: [(draft: Draft, message: Message)]) {
        for (draft, message) in landed {
            outbox.remove(draft.requestID, from: draft.channelURL)
            attempts[draft.requestID] = nil
            settle(draft)
            finish(draft, .sent(message))
        }
    }

    /// Delivers the fate of an item to the callers that wait for it and to the engine's event
    /// streams.
    mutating func finish(_ draft: Draft, _ fate: DraftFate) {
        for ticket in fates.removeValue(forKey: draft.requestID) ?? [] {
            act(.reply(.fate(fate), ticket: ticket))
        }
        act(.tell(.fate(fate, of: draft)))
        if case .failed = fate { return }
        lastFates.note(fate, of: draft.requestID)
        let copies = draft.fileCopies
        if !copies.isEmpty { act(.removeFiles(copies)) }
    }

    /// Replies with the fate of an item, now or when it is known.
    mutating func awaitFate(of id: RequestID, in url: ChannelURL, _ ticket: Int) {
        let ended = lastFates[id]
        let known = read { (reader) throws(StoreError) -> DraftFate? in
            if let draft = try reader.draft(orNil: id) {
                return draft.state == .failed ? .failed(draft) : nil
            }
            if let ended { return ended }
            return try reader.message(requestID: id, in: url).map { .sent($0) } ?? .unknown
        }
        switch known {
        case nil:
            let error = readFailure ?? SyncError(.store, "draft \(id) cannot be read")
            act(.fail(error, ticket: ticket))
        case .some(nil): fates[id, default: []].append(ticket)
        case .some(.some(let fate)): act(.reply(.fate(fate), ticket: ticket))
        }
    }
}

extension Draft {
    /// Returns a Boolean value that indicates whether the item was written, or sent again, longer
    /// ago than a lifetime.
    func hasWaited(longerThan lifetime: Duration, at time: Timestamp) -> Bool {
        let age = time.milliseconds.subtractingReportingOverflow(waitingSince.milliseconds)
        return !age.overflow && age.partialValue > lifetime.milliseconds
    }
}

extension DraftFate {
    /// Returns the source of the change that removes an item.
    fileprivate func source(of draft: Draft) -> CollectionEventSource {
        switch self {
        case .sent: .eventMessageSent
        case .done where draft.operation == .delete: .eventMessageDeleted
        case .done: .eventReactionUpdated
        case .failed: .localMessageFailed
        case .canceled, .unknown: .localMessageCanceled
        }
    }
}

extension SyncCore.Call {
    /// The item that the call sends, or `nil` for another call.
    var draftID: RequestID? {
        if case .outbox(let id) = purpose { id } else { nil }
    }

    /// Returns a Boolean value that indicates whether the call can be repeated without a double
    /// effect.
    fileprivate func isRepeatable(with capabilities: BackendCapabilities) -> Bool {
        if case .send = request { return capabilities.contains(.deduplicatesRequests) }
        return true
    }
}
