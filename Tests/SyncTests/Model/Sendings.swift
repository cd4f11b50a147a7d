import Models

@testable import Sync

/// The outbox items of the device's user and their results.
///
/// They are compared with the outbox after each commit.
struct Sendings {
    /// A Boolean value that indicates whether a write may have failed because the disk was full.
    var diskWasFull = false

    struct Item {
        let url: ChannelURL
        let isSend: Bool
        /// The tag of the message that a change applies to.
        let target: RequestID?
        let place: Int
        var hasFailed = false
        var isCanceled = false
        /// True if, as far as the device knows, the server may have received the item.
        var isInDoubt = false
        var callCount = 0
        /// True if the item is an edit that was merged into an unsent message.
        var isRewritten = false
        /// The indexes of the files whose upload the device knows of.
        var uploads: Set<Int> = []
        /// `isEnded` is true after a result was reported.
        ///
        /// `isReportedAsFailed` is true if a failure was reported since the last attempt.
        var isEnded = false
        var isReportedAsFailed = false
        /// The edits of this message, oldest first.
        var edits: [RequestID] = []
        /// True if the item is a deletion of a message of an earlier epoch of the server.
        var isDeletionOfFormerEpoch = false
    }

    let server: ModelServer
    let config: WorldConfig
    private(set) var items: [RequestID: Item] = [:]
    private(set) var outboxItems: [RequestID: OutboxItem] = [:]
    private var both: Set<RequestID> = []
    /// The messages of items that have left the outbox and were stored then.
    private var sentRows: [RequestID: SentRow] = [:]
    /// The messages that the user has deleted.
    private var deletedTargets: Set<RequestID> = []
    /// True if an earlier process left items.
    ///
    /// The server may have received later items that the disk has lost.
    private var isCut = false

    /// A stored message, with the state in which it was stored.
    private struct SentRow {
        let channelNumber: UInt32
        let restores: Int
    }

    init(_ server: ModelServer, _ config: WorldConfig) {
        (self.server, self.config) = (server, config)
    }

    /// Starts with the items and rows that an earlier process left.
    mutating func begin(_ held: [OutboxItem], _ cache: CacheRows) {
        for outboxItem in held {
            post(outboxItem, of: outboxItem.targetRequestID)
            items[outboxItem.requestID]?.hasFailed = outboxItem.state == .failed
            outboxItems[outboxItem.requestID] = outboxItem
        }
        both = twice(outboxItems, cache)
        isCut = !held.isEmpty
    }

    // MARK: Actions of the user

    mutating func post(_ outboxItem: OutboxItem, of target: RequestID? = nil) {
        let id = outboxItem.requestID
        items[id] = Item(
            url: outboxItem.channelURL, isSend: outboxItem.operation == .send, target: target,
            place: items.count)
        if outboxItem.operation == .delete, let target { deletedTargets.insert(target) }
        if outboxItem.operation == .update, let target { items[target]?.edits.append(id) }
    }

    mutating func cancel(_ id: RequestID) {
        items[id]?.isCanceled = true
        for change in outboxItems.values where change.targetRequestID == id {
            items[change.requestID]?.isCanceled = true
        }
    }

    /// Removes an item that the store failed to write.
    mutating func withdraw(_ id: RequestID) {
        guard let item = items.removeValue(forKey: id), let target = item.target else { return }
        items[target]?.edits.removeAll { $0 == id }
    }

    /// Cancels the changes of a message that the user has deleted.
    mutating func cancelChanges(supersededBy deletion: OutboxItem) {
        guard deletion.operation == .delete else { return }
        for change in outboxItems.values
        where change.requestID != deletion.requestID && change.channelURL == deletion.channelURL
            && change.messageID == deletion.messageID
            && (change.operation != .delete || change.state == .failed)
        {
            items[change.requestID]?.isCanceled = true
        }
    }

    mutating func rewrite(_ id: RequestID) { items[id]?.isRewritten = true }

    mutating func resend(_ id: RequestID) {
        items[id]?.isInDoubt = false
        items[id]?.isReportedAsFailed = false
    }

    // MARK: Actions of the engine

