import Models
import Store

extension SyncCore {
    // MARK: Writing

    /// Adds an item to the outbox, together with the changed item that it rewrites; both are on
    /// disk afterwards.
    mutating func post(
        _ draft: Draft, _ source: CollectionEventSource? = nil, rewriting target: Draft? = nil
    ) throws(SyncError) {
        try loadOutbox(with: draft)
        try commit { (ingest) throws(StoreError) in
            var draft = draft
            draft.follows = try ingest.batch.newestPosition(orNil: draft.channelURL)
            try ingest.batch.save(draft, source: source)
            if let target { try ingest.batch.save(target) }
        }
        outbox.append(draft.requestID, in: draft.channelURL, behind: draft.targetRequestID)
    }

    /// Returns a draft that failed, to be sent again.
    mutating func failedDraft(_ id: RequestID) throws(SyncError) -> Draft {
        try loadOutbox()
        guard let draft = try heldDraft(id), draft.isUnderstood, draft.state == .failed else {
            throw SyncError(.refused, "no draft \(id) has failed")
        }
        return draft
    }

    /// Sends a failed draft again.
    ///
    /// - Parameters:
    ///   - id: The request id of the draft.
    ///   - files: The files to send in place of the draft's own, and their copies, by index.
    /// - Returns: The draft as it is now.
    /// - Throws: ``SyncError`` with code `refused` or `store`.
    mutating func resend(
        _ id: RequestID, replacing files: [Int: (file: UploadableFile, copy: FileCopy?)]
    ) throws(SyncError) -> Draft {
        var draft = try failedDraft(id)
        let replaced = files.keys.compactMap { draft.fileCopy(at: $0) }
        for (index, new) in files { draft.replaceFile(at: index, with: new.file, copy: new.copy) }
        outbox.setUntried(isUnsent(draft), id)
        draft.resend(at: time)
        // A user who sends the item again accepts that the server may already have it.
        draft.isDoubtful = false
        let drafts = try commit { (ingest) throws(StoreError) in
            try ingest.batch.save(draft, source: .localMessageResendStarted)
            return try ingest.batch.drafts(in: draft.channelURL)
        }
        outbox.load(drafts, of: draft.channelURL)
        if !replaced.isEmpty { act(.removeFiles(replaced)) }
        return draft
    }

    /// Removes an item from the outbox, with all changes to its message.
    ///
    /// - Returns: A Boolean value that indicates whether the item existed.
    mutating func cancel(_ id: RequestID) throws(SyncError) -> Bool {
        try loadOutbox()
        guard try heldDraft(id) != nil else { return false }
        guard takeOut([id]) != nil else { throw notWritten }
        return true
    }

    /// Removes the items that have failed from the given ones, with all changes to their messages.
    ///
    /// - Returns: The request IDs of the items that were removed, in the given order.
    mutating func removeFailed(_ ids: [RequestID]) throws(SyncError) -> [RequestID] {
        try loadOutbox()
        guard let removed = takeOut(ids, where: { $0.isUnderstood && $0.state == .failed })
        else { throw notWritten }
        let gone = Set(removed.map(\.requestID))
        return ids.filter(gone.contains)
    }

    /// Removes items from the outbox in one commit, with all changes to their messages.
    ///
    /// - Returns: The items that were removed, or `nil` if the removal could not be written.
    @discardableResult
    mutating func takeOut(
        _ ids: [RequestID], where isMeant: (Draft) -> Bool = { _ in true }
    ) -> [Draft]? {
        let removed = write { (ingest) throws(StoreError) -> [Draft] in
            var removed: [Draft] = []
            for id in ids {
                guard let draft = try ingest.batch.draft(orNil: id), isMeant(draft) else {
                    continue
                }
                for id in (ingest.changes[id] ?? []) + [id] {
                    guard let draft = try ingest.batch.draft(orNil: id) else { continue }
                    try ingest.batch.removeDraft(id, source: .localMessageCanceled)
                    removed.append(draft)
                }
            }
            return removed
        }
        for draft in removed ?? [] { forget(draft) }
        return removed
    }

