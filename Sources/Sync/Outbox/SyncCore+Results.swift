import Models
import Store

extension SyncCore {
    // MARK: Answers

    mutating func handleOutboxAnswer(
        _ answer: CallResult, of id: RequestID, _ call: Call, _ interim: Flights.Interim?
    ) {
        guard let url = call.value.channel else { return }
        let found = read { (reader) throws(StoreError) in try reader.readableOutboxItem(id) }
        guard let found else { return wait(forOutboxOf: url, atLeast: nil) }
        guard let item = found else {
            // A message of the server has ended the item during the request, or its row is damaged.
            return outbox.setBusy(false, url)
        }
        let value: any Sendable
        switch answer {
        case .success(let answer): value = answer
        case .failure(let error): return handleFailure(error, item, call)
        }
        let isShown = backfill.isShown(url)
        var isMissing = false
        let written: Void? = write { (ingest) throws(StoreError) in
            switch (call.value, value) {
            case (_, let message as Message):
                try ingest.applySent(message, to: item, since: interim, isShown: isShown)
                // Storing a new message has already ended its item; this call then has no effect.
                try ingest.removeEnded(item, with: .sent(message))
            case (let deletion as CoreCall.Delete, _):
                try ingest.delete(deletion.messageID, in: url, at: nil, .eventMessageDeleted)
                try ingest.removeEnded(item, with: .done)
            case (_, let event as ReactionEvent):
                isMissing = try ingest.applyAnsweredReaction(event)
                try ingest.removeEnded(item, with: .done)
            case (is any BackendRequest, _): try ingest.removeEnded(item, with: .done)
            case (let upload as OutboxUpload, let file as FileInfo):
                var item = item
                item.setUploadedFile(file, at: upload.index)
                try ingest.batch.save(item)
            default: break
            }
        }
        guard written != nil || endUnstored(item, value, call) else {
            return wait(forOutboxOf: url, atLeast: nil)
        }
        if isMissing { backfill.enqueue(url, retriesFailed: true) }
        attempts[id] = nil
        outbox.setBusy(false, url)
    }

    /// Ends an item whose answer was not stored because the cache is damaged; returns `false` after
    /// another failure, or if the item cannot be ended either.
    private mutating func endUnstored(
        _ item: OutboxItem, _ answer: any Sendable, _ call: Call
    ) -> Bool {
        guard isHaltedByDamage, !(call.value is OutboxUpload) else { return false }
        let result: DeliveryResult = (answer as? Message).map { .sent($0) } ?? .done
        let written: Void? = write { (ingest) throws(StoreError) in
            try ingest.removeEnded(item, with: result)
        }
        return written != nil
    }

    mutating func handleFailure(_ error: BackendError, _ item: OutboxItem, _ call: Call) {
        let url = item.channelURL
        var item = item
        // These errors are the backend's: answers of calls that the engine cancels are ignored. The
        // request may have reached the server.
        let isDoubtful = [.unanswered, .canceled].contains(error.code)
        if !isDoubtful { item.isDoubtful = false }
        if isDoubtful, call.value is CoreCall.Send { outbox.markPossiblySent(item.requestID) }
        let isRepeatable = !(call.value is CoreCall.Send) || deduplicates(item)
        let isRepeated = isRepeatable && options.resendPolicy == .automatic
        if isDoubtful && isRepeated {
            return wait(forOutboxOf: url, atLeast: error.retryAfter)
        }
        let isSaved: Bool
        switch error.code {
        case .throttled where options.resendPolicy == .automatic:
            let pause = max(error.retryAfter ?? .zero, options.backoff.interval)
            let (end, overflows) = time.milliseconds.addingReportingOverflow(pause.milliseconds)
            item.notBefore = overflows ? nil : Timestamp(milliseconds: end)
            // If the item cannot be saved, a later process does not wait until the time.
            save(item)
            return wait(forOutboxOf: url, atLeast: pause)
        case .notFound where item.operation == .delete:
            // The result is the one that the user wanted.
            isSaved = remove(item, .done)
        case .unanswered, .canceled:
            isSaved = fail(item, error.detail ?? .ackTimeout, error.message)
        case .serverFailure:
            isSaved = fail(item, error.detail ?? .internalServerError, error.message)
        default: isSaved = fail(item, error.detail ?? .requestFailed, error.message)
        }
        if isSaved { outbox.setBusy(false, url) }
    }

    mutating func giveUpSending(in url: ChannelURL) {
        guard let id = outbox.first(in: url) else { return outbox.setBusy(false, url) }
        let found = read { (reader) throws(StoreError) in try reader.readableOutboxItem(id) }
        let text = "not sent: the maximum number of attempts was reached"
        guard let item = found ?? nil, markFailed(item, .pendingError, text) else {
            // The item cannot be read or written now, so it is tried once more.
            return pause(outboxOf: url, for: SyncCore.pauseAfterStoreFailure)
        }
        outbox.setBusy(false, url)
    }

    /// Marks an item as failed, or removes a request; if this cannot be saved, returns `false`, and
    /// the item is retried.
    mutating func fail(_ item: OutboxItem, _ code: ErrorCode, _ text: String) -> Bool {
        let isSaved = markFailed(item, code, text)
        if !isSaved { wait(forOutboxOf: item.channelURL, atLeast: nil) }
        return isSaved
    }

