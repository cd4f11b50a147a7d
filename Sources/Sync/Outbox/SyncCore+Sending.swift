import Models
import Store

extension SyncCore {
    // MARK: Sending

    mutating func planOutbox() {
        // `loadOutbox` has recorded a failure, and the next step tries again.
        guard connector.isOn, (try? loadOutbox()) != nil else { return }
        removeEndedItems()
        while calls.values.count(where: { $0.outboxItemID != nil }) < options.parallelSends,
            let url = outbox.next()
        {
            sendFirst(in: url)
        }
    }

    /// Removes the failed items whose messages are stored, because an earlier process may have
    /// ended before it removed them, and those that failed too long ago.
    private mutating func removeEndedItems() {
        guard !outbox.areFailedItemsChecked, outbox.hasFailed else { return }
        let failed = read { (reader) throws(StoreError) in try reader.outboxItems(state: .failed) }
        guard let failed else { return }
        for item in failed {
            guard let message = storedMessage(of: item) else { continue }
            guard remove(item, .sent(message)) else { return }
        }
        for url in Set(failed.map(\.channelURL)).sorted() {
            limitFailed(in: url, checksAge: true)
        }
        outbox.areFailedItemsChecked = true
    }

    /// Without a maximum, an item would wait for years after the device's clock was set back by
    /// years.
    private static let longestPause = Duration.seconds(3600)

    static let pauseAfterStoreFailure = Duration.seconds(1)

    private mutating func sendFirst(in url: ChannelURL) {
        while let id = outbox.first(in: url) {
            guard
                let found = read({ (reader) throws(StoreError) in
                    try reader.readableOutboxItem(id)
                })
            else { return wait(forOutboxOf: url, atLeast: nil) }
            // Keep a damaged item on disk, and send the items that follow it.
            guard let item = found, item.isUnderstood, item.state == .pending else {
                outbox.remove(id, from: url)
                continue
            }
            switch decision(of: item) {
            case .call(let call):
                outbox.setBusy(true, url)
                return send(call, item)
            case .delay(let duration): return pause(outboxOf: url, for: duration)
            case .failure(let code, let text):
                guard fail(item, code, text) else { return }
            case .finished(let result):
                guard remove(item, result) else { return }
            case .parked(let target):
                outbox.park(id, in: url, until: target)
            }
        }
    }

    private enum SendDecision {
        case call(any BackendCall)
        case delay(Duration)
        case failure(ErrorCode, String)
        case finished(DeliveryResult)
        case parked(RequestID)
    }

    private mutating func decision(of item: OutboxItem) -> SendDecision {
        if let message = storedMessage(of: item) { return .finished(.sent(message)) }
        if let decision = decisionIfOfFormerEpoch(item) { return decision }
        if item.hasWaited(longerThan: options.outboxItemLifetime, at: time) {
            return .failure(.pendingError, "not sent before its lifetime ended")
        }
        if item.isDoubtful && !deduplicates(item) {
            return .failure(
                .ackTimeout,
                "the server may have received the message, and does not recognize a repeated request"
            )
        }
        if let notBefore = item.notBefore, notBefore > time {
            return .delay(min(time.duration(to: notBefore), SyncCore.longestPause))
        }
        switch item.operation {
        case .send:
            guard item.message != nil else {
                return .failure(.unknown, "a newer version of the app wrote the message")
            }
            if let index = item.indicesToUpload.first {
                return .call(OutboxUpload(item: item, index: index))
            }
            var attempt = item
            // An earlier process may have tried.
            attempt.attempts =
                outbox.isUntried(item.requestID)
                ? 1 : max(2, earlierAttempts(of: item) + 1)
            return .call(CoreCall.Send(item: attempt))
        case .request:
            guard let request = item.request(of: requestTypes()) else {
                return .failure(.unknown, item.unknownRequestText)
            }
            return .call(request)
        case .update, .delete, .addReaction, .deleteReaction: return decisionToChange(item)
        }
    }

    private mutating func decisionIfOfFormerEpoch(_ item: OutboxItem) -> SendDecision? {
        guard let named = item.targetEpoch else { return nil }
        guard let epoch = read({ (reader) throws(StoreError) in try reader.lastEpoch() }) else {
            return .delay(SyncCore.pauseAfterStoreFailure)
        }
        guard let epoch, epoch != named else { return nil }
        return item.operation == .delete
            ? .finished(.done) : .failure(.messageNotFound, SyncCore.formerEpochText)
    }

    private static let formerEpochText =
        "not sent: the server was restored to an earlier state, in which the id may belong to "
        + "another message"

