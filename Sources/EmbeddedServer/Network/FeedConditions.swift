/// How the feed is told.
///
/// The shares go from 0 for never to 1 for always. What happens to a batch depends on the seed and the
/// cursor it was asked with, so the same cursor tells the same again. The list of channels that a feed
/// begins with is neither cut nor told as holes.
public struct FeedConditions: Hashable, Sendable {
    // MARK: Within the contract

    /// The most events that a batch has, as of a server that pages what was missed; `nil` for no limit.
    public var batchCap: Int?

    /// The share of the batches that are cut in two at some place, the first part perhaps empty.
    ///
    /// Any server cuts where it likes. The cursor between two parts names the cursor before them and
    /// what was told since, so that it outlives whoever made it.
    public var split = 0.0

    /// The share of the batches whose channels are mixed anew, as of a server with several nodes.
    ///
    /// Each channel keeps its own order.
    public var reordered = 0.0

    /// The share of the channels in a batch of which some messages are told as a hole.
    ///
    /// So do servers that replay only the newest messages of a channel after an absence.
    public var holes = 0.0

    /// The share of the calls that find their cursor expired, as if one had been away for long.
    public var expired = 0.0

    // MARK: Out of the contract

    /// The share of the events that are told twice in a row, as of a queue that delivers at least once.
    ///
    /// Against `feed.once`.
    public var repeatedEvents = 0.0

    /// The share of the batches that are told again behind their own cursor, as of a server whose
    /// cursor lags.
    ///
    /// Against `feed.once`.
    public var repeatedBatches = 0.0

    /// The share of the batches whose events come in any order, as of sockets without sequence numbers.
    ///
    /// Against `feed.order`.
    public var shuffled = 0.0

    /// The share of the message events that are never told, as of a socket nobody acknowledges.
    ///
    /// Against `feed.complete`.
    public var lost = 0.0

    /// The share of the typing events that are never told.
    ///
    /// Against `typing.told`.
    public var lostTyping = 0.0

    /// The share of the receipts that are never told, of reading and of delivery.
    ///
    /// Against `read.told` and `delivered.told`.
    public var lostReceipts = 0.0

    /// Creates conditions under which the feed is told as it is.
    public init() {}
}
