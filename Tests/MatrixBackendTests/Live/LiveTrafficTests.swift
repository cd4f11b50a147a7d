import Collections
import Foundation
import MatrixBackend
import Models
import Store
import Sync
import Testing

/// Counts the requests of a device on a real homeserver, in a conversation with another client.
@Suite(
    .enabled(if: LiveServer.url != nil && OtherClient.isInstalled), .timeLimit(.minutes(3)),
    .stacks(afterMinutes: 4), .serialized)
@MainActor
struct LiveTrafficTests {
    /// The messages are older than the connection, so that the device has to look them up.
    @Test func changesOfOlderMessagesNeedFewRequestsAndIdlenessNeedsNone() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "scrollback-traffic-\(LiveServer.run)")
        // Ignore the error: the system removes temporary files.
        defer { try? FileManager.default.removeItem(at: directory) }
        let user = try await LiveServer.register("alice")
        let bob = OtherClient(user: try await LiveServer.register("bob").userID)
        let before = try await LiveDevice(user) { $0.storage = .directory(directory) }
        let url = try await LiveClientTests().room(of: bob, with: before)
        let own = try #require(try await before.sends("own", to: url).messageID)
        let doomed = try #require(try await before.sends("doomed", to: url).messageID)
        let other = try await bob.run(OtherClient.send("other", to: url))[0]
        let otherID = MessageID(try #require(other.string))
        try await before.shows(["own", "doomed", "other"], in: url)
        _ = try await before.client.addReaction("+1", to: .sent(otherID), in: url).result
        try await before.heal(url)
        await before.close()

        let traffic = CountingTransport()
        let device = try await LiveDevice(user, transport: traffic) {
            $0.storage = .directory(directory)
        }
        let client = device.client
        try await device.sends("last", to: url)
        let steps: [(String, @MainActor () async throws -> Void)] = [
            (
                "own edit",
                { _ = try await client.update(.sent(own), in: url, with: .text("new")).result }
            ),
            (
                "reaction",
                { _ = try await client.addReaction("+1", to: .sent(own), in: url).result }
            ),
            (
                "removed reaction",
                { _ = try await client.deleteReaction("+1", from: .sent(otherID), in: url).result }
            ),
            ("deletion", { _ = try await client.delete(.sent(doomed), in: url).result }),
            (
                "edit of another user",
                {
                    try await bob.run(OtherClient.edit(other, to: "changed", in: url))
                    try await device.shows(["new", "changed", "last"], in: url)
                }
            ),
        ]
        for (name, work) in steps {
            let count = try await traffic.settled()
            try await work()
            _ = try await traffic.settled()
            let requests = traffic.requests.dropFirst(count)
            // An edit needs to know whether the room is encrypted.
            #expect(requests.count <= (name == "own edit" ? 3 : 2), "\(name): \(requests)")
        }
        try await LiveClientTests().expectVerified(device, url)
        let count = try await traffic.settled()
        try await Task.sleep(for: .seconds(3))
        #expect(traffic.requests.count == count)
        await device.close()
    }

    @Test func messagesOfAnErasedUserDisappear() async throws {
        let bob = OtherClient(user: try await LiveServer.register("bob").userID)
        let alice = try await LiveDevice(LiveServer.register("alice"))
        let created = try await bob.run(
            ["create", ["preset": "public_chat"]],
            ["send", ["result": 0], "m.room.message", ["msgtype": "m.text", "body": "before"]])
        let url = ChannelURL(try #require(created[0].string))
        _ = try await alice.client.join(url)
        try await bob.run(OtherClient.send("after", to: url))
        try await alice.waits { try alice.texts(in: url).last == "after" }
        try await LiveClientTests().expectVerified(alice, url)
        #expect(try alice.texts(in: url) == ["before", "after"])
        try await bob.run(
            [
                "request", "POST", "account/deactivate",
                [
                    "erase": true,
                    "auth": [
                        "type": "m.login.password", "password": .string(LiveServer.password),
                        "identifier": ["type": "m.id.user", "user": .string(bob.user.rawValue)],
                    ],
                ],
            ])
        try await alice.waits {
            try alice.engine.store.groupChannel(url)?.joinedMemberCount == 1
        }
        try await LiveClientTests().expectVerified(alice, url)
        // A homeserver still shows what the user could see when it was sent.
        #expect(try alice.texts(in: url) == ["after"])
        await alice.close()
    }
}

/// Counts requests, except those of `/sync`.
private final class CountingTransport: HTTPTransport {
    private let base = URLSessionTransport()
    private let names = Locked<[String]>([])

    var requests: [String] { names.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(BackendError) -> HTTPReply {
        let path = request.url.path
        if !path.hasSuffix("/sync") { names.withLock { $0.append("\(request.method) \(path)") } }
        return try await base.send(request)
    }

    /// Waits until there was no request for half a second, and returns the number of requests.
    func settled() async throws -> Int {
        var (count, quiet) = (requests.count, 0)
        while quiet < 10 {
            try await Task.sleep(for: .milliseconds(50))
            quiet = requests.count == count ? quiet + 1 : 0
            count = requests.count
        }
        return count
    }
}
