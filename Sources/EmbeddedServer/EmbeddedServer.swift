/// A whole chat server within the process.
public final class EmbeddedServer: Sendable {
    /// Starts a server.
    public init() {}
}
