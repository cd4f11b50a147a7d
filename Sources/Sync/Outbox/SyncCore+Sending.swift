import Models
import Store

extension SyncCore {
    // MARK: Sending

    /// Sends the next item of each channel.
    mutating func planOutbox() {
        // A read failure is recorded, and the next step reads again.
        guard connector.isOn, (try? loadOutbox()) != nil else { return }
        endStoredItems()
        while calls.values.count(where: { $0.outboxItemID != nil }) < options.parallelSends,
            let url = outbox.next()
        {
            sendFirst(in: url)
        }
    }

    /// Removes the failed items whose messages the server has confirmed, and those that failed too
    /// long ago.
    ///
    /// An earlier process may have ended before it could remove the former.
    private mutating func endStoredItems() {
        guard !outbox.isCompared, outbox.hasFailed else { return }
        let failed = read { (reader) throws(StoreError) in try reader.outboxItems(state: .failed) }
        guard let failed else { return }
        for item in failed {
            guard let message = storedMessage(of: item) else { continue }
            guard remove(item, .sent(message)) else { return }
        }
        for url in Set(failed.map(\.channelURL)).sorted() {
            limitFailed(in: url, looksAtAge: true)
        }
        outbox.isCompared = true
    }

    /// The maximum time before a waiting item is examined again: the clock may have been set back
    /// by years.
    private static let longestPause = Duration.seconds(3600)

    private mutating func sendFirst(in url: ChannelURL) {
        while let id = outbox.first(in: url) {
            guard
                let found = read({ (reader) throws(StoreError) in
                    try reader.outboxItem(orNil: id)
                })
            else { return wait(forOutboxOf: url, atLeast: nil) }
            // A damaged item stays where it is, and the items after it are sent.
            guard let item = found, item.isUnderstood, item.state == .pending else {
                outbox.remove(id, from: url)
                continue
            }
            switch fit(item) {
            case .goes(let request):
                outbox.setBusy(true, url)
                return send(request, item)
            case .waits(let duration):
                outbox.setBusy(true, url)
                return act(
                    .wait(
                        .outbox(url, generation: connector.generation), beforeAttempt: 1,
                        atLeast: duration)
                )
            case .fails(let code, let text):
                guard fail(item, code, text) else { return }
            case .isOver(let result):
                guard remove(item, result) else { return }
            case .isParked(let target):
                outbox.park(id, in: url, behind: target)
            }
        }
    }

    private enum Fitness {
        case goes(BackendRequest)
        case waits(Duration)
        case fails(ErrorCode, String)
        case isOver(DeliveryResult)
        case isParked(RequestID)
    }

    /// Returns whether an item can be sent now, with the request to make.
    private mutating func fit(_ item: OutboxItem) -> Fitness {
        if let message = storedMessage(of: item) { return .isOver(.sent(message)) }
        if item.hasWaited(longerThan: options.outboxItemLifetime, at: time) {
            return .fails(.pendingError, "it has waited for too long")
        }
        if item.isDoubtful && !capabilities.contains(.deduplicatesRequests) {
            return .fails(
                .ackTimeout, "the server may have received it, and does not deduplicate requests")
        }
        if let notBefore = item.notBefore, notBefore > time {
            let pause = notBefore.milliseconds.subtractingReportingOverflow(time.milliseconds)
            let longest = SyncCore.longestPause
            return .waits(
                pause.overflow ? longest : min(.milliseconds(pause.partialValue), longest))
        }
        if item.operation == .send { return fitToSend(item) }
        return fitToChange(item)
    }

    private mutating func fitToSend(_ item: OutboxItem) -> Fitness {
        guard item.message != nil else {
            return .fails(.unknown, "a newer version wrote it")
        }
        if let index = item.indicesToUpload.first {
            return .goes(.upload(item, index: index))
        }
        return .goes(.send(item))
    }

    /// Returns the message that was created from an item, if it is stored.
    ///
    /// The feed of an earlier run may have delivered the message before the process ended without
    /// removing the item.
    private mutating func storedMessage(of item: OutboxItem) -> Message? {
        guard item.operation == .send else { return nil }
        let stored = read { (reader) throws(StoreError) in
            try reader.message(requestID: item.requestID, in: item.channelURL)
        }
        guard let stored, let message = stored, message.sender?.userID == state.user?.userID
        else { return nil }
        return message
    }

    private mutating func fitToChange(_ item: OutboxItem) -> Fitness {
        let id: MessageID
        if let known = item.messageID {
            id = known
        } else if let target = item.targetRequestID {
            let found = read { (reader) throws(StoreError) in
                (
                    id: try reader.message(requestID: target, in: item.channelURL)?.messageID,
                    isWaiting: try reader.outboxItem(orNil: target) != nil
                )
            }
            guard let found else { return .waits(.seconds(1)) }
            guard let sent = found.id else {
                return found.isWaiting ? .isParked(target) : .isOver(.canceled)
            }
            id = sent
        } else {
            return .fails(.unknown, "it names no message")
        }
        let (url, requestID) = (item.channelURL, item.requestID)
        switch item.operation {
        case .update:
            guard let update = item.update else { return .fails(.unknown, "it changes nothing") }
            return .goes(.update(id, url, update, requestID))
        case .delete: return .goes(.delete(id, url, requestID))
        case .addReaction, .deleteReaction:
            let action: ReactionEventAction = item.operation == .addReaction ? .add : .delete
            return .goes(.react(action, item.reactionKey ?? "", id, url, requestID))
        case .send: return .fails(.unknown, "it is no change")
        }
    }

    private mutating func send(_ request: BackendRequest, _ item: OutboxItem) {
        if case .send = request, !capabilities.contains(.deduplicatesRequests) {
            // The mark is written before the call, because after a crash there is no other record
            // that the item may have been sent.
            var attempted = item
            attempted.isDoubtful = true
            guard save(attempted) else { return wait(forOutboxOf: item.channelURL, atLeast: nil) }
        }
        outbox.setUntried(false, item.requestID)
        attempts[item.requestID, default: 0] += 1
        call(request, .outbox(item.requestID))
    }

    /// Waits before a channel is examined again.
    mutating func wait(forOutboxOf url: ChannelURL, atLeast duration: Duration?) {
        outbox.setBusy(true, url)
        let attempt = outbox.first(in: url).flatMap { attempts[$0] } ?? 1
        act(
            .wait(
                .outbox(url, generation: connector.generation), beforeAttempt: attempt + 1,
                atLeast: duration))
    }
}
