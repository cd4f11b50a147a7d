/// The state of this device's connection to the server.
///
/// The raw values are those of established chat SDKs, where 2 means closing; here that is
/// ``closed``.
public enum ConnectionState: Int, CaseIterable, Sendable {
    /// The connection is being established.
    case connecting = 0
    /// The connection is established.
    case open = 1
    /// There is no connection.
    case closed = 3
}
