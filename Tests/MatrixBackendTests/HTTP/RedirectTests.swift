import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// Tests where the backend sends its token and the password, with two servers on loopback ports.
@Suite(.timeLimit(.minutes(10))) struct MatrixRedirectTests {
    private let whoami = #"{"user_id": "@alice:example.org"}"#
    private let credentials = Credentials("@alice:example.org", accessToken: "token")

    private func backend(
        at server: LoopbackServer, _ login: MatrixBackend.Login = .token,
        allowsUnencryptedHTTP: Bool = false
    ) -> MatrixBackend {
        var options = MatrixBackend.Options()
        options.allowsUnencryptedHTTP = allowsUnencryptedHTTP
        return MatrixBackend(
            homeserver: server.url, deviceID: "PHONE", login: login, options: options)
    }

    @Test func tokenIsNotSentToAnotherPort() async throws {
        let other = try LoopbackServer { [whoami] in $0.reply(body: whoami) }
        let target = other.url.absoluteString
        let server = try LoopbackServer { $0.reply(302, "Location: \(target)/whoami") }
        let error = await #expect(throws: BackendError.self) {
            try await backend(at: server).connect(as: credentials)
        }
        #expect(error?.code == .unanswered)
        #expect(server.tokens == ["token"] && other.requests == [])
    }

    @Test(arguments: [301, 302, 307, 308])
    func passwordIsNotSentToAnotherPort(status: Int) async throws {
        let other = try LoopbackServer {
            $0.reply(body: #"{"user_id": "@alice:example.org", "access_token": "stolen"}"#)
        }
        let target = other.url.absoluteString
        let server = try LoopbackServer { $0.reply(status, "Location: \(target)/login") }
        let error = await #expect(throws: BackendError.self) {
            try await backend(at: server, .password("secret"))
                .connect(as: Credentials("@alice:example.org"))
        }
        #expect(error?.code == .unanswered)
        #expect(other.requests == [])
    }

    @Test func redirectOnTheSameServerKeepsTheToken() async throws {
        let server = try LoopbackServer { [whoami] connection in
            if connection.request.hasSuffix("whoami") {
                connection.reply(307, "Location: /elsewhere")
            } else {
                connection.reply(body: whoami)
            }
        }
        _ = try await backend(at: server).connect(as: credentials)
        #expect(server.requests.contains("GET /elsewhere"))
        #expect(Set(server.tokens) == ["token"])
    }

    @Test func endlessRedirectsEnd() async throws {
        let server = try LoopbackServer { $0.reply(302, "Location: /again") }
        let error = await #expect(throws: BackendError.self) {
            try await backend(at: server).connect(as: credentials)
        }
        #expect(error?.code == .unanswered && server.requests.count == 6)
    }

    private func redirectingFiles(to other: LoopbackServer) throws -> LoopbackServer {
        let target = other.url.absoluteString
        return try LoopbackServer { [whoami] connection in
            if connection.request.contains("/media/") {
                connection.reply(302, "Location: \(target)/store/1")
            } else {
                connection.reply(body: whoami)
            }
        }
    }

    @Test func fileIsFetchedElsewhereWithoutTheToken() async throws {
        let other = try LoopbackServer { $0.reply(body: "picture") }
        let server = try redirectingFiles(to: other)
        let backend = backend(at: server, allowsUnencryptedHTTP: true)
        _ = try await backend.connect(as: credentials)
        let data = try await backend.download(FileInfo(url: "mxc://example.org/1"))
        #expect(data == Data("picture".utf8))
        #expect(other.requests == ["GET /store/1"] && other.tokens == [nil])
    }

    /// A homeserver that is reached through a tunnel could read from other programs of the device.
    @Test func fileIsNotFetchedFromAnotherPortOfTheDevice() async throws {
        let other = try LoopbackServer { $0.reply(body: "picture") }
        let server = try redirectingFiles(to: other)
        let backend = backend(at: server)
        _ = try await backend.connect(as: credentials)
        let error = await #expect(throws: BackendError.self) {
            try await backend.download(FileInfo(url: "mxc://example.org/1"))
        }
        #expect(error?.code == .unanswered && other.requests == [])
    }

    @Test(arguments: [401, 429, 404]) func errorOfAnotherServerDoesNotEndTheSession(
        status: Int
    ) async throws {
        let device = Device()
        try await device.connect()
        device.server.reply(
            "GET media/download/example.org/1", "", status: 302, location: "https://cdn.org/1")
        device.server.reply(
            "GET https://cdn.org/1", #"{"errcode": "M_UNKNOWN_TOKEN"}"#, status: status)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.download(FileInfo(url: "mxc://example.org/1"))
        }
        #expect(error?.code == .refused)
        #expect(device.server.authorizations.last == .some(nil))
    }

    @Test(arguments: [
        "http://example.org/1", "http://169.254.169.254/1", "file:///etc/passwd",
        "https://user@example.org/1", "//",
    ])
    func fileIsNotFetchedFromAnAddressThatIsNotEncrypted(target: String) async throws {
        let device = Device()
        try await device.connect()
        device.server.reply(
            "GET media/download/example.org/1", "", status: 302, location: target)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.download(FileInfo(url: "mxc://example.org/1"))
        }
        #expect(error?.code == .unanswered)
        #expect(device.server.requests.last == "GET media/download/example.org/1")
    }
}
