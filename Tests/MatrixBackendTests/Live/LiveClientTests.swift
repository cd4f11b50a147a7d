import Collections
import Foundation
import MatrixBackend
import Models
import Store
import Sync
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests conversations with a user of another client, on a real homeserver.
@Suite(
    .enabled(if: LiveServer.url != nil && OtherClient.isInstalled), .timeLimit(.minutes(5)),
    .stacks(afterMinutes: 6), .serialized)
@MainActor
struct LiveClientTests {
    /// Creates a room of `bob` that `device` joins.
    func room(of bob: OtherClient, with device: LiveDevice) async throws -> ChannelURL {
        let reply = try await bob.run(
            ["create", ["name": "Room", "invite": [.string(device.user.rawValue)]]])
        let url = ChannelURL(try #require(reply[0].string))
        try await device.waits {
            try device.engine.store.groupChannel(url)?.myMemberState == .invited
        }
        #expect(try device.engine.store.groupChannel(url)?.name == "Room")
        try await device.client.acceptInvitation(to: url)
        try await device.waits { try device.engine.store.groupChannel(url)?.isMember == true }
        return url
    }

    /// Shows a room, so that the device fetches what is stale, and compares it with the server.
    func expectVerified(
        _ device: LiveDevice, _ url: ChannelURL,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await device.heal(url)
        let differences = try await device.engine.verify(url)
        #expect(
            differences.isEmpty, "\(device.user): \(differences)", sourceLocation: sourceLocation)
    }

    @Test func editsThreadsAndTheirRemovalAreSeenLiveAfterARestartAndOnAnotherDevice() async throws
    {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "scrollback-\(LiveServer.run)")
        // Ignore the error: the system removes temporary files.
        defer { try? FileManager.default.removeItem(at: directory) }
        let user = try await LiveServer.register("alice")
        let bob = OtherClient(user: try await LiveServer.register("bob").userID)
        let phone = try await LiveDevice(user) { $0.storage = .directory(directory) }
        let laptop = try await LiveDevice(user)
        let url = try await room(of: bob, with: phone)
        let sent = try await bob.run(
            OtherClient.send("old", to: url), OtherClient.edit(["result": 0], to: "new", in: url),
            OtherClient.send("root", to: url),
            OtherClient.send("first", to: url, relation: OtherClient.thread(["result": 2])),
            OtherClient.send(
                "second", to: url,
                relation: OtherClient.thread(["result": 2], answering: ["result": 3])))
        for device in [phone, laptop] {
            try await device.shows(["new", "root", "first", "second"], in: url)
            let root = MessageID(try #require(sent[2].string))
            try await device.waits {
                try device.engine.store.message(root, in: url)?.threadInfo?.replyCount == 2
            }
            let replies = try device.messages(in: url).filter { $0.parentMessageID == root }
            #expect(replies.map(\.text) == ["first", "second"])
            try await expectVerified(device, url)
        }
        await phone.close()
        try await bob.run(
            OtherClient.redact(sent[1], in: url), OtherClient.redact(sent[4], in: url))
        let restarted = try await LiveDevice(user) { $0.storage = .directory(directory) }
        for device in [restarted, laptop] {
            try await device.waits { try !device.texts(in: url).contains("second") }
            try await expectVerified(device, url)
            #expect(try device.texts(in: url) == ["old", "root", "first"])
            let root = MessageID(try #require(sent[2].string))
            #expect(try device.engine.store.message(root, in: url)?.threadInfo?.replyCount == 1)
        }
        await restarted.close()
        await laptop.close()
    }

    @Test func nothingIsSentToARoomThatBecomesEncrypted() async throws {
        let alice = try await LiveDevice(LiveServer.register("alice"))
        let bob = OtherClient(user: try await LiveServer.register("bob").userID)
        let url = try await room(of: bob, with: alice)
        try await alice.sends("clear", to: url)
        alice.goOffline()
        let waiting = try await alice.send("secret", to: url)
        try await bob.run(
            [
                "state", .string(url.rawValue), "m.room.encryption", "",
                ["algorithm": "m.megolm.v1.aes-sha2"],
            ])
        await alice.goOnline()
        guard case .failed(let item) = try await waiting.result else {
            Issue.record("the message was sent")
            return
        }
        #expect(item.errorCode == .sendNotAllowed)
        try await alice.waits {
            try alice.engine.store.groupChannel(url)?.metadata["encryption"] != nil
        }
        let error = await #expect(throws: SyncError.self) {
            try await alice.send("secret", to: url)
        }
        #expect(error?.code == .notPermitted)
        let timeline = try await bob.run(["timeline", .string(url.rawValue)])[0]
        #expect("\(timeline)".contains("clear") && !"\(timeline)".contains("secret"))
        await alice.close()
    }

    @Test func receiptsCountForTheirEventsInBothDirections() async throws {
        let alice = try await LiveDevice(LiveServer.register("alice"))
        let bob = OtherClient(user: try await LiveServer.register("bob").userID)
        let url = try await room(of: bob, with: alice)
        var sent: [Message] = []
        for text in ["1", "2", "3"] { sent.append(try await alice.sends(text, to: url)) }
        let first = try #require(sent[0].messageID?.rawValue)
        try await bob.run(["read", .string(url.rawValue), .string(first)])
        try await alice.waits {
            try alice.engine.store.groupChannel(url)?.readReceipts[bob.user] == sent[0].createdAt
        }
        try await expectVerified(alice, url)
        let reply = try await bob.run(OtherClient.send("4", to: url))
        try await alice.shows(["1", "2", "3", "4"], in: url)
        try await alice.client.markAsRead(url)
        let reader = OtherClient(user: alice.user)
        #expect(try await reader.run(["marker", .string(url.rawValue)]) == reply)
        try await expectVerified(alice, url)
        await alice.close()
    }

    @Test func deletedTokenIsReplacedByALogin() async throws {
        let user = try await LiveServer.register("alice")
        let token = Locked("")
        var options = MatrixBackend.Options()
        options.longPoll = .zero
        options.onTokens = { tokens in token.withLock { $0 = tokens.accessToken } }
        let backend = MatrixBackend(
            homeserver: LiveServer.url!, deviceID: "PHONE", login: .password(LiveServer.password),
            options: options)
        _ = try await backend.connect(as: user)
        let old = token.withLock { $0 }
        var request = URLRequest(
            url: LiveServer.url!.appending(path: "_matrix/client/v3/logout"))
        request.httpMethod = "POST"
        request.setValue("Bearer \(old)", forHTTPHeaderField: "Authorization")
        _ = try await URLSession.shared.data(for: request)
        _ = try await backend.feed(since: nil)
        #expect(token.withLock { $0 } != old)
        await backend.disconnect()
    }
}