    /// Removes all items from the outbox, including those that cannot be decoded.
    ///
    /// - Returns: The items that can be decoded, channel by channel, in order.
    mutating func discardDrafts() throws(SyncError) -> [Draft] {
        try loadOutbox()
        let drafts = try commit { (ingest) throws(StoreError) in
            let drafts = try ingest.batch.drafts()
            for id in try ingest.batch.unreadableDraftIDs() { try ingest.batch.removeDraft(id) }
            for draft in drafts {
                try ingest.batch.removeDraft(draft.requestID, source: .localMessageCanceled)
            }
            return drafts
        }
        for draft in drafts { forget(draft) }
        // No item is left to which a file could belong.
        act(.keepFiles([]))
        return drafts
    }

    /// Discards the state of an item that the user has withdrawn.
    private mutating func forget(_ draft: Draft) {
        let (id, url) = (draft.requestID, draft.channelURL)
        _ = outbox.settle(id)
        outbox.remove(id, from: url)
        attempts[id] = nil
        if let number = calls.first(where: { $0.value.draftID == id })?.key {
            // The item may have reached the server; the feed then delivers it as any other message.
            drop(number)
            outbox.setBusy(false, url)
        }
        finish(draft, .canceled)
    }

    /// Changes a message that waits to be sent or, if it is being sent, queues the change after it.
    ///
    /// - Returns: A Boolean value that indicates whether the message waits to be sent, or has
    ///   failed.
    mutating func rewrite(
        _ id: RequestID, as change: Draft, _ apply: (inout Draft) -> Bool
    ) throws(SyncError) -> Bool {
        try loadOutbox()
        guard var draft = try heldDraft(id), draft.isUnderstood, draft.operation == .send
        else { return false }
        // The server does not accept another form of a message that it may already have. A change
        // that waits for a message applies to the text that the message has by then.
        let isUnsent = isUnsent(draft)
        let isRepeatable = capabilities.contains(.deduplicatesRequests)
        if try hasEdits(behind: id) || !isUnsent && (draft.state != .failed || !isRepeatable) {
            try post(change)
            return true
        }
        guard apply(&draft) else {
            throw SyncError(.refused, "draft \(id) is of another kind than its update")
        }
        guard isUnsent else {
            // If the message is sent again, it is sent in its new form; if the server already has
            // it, it is edited.
            try post(change, rewriting: draft)
            return true
        }
        try commit { (ingest) throws(StoreError) in try ingest.batch.save(draft) }
        finish(change, .done)
        return true
    }

    private func hasEdits(behind target: RequestID) throws(SyncError) -> Bool {
        for id in outbox.changes[target] ?? [] where try heldDraft(id)?.operation == .update {
            return true
        }
        return false
    }

    /// Returns a Boolean value that indicates whether the server cannot have an item.
    private func isUnsent(_ draft: Draft) -> Bool {
        if calls.values.contains(where: { $0.draftID == draft.requestID }) { return false }
        // The result of the last attempt says nothing about the attempts before it.
        if draft.isDoubtful { return false }
        if outbox.isUntried(draft.requestID) { return true }
        // Without deduplication, the doubtful mark is on disk.
        if capabilities.contains(.deduplicatesRequests) && outbox.isInDoubt(draft.requestID) {
            return false
        }
        return draft.state == .failed
            && ![.pendingError, .ackTimeout].contains(draft.errorCode)
    }

    func heldDraft(_ id: RequestID) throws(SyncError) -> Draft? {
        do throws(StoreError) {
            return try snapshot().draft(id)
        } catch {
            throw SyncError(error)
        }
    }

    private mutating func commit<Result>(
        _ body: (inout Ingest) throws(StoreError) -> Result
    ) throws(SyncError) -> Result {
        guard let result = write(body) else { throw notWritten }
        return result
    }

    private var notWritten: SyncError {
        state.failure ?? SyncError(.store, "the outbox could not be written")
    }

    /// Loads the items on disk.
    ///
    /// The files of a new item, which are copied before it is written, are kept.
    mutating func loadOutbox(with new: Draft? = nil) throws(SyncError) {
        guard !outbox.isLoaded else { return }
        let stored = read { (reader) throws(StoreError) in
            (drafts: try reader.drafts(), unreadable: try reader.unreadableDraftIDs())
        }
        guard let stored else {
            throw readFailure ?? SyncError(.store, "could not load the outbox")
        }
        outbox.load(stored.drafts, stops: options.failedDraftPolicy == .stop)
        // The files of items that cannot be read, or that damage took, stay.
        guard stored.unreadable.isEmpty, (try? store.mayHaveLostOutboxItems()) == false else {
            return
        }
        act(.keepFiles((stored.drafts + [new].compactMap { $0 }).flatMap(\.fileCopies)))
    }
}
