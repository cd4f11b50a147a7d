import Models

/// What a batch has done so far, for those who read through it.
final class BatchRows {
    let cache = Overlay()
    let outbox = Overlay()
    /// The channels whose number the batch has changed.
    var numbers: [ChannelURL: Numbering] = [:]

    struct Numbering {
        /// As the batch leaves it; `nil` if the channel is removed.
        var number: ChannelNumber?
        /// As it was before the batch.
        let old: ChannelNumber?
    }
}
