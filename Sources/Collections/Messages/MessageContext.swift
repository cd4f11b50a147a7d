public import Models

/// The cause of a change of messages.
public struct MessageContext: Hashable, Sendable {
    /// The source of the change.
    public let source: CollectionEventSource

    /// The sending status of all messages of the notification.
    public let sendingStatus: MessageSendingStatus

    /// A Boolean value that indicates whether the change arrived as a live event.
    public var isFromEvent: Bool { source.isFromEvent }
}
