import Models
import Store

extension SyncCore {
    // MARK: Writing

    /// Durably adds an item to the outbox, with the changed form of another one.
    mutating func enqueue(
        _ item: OutboxItem, rewriting target: OutboxItem? = nil
    ) throws(SyncError) {
        try checkPermission(for: item)
        try loadOutbox(with: item)
        try checkNotDeleted(item)
        let superseded = try write(orFail: SyncCore.unwritable) { (ingest) throws(StoreError) in
            var item = item
            let batch = ingest.batch
            item.follows = try batch.unlessDamaged { () throws(StoreError) in
                try batch.newestPosition(in: item.channelURL)
            }
            item.targetEpoch = try batch.unlessDamaged { () throws(StoreError) in
                try batch.epoch(ofTargetOf: item)
            }
            let replaced = try ingest.removeRequests(replacedBy: item)
            try ingest.batch.save(item, source: item.localSource)
            if let target { try ingest.batch.save(target, source: item.localSource) }
            return try replaced + ingest.removeChanges(supersededBy: item)
        }
        for change in superseded { endCanceled(change) }
        outbox.append(item.requestID, in: item.channelURL, changing: item.targetRequestID)
        if !connector.isOn { failUnsentItemsUnlessAutomatic() }
    }

    /// Marks all pending items as failed, unless the engine resends them automatically.
    ///
    /// An item in flight may have reached the server; it is removed when the server returns its
    /// message.
    mutating func failUnsentItemsUnlessAutomatic() {
        guard options.resendPolicy != .automatic, (try? loadOutbox()) != nil else { return }
        let pending = read { (reader) throws(StoreError) in
            try reader.outboxItems(state: .pending)
        }
        for item in pending ?? [] where item.isUnderstood {
            _ = markFailed(item, .connectionRequired, "not sent: there is no connection")
        }
    }

    /// Throws `notPermitted` if the cache shows that the server would reject an item.
    ///
    /// A frozen channel or a mute counts only while the engine is online, because it may end before
    /// the next connection. Rows that cannot be read are ignored.
    private func checkPermission(for item: OutboxItem) throws(SyncError) {
        let url = item.channelURL
        switch item.operation {
        case .send:
            guard state.connection == .online, let reader = try? snapshot(),
                let channel = try? reader.groupChannel(url)
            else { return }
            if channel.isFrozen, channel.myRole != .operator {
                throw SyncError(
                    notPermitted: "channel \(url) is frozen: only its operators can send messages",
                    .channelFrozen)
            }
            if channel.isCurrentUserMuted {
                throw SyncError(
                    notPermitted: "the user is muted in channel \(url)", .mutedInChannel)
            }
        case .update, .delete:
            guard let id = item.messageID, let reader = try? snapshot(),
                let user = try? state.user ?? reader.storedUser(),
                let sender = (try? reader.message(id, in: url))?.sender,
                sender.userID != user.userID
            else { return }
            let isOperator = (try? reader.groupChannel(url))?.myRole == .operator
            if item.operation == .delete && isOperator { return }
            throw SyncError(
                notPermitted: "message \(id) of channel \(url) was sent by \(sender.userID), and "
                    + "\(user.userID) can change only their own",
                .notOwnerOfMessage)
        default: return
        }
    }

    private func checkNotDeleted(_ item: OutboxItem) throws(SyncError) {
        guard let id = item.messageID, item.operation != .delete else { return }
        let url = item.channelURL
        let items = try translatingStoreErrors { () throws(StoreError) in
            try snapshot().outboxItems(in: url)
        }
        guard
            items.contains(where: {
                $0.isUnderstood && $0.operation == .delete && $0.state == .pending
                    && $0.messageID == id
            })
        else { return }
        throw SyncError(
            .notFound, "message \(id) of channel \(url) was deleted: the deletion is not sent yet")
    }

    mutating func failedOutboxItem(_ id: RequestID) throws(SyncError) -> OutboxItem {
        try loadOutbox()
        guard let item = try storedOutboxItem(id), item.isUnderstood, item.state == .failed else {
            throw SyncError(.notFound, "the outbox has no failed item with the request id \(id)")
        }
        return item
    }

