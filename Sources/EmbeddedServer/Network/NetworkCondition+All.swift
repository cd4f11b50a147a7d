extension NetworkCondition {
    /// All named conditions, in the order of ``NetworkConditions``.
    ///
    /// Some properties have no name: the latencies of single kinds of calls, the kinds of calls
    /// that fail, and the seed.
    public static let all: [NetworkCondition] = [
        NetworkCondition(
            "isOnline", .flag(\.isOnline), failsCalls: true, "false: no signal; notConnected"),

        NetworkCondition(
            "latency.request", .duration(\.defaultLatency.request), "a slow way to the server"),
        NetworkCondition(
            "latency.answer", .duration(\.defaultLatency.answer), "a slow way back"),
        NetworkCondition(
            "latency.jitter", .duration(\.defaultLatency.jitter), "by how much ways differ"),

        NetworkCondition(
            "failures.notSent", .share(\.failures.notSent), failsCalls: true,
            "no signal for a moment; notConnected"),
        NetworkCondition(
            "failures.throttled", .share(\.failures.throttled), failsCalls: true,
            "too many requests (HTTP 429); throttled"),
        NetworkCondition(
            "failures.serverFailure", .share(\.failures.serverFailure), failsCalls: true,
            "a server in trouble (HTTP 5xx); serverFailure"),
        NetworkCondition(
            "failures.requestLost", .share(\.failures.requestLost), failsCalls: true,
            "a request lost on its way; unanswered, without effect"),
        NetworkCondition(
            "failures.answerLost", .share(\.failures.answerLost), failsCalls: true,
            "an answer lost on its way; unanswered, after the effect"),

        NetworkCondition(
            "pages.cap", .count(\.pages.cap), "a server's own limit below the one asked for"),
        NetworkCondition(
            "pages.short", .share(\.pages.short), "pages that are filtered after they are read"),
        NetworkCondition(
            "pages.empty", .share(\.pages.empty), "empty pages that are not the last"),
        NetworkCondition(
            "pages.expired", .share(\.pages.expired), failsCalls: true,
            "page cursors that the server has forgotten"),
        NetworkCondition(
            "pages.deletedAnchorsExpire", .flag(\.pages.deletedAnchorsExpire), failsCalls: true,
            "a server that looks up the anchor of a page"),

        NetworkCondition(
            "feed.batchCap", .count(\.feed.batchCap), "a server that pages what was missed"),
        NetworkCondition("feed.split", .share(\.feed.split), "batches cut anywhere"),
        NetworkCondition(
            "feed.reordered", .share(\.feed.reordered),
            "several nodes: the order of channels among each other is mixed"),
        NetworkCondition(
            "feed.truncations", .share(\.feed.truncations),
            "only the newest messages are replayed, the others are a truncation"),
        NetworkCondition(
            "feed.expired", .share(\.feed.expired), failsCalls: true,
            "feed cursors that have expired"),
        NetworkCondition(
            "feed.repeatedEvents", .share(\.feed.repeatedEvents), isWithinContract: false,
            "events delivered twice, against feed.once"),
        NetworkCondition(
            "feed.repeatedBatches", .share(\.feed.repeatedBatches), isWithinContract: false,
            "batches repeated after their own cursor, against feed.once"),
        NetworkCondition(
            "feed.shuffled", .share(\.feed.shuffled), isWithinContract: false,
            "events of one channel in any order, against feed.order"),
        NetworkCondition(
            "feed.lost", .share(\.feed.lost), isWithinContract: false,
            "message events omitted, against feed.complete"),
        NetworkCondition(
            "feed.lostTyping", .share(\.feed.lostTyping), isWithinContract: false,
            "typing events omitted, against typing.reported"),
        NetworkCondition(
            "feed.lostReceipts", .share(\.feed.lostReceipts), isWithinContract: false,
            "receipts omitted, against read.reported and delivered.reported"),

        NetworkCondition(
            "changelogs.repeated", .share(\.changelogs.repeated),
            "the same page again, under a token that has advanced"),
        NetworkCondition(
            "changelogs.empty", .share(\.changelogs.empty), "an empty page that is not the last"),
        NetworkCondition(
            "changelogs.expired", .share(\.changelogs.expired), failsCalls: true,
            "tokens that have expired"),
        NetworkCondition(
            "changelogs.stuck", .share(\.changelogs.stuck), isWithinContract: false,
            "a token that does not advance, against messageChanges.token"),

        NetworkCondition(
            "feed.editsWithoutContent", .share(\.feed.editsWithoutContent),
            "a feed that only names the edited message"),
    ]
}
