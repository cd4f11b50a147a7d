/// The conditions of the feed.
///
/// Shares range from 0 for never to 1 for always. The changes to a batch depend on the seed and the
/// cursor of the request: the same cursor returns the same batch again. The initial channel list is
/// neither split nor truncated.
public struct FeedConditions: Hashable, Sendable {
    // MARK: Within the contract

    /// The maximum number of events in a batch, as of a server that pages missed events; `nil` for
    /// no limit.
    public var batchCap: Int?

    /// The share of batches that are split in two at any place.
    ///
    /// The first part may be empty.
    ///
    /// Any server may split batches. The cursor between two parts contains the cursor before them
    /// and the reported events, and is valid in other instances.
    public var split = 0.0

    /// The share of batches whose channels are interleaved differently, as of a server with several
    /// nodes.
    ///
    /// The events of each channel keep their order.
    public var reordered = 0.0

    /// The share of channels in a batch of which some messages are replaced by a truncation.
    ///
    /// Servers that replay only the newest messages of a channel after an absence do this.
    public var truncations = 0.0

    /// The share of calls whose cursor has expired, as after a long absence.
    public var expired = 0.0

    // MARK: Out of the contract

    /// The share of events that are reported twice in a row, as of a queue with at-least-once
    /// delivery.
    ///
    /// Violates `feed.once`.
    public var repeatedEvents = 0.0

    /// The share of batches that are repeated after their own cursor, as of a server whose cursor
    /// lags.
    ///
    /// Violates `feed.once`.
    public var repeatedBatches = 0.0

    /// The share of batches whose events are in any order, as of sockets without sequence numbers.
    ///
    /// Violates `feed.order`.
    public var shuffled = 0.0

    /// The share of message events that are never reported, as of a socket without
    /// acknowledgements.
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
