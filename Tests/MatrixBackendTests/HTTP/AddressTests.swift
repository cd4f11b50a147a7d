import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// Tests to which addresses the backend sends requests.
@Suite struct MatrixAddressTests {
    private let wellKnown = "GET https://example.org/.well-known/matrix/client"

    @Test(arguments: [
        "http://matrix.example.org", "http://127.0.0.1:8008", "file:///etc/passwd",
        "https://169.254.169.254", "https://[fe80::1]", "https://user:secret@matrix.example.org",
        "https://matrix.example.org?a", "https://matrix.example.org#a", "https://", "matrix", "",
        "javascript:alert(1)", "https://ex%2Fample.org", "https://2852039166",
        "https://0251.254.169.254", "https://169.254.43518", "https://0xA9.254.169.254",
        "https://[fe90::1]", "https://[FEBF::1]", "https://[::ffff:169.254.169.254]",
        "https://[::ffff:a9fe:a9fe]", "https://10.0.0.1.",
    ])
    func publishedAddressMustBeAPlainEncryptedOne(address: String) async throws {
        let server = PreparedReplies()
        server.reply(wellKnown, #"{"m.homeserver": {"base_url": "\#(address)"}}"#)
        let error = await #expect(throws: BackendError.self) {
            try await MatrixBackend.homeserver(of: "@alice:example.org", transport: server)
        }
        #expect(error?.code == .refused)
    }

    @Test(arguments: ["https://matrix.example.org", "https://[2001:db8::1]:8448/base"])
    func publishedAddressIsReturned(address: String) async throws {
        let server = PreparedReplies()
        server.reply(wellKnown, #"{"m.homeserver": {"base_url": "\#(address)"}}"#)
        let found = try await MatrixBackend.homeserver(of: "@alice:example.org", transport: server)
        #expect(found.absoluteString == address)
    }

    @Test(arguments: [
        "@a:user@internal:22/x?y#", "@a:user@example.org", "@a:example.org/x", "@a:example.org?x",
        "@a:example.org#x", "@a:example.org:0", "@a:example.org:65536", "@a:example.org:22:23",
        "@a:", "@a", "a:example.org", "@a:exämple.org", "@a:ex ample.org", "@a:[::1", "@a:%31",
        UserID("@a:" + String(repeating: "x", count: 253)),
    ])
    func userIDWithAnInvalidServerNameCausesNoRequest(id: UserID) async throws {
        let server = PreparedReplies()
        let error = await #expect(throws: BackendError.self) {
            try await MatrixBackend.homeserver(of: id, transport: server)
        }
        #expect(error?.code == .refused)
        #expect(server.requests == [])
    }

    @Test(arguments: [
        ("@a:example.org:8448", "example.org:8448"), ("@a:[2001:db8::1]", "[2001:db8::1]"),
        ("@a/b?c#d@e:10.0.0.1", "10.0.0.1"), ("@:example.org", "example.org"),
    ])
    func serverNameIsThatOfTheUserID(id: UserID, name: String) async throws {
        let server = PreparedReplies()
        let found = try await MatrixBackend.homeserver(of: id, transport: server)
        #expect(server.requests == ["GET https://\(name)/.well-known/matrix/client"])
        #expect(found.absoluteString == "https://\(name)")
    }

    @Test func publishedAddressMayBeRedirectedButOnlyEncrypted() async throws {
        let server = PreparedReplies()
        server.reply(wellKnown, "", status: 301, location: "https://www.example.org/client")
        server.reply(
            "GET https://www.example.org/client",
            #"{"m.homeserver": {"base_url": "https://matrix.example.org"}}"#)
        let found = try await MatrixBackend.homeserver(of: "@alice:example.org", transport: server)
        #expect(found.absoluteString == "https://matrix.example.org")
        let other = PreparedReplies()
        other.reply(wellKnown, "", status: 301, location: "http://www.example.org/client")
        await #expect(throws: BackendError.self) {
            try await MatrixBackend.homeserver(of: "@alice:example.org", transport: other)
        }
        #expect(other.requests == [wellKnown])
    }

