/// The state of this device's connection to the server.
public enum ConnectionState: Hashable, CaseIterable, Sendable {
    /// There is no connection, and none is being established.
    case offline
    /// The connection is being established.
    case connecting
    /// The connection failed or was lost, and is retried after a delay.
    case waiting
    /// The connection is established.
    case online
    /// The server has revoked the session.
    case revoked
}