    /// Ends the items that name a message of another epoch than the server's, and the requests in
    /// flight of an earlier epoch.
    ///
    /// Such an item must neither reach the server nor change how a list shows the message that now
    /// has the ID.
    mutating func endItemsOfFormerEpochs() {
        guard (try? loadOutbox()) != nil else { return }
        let pending = read { (reader) throws(StoreError) in
            try reader.outboxItems(state: .pending)
        }
        for item in pending ?? [] where item.isUnderstood {
            let decision = decisionIfOfFormerEpoch(item)
            let call = calls.first { $0.value.outboxItemID == item.requestID }
            if let call {
                // It is unknown in which of the two epochs the server executes the request.
                cancelCall(call.key)
                if decision == nil {
                    let text = "the server was restored to an earlier state during the request"
                    handleFailure(BackendError(.unanswered, text), item, call.value)
                }
            }
            let isEnded =
                switch decision {
                case .finished(let result): remove(item, result)
                case .failure(let code, let text): fail(item, code, text)
                default: false
                }
            if isEnded, call != nil { outbox.setBusy(false, item.channelURL) }
        }
    }

    func earlierAttempts(of item: OutboxItem) -> Int {
        // The row of a plain store may contain any number.
        min(item.attempts, .max / 2) + attempts[item.requestID, default: 0]
    }

    /// Returns whether the server recognizes a repeated request of an item.
    ///
    /// The ``Backend/deduplicationPeriod`` begins with the first request, whose time is not stored;
    /// the item's time is never later.
    func deduplicates(_ item: OutboxItem) -> Bool {
        guard capabilities.contains(.deduplicatesRequests) else { return false }
        guard let deduplicationPeriod else { return true }
        return item.createdAt.duration(to: time) <= deduplicationPeriod
    }

    private mutating func storedMessage(of item: OutboxItem) -> Message? {
        guard item.operation == .send else { return nil }
        let userID = state.user?.userID
        return read { (reader) throws(StoreError) in
            try reader.message(requestID: item.requestID, in: item.channelURL, by: userID)
        } ?? nil
    }

    private mutating func decisionToChange(_ item: OutboxItem) -> SendDecision {
        let id: MessageID
        var epoch = item.targetEpoch
        if let known = item.messageID {
            id = known
        } else if let target = item.targetRequestID {
            let userID = state.user?.userID
            let found = read { (reader) throws(StoreError) in
                let id = try reader.message(requestID: target, in: item.channelURL, by: userID)?
                    .messageID
                return (
                    id: id, epoch: try reader.epoch(of: id ?? "", in: item.channelURL),
                    isWaiting: try reader.readableOutboxItem(target) != nil
                )
            }
            guard let found else { return .delay(SyncCore.pauseAfterStoreFailure) }
            guard let sent = found.id else {
                return found.isWaiting ? .parked(target) : .finished(.canceled)
            }
            id = sent
            var located = item
            located.targetEpoch = found.epoch
            if let decision = decisionIfOfFormerEpoch(located) { return decision }
            epoch = found.epoch
        } else {
            return .failure(.unknown, "the change names no message")
        }
        let (url, requestID) = (item.channelURL, item.requestID)
        switch item.operation {
        case .update:
            guard let update = item.update else {
                return .failure(.unknown, "the edit has no content")
            }
            return .call(
                CoreCall.Update(
                    messageID: id, channelURL: url, update: update, requestID: requestID,
                    epoch: epoch))
        case .delete:
            return .call(
                CoreCall.Delete(
                    messageID: id, channelURL: url, requestID: requestID, epoch: epoch))
        case .addReaction, .deleteReaction:
            let action: ReactionEventAction = item.operation == .addReaction ? .add : .delete
            return .call(
                CoreCall.React(
                    action: action, key: item.reactionKey ?? "", messageID: id, channelURL: url,
                    requestID: requestID, epoch: epoch))
        case .send, .request:
            return .failure(.unknown, "the operation is not a change of a message")
        }
    }

    private mutating func send(_ call: any BackendCall, _ item: OutboxItem) {
        if call is CoreCall.Send,
            !capabilities.contains(.deduplicatesRequests) || deduplicationPeriod != nil
        {
            // After a crash, this is the only record that the server may have the item.
            var attempted = item
            attempted.isDoubtful = true
            guard save(attempted) else { return wait(forOutboxOf: item.channelURL, atLeast: nil) }
        }
        outbox.setUntried(false, item.requestID)
        attempts[item.requestID, default: 0] += 1
        self.call(call, .outbox(item.requestID))
    }

    /// Sends nothing of a channel for a time that does not follow a failed attempt.
    mutating func pause(outboxOf url: ChannelURL, for duration: Duration) {
        outbox.setBusy(true, url)
        act(
            .wait(
                .outbox(url, generation: connector.generation), beforeAttempt: 1,
                atLeast: duration))
    }

    mutating func wait(forOutboxOf url: ChannelURL, atLeast duration: Duration?) {
        outbox.setBusy(true, url)
        let attempt = outbox.first(in: url).flatMap { attempts[$0] } ?? 1
        act(
            .wait(
                .outbox(url, generation: connector.generation), beforeAttempt: attempt + 1,
                atLeast: duration))
    }
}
