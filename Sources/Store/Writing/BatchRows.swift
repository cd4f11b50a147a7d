import Models

/// The uncommitted writes of a batch.
final class BatchRows {
    let cache = Overlay()
    let outbox = Overlay()
    /// The numbers of channels that the batch has changed; `nil` if a channel is removed.
    var numbers: [ChannelURL: ChannelNumber?] = [:]
    /// The states of channels that the batch has changed.
    ///
    /// The states become rows when the batch ends. Therefore a batch with many messages of a
    /// channel writes the channel's state only once.
    var states: [ChannelNumber: ChannelState] = [:]
    /// The number of messages that the batch adds, minus those that it removes.
    var addedMessages = 0
    /// A Boolean value that indicates whether the batch has removed all channels, so that
    /// ``addedMessages`` does not count the removed messages.
    var hasClearedAll = false
}
