import Models
import Store

extension SyncCore {
    // MARK: Writing

    /// Puts what the user wrote into the outbox; it is on the disk afterwards.
    mutating func post(
        _ draft: Draft, _ source: CollectionEventSource? = nil
    ) throws(SyncError) {
        try loadOutbox(with: draft)
        try commit { (ingest) throws(StoreError) in
            var draft = draft
            draft.follows = try ingest.batch.newestPosition(in: draft.channelURL)
            try ingest.batch.save(draft, source: source)
        }
        outbox.append(draft.requestID, in: draft.channelURL, behind: draft.targetRequestID)
    }

    /// Lets a draft that failed wait again.
    ///
    /// - Returns: The draft as it is now.
    mutating func resend(_ id: RequestID) throws(SyncError) -> Draft {
        try loadOutbox()
        guard var draft = try heldDraft(id), draft.state == .failed else {
            throw SyncError(.refused, "no draft \(id) has failed")
        }
        outbox.setUntried(isUnsent(draft), id)
        draft.resend(at: time)
        // Whoever sends it again knows that it may be there already.
        draft.isDoubtful = false
        let resent = draft
        let drafts = try commit { (ingest) throws(StoreError) in
            try ingest.batch.save(resent, source: .localMessageResendStarted)
            return try ingest.batch.drafts(in: resent.channelURL)
        }
        outbox.load(drafts, of: resent.channelURL)
        return resent
    }

    /// Takes a draft out of the outbox, with all that was to be done to its message.
    ///
    /// - Returns: Whether it was there.
    mutating func cancel(_ id: RequestID) throws(SyncError) -> Bool {
        try loadOutbox()
        guard let draft = try heldDraft(id) else { return false }
        let url = draft.channelURL
        let removed = try commit { (ingest) throws(StoreError) in
            let changes = try ingest.batch.drafts(in: url).filter { $0.targetRequestID == id }
            for change in changes { try ingest.batch.removeDraft(change.requestID) }
            try ingest.batch.removeDraft(id, source: .localMessageCanceled)
            return changes + [draft]
        }
        _ = outbox.settle(id)
        for draft in removed {
            outbox.remove(draft.requestID, from: url)
            if let number = calls.first(where: { $0.value.draftID == draft.requestID })?.key {
                // It may have reached the server: then the feed tells it as any other message.
                drop(number)
                outbox.setBusy(false, url)
            }
            finish(draft, .canceled)
        }
        return true
    }

    /// Changes a message that waits to be sent, or queues the change behind it if it is on its way.
    ///
    /// - Returns: Whether the message waits to be sent, or has failed.
    mutating func rewrite(
        _ id: RequestID, as change: Draft, _ apply: (inout Draft) -> Bool
    ) throws(SyncError) -> Bool {
        try loadOutbox()
        guard var draft = try heldDraft(id), draft.operation == .send else { return false }
        // What the server may have, it does not take in another form. And what waits behind a
        // message comes after what the message says by then.
        if try hasEdits(behind: id) || !isUnsent(draft) {
            try post(change)
            return true
        }
        guard apply(&draft) else {
            throw SyncError(.refused, "draft \(id) is of another kind than its update")
        }
        let rewritten = draft
        try commit { (ingest) throws(StoreError) in try ingest.batch.save(rewritten) }
        finish(change, .done)
        return true
    }

    private func hasEdits(behind target: RequestID) throws(SyncError) -> Bool {
        for id in outbox.changes(behind: target) where try heldDraft(id)?.operation == .update {
            return true
        }
        return false
    }

    /// Whether the server cannot have it.
    private func isUnsent(_ draft: Draft) -> Bool {
        if draft.isDoubtful || calls.values.contains(where: { $0.draftID == draft.requestID }) {
            return false
        }
        if outbox.isUntried(draft.requestID) { return true }
        return draft.state == .failed
            && ![.pendingError, .ackTimeout].contains(draft.errorCode)
    }

