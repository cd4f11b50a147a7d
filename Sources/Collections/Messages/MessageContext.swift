public import Models

/// The cause of a change of messages.
public struct MessageContext: Hashable, Sendable {
    /// The source of the change.
    public let source: CollectionEventSource

    /// The sending status that all messages of the notification have.
    public let sendingStatus: MessageSendingStatus

    /// A Boolean value that indicates whether the change arrived as a live event, not from sync or
    /// from this device.
    public var isFromEvent: Bool { source.isFromEvent }
}