    @Test(arguments: [
        ("http://example.org", false), ("http://192.168.0.1:8008", false),
        ("http://127.0.0.1.example.org", false), ("http://127.1", false),
        ("http://0127.0.0.1", false), ("http://2130706433", false), ("http://0:1", false),
        ("http://[::ffff:127.0.0.1]", true), ("https://10.0.0.1", true),
        ("http://localhost:8008", true), ("http://127.0.0.1:8008", true), ("http://[::1]", true),
        ("https://example.org", true), ("https://user@example.org", false),
        ("https://example.org?a", false), ("ftp://example.org", false),
    ])
    func passwordIsSentOnlyEncryptedOrOnLoopback(address: String, isAllowed: Bool) async throws {
        let server = PreparedReplies()
        var options = MatrixBackend.Options()
        options.transport = server
        let backend = MatrixBackend(
            homeserver: URL(string: address)!, login: .password("secret"), options: options)
        // The prepared server has no reply to the login.
        let error = await #expect(throws: BackendError.self) {
            try await backend.connect(as: Credentials("@alice:example.org"))
        }
        #expect(error?.code == .refused)
        #expect(server.requests == (isAllowed ? ["POST login"] : []))
    }

    @Test func unencryptedAddressNeedsAnOption() async throws {
        let server = PreparedReplies()
        server.reply("GET account/whoami", #"{"user_id": "@alice:example.org"}"#)
        var options = MatrixBackend.Options()
        options.transport = server
        options.allowsUnencryptedHTTP = true
        let backend = MatrixBackend(
            homeserver: URL(string: "http://192.168.0.1:8008")!, options: options)
        _ = try await backend.connect(
            as: Credentials("@alice:example.org", accessToken: "token"))
    }

    // MARK: Parts of paths

    @Test(arguments: [
        "mxc://example.org/.", "mxc://example.org/..", "mxc://./a", "mxc://../a",
        "mxc://example.org/",
        "mxc://example.org/a/b", "mxc://example.org/a?b", "mxc://example.org/%2E%2E",
        "mxc://user@example.org/a", "mxc:///a", "https://example.org/a", "",
    ])
    func fileWithAnInvalidAddressIsNotRequested(url: String) async throws {
        let device = Device()
        try await device.connect()
        let count = device.server.requests.count
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.download(FileInfo(url: url))
        }
        #expect(error?.code == .refused && error?.detail == .invalidParameter)
        #expect(device.server.requests.count == count)
    }

    @Test(arguments: ["mxc://example.org:8448/a-_.~9", "mxc://[::1]/..a"])
    func fileWithAValidAddressIsRequested(url: String) async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("GET media/download/\(url.dropFirst(6))", "picture")
        #expect(try await device.backend.download(FileInfo(url: url)) == Data("picture".utf8))
    }

    @Test(arguments: ["!x/../../logout/all", "#a/./b:example.org", #"!x\..\y"#])
    func changeWithAPathSegmentInAnIDIsNotRequested(url: ChannelURL) async throws {
        let device = Device()
        try await device.connect()
        let count = device.server.requests.count
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.perform(JoinChannel(url))
        }
        #expect(error?.code == .refused)
        #expect(device.server.requests.count == count)
    }

    @Test(arguments: [".", ".."])
    func eventWithAPathSegmentAsItsIDIsNotRequested(id: MessageID) async throws {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        _ = try await device.backend.feed(since: nil)
        let count = device.server.requests.count
        let found = try? await device.backend.lookup([id], in: "!room:example.org")
        #expect(found?.found.isEmpty ?? true)
        let new = device.server.requests.dropFirst(count)
        #expect(new.allSatisfy { $0.contains("m.room.member") }, "\(new)")
    }
}