    mutating func resend(
        _ id: RequestID, replacing files: [Int: (file: UploadableFile, copy: FileCopy?)]
    ) throws(SyncError) -> OutboxItem {
        guard options.resendPolicy != .off else {
            throw SyncError(
                .notPermitted,
                "outbox item \(id) cannot be resent, because SyncOptions.resendPolicy is off")
        }
        var item = try failedOutboxItem(id)
        let replaced = files.keys.compactMap { item.fileCopy(at: $0) }
        for (index, new) in files { item.replaceFile(at: index, with: new.file, copy: new.copy) }
        outbox.setUntried(isUnsent(item), id)
        item.resend(at: time)
        // The user resends the item, although the server may already have it.
        item.isDoubtful = false
        let items = try write(orFail: SyncCore.unwritable) { (ingest) throws(StoreError) in
            try ingest.batch.save(item, source: .localMessageResendStarted)
            return try ingest.batch.outboxItems(in: item.channelURL)
        }
        outbox.load(items, of: item.channelURL)
        if !replaced.isEmpty { act(.removeFiles(replaced)) }
        return item
    }

    mutating func cancel(_ id: RequestID) throws(SyncError) -> Bool {
        try loadOutbox()
        guard try storedOutboxItem(id) != nil else { return false }
        try removeItems([id])
        return true
    }

    mutating func removeFailed(_ ids: [RequestID]) throws(SyncError) -> [RequestID] {
        try loadOutbox()
        let removed = try removeItems(ids) { $0.isUnderstood && $0.state == .failed }
        let gone = Set(removed.map(\.requestID))
        return ids.filter(gone.contains)
    }

    @discardableResult
    mutating func removeItems(
        _ ids: [RequestID], where isMeant: (OutboxItem) -> Bool = { _ in true }
    ) throws(SyncError) -> [OutboxItem] {
        let removed = try write(orFail: SyncCore.unwritable) {
            (ingest) throws(StoreError) -> [OutboxItem] in
            var removed: [OutboxItem] = []
            for id in ids {
                guard let item = try ingest.batch.readableOutboxItem(id), isMeant(item) else {
                    continue
                }
                for id in (ingest.changesOfUnsent[id] ?? []) + [id] {
                    guard let item = try ingest.batch.readableOutboxItem(id) else { continue }
                    try ingest.batch.removeOutboxItem(id, source: .localMessageCanceled)
                    removed.append(item)
                }
            }
            return removed
        }
        for item in removed { endCanceled(item) }
        return removed
    }

    mutating func discardUserData() throws(SyncError) -> [OutboxItem] {
        try loadOutbox()
        let items = try write(orFail: SyncCore.unwritable) { (ingest) throws(StoreError) in
            let items = try ingest.batch.outboxItems()
            try ingest.batch.removeDrafts()
            try ingest.batch.removeAllKeptInCache()
            try ingest.batch.removeKeptTables()
            for id in try ingest.batch.unreadableOutboxItemIDs() {
                try ingest.batch.removeOutboxItem(id)
            }
            for item in items {
                try ingest.batch.removeOutboxItem(item.requestID, source: .localMessageCanceled)
            }
            return items
        }
        for item in items { endCanceled(item) }
        act(.keepFiles([]))
        return items
    }

    private mutating func endCanceled(_ item: OutboxItem) {
        let (id, url) = (item.requestID, item.channelURL)
        _ = outbox.end(id, in: url)
        attempts[id] = nil
        if let number = calls.first(where: { $0.value.outboxItemID == id })?.key {
            // If the item has reached the server nevertheless, the feed reports its message.
            cancelCall(number)
            outbox.setBusy(false, url)
        }
        finish(item, .canceled)
    }

    mutating func enqueue(
        _ change: OutboxItem, changing target: MessageReference
    ) throws(SyncError) {
        var change = change
        switch try located(target, in: change.channelURL) {
        case .sent(let id): change.messageID = id
        case .written(let id): change.targetRequestID = id
        }
        try enqueue(change)
    }

    mutating func delete(
        _ target: MessageReference, as deletion: OutboxItem
    ) throws(SyncError) -> RequestID {
        try loadOutbox()
        let target = try located(target, in: deletion.channelURL)
        guard case .written(let id) = target else {
            try enqueue(deletion, changing: target)
            return deletion.requestID
        }
        _ = try cancel(id)
        return id
    }

    /// Edits an unsent message in the outbox, or adds the edit of a sent one.
    ///
    /// `edit` has no message to change yet. `apply` returns `false` for a message of another type
    /// than the edit.
    mutating func edit(
        _ target: MessageReference, as edit: OutboxItem, _ apply: (inout OutboxItem) -> Bool
    ) throws(SyncError) {
        try loadOutbox()
        let target = try located(target, in: edit.channelURL)
        guard case .written(let id) = target else { return try enqueue(edit, changing: target) }
        var edit = edit
        edit.targetRequestID = id
        try rewrite(id, as: edit, apply)
    }

