import Models

/// What a batch has done so far, for those who read through it.
final class BatchRows {
    let cache = Overlay()
    let outbox = Overlay()
    /// The channels whose number the batch has changed.
    var numbers: [ChannelURL: Numbering] = [:]
    /// The states that the batch has changed; they become rows at its end, since many messages of
    /// a channel are counted in one row.
    var states: [ChannelNumber: ChannelState] = [:]
    /// How many messages there are more than before, or fewer.
    var addedMessages = 0
    /// Whether that cannot be told, since it was not known how many there were.
    var hasLostCount = false

    struct Numbering {
        /// As the batch leaves it; `nil` if the channel is removed.
        var number: ChannelNumber?
        /// As it was before the batch.
        let old: ChannelNumber?
    }
}
