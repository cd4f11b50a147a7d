public import Models
import Store
import Sync

extension ConditionedBackend {
    /// Forwards the call with a page size that the conditions allow.
    public func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        let call = CoreCall.Messages(
            channelURL: channelURL, anchor: anchor, older: older, newer: newer)
        return try await historyPage(call, at: anchor, older: older, newer: newer) {
            anchor, older, newer throws(BackendError) in
            try await base.messages(in: channelURL, at: anchor, older: older, newer: newer)
        }
    }

    /// Forwards the call with a page size that the conditions allow.
    public func messages(
        of kinds: MessageKinds, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int
    ) async throws(BackendError) -> MessagePage {
        let call = CoreCall.MessagesOfKinds(
            kinds: kinds, channelURL: channelURL, anchor: anchor, older: older)
        return try await historyPage(call, at: anchor, older: older) {
            anchor, older, _ throws(BackendError) in
            try await base.messages(of: kinds, in: channelURL, at: anchor, older: older)
        }
    }

    /// Forwards the call with a page size that the conditions allow.
    public func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage {
        let call = CoreCall.Replies(
            parentID: parentID, channelURL: channelURL, anchor: anchor, older: older, newer: newer)
        return try await historyPage(call, at: anchor, older: older, newer: newer) {
            anchor, older, newer throws(BackendError) in
            try await base.replies(
                to: parentID, in: channelURL, at: anchor, older: older, newer: newer)
        }
    }

    /// Forwards the call with a page size that the conditions allow.
    public func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        try await perform(CoreCall.Channels(query: query, cursor: cursor)) {
            passage throws(BackendError) in
            try await listPage(passage, after: cursor, limit: query.limit) {
                cursor, limit throws(BackendError) in
                var query = query
                query.limit = limit
                return try await base.channels(matching: query, after: cursor)
            }
        }
    }

    func page<List: PageOfList>(
        of list: List, _ passage: Passage
    ) async throws(BackendError) -> List.Answer {
        try await listPage(passage, after: list.cursor, limit: list.limit) {
            cursor, limit throws(BackendError) in
            var list = list
            (list.cursor, list.limit) = (cursor, limit)
            return try await list.make(on: base)
        }
    }

    // MARK: Cursors

    func pageCursor(_ cursor: PageCursor?, part: Int = 0) -> PageCursor? {
        guard let cursor else { return nil }
        var wrapped = ConditionedCursor(cursor.rawValue, generation: generation(.pageCursors))
        wrapped.part = part
        return PageCursor(wrapped.text)
    }

    func generation(_ texts: ExpiringText) -> Int {
        state.withLock { $0.generations[texts, default: 0] }
    }

    /// Decodes a cursor; throws `expired` if it has expired.
    func read(_ text: String, _ texts: ExpiringText) throws(BackendError) -> ConditionedCursor {
        guard let cursor = ConditionedCursor(text: text),
            cursor.generation >= generation(texts)
        else { throw .expired(text) }
        return cursor
    }

    // MARK: Pages

    private func historyPage(
        _ call: some ChannelCall<MessagePage>, at anchor: MessageAnchor, older: Int, newer: Int = 0,
        _ request: (MessageAnchor, Int, Int) async throws(BackendError) -> MessagePage
    ) async throws(BackendError) -> MessagePage {
        try await perform(call) { passage throws(BackendError) in
            var (anchor, kind) = (anchor, PagePlan.AnchorKind.other)
            switch anchor {
            case .cursor(let cursor):
                let cursor = try read(cursor.rawValue, .pageCursors)
                guard let base = cursor.base else { throw BackendError.expired(cursor.text) }
                anchor = .cursor(PageCursor(base))
                kind = cursor.part > 0 ? .cursorOfEmptyPage : .cursor
            case .message(let messageID):
                kind = .message
                guard passage.outcome.conditions.pages.deletedAnchorsExpire else { break }
                let lookup = try await base.lookup([messageID], in: call.channelURL)
                guard lookup.gone.isEmpty else {
                    throw BackendError.expired("message \(messageID)")
                }
            case .newest, .time: break
            }
            var random = passage.outcome.random
            let plan = PagePlan(
                passage.outcome.conditions.pages, at: kind, older: older, newer: newer,
                random: &random)
            guard !plan.isExpired else { throw BackendError.expired("\(anchor)") }
            log(plan, of: passage, older: older, newer: newer)

            var page = try await request(anchor, plan.older, plan.newer)
            let part = plan.isEmpty ? 1 : 0
            page.older = pageCursor(page.older, part: part)
            page.newer = pageCursor(page.newer, part: part)
            return page
        }
    }

    private func listPage<Answer: Sendable>(
        _ passage: Passage, after cursor: PageCursor?, limit: Int,
        _ request: (PageCursor?, Int) async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        var requested: ConditionedCursor?
        if let cursor { requested = try read(cursor.rawValue, .pageCursors) }
        let base = requested?.base.map { PageCursor($0) }

        var random = passage.outcome.random
        let kind: PagePlan.AnchorKind =
            switch requested {
            case nil: .other
            case let requested?: requested.part > 0 ? .cursorOfEmptyPage : .cursor
            }
        let plan = PagePlan(
            passage.outcome.conditions.pages, at: kind, older: 0, newer: limit, random: &random)
        guard !plan.isExpired else { throw BackendError.expired(cursor?.rawValue ?? "") }
        log(plan, of: passage, older: 0, newer: limit)

        // Only the server knows whether the list exists, even without elements.
        let answer = try await request(base, max(plan.newer, 1))
        guard var page = answer as? any PageOfElements else { return answer }
        if plan.isEmpty, !page.isEmpty {
            var again = ConditionedCursor(base?.rawValue, generation: generation(.pageCursors))
            again.part = 1
            page.removeAll()
            page.next = PageCursor(again.text)
        } else {
            page.next = pageCursor(page.next)
        }
        return page as? Answer ?? answer
    }

    private func log(_ plan: PagePlan, of passage: Passage, older: Int, newer: Int) {
        guard plan.older != older || plan.newer != newer else { return }
        log(passage, "\(older)+\(newer) asked for, \(plan.older)+\(plan.newer) passed on")
    }
}

extension BackendError {
    static func expired(_ text: String) -> BackendError {
        BackendError(.expired, "the server no longer knows \(text)")
    }
}

private protocol PageOfElements {
    var isEmpty: Bool { get }
    var next: PageCursor? { get set }

    mutating func removeAll()
}

extension Page: PageOfElements {
    fileprivate var isEmpty: Bool { elements.isEmpty }

    fileprivate mutating func removeAll() { elements = [] }
}
