/// The state of this device's connection to the server.
///
/// The raw values are those of established chat SDKs. The state 2 of these SDKs, "closing", does
/// not exist here: a closing connection is ``closed``.
public enum ConnectionState: Int, CaseIterable, Sendable {
    /// The connection is being established.
    case connecting = 0
    /// The connection is established.
    case open = 1
    /// The connection is closed.
    case closed = 3
}
