import Models

/// The uncommitted writes of a batch.
final class BatchRows {
    let cache = Overlay()
    let outbox = Overlay()
    /// The numbers of channels that the batch has changed; `nil` if a channel is removed.
    var numbers: [ChannelURL: ChannelNumber?] = [:]
    /// The changed states, which become rows when the batch ends, so that each is written once.
    var states: [ChannelNumber: ChannelState] = [:]
    /// The number of messages that the batch adds, minus those that it removes.
    var addedMessages = 0
    /// Whether all channels were removed, which ``addedMessages`` does not count.
    var hasClearedAll = false
}
