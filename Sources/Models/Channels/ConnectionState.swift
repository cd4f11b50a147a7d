/// The state of this device's connection to the server.
///
/// The raw values are those of established chat SDKs. Their state 2, "closing", does not exist
/// here: ``closed`` is reported instead.
public enum ConnectionState: Int, CaseIterable, Sendable {
    /// The connection is being established.
    case connecting = 0
    /// The connection is established.
    case open = 1
    /// The connection is closed.
    case closed = 3
}