    mutating func call(_ request: any BackendCall, at time: Timestamp) throws {
        guard let id = request.outboxItemID, let item = items[id] else {
            if let id = request.outboxItemID {
                throw Violation("E5 dependents", "unknown item \(id)")
            }
            return
        }
        items[id]?.callCount += 1
        if item.isCanceled { throw Violation("C5 canceled", "\(id) is sent") }
        if let notBefore = outboxItems[id]?.notBefore, notBefore > time {
            throw Violation("E6 bounded", "\(id) is sent at \(time), before \(notBefore)")
        }
        guard item.isSend else {
            guard let target = item.target, items[target]?.isSend == true else { return }
            if server.made[target, default: 0] == 0 {
                throw Violation("E5 dependents", "\(id) is sent before \(target)")
            }
            return
        }
        if let upload = request as? OutboxUpload {
            items[id]?.callCount -= 1
            if item.uploads.contains(upload.index) {
                throw Violation("uploaded once", "file \(upload.index) of \(id) is uploaded again")
            }
        } else {
            if item.isInDoubt && !config.deduplicates {
                throw Violation("E2 exactly once", "\(id) is sent again, and may be there")
            }
            items[id]?.isInDoubt = true
        }
        for (other, outboxItem) in outboxItems
        where outboxItem.operation == .send && outboxItem.channelURL == item.url {
            guard let before = items[other], before.place < item.place else { continue }
            if !before.hasFailed && !item.hasFailed {
                throw Violation("E3 fifo", "\(id) is sent before \(other)")
            }
            if config.stopsAtFailure && outboxItem.state == .failed {
                throw Violation("E6 stops", "\(id) is sent behind \(other), which failed")
            }
        }
    }

    mutating func answer(_ answer: CallResult, to request: any BackendCall) {
        guard let id = request.outboxItemID else { return }
        guard case .failure(let error) = answer, request is CoreCall.Send else { return }
        if ![.unanswered, .canceled].contains(error.code) { items[id]?.isInDoubt = false }
    }

    func checkReport(_ result: DeliveryResult, of id: RequestID) throws {
        guard let item = items[id] else { return }
        let isTrue =
            switch result {
            case .sent: item.isSend ? wasMade(id) : wasDone(id)
            case .done: item.isRewritten || wasDone(id) || item.isDeletionOfFormerEpoch
            case .failed: true
            case .canceled: item.isCanceled || isExcused(id, item)
            case .unknown: false
            }
        if !isTrue { throw Violation("E4 delivery result", "\(id) is reported as \(result)") }
    }

    /// Records a reported result.
    ///
    /// Checks that an item has one final result, and at most one failure for each attempt.
    mutating func deliverToAll(_ result: DeliveryResult, of id: RequestID) throws {
        guard let item = items[id] else {
            throw Violation("E4 delivery result", "unknown item \(id)")
        }
        if item.isEnded {
            throw Violation("E4 delivery result", "\(id) is reported as \(result) after its end")
        }
        try checkReport(result, of: id)
        guard case .failed = result else {
            items[id]?.isEnded = true
            return
        }
        if item.isReportedAsFailed {
            throw Violation("E4 delivery result", "\(id) is reported as failed again")
        }
        items[id]?.isReportedAsFailed = true
    }

    /// Checks that a request changes the message that the user meant, and no other message.
    func checkTarget(of request: any BackendCall) throws {
        guard let id = request.outboxItemID, let meant = items[id]?.target,
            let (url, messageID) = request.changedMessage,
            let tag = server.history.channels[url]?.entries[messageID]?.tag
        else { return }
        if tag != meant.rawValue {
            throw Violation("E7 right message", "\(id) changes \(tag), not \(meant)")
        }
    }

    private func wasMade(_ id: RequestID) -> Bool { server.made[id, default: 0] > 0 }
    private func wasDone(_ id: RequestID) -> Bool { server.done[id, default: 0] > 0 }

    /// Returns whether an item may leave the outbox without having been sent.
    private func isExcused(_ id: RequestID, _ item: Item) -> Bool {
        if config.limitsFailed && item.hasFailed { return true }
        guard let target = item.target else { return false }
        if let item = items[target], item.isCanceled { return true }
        if config.limitsFailed, items[target]?.hasFailed == true { return true }
        // The message that the change applies to no longer exists.
        guard let channel = server.history.channels[item.url],
            let entry = server.history.entry(target.rawValue)
        else { return wasMade(target) }
        return !channel.isVisible(entry)
    }

