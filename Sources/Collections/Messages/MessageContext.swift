public import Models

/// Why messages of a collection changed.
public struct MessageContext: Hashable, Sendable {
    /// What happened.
    public let source: CollectionEventSource

    /// How far the messages are on their way to the server; all of one call are equally far.
    public let sendingStatus: MessageSendingStatus

    /// Whether it came as a live event, rather than from sync or from this device.
    public var isFromEvent: Bool { source.isFromEvent }
}
