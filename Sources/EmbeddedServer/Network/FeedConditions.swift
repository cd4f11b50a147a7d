/// The conditions of the feed.
///
/// Shares range from 0 (never) to 1 (always). The changes to a batch depend only on the seed and on
/// the request's cursor. The initial channel list is neither split nor truncated.
public struct FeedConditions: Hashable, Sendable {
    // MARK: Within the contract

    /// The maximum number of events in a batch, as on servers with pages of missed events; `nil`
    /// for no limit.
    public var batchCap: Int?

    /// The share of batches that are split at a random event; the first part may be empty.
    ///
    /// Another instance can resume from the cursor between the parts.
    public var split = 0.0

    /// The share of batches in which events of different channels are interleaved differently, as
    /// on servers with several nodes.
    public var reordered = 0.0

    /// The share of a batch's channels in which a truncation replaces some messages, as on servers
    /// that report only the newest messages after an absence.
    public var truncations = 0.0

    /// The share of edits of which the feed reports only the message's ID.
    public var editsWithoutContent = 0.0

    /// The share of calls whose cursor has expired, as after a long absence.
    public var expired = 0.0

    // MARK: Out of the contract

    /// The share of events that are reported twice, as by a queue with at-least-once delivery.
    ///
    /// It violates `feed.once`.
    public var repeatedEvents = 0.0

    /// The share of batches that are reported again for their own cursor.
    ///
    /// It violates `feed.once`.
    public var repeatedBatches = 0.0

    /// The share of batches whose events are in random order, as from sockets without sequence
    /// numbers.
    ///
    /// It violates `feed.order`.
    public var shuffled = 0.0

    /// The share of unreported events about messages, as by a socket without acknowledgements.
    ///
    /// It violates `feed.complete`.
    public var lost = 0.0

    /// The share of unreported typing events.
    ///
    /// It violates `typing.reported`.
    public var lostTyping = 0.0

    /// The share of unreported receipts.
    ///
    /// It violates `read.reported` and `delivered.reported`.
    public var lostReceipts = 0.0

    /// Creates conditions that do not change the feed.
    public init() {}
}