    // MARK: After a commit

    /// Returns whether the outbox still has the same items as after the last commit.
    func areCurrent(_ held: [OutboxItem]) -> Bool {
        Dictionary(held.map { ($0.requestID, $0) }) { $1 } == outboxItems
    }

    /// Checks the outbox after a commit.
    ///
    /// If a write has failed, the cache may have a message whose outbox item was not removed.
    ///
    /// If `allowsRemovals` is true, the app may have removed stored messages.
    mutating func check(
        _ held: [OutboxItem], _ cache: CacheRows, hasFailed: Bool = false,
        allowsRemovals: Bool = false
    ) throws {
        let new = Dictionary(held.map { ($0.requestID, $0) }) { $1 }
        guard new.count == held.count else {
            throw Violation("B1 unique id", "outboxItems \(held.map(\.requestID))")
        }
        for (id, outboxItem) in outboxItems.merging(new, uniquingKeysWith: { $1 })
        where outboxItem.operation == .delete {
            items[id]?.isDeletionOfFormerEpoch =
                outboxItem.targetEpoch.map { $0.rawValue != server.epoch } ?? false
        }
        for (id, _) in outboxItems where new[id] == nil {
            guard let item = items[id], !item.isCanceled else { continue }
            let isRemovedAsFailed = config.limitsFailed && item.hasFailed
            if item.isSend, !isRemovedAsFailed { try checkRowStays(id, item, cache) }
            if item.isSend ? wasMade(id) : wasDone(id) { continue }
            if item.isDeletionOfFormerEpoch { continue }
            if !isExcused(id, item) { throw Violation("E1 no lost send", "\(id) is gone") }
        }
        if allowsRemovals { forgetRows() }
        try checkRowsStay(cache)
        for (id, outboxItem) in new {
            guard let item = items[id] else { throw Violation("E1", "nobody wrote \(id)") }
            if item.isCanceled { throw Violation("C5 canceled", "\(id) is back") }
            items[id]?.uploads = Set(
                outboxItem.files.indices.filter { outboxItem.uploadedFile(at: $0) != nil })
            guard outboxItem.state == .failed, outboxItems[id]?.state != .failed else { continue }
            items[id]?.hasFailed = true
            guard item.isSend else { continue }
            // If the server's refusal could not be written to a full disk, the item keeps the mark
            // of its attempt.
            let isInDoubt = item.isInDoubt && !config.deduplicates
            if outboxItem.isDoubtful != isInDoubt && !(outboxItem.isDoubtful && diskWasFull) {
                throw Violation(
                    "E2 doubt",
                    "\(id) failed with \(outboxItem.errorCode as Any), "
                        + "doubtful: \(outboxItem.isDoubtful), in doubt: \(item.isInDoubt)")
            }
        }
        let twice = twice(new, cache)
        if !hasFailed, let id = twice.subtracting(both).first {
            throw Violation("B1 unique id", "\(id) was acknowledged, and is an outbox item")
        }
        (both, outboxItems) = (twice, new)
    }

    /// Checks that the message of an item that has left the outbox is stored, so that its row in a
    /// list stays.
    private mutating func checkRowStays(
        _ id: RequestID, _ item: Item, _ cache: CacheRows
    ) throws {
        guard let entry = server.history.entry(id.rawValue),
            let history = server.history.channels[item.url], history.isVisible(entry),
            let channel = cache[item.url], channel.group != nil
        else { return }
        if channel.requests[id] == nil {
            throw Violation("E8 own row stays", "\(id) was sent, and is not stored")
        }
        // The index of requests has only one of two messages with the same request.
        guard server.made[id] == 1, let number = cache.numbers[item.url] else { return }
        sentRows[id] = SentRow(channelNumber: number, restores: server.restores)
    }

    /// Checks that no row leaves a list while the server has its message.
    private mutating func checkRowsStay(_ cache: CacheRows) throws {
        for (id, row) in sentRows {
            guard let url = items[id]?.url, row.restores == server.restores,
                server.made[id] == 1, !deletedTargets.contains(id),
                cache.numbers[url] == row.channelNumber,
                let channel = cache[url], channel.group != nil,
                let entry = server.history.entry(id.rawValue),
                server.history.channels[url]?.isVisible(entry) == true
            else {
                sentRows[id] = nil
                continue
            }
            guard channel.requests[id] == nil else { continue }
            // The feed of the former epoch may report an event of a message with the same id.
            guard cache.token?.epoch != server.epoch,
                server.formerMessages.contains(entry.position.messageID)
            else { throw Violation("E8 own row stays", "\(id) was stored, and is not any more") }
            sentRows[id] = nil
        }
    }

