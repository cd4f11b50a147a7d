import Models

/// The uncommitted writes of a batch, for reads through it.
final class BatchRows {
    let cache = Overlay()
    let outbox = Overlay()
    /// The channels whose number the batch has changed.
    var numbers: [ChannelURL: Numbering] = [:]
    /// The states of channels that the batch has changed.
    ///
    /// They are written as rows when the batch ends, so that many new messages of a channel write
    /// its row only once.
    var states: [ChannelNumber: ChannelState] = [:]
    /// The difference that the batch makes to the total number of messages.
    var addedMessages = 0
    /// A Boolean value that indicates whether that difference is unknown, because a stored count
    /// was damaged.
    var hasLostCount = false

    struct Numbering {
        /// The number of the channel after the batch; `nil` if the channel is removed.
        var number: ChannelNumber?
        /// The number of the channel before the batch.
        let old: ChannelNumber?
    }
}
