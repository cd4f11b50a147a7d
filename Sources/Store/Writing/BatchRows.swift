import Models

/// The uncommitted writes of a batch, for reads through it.
final class BatchRows {
    let cache = Overlay()
    let outbox = Overlay()
    /// The channels whose number the batch has changed.
    var numbers: [ChannelURL: Numbering] = [:]
    /// The states that the batch has changed.
    ///
    /// They are written as rows at its end, since many messages of a channel are counted in one
    /// row.
    var states: [ChannelNumber: ChannelState] = [:]
    /// The change of the total number of messages.
    var addedMessages = 0
    /// A Boolean value that indicates whether the change is unknown, because an earlier count was
    /// unknown.
    var hasLostCount = false

    struct Numbering {
        /// The number after the batch; `nil` if the channel is removed.
        var number: ChannelNumber?
        /// The number before the batch.
        let old: ChannelNumber?
    }
}
