public import Models

/// Why channels changed.
public struct GroupChannelContext: Hashable, Sendable {
    /// What happened.
    public let source: CollectionEventSource

    /// Whether it came as a live event, rather than from sync or from this device.
    public var isFromEvent: Bool { source.isFromEvent }
}
