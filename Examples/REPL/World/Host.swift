import EmbeddedServer
import Foundation
import MatrixBackend
import Scrollback

/// A chat server that the prompt uses.
///
/// To add a kind of server, add a case to ``HostChoice``.
@MainActor
protocol Host: AnyObject {
    /// Creates the backend of a new device, and the credentials of its user.
    ///
    /// `askSecret` asks for an unknown password.
    func makeBackend(
        for user: UserID, device: String, asking askSecret: (_ question: String) async -> String?
    ) async throws -> (any Backend, Credentials)

    /// The server, if it runs in this process.
    var server: EmbeddedServer? { get }

    /// The reason why the server cannot be reached until the prompt ends.
    var failure: String? { get }

    func close()
}

enum HostChoice {
    case embedded
    case matrix(URL, Secrets)

    var isEmbedded: Bool { if case .embedded = self { true } else { false } }

    @MainActor func make(in home: URL?, _ clock: WorldClock) throws -> any Host {
        switch self {
        case .embedded: try EmbeddedHost(home, clock)
        case .matrix(let url, let secrets): try MatrixHost(url, secrets, home)
        }
    }
}

@MainActor
private final class EmbeddedHost: Host {
    let server: EmbeddedServer?
    let failure: String?

    init(_ home: URL?, _ clock: WorldClock) throws {
        if let home {
            let directory = home.appending(path: "server")
            try FileManager.default.createPrivateHome(at: home)
            try FileManager.default.createPrivateDirectory(at: directory)
            do throws(BackendError) {
                server = try EmbeddedServer(at: directory) { clock.now }
                failure = nil
            } catch {
                // Another prompt in the directory has the devices' files open, too.
                guard !error.message.hasPrefix("locked") else {
                    throw CommandError.failed(
                        "another prompt uses \(home.path): end it, or choose another --home")
                }
                server = nil
                failure =
                    "the server cannot be opened, so only cached data is shown: "
                    + "\(error.message)"
            }
        } else {
            server = try EmbeddedServer.inMemory { clock.now }
            failure = nil
        }
        // As on most services, the feed reports only each channel's newest messages after an
        // absence.
        server?.conditions.feedLimit = 20
    }

    func makeBackend(
        for user: UserID, device: String, asking: (_ question: String) async -> String?
    ) throws -> (any Backend, Credentials) {
        if let server { return (server.client(), Credentials(user)) }
        let missing = MissingServer(
            base: try EmbeddedServer.inMemory().client(),
            failure: BackendError(.serverFailure, failure ?? ""))
        return (missing, Credentials(user))
    }

    func close() { server?.close() }
}

private struct MissingServer: ForwardingBackend {
    let base: any Backend
    let failure: BackendError

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        throw failure
    }
}

@MainActor
private final class MatrixHost: Host {
    private let url: URL
    private var secrets: Secrets
    /// The directory of device IDs; `nil` for new IDs in each run.
    private let deviceIDs: URL?

    var server: EmbeddedServer? { nil }
    var failure: String? { nil }

    init(_ url: URL, _ secrets: Secrets, _ home: URL?) throws {
        self.url = url
        self.secrets = secrets
        deviceIDs = home?.appending(path: "device-ids")
        guard let home, let deviceIDs else { return }
        // A homeserver's directory is in the prompt's home.
        for url in [home.deletingLastPathComponent(), home, deviceIDs] {
            try FileManager.default.createPrivateDirectory(at: url)
        }
    }

    func makeBackend(
        for user: UserID, device: String, asking askSecret: (_ question: String) async -> String?
    ) async throws -> (any Backend, Credentials) {
        guard user.rawValue.hasPrefix("@") else {
            throw CommandError.failed(
                "'\(user)' is not the ID of a Matrix user, such as @alice:localhost")
        }
        if secrets[user.rawValue] == nil {
            guard let password = await askSecret("Password of \(user): ") else {
                throw CommandError.failed(
                    "there is no password of \(user): type it, or put it into a file for --secrets")
            }
            secrets[user.rawValue] = .password(password)
        }
        let id = try deviceID(of: device)
        switch secrets[user.rawValue] {
        case .password(let password):
            let backend = MatrixBackend(
                homeserver: url, deviceID: id, login: .password(password))
            return (backend, Credentials(user))
        case .token(let token):
            return (MatrixBackend(homeserver: url), Credentials(user, accessToken: token))
        case nil:
            throw CommandError.failed("there is no password of \(user)")
        }
    }

    /// Returns a device's Matrix ID, which stays the same, so that the homeserver recognizes
    /// repeated requests.
    private func deviceID(of device: String) throws -> String {
        let new = String((0..<10).map { _ in "ABCDEFGHIJKLMNOPQRSTUVWXYZ".randomElement()! })
        // The file's name is a hash, which hides the user's ID.
        guard let file = deviceIDs?.appending(path: device.hashedFileName) else { return new }
        // The ID is sent to the homeserver: another program that writes to the directory must not
        // make the prompt send another file.
        guard let id = try SecretFile(file).read("the device ID", isSecret: false) else {
            try SecretFile(file).create(new)
            return new
        }
        guard id.wholeMatch(of: /[A-Z]{10}/) != nil else {
            throw CommandError.failed("\(file.path) has no device ID: remove the file")
        }
        return id
    }

    func close() {}
}

extension FileManager {
    /// Creates the prompt's home, which may be a link, unless it exists.
    fileprivate func createPrivateHome(at url: URL) throws {
        guard !fileExists(atPath: url.path) else { return }
        try createPrivateDirectory(at: url)
    }

    /// Creates a directory that only its owner can read, unless it exists; throws an error for a
    /// link, which would lead elsewhere.
    func createPrivateDirectory(at url: URL) throws {
        try checkIsNoLink(url)
        try createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    func checkIsNoLink(_ url: URL) throws {
        if isLink(url) { throw CommandError.failed("'\(url.path)' is a link: remove it") }
    }

    func isLink(_ url: URL) -> Bool {
        var status = stat()
        return lstat(url.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
