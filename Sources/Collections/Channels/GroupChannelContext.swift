public import Models

/// The cause of a change of channels.
public struct GroupChannelContext: Hashable, Sendable {
    /// The source of the change.
    public let source: CollectionEventSource

    /// A Boolean value that indicates whether the change arrived as a live event.
    public var isFromEvent: Bool { source.isFromEvent }
}