    func heldDraft(_ id: RequestID) throws(SyncError) -> Draft? {
        do throws(StoreError) {
            return try store.draft(id)
        } catch {
            throw SyncError(error)
        }
    }

    private mutating func commit<Result>(
        _ body: (inout Ingest) throws(StoreError) -> Result
    ) throws(SyncError) -> Result {
        guard let result = write(body) else {
            throw state.failure ?? SyncError(.store, "the outbox could not be written")
        }
        return result
    }

    /// Learns what is on the disk; a new draft, whose files are there before it, keeps them.
    private mutating func loadOutbox(with new: Draft? = nil) throws(SyncError) {
        guard !outbox.isLoaded else { return }
        do throws(StoreError) {
            let drafts = try store.drafts()
            outbox.load(drafts, stops: options.failedDraftPolicy == .stop)
            // One that cannot be read may have files nevertheless.
            if try store.unreadableDraftIDs().isEmpty {
                act(.keepFiles(Set((drafts + [new].compactMap { $0 }).flatMap(\.keptFiles))))
            }
        } catch {
            throw SyncError(error)
        }
    }

    // MARK: Sending

    /// Sends what is the next in each channel.
    mutating func planOutbox() {
        guard connector.isOn, (try? loadOutbox()) != nil else { return }
        takeOutLanded()
        while calls.values.count(where: { $0.draftID != nil }) < options.parallelSends,
            let url = outbox.next()
        {
            sendFirst(in: url)
        }
    }

    /// Takes out what failed and has landed since, where the process ended between the two.
    private mutating func takeOutLanded() {
        guard !outbox.isCompared else { return }
        let failed = read { (reader) throws(StoreError) in try reader.drafts(state: .failed) }
        guard let failed else { return }
        for draft in failed {
            guard let message = landedMessage(of: draft) else { continue }
            guard remove(draft, .sent(message)) else { return }
        }
        outbox.isCompared = true
    }

    private mutating func sendFirst(in url: ChannelURL) {
        while let id = outbox.first(in: url) {
            guard
                let found = read({ (reader) throws(StoreError) in
                    try reader.draft(orNil: id)
                })
            else { return }
            // One that is damaged stays where it is, and keeps nobody.
            guard let draft = found, draft.state == .pending else {
                outbox.remove(id, from: url)
                continue
            }
            switch fit(draft) {
            case .goes(let request):
                outbox.setBusy(true, url)
                return send(request, draft)
            case .waits(let duration):
                outbox.setBusy(true, url)
                return act(
                    .wait(
                        .outbox(url, number: connector.number), beforeAttempt: 1, atLeast: duration)
                )
            case .fails(let code, let text):
                fail(draft, code, text)
                if state.failure != nil { return }
            case .isOver(let fate):
                guard remove(draft, fate) else { return }
            case .isParked(let target):
                outbox.park(id, in: url, behind: target)
            }
        }
    }

    private enum Fitness {
        case goes(BackendRequest)
        case waits(Duration)
        case fails(ErrorCode, String)
        case isOver(DraftFate)
        case isParked(RequestID)
    }

    /// Whether a draft may go now, and what is asked of the server.
    private mutating func fit(_ draft: Draft) -> Fitness {
        if let message = landedMessage(of: draft) { return .isOver(.sent(message)) }
        let age = time.milliseconds.subtractingReportingOverflow(draft.waitingSince.milliseconds)
        if !age.overflow, age.partialValue > options.draftLifetime.milliseconds {
            return .fails(.pendingError, "it has waited for too long")
        }
        if draft.isDoubtful && !capabilities.contains(.deduplicatesRequests) {
            return .fails(.ackTimeout, "the server may have it, and cannot tell")
        }
        if let notBefore = draft.notBefore, notBefore > time {
            // The clock may have been put back since, by years.
            let pause = notBefore.milliseconds.subtractingReportingOverflow(time.milliseconds)
            return .waits(.milliseconds(pause.overflow ? 3_600_000 : min(pause.0, 3_600_000)))
        }
        if draft.operation == .send { return fitToSend(draft) }
        return fitToChange(draft)
    }

