public import Models
import Sync

extension ConditionedBackend {
    /// Forwards the call to ``base``, and applies the conditions to the response.
    public func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint, params: MessageChangelogParams?
    ) async throws(BackendError) -> MessageChangelog {
        let call = CoreCall.MessageChanges(channelURL: channelURL, since: point, params: params)
        return try await perform(call) { passage throws(BackendError) in
            let request = try makeRequest(passage, point)
            var changes = try await base.messageChanges(
                in: channelURL, since: request.base, params: params)
            if request.plan == .empty {
                changes.updated = []
                changes.deleted = []
            }
            changes.hasMore = changes.hasMore || request.plan != .plain
            changes.next = token(after: request, point, changes.next)
            return changes
        }
    }

    /// Forwards the call to ``base``, and applies the conditions to the response.
    public func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog {
        try await perform(CoreCall.ChannelChanges(since: point, params: params)) {
            passage throws(BackendError) in
            let request = try makeRequest(passage, point)
            var changes = try await base.channelChanges(since: request.base, params: params)
            if request.plan == .empty {
                changes.updated = []
                changes.deletedURLs = []
            }
            changes.hasMore = changes.hasMore || request.plan != .plain
            changes.next = token(after: request, point, changes.next)
            return changes
        }
    }

    // MARK: Tokens

    private struct ChangelogRequest {
        let base: ChangelogPoint
        /// The point as a cursor, on which further tokens are based.
        let cursor: ConditionedCursor
        let plan: ChangelogPlan
    }

    private func makeRequest(
        _ passage: Passage, _ point: ChangelogPoint
    ) throws(BackendError) -> ChangelogRequest {
        let (base, cursor) = try read(point)
        var random = passage.outcome.random
        var canExpire = true
        if case .time = point { canExpire = false }
        let plan = ChangelogPlan(
            passage.outcome.conditions.changelogs, since: cursor, canExpire: canExpire,
            random: &random
        )
        guard plan != .expired else { throw .expired("\(point)") }
        if plan != .plain { log(passage, "\(plan)") }
        return ChangelogRequest(base: base, cursor: cursor, plan: plan)
    }

    private func read(
        _ point: ChangelogPoint
    ) throws(BackendError) -> (ChangelogPoint, ConditionedCursor) {
        switch point {
        case .time(let time):
            var cursor = ConditionedCursor("\(time)")
            cursor.source = .time
            return (point, cursor)
        case .feed(let feedCursor):
            guard let text = try read(feedCursor.rawValue, .feedCursors).base else {
                throw .expired(feedCursor.rawValue)
            }
            var cursor = ConditionedCursor(text)
            cursor.source = .feed
            return (.feed(FeedCursor(text)), cursor)
        case .token(let token):
            let cursor = try read(token, .changelogTokens)
            guard let text = cursor.base else { throw .expired(token) }
            switch cursor.source {
            case .same: return (.token(text), cursor)
            case .feed: return (.feed(FeedCursor(text)), cursor)
            case .time:
                guard let milliseconds = Int64(text) else { throw .expired(token) }
                return (.time(Timestamp(milliseconds: milliseconds)), cursor)
            }
        }
    }

    private func token(after request: ChangelogRequest, _ point: ChangelogPoint, _ next: String?)
        -> String?
    {
        var again = request.cursor
        again.generation = generation(.changelogTokens)
        switch request.plan {
        case .plain, .expired: break
        case .empty:
            again.part = 1
            return again.text
        case .repeated:
            again.isRepeated = true
            return again.text
        case .stuck:
            guard case .token(let token) = point else { return again.text }
            return token
        }
        return next.map { ConditionedCursor($0, generation: again.generation).text }
    }
}
