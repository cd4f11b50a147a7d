import EmbeddedServer
import Foundation
import Scrollback

/// A chat server that the prompt runs on.
///
/// To add one, write an entry in ``hosts``: no command knows which of them it is.
@MainActor
protocol Host: AnyObject {
    /// The way of a new device to the server.
    func makeBackend() throws -> any Backend

    /// The server itself, where it is within this process: for commands about the server.
    var server: EmbeddedServer? { get }

    /// Ends it.
    func close()
}

/// The servers there are, by the names that `--backend` knows.
@MainActor let hosts: [String: (_ home: URL?, WorldClock) throws -> any Host] = [
    "embedded": { home, clock in try EmbeddedHost(home, clock) }
]

/// A server within this process, whose files are in the home directory.
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
        // As services do: who was away hears of the newest messages, and has to ask for those before.
        embedded.conditions.feedLimit = 20
    }

    func makeBackend() -> any Backend { embedded.client() }

    func close() { embedded.close() }
}
