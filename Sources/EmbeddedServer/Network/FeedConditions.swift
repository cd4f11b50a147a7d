/// The conditions of the feed.
///
/// Shares range from 0 (never) to 1 (always). The changes to a batch depend only on the seed and on
/// the cursor of the request, so the same cursor returns the same batch again. The initial channel
/// list is neither split nor truncated.
public struct FeedConditions: Hashable, Sendable {
    // MARK: Within the contract

    /// The maximum number of events in a batch; `nil` for no limit.
    ///
    /// This simulates servers that return missed events in pages.
    public var batchCap: Int?

    /// The share of batches that are split in two at a random place.
    ///
    /// The first part may be empty.
    ///
    /// Any server may split batches. The cursor between two parts contains the cursor before the
    /// batch and the events that were already reported. Another instance can resume from it.
    public var split = 0.0

    /// The share of batches in which the events of different channels are interleaved in another
    /// order.
    ///
    /// The events of each channel keep their order. This simulates servers with several nodes.
    public var reordered = 0.0

    /// The share of channels in a batch for which some messages are replaced by a truncation.
    ///
    /// This simulates servers that, after a device was offline, report only the newest messages of
    /// a channel.
    public var truncations = 0.0

    /// The share of edits for which the feed reports only the ID of the message.
    ///
    /// This simulates servers whose feed contains no content.
    public var editsWithoutContent = 0.0

    /// The share of calls whose cursor has expired, as after a long absence.
    public var expired = 0.0

    // MARK: Out of the contract

    /// The share of events that are reported twice in a row.
    ///
    /// This simulates a queue with at-least-once delivery.
    ///
    /// Violates `feed.once`.
    public var repeatedEvents = 0.0

    /// The share of batches that are reported again when a client continues with their cursor.
    ///
    /// This simulates servers whose cursor lags.
    ///
    /// Violates `feed.once`.
    public var repeatedBatches = 0.0

    /// The share of batches whose events are in random order.
    ///
    /// This simulates sockets without sequence numbers.
    ///
    /// Violates `feed.order`.
    public var shuffled = 0.0

    /// The share of message events that are never reported.
    ///
    /// This simulates a socket without acknowledgements.
    ///
    /// Violates `feed.complete`.
    public var lost = 0.0

    /// The share of typing events that are never reported.
    ///
    /// Violates `typing.reported`.
    public var lostTyping = 0.0

    /// The share of read and delivery receipts that are never reported.
    ///
    /// Violates `read.reported` and `delivered.reported`.
    public var lostReceipts = 0.0

    /// Creates conditions that leave the feed unchanged.
    public init() {}
}
