extension NetworkCondition {
    /// All named conditions, in the order of ``NetworkConditions``.
    ///
    /// The latencies of single kinds of calls, the kinds of calls that fail, and the seed have no
    /// name.
    public static let all: [NetworkCondition] = [
        NetworkCondition(
            "isOnline", .flag(\.isOnline), failsCalls: true, "false: no signal; notConnected"),

        NetworkCondition(
            "latency.request", .duration(\.defaultLatency.request), "delay of requests"),
        NetworkCondition(
            "latency.answer", .duration(\.defaultLatency.answer), "delay of responses"),
        NetworkCondition(
            "latency.jitter", .duration(\.defaultLatency.jitter),
            "maximum random addition to each delay"),

        NetworkCondition(
            "failures.notSent", .share(\.failures.notSent), failsCalls: true,
            "requests that are not sent; notConnected"),
        NetworkCondition(
            "failures.throttled", .share(\.failures.throttled), failsCalls: true,
            "requests that the server throttles (HTTP 429); throttled"),
        NetworkCondition(
            "failures.serverFailure", .share(\.failures.serverFailure), failsCalls: true,
            "requests that fail on the server (HTTP 5xx); serverFailure"),
        NetworkCondition(
            "failures.requestLost", .share(\.failures.requestLost), failsCalls: true,
            "lost requests; unanswered, without effect"),
        NetworkCondition(
            "failures.answerLost", .share(\.failures.answerLost), failsCalls: true,
            "lost responses; unanswered, after the effect"),

        NetworkCondition(
            "pages.cap", .count(\.pages.cap),
            "maximum page size of the server, below the requested one"),
        NetworkCondition(
            "pages.short", .share(\.pages.short), "pages with fewer elements than requested"),
        NetworkCondition(
            "pages.empty", .share(\.pages.empty), "empty pages that are not the last"),
        NetworkCondition(
            "pages.expired", .share(\.pages.expired), failsCalls: true,
            "page cursors that have expired"),
        NetworkCondition(
            "pages.deletedAnchorsExpire", .flag(\.pages.deletedAnchorsExpire), failsCalls: true,
            "pages at a deleted message fail with expired"),

        NetworkCondition(
            "feed.batchCap", .count(\.feed.batchCap), "maximum number of events in a batch"),
        NetworkCondition(
            "feed.split", .share(\.feed.split), "batches split in two at a random event"),
        NetworkCondition(
            "feed.reordered", .share(\.feed.reordered),
            "events of different channels in another order"),
        NetworkCondition(
            "feed.truncations", .share(\.feed.truncations),
            "messages replaced by a truncation"),
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
            "pages repeated once, with a different token"),
        NetworkCondition(
            "changelogs.empty", .share(\.changelogs.empty), "empty pages that are not the last"),
        NetworkCondition(
            "changelogs.expired", .share(\.changelogs.expired), failsCalls: true,
            "tokens that have expired"),
        NetworkCondition(
            "changelogs.stuck", .share(\.changelogs.stuck), isWithinContract: false,
            "pages that return the token of the request, against messageChanges.token"),

        NetworkCondition(
            "feed.editsWithoutContent", .share(\.feed.editsWithoutContent),
            "edits reported with only the ID of the message"),
    ]
}