    private mutating func fitToSend(_ draft: Draft) -> Fitness {
        guard draft.message != nil else {
            return .fails(.unknown, "a newer version wrote it")
        }
        if let index = draft.indicesToUpload.first {
            return .goes(.upload(draft, index: index))
        }
        return .goes(.send(draft))
    }

    /// The message that was made of a draft, if it is held.
    ///
    /// The feed of an earlier run may have told it, and the process ended before the draft was taken out.
    private mutating func landedMessage(of draft: Draft) -> Message? {
        guard draft.operation == .send else { return nil }
        let landed = read { (reader) throws(StoreError) in
            try reader.message(requestID: draft.requestID, in: draft.channelURL)
        }
        guard let landed, let message = landed, message.sender?.userID == state.user?.userID
        else { return nil }
        return message
    }

    private mutating func fitToChange(_ draft: Draft) -> Fitness {
        let id: MessageID
        if let known = draft.messageID {
            id = known
        } else if let target = draft.targetRequestID {
            let found = read { (reader) throws(StoreError) in
                (
                    id: try reader.message(requestID: target, in: draft.channelURL)?.messageID,
                    isWaiting: try reader.draft(orNil: target) != nil
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
        let (url, requestID) = (draft.channelURL, draft.requestID)
        switch draft.operation {
        case .update:
            guard let update = draft.update else { return .fails(.unknown, "it changes nothing") }
            return .goes(.update(id, url, update, requestID))
        case .delete: return .goes(.delete(id, url, requestID))
        case .addReaction, .deleteReaction:
            let action: ReactionEventAction = draft.operation == .addReaction ? .add : .delete
            return .goes(.react(action, draft.reactionKey ?? "", id, url, requestID))
        case .send: return .fails(.unknown, "it is no change")
        }
    }

    private mutating func send(_ request: BackendRequest, _ draft: Draft) {
        if case .send = request, !capabilities.contains(.deduplicatesRequests) {
            // On the disk first: after a crash nobody else knows that it may have been sent.
            var doubtful = draft
            doubtful.isDoubtful = true
            let attempted = doubtful
            let isWritten: Void? = write { (ingest) throws(StoreError) in
                try ingest.batch.save(attempted)
            }
            guard isWritten != nil else {
                return wait(forOutboxOf: draft.channelURL, atLeast: nil)
            }
        }
        outbox.setUntried(false, draft.requestID)
        attempts[draft.requestID, default: 0] += 1
        call(request, .outbox(draft.requestID))
    }

    private mutating func wait(forOutboxOf url: ChannelURL, atLeast duration: Duration?) {
        outbox.setBusy(true, url)
        let attempt = outbox.first(in: url).flatMap { attempts[$0] } ?? 1
        act(
            .wait(
                .outbox(url, number: connector.number), beforeAttempt: attempt + 1,
                atLeast: duration))
    }

    // MARK: Answers

    mutating func takeOutbox(
        _ answer: BackendAnswer, _ id: RequestID, _ call: Call, _ news: Flights.News?
    ) {
        guard let url = call.request.channelURL else { return }
        let found = read { (reader) throws(StoreError) in try reader.draft(orNil: id) }
        guard let draft = found ?? nil else {
            // Taken back, or told by the feed meanwhile.
            return outbox.setBusy(false, url)
        }
        if case .failed(let error) = answer { return takeFailure(error, draft, call) }
        let changes = outbox.changes(behind: id)
        let fate = write { (ingest) throws(StoreError) -> DraftFate? in
            switch answer {
            case .message(let message):
                // Where the feed did not tell all since, what lies beside the message is not known. Where
                // so much happened that the answer is void, it may be gone: then a page tells it.
                if let news, news.isFollowed {
                    ingest.isAlone = true
                    try ingest.take(message, since: news, .eventMessageSent)
                } else if let news, let messageID = message.messageID,
                    !news.deleted.contains(messageID),
                    try ingest.batch.groupChannel(orNil: url) != nil
                {
                    try ingest.takeAlone(message, .eventMessageSent, .hearsay)
                }
                try ingest.batch.removeDraft(id, source: .eventMessageSent)
                // The message may not be held, and then nobody else knows what they are for.
                for change in changes {
                    guard var draft = try ingest.batch.draft(orNil: change) else { continue }
                    draft.messageID = message.messageID
                    try ingest.batch.save(draft)
                }
                return .sent(message)
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
        guard let fate else { return wait(forOutboxOf: url, atLeast: nil) }
        if let fate {
            outbox.remove(id, from: url)
            settle(draft)
            finish(draft, fate)
        }
        attempts[id] = nil
        outbox.setBusy(false, url)
    }

    private mutating func takeFailure(_ error: BackendError, _ draft: Draft, _ call: Call) {
        let url = draft.channelURL
        var draft = draft
        // What the server has not done is not there.
        if ![.unanswered, .canceled].contains(error.code) { draft.isDoubtful = false }
        switch error.code {
        case .notConnected, .sessionExpired, .sessionRevoked:
            outbox.setBusy(false, url)
        case .throttled:
            var waiting = draft
            let pause = max(error.retryAfter ?? .zero, options.backoff.interval)
            let (end, overflows) = time.milliseconds.addingReportingOverflow(pause.milliseconds)
            waiting.notBefore = overflows ? nil : Timestamp(milliseconds: end)
            waiting.attempts += 1
            let kept = waiting
            write { (ingest) throws(StoreError) in try ingest.batch.save(kept) }
            wait(forOutboxOf: url, atLeast: pause)
        // Nobody here has canceled it, so nobody knows whether it came through.
        case .unanswered where call.isRepeatable(with: capabilities),
            .canceled where call.isRepeatable(with: capabilities):
            wait(forOutboxOf: url, atLeast: error.retryAfter)
        case .unanswered, .canceled:
            fail(draft, error.detail ?? .ackTimeout, error.message)
            outbox.setBusy(false, url)
        case .notFound where draft.operation == .delete:
            // It is gone, and that was wanted.
            if remove(draft, .done) { outbox.setBusy(false, url) }
        case .serverFailure:
            fail(draft, error.detail ?? .internalServerError, error.message)
            outbox.setBusy(false, url)
        default:
            fail(draft, error.detail ?? .requestFailed, error.message)
            outbox.setBusy(false, url)
        }
    }

    /// Gives a draft up until its user sends it again.
    private mutating func fail(_ draft: Draft, _ code: ErrorCode, _ text: String) {
        var draft = draft
        draft.attempts += attempts.removeValue(forKey: draft.requestID) ?? 0
        draft.fail(code, text)
        let failed = draft
        let isWritten: Void? = write { (ingest) throws(StoreError) in
            try ingest.batch.save(failed, source: .localMessageFailed)
        }
        guard isWritten != nil else { return wait(forOutboxOf: draft.channelURL, atLeast: nil) }
        outbox.fail(
            draft.requestID, in: draft.channelURL, isMessage: draft.operation == .send)
        finish(failed, .failed(failed))
        limitFailed(in: draft.channelURL)
    }

    private mutating func remove(_ draft: Draft, _ fate: DraftFate) -> Bool {
        let isWritten: Void? = write { (ingest) throws(StoreError) in
            try ingest.batch.removeDraft(draft.requestID)
        }
        guard isWritten != nil else {
            wait(forOutboxOf: draft.channelURL, atLeast: nil)
            return false
        }
        outbox.remove(draft.requestID, from: draft.channelURL)
        settle(draft)
        finish(draft, fate)
        return true
    }

    /// Takes back the doubt whether the server has what did not reach it.
    mutating func withdrawDoubt(of id: RequestID) {
        let found = read { (reader) throws(StoreError) in try reader.draft(orNil: id) }
        guard var draft = found ?? nil, draft.isDoubtful else { return }
        draft.isDoubtful = false
        let unsent = draft
        write { (ingest) throws(StoreError) in try ingest.batch.save(unsent) }
    }

    /// Lets go on what waited for a message.
    private mutating func settle(_ draft: Draft) {
        let url = draft.channelURL
        guard draft.operation == .send, outbox.settle(draft.requestID) else { return }
        let drafts = read { (reader) throws(StoreError) in try reader.drafts(in: url) }
        if let drafts { outbox.load(drafts, of: url) }
    }

    /// Takes out what failed long ago, or too often.
    private mutating func limitFailed(in url: ChannelURL) {
        let (limit, days) = (options.failedDraftLimit, options.failedDraftLifetime)
        guard limit != nil || days != nil else { return }
        let now = time
        let removed = write { (ingest) throws(StoreError) -> [Draft] in
            let failed = try ingest.batch.drafts(in: url, state: .failed)
            let tooMany = limit.map { max(0, failed.count - $0) } ?? 0
            let old = failed.dropFirst(tooMany).filter { draft in
                guard let days else { return false }
                let age = now.milliseconds.subtractingReportingOverflow(
                    draft.waitingSince.milliseconds)
                return !age.overflow && age.partialValue > days.milliseconds
            }
            let removed = Array(failed.prefix(tooMany)) + old
            let ids = Set(removed.map(\.requestID))
            let changes = try ingest.batch.drafts(in: url).filter { draft in
                draft.targetRequestID.map { ids.contains($0) && !ids.contains(draft.requestID) }
                    ?? false
            }
            for draft in removed + changes { try ingest.batch.removeDraft(draft.requestID) }
            return removed + changes
        }
        for draft in removed ?? [] {
            outbox.remove(draft.requestID, from: url)
            _ = outbox.settle(draft.requestID)
            finish(draft, .canceled)
        }
    }

    // MARK: What became of it

    /// Notes that messages have landed that wait in the outbox.
    mutating func noteLanded(_ landed: [(draft: Draft, message: Message)]) {
        for (draft, message) in landed {
            outbox.remove(draft.requestID, from: draft.channelURL)
            attempts[draft.requestID] = nil
            settle(draft)
            finish(draft, .sent(message))
        }
    }

    private mutating func finish(_ draft: Draft, _ fate: DraftFate) {
        for ticket in fates.removeValue(forKey: draft.requestID) ?? [] {
            act(.reply(.fate(fate), ticket: ticket))
        }
        if case .failed = fate { return }
        let files = draft.keptFiles.filter { !$0.isEmpty }
        if !files.isEmpty { act(.removeFiles(files)) }
    }

    /// Tells what became of a draft, now or when it is known.
    mutating func awaitFate(of id: RequestID, in url: ChannelURL, _ ticket: Int) {
        let known = read { (reader) throws(StoreError) -> DraftFate? in
            if let draft = try reader.draft(orNil: id) {
                return draft.state == .failed ? .failed(draft) : nil
            }
            return try reader.message(requestID: id, in: url).map { .sent($0) } ?? .canceled
        }
        switch known {
        case nil: act(.fail(state.failure ?? SyncError(.store, "draft \(id)"), ticket: ticket))
        case .some(nil): fates[id, default: []].append(ticket)
        case .some(.some(let fate)): act(.reply(.fate(fate), ticket: ticket))
        }
    }
}

extension SyncCore.Call {
    /// The draft that is on its way; `nil` if it is something else.
    var draftID: RequestID? {
        if case .outbox(let id) = purpose { id } else { nil }
    }

    /// Whether it may be asked again without doing it twice.
    fileprivate func isRepeatable(with capabilities: BackendCapabilities) -> Bool {
        if case .send = request { return capabilities.contains(.deduplicatesRequests) }
        return true
    }
}