    /// Forgets which messages were stored, because stored messages were lost or removed.
    mutating func forgetRows() { sentRows = [:] }

    private func twice(_ outboxItems: [RequestID: OutboxItem], _ cache: CacheRows) -> Set<RequestID>
    {
        Set(
            outboxItems.filter { id, outboxItem in
                outboxItem.operation == .send && cache[outboxItem.channelURL]?.requests[id] != nil
            }.keys)
    }

    // MARK: At rest

    func checkRest() throws {
        if let id = both.first {
            throw Violation("B1 unique id", "\(id) was acknowledged, and its outbox item remains")
        }
        for (id, outboxItem) in outboxItems where outboxItem.state == .pending {
            if let target = outboxItem.targetRequestID, outboxItems[target] != nil { continue }
            let place = items[id]?.place ?? 0
            if config.stopsAtFailure,
                outboxItems.values.contains(where: {
                    $0.operation == .send && $0.state == .failed
                        && $0.channelURL == outboxItem.channelURL
                        && items[$0.requestID]?.place ?? 0 < place
                })
            {
                continue
            }
            throw Violation("E1 rest", "\(id) is pending")
        }
        for (id, item) in items {
            // For a failed item, the reported failure is its result.
            if outboxItems[id] == nil && !item.isEnded {
                throw Violation("E4 delivery result", "no delivery result was reported for \(id)")
            }
            if outboxItems[id]?.state == .failed && !isCut && !item.isReportedAsFailed {
                throw Violation("E4 delivery result", "the failure of \(id) was not reported")
            }
        }
        for (id, item) in items where item.isSend {
            let count = server.made[id, default: 0]
            if count > (config.deduplicates ? 1 + server.restores : item.callCount) {
                throw Violation("E2 exactly once", "\(id) was made \(count) times")
            }
            let left = server.history.channels[item.url]?.entries.values.count {
                $0.tag == id.rawValue
            }
            if config.deduplicates, left ?? 0 > 1 {
                throw Violation("E2 exactly once", "the server has \(id) \(left ?? 0) times")
            }
            try checkEdits(id, item)
        }
    }

    private func checkEdits(_ id: RequestID, _ item: Item) throws {
        guard !isCut, server.made[id] == 1, !server.edited.contains(id),
            item.edits.last.map({ items[$0]?.isRewritten == true || server.isStillDone($0) })
                ?? true,
            let entry = server.history.entry(id.rawValue), entry.diedAt == nil,
            !config.limitsFailed || !item.hasFailed,
            item.edits.allSatisfy({ items[$0]?.hasFailed == false }),
            item.edits.allSatisfy({ items[$0]?.isCanceled == false }),
            item.edits.allSatisfy({ outboxItems[$0] == nil }),
            server.history.channels[item.url]?.isVisible(entry) == true
        else { return }
        let expected = item.edits.last?.rawValue ?? id.rawValue
        if entry.essence.text != expected {
            throw Violation("E5 dependents", "\(id) says \(entry.essence.text), not \(expected)")
        }
    }
}

extension BackendCall {
    /// The message that the call changes, or nil for other calls.
    var changedMessage: (url: ChannelURL, id: MessageID)? {
        switch self {
        case let call as CoreCall.Update: (call.channelURL, call.messageID)
        case let call as CoreCall.Delete: (call.channelURL, call.messageID)
        case let call as CoreCall.React: (call.channelURL, call.messageID)
        default: nil
        }
    }

    /// The request id of an outbox item, or nil for other calls.
    var outboxItemID: RequestID? {
        switch self {
        case let call as CoreCall.Send: call.item.requestID
        case let call as OutboxUpload: call.item.requestID
        case let call as CoreCall.Update: call.requestID
        case let call as CoreCall.Delete: call.requestID
        case let call as CoreCall.React: call.requestID
        default: nil
        }
    }
}