    private func located(
        _ target: MessageReference, in url: ChannelURL
    ) throws(SyncError) -> MessageReference {
        guard case .written(let id) = target else { return target }
        if let item = try storedOutboxItem(id), item.isUnderstood, item.operation == .send {
            return target
        }
        let sent = try translatingStoreErrors { () throws(StoreError) in
            try snapshot().message(requestID: id, in: url, by: state.user?.userID)
        }
        guard let sent = sent?.messageID else {
            throw SyncError(
                .notFound,
                "no message of channel \(url) with the request id \(id) is in the outbox or stored")
        }
        return .sent(sent)
    }

    private mutating func rewrite(
        _ id: RequestID, as change: OutboxItem, _ apply: (inout OutboxItem) -> Bool
    ) throws(SyncError) {
        guard var item = try storedOutboxItem(id) else { return }
        // The server ignores a changed form of a message that it already has. If other changes wait
        // for the message, queue the edit after them.
        let isUnsent = isUnsent(item)
        let isRepeatable = capabilities.contains(.deduplicatesRequests)
        if try hasEdits(of: id) || !isUnsent && (item.state != .failed || !isRepeatable) {
            return try enqueue(change)
        }
        guard apply(&item) else {
            throw SyncError(
                .invalidArgument,
                "the update does not match outbox item \(id): text messages and file messages have "
                    + "different updates")
        }
        guard isUnsent else {
            // Also change the failed item: resending it creates the message in its new form, or the
            // edit changes the server's message.
            return try enqueue(change, rewriting: item)
        }
        try write(orFail: SyncCore.unwritable) { (ingest) throws(StoreError) in
            try ingest.batch.save(item, source: change.localSource)
        }
        finish(change, .done)
    }

    private func hasEdits(of target: RequestID) throws(SyncError) -> Bool {
        for id in outbox.changesOfUnsent[target] ?? []
        where try storedOutboxItem(id)?.operation == .update {
            return true
        }
        return false
    }

    private func isUnsent(_ item: OutboxItem) -> Bool {
        if calls.values.contains(where: { $0.outboxItemID == item.requestID }) { return false }
        if item.isDoubtful { return false }
        if outbox.isUntried(item.requestID) { return true }
        if capabilities.contains(.deduplicatesRequests) && outbox.mayHaveBeenSent(item.requestID) {
            return false
        }
        return item.state == .failed
            && ![.pendingError, .ackTimeout, .needsConfirmation].contains(item.errorCode)
    }

    func storedOutboxItem(_ id: RequestID) throws(SyncError) -> OutboxItem? {
        try translatingStoreErrors { () throws(StoreError) in try snapshot().outboxItem(id) }
    }

    private static let unwritable = "the outbox could not be written: retry later"

    /// Loads the items on disk, and removes copies of files that neither they nor `new` need: files
    /// are copied before their item is written.
    mutating func loadOutbox(with new: OutboxItem? = nil) throws(SyncError) {
        guard !outbox.isLoaded else { return }
        let stored = read { (reader) throws(StoreError) in
            (items: try reader.outboxItems(), unreadable: try reader.unreadableOutboxItemIDs())
        }
        guard let stored else {
            throw readFailure ?? SyncError(.store, "the outbox could not be read: retry later")
        }
        outbox.load(stored.items, stops: options.failedItemPolicy == .stop)
        // An item that cannot be read, or was lost, may need any of the copies.
        guard stored.unreadable.isEmpty, (try? store.mayHaveLostOutboxItems()) == false else {
            return
        }
        act(.keepFiles((stored.items + [new].compactMap { $0 }).flatMap(\.fileCopies)))
    }
}

extension Ingest {
    /// Removes the edits and reactions of a message to delete, and its failed deletions.
    fileprivate func removeChanges(
        supersededBy deletion: OutboxItem
    ) throws(StoreError) -> [OutboxItem] {
        guard deletion.operation == .delete, let id = deletion.messageID else { return [] }
        let changes = try batch.outboxItems(in: deletion.channelURL).filter {
            $0.isUnderstood && $0.messageID == id
                && ($0.operation != .delete || $0.state == .failed)
        }
        for change in changes {
            try batch.removeOutboxItem(change.requestID, source: .localMessageCanceled)
        }
        return changes
    }
}

extension OutboxItem {
    fileprivate var localSource: CollectionEventSource? {
        switch operation {
        case .send: .localMessagePendingCreated
        case .update: .localMessageUpdated
        case .delete: .localMessageDeleted
        case .addReaction, .deleteReaction: .localReactionUpdated
        case .request: nil
        }
    }
}

extension SyncError {
    fileprivate init(notPermitted message: String, _ reason: ErrorCode) {
        self.init(
            .notPermitted, message, cause: BackendError(.refused, message, detail: reason))
    }
}
