public import Models

/// The cause of a change of messages.
public struct MessageContext: Hashable, Sendable {
    /// The source of the change.
    public let source: CollectionEventSource

    /// The sending status of the messages, the same for all messages of a call.
    public let sendingStatus: MessageSendingStatus

    /// A Boolean value that indicates whether the change arrived as a live event, and not from sync
    /// or from this device.
    public var isFromEvent: Bool { source.isFromEvent }
}