    mutating func markFailed(_ item: OutboxItem, _ code: ErrorCode, _ text: String) -> Bool {
        var item = item
        let (id, url) = (item.requestID, item.channelURL)
        item.attempts = earlierAttempts(of: item)
        item.fail(code, message: text)
        // The user did not write a request, and cannot resend it. Keep one of another build.
        if item.operation == .request, code != .unknown { return remove(item, .failed(item)) }
        guard save(item, .localMessageFailed) else { return false }
        attempts[id] = nil
        outbox.fail(id, in: url, isMessage: item.operation == .send)
        finish(item, .failed(item))
        limitFailed(in: url)
        return true
    }

    @discardableResult
    mutating func save(_ item: OutboxItem, _ source: CollectionEventSource? = nil) -> Bool {
        let saved: Void? = write { (ingest) throws(StoreError) in
            try ingest.batch.save(item, source: source)
        }
        return saved != nil
    }

    /// Ends an item without a request, and returns whether that has succeeded; otherwise, it is
    /// retried.
    ///
    /// A deletion that the server has already made also removes the stored message.
    mutating func remove(_ item: OutboxItem, _ result: DeliveryResult) -> Bool {
        let url = item.channelURL
        let written: Void? = write { (ingest) throws(StoreError) in
            if result == .done, item.operation == .delete, let id = item.messageID,
                try ingest.batch.epoch(of: id, in: url) == item.targetEpoch
            {
                try ingest.delete(id, in: url, at: nil, .eventMessageDeleted)
            }
            try ingest.removeEnded(item, with: result)
        }
        if written == nil { wait(forOutboxOf: item.channelURL, atLeast: nil) }
        return written != nil
    }

    mutating func clearDoubtfulMark(of id: RequestID) {
        let found = read { (reader) throws(StoreError) in try reader.readableOutboxItem(id) }
        guard var item = found ?? nil, item.isDoubtful else { return }
        item.isDoubtful = false
        save(item)
    }

    /// Removes failed items of a channel, oldest first, if there are too many or, if `checksAge` is
    /// true, if they failed too long ago; `checksAge` reads all failed items.
    mutating func limitFailed(in url: ChannelURL, checksAge: Bool = false) {
        let count = outbox.failedCount(in: url)
        let excess = options.failedItemLimit.map { max(0, count - $0) } ?? 0
        let lifetime = checksAge ? options.failedItemLifetime : nil
        guard excess > 0 || lifetime != nil else { return }
        let failed = read { (reader) throws(StoreError) in
            try reader.outboxItems(in: url, state: .failed, limit: lifetime == nil ? excess : nil)
        }
        guard let failed else { return }
        let old = failed.dropFirst(excess).filter { item in
            lifetime.map { item.hasWaited(longerThan: $0, at: time) } ?? false
        }
        // If the items cannot be removed now, they are removed later.
        _ = try? removeItems((failed.prefix(excess) + old).map(\.requestID))
    }

    // MARK: Results

    mutating func dequeueEnded(_ item: OutboxItem, with result: DeliveryResult) {
        let url = item.channelURL
        attempts[item.requestID] = nil
        if outbox.end(item.requestID, in: url) {
            let items = read { (reader) throws(StoreError) in try reader.outboxItems(in: url) }
            if let items { outbox.load(items, of: url) }
        }
        finish(item, result)
    }

    mutating func finish(_ item: OutboxItem, _ result: DeliveryResult) {
        for ticket in resultTickets.removeValue(forKey: item.requestID) ?? [] {
            act(.reply(result, ticket: ticket))
        }
        act(.emit(.deliveryResult(result, of: item)))
        if case .failed = result { return }
        lastResults.record(result, of: item.requestID)
        let copies = item.fileCopies
        if !copies.isEmpty { act(.removeFiles(copies)) }
    }

    mutating func deliveryResult(of id: RequestID, in url: ChannelURL, _ ticket: Int) {
        let ended = lastResults[id]
        let userID = state.user?.userID
        let known = read { (reader) throws(StoreError) -> DeliveryResult? in
            if let item = try reader.readableOutboxItem(id) {
                return item.state == .failed ? .failed(item) : nil
            }
            if let ended { return ended }
            return try reader.message(requestID: id, in: url, by: userID).map { .sent($0) }
                ?? .unknown
        }
        switch known {
        case nil:
            let error = readFailure ?? SyncError(.store, "outbox item \(id) cannot be read")
            act(.fail(error, ticket: ticket))
        case .some(nil): resultTickets[id, default: []].append(ticket)
        case .some(.some(let result)): act(.reply(result, ticket: ticket))
        }
    }
}

extension OutboxItem {
    func hasWaited(longerThan lifetime: Duration, at time: Timestamp) -> Bool {
        let age = time.milliseconds.subtractingReportingOverflow(waitingSince.milliseconds)
        return !age.overflow && age.partialValue > lifetime.milliseconds
    }
}

extension DeliveryResult {
    func source(of item: OutboxItem) -> CollectionEventSource {
        switch self {
        case .sent where item.operation == .update: .eventMessageUpdated
        case .sent: .eventMessageSent
        case .done where item.operation == .delete: .eventMessageDeleted
        case .done: .eventReactionUpdated
        case .failed: .localMessageFailed
        case .canceled, .unknown: .localMessageCanceled
        }
    }
}

extension SyncCore.Call {
    var outboxItemID: RequestID? {
        if case .outbox(let id) = purpose { id } else { nil }
    }
}
