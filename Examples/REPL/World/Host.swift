import EmbeddedServer
import Foundation
import Scrollback

/// A chat server that the prompt runs on.
///
/// To add a server, write an entry in ``hosts``. Commands do not depend on the kind of server.
@MainActor
protocol Host: AnyObject {
    /// Creates the backend of a new device.
    func makeBackend() throws -> any Backend

    /// The server itself, if it runs in this process: for commands about the server.
    var server: EmbeddedServer? { get }

    /// Ends the server.
    func close()
}

/// The available servers, by the names that `--backend` accepts.
@MainActor let hosts: [String: (_ home: URL?, WorldClock) throws -> any Host] = [
    "embedded": { home, clock in try EmbeddedHost(home, clock) }
]

/// A server in this process, whose files are in the home directory.
@MainActor
private final class EmbeddedHost: Host {
    private let embedded: EmbeddedServer

    var server: EmbeddedServer? { embedded }

    init(_ home: URL?, _ clock: WorldClock) throws {
        if let home {
            try FileManager.default.createDirectory(
                at: home, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            embedded = try EmbeddedServer(at: home.appending(path: "server")) { clock.now }
        } else {
            embedded = try EmbeddedServer.inMemory { clock.now }
        }
        // As chat services do: after an absence the feed delivers the newest messages and omits
        // older ones.
        embedded.conditions.feedLimit = 20
    }

    func makeBackend() -> any Backend { embedded.client() }

    func close() { embedded.close() }
}
