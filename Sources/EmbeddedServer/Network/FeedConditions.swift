/// The conditions of the feed.
///
/// Shares range from 0 (never) to 1 (always). The changes to a batch depend only on the seed and on
/// the cursor of the request. The initial channel list is neither split nor truncated.
public struct FeedConditions: Hashable, Sendable {
    // MARK: Within the contract

    /// The maximum number of events in a batch, as on servers that return missed events in pages;
    /// `nil` for no limit.
    public var batchCap: Int?

    /// The share of batches that are split in two at a random event; the first part may be empty.
    ///
    /// The cursor between the parts contains the cursor before the batch, and identifies the
    /// reported events, so that another instance can resume from it.
    public var split = 0.0

    /// The share of batches in which the events of different channels are interleaved in another
    /// order, as on servers with several nodes.
    public var reordered = 0.0

    /// The share of channels in a batch for which a truncation replaces some messages, as on
    /// servers that report only the newest messages after a device was offline.
    public var truncations = 0.0

    /// The share of edits for which the feed reports only the ID of the message.
    public var editsWithoutContent = 0.0

    /// The share of calls whose cursor has expired, as after a long absence.
    public var expired = 0.0

    // MARK: Out of the contract

    /// The share of events that are reported twice in a row, as by a queue with at-least-once
    /// delivery.
    ///
    /// It violates `feed.once`.
    public var repeatedEvents = 0.0

    /// The share of batches that are reported again when a client continues with their cursor.
    ///
    /// It violates `feed.once`.
    public var repeatedBatches = 0.0

    /// The share of batches whose events are in random order, as from sockets without sequence
    /// numbers.
    ///
    /// It violates `feed.order`.
    public var shuffled = 0.0

    /// The share of events about messages that are never reported, as by a socket without
    /// acknowledgements.
    ///
    /// It violates `feed.complete`.
    public var lost = 0.0

    /// The share of typing events that are never reported.
    ///
    /// It violates `typing.reported`.
    public var lostTyping = 0.0

    /// The share of read and delivery receipts that are never reported.
    ///
    /// It violates `read.reported` and `delivered.reported`.
    public var lostReceipts = 0.0

    /// Creates conditions that do not change the feed.
    public init() {}
}
