import Collections
import EmbeddedServer
import Foundation
import MatrixBackend
import Models
import Store
import Sync
import Testing

/// Tests `ChatClient` with a real homeserver.
///
/// The tests are serialized, because some of them restart the homeserver.
@Suite(
    .enabled(if: LiveServer.url != nil), .timeLimit(.minutes(10)), .stacks(afterMinutes: 11),
    .serialized)
@MainActor
struct LiveStoryTests {
    @Test func messagesAndEditWrittenOfflineArriveInOrder() async throws {
        let devices = try await LiveDevice.users("alice", "bob")
        let (alice, bob) = (devices[0], devices[1])
        let url = try await alice.makeRoom(with: [bob])
        let first = try await alice.sends("first", to: url)
        alice.goOffline()
        try await alice.send("second", to: url)
        let id = try #require(first.messageID)
        _ = try await alice.client.update(.sent(id), in: url, with: .text("first, edited"))
        let last = try await alice.send("third", to: url)
        try await bob.sends("meanwhile", to: url)
        await alice.goOnline()
        _ = try await last.result
        let expected = ["first, edited", "meanwhile", "second", "third"]
        for device in devices {
            try await device.shows(expected, in: url)
            try await device.expectEqualToServer(url)
            await device.close()
        }
    }

    @Test func messagesWrittenDuringARestartOfTheServerAreSentOnce() async throws {
        let devices = try await LiveDevice.users("alice", "bob")
        let url = try await devices[0].makeRoom(with: [devices[1]])
        try await devices[0].sends("before", to: url)
        async let restarted: Void = Task.detached { try LiveServer.restart() }.value
        let written = ["one", "two", "three"]
        for text in written { try await devices[0].send(text, to: url) }
        try await restarted
        for device in devices {
            try await device.shows(["before"] + written, in: url)
            try await device.expectEqualToServer(url)
            await device.close()
        }
    }

    @Test func rateLimitsOfTheServerDelayMessagesAndLoseNone() async throws {
        let devices = try await LiveDevice.users("alice", "bob")
        let url = try await devices[0].makeRoom(with: [devices[1]])
        try await Task.detached { try LiveServer.restart(limits: "default") }.value
        let texts = (1...13).map { "\($0)" }
        for text in texts { try await devices[0].send(text, to: url) }
        for device in devices {
            try await device.shows(texts, in: url, upTo: .seconds(120))
        }
        #expect(try await devices[0].client.failedOutboxItems().isEmpty)
        // The test sends more messages at once than the server accepts, so the server has throttled
        // requests.
        let log = devices[0].network.log.joined(separator: "\n")
        #expect(log.contains("throttled"))
        try await Task.detached { try LiveServer.restart() }.value
        for device in devices { await device.close() }
    }

    @Test func gapOfEightHundredMessagesIsFilled() async throws {
        let devices = try await LiveDevice.users("alice", "bob", "carol")
        let (alice, others) = (devices[0], devices[1...])
        let url = try await alice.makeRoom(with: Array(others))
        let first = try await alice.sends("first", to: url)
        let doomed = try await alice.sends("deleted meanwhile", to: url)
        alice.goOffline()
        for number in 0..<400 {
            for writer in others { try await writer.send("\(number)", to: url) }
        }
        for writer in others {
            let last = try await writer.send("last of \(writer.user)", to: url)
            _ = try await last.result
        }
        let other = LiveServer.device(longPoll: .zero)
        _ = try await other.connect(as: Credentials(alice.user))
        let id = try #require(first.messageID)
        _ = try await other.update(
            id, in: url, with: .text("first, edited"), requestID: "e")
        try await other.delete(try #require(doomed.messageID), in: url, requestID: "d")
        await alice.goOnline()
        let collection = try alice.client.makeMessageCollection(of: url)
        _ = try await collection.start().refreshed
        #expect(collection.messages.last?.text.hasPrefix("last of ") == true)
        collection.dispose()
        try await alice.heal(url)
        #expect(try alice.engine.store.gaps(in: url).isEmpty)
        #expect(try alice.texts(in: url).count == 803)
        #expect(try alice.texts(in: url).first == "first, edited")
        try await alice.expectEqualToServer(url)
        for device in devices { await device.close() }
    }

    /// Each connection cancels the long poll of the one before.
    @Test func connectingAgainWhileConnectedEnds() async throws {
        let alice = try await LiveDevice(LiveServer.register("alice"))
        for _ in 0..<50 {
            let outcome = try await alice.client.connect(as: Credentials(alice.user))
            #expect(outcome.reason == nil)
        }
        await alice.close()
    }

    @Test func twoDevicesOfAUserShowTheSameMessagesAndUnreadCounts() async throws {
        let user = try await LiveServer.register("alice")
        let bob = try await LiveDevice(LiveServer.register("bob"))
        let (phone, laptop) = (try await LiveDevice(user), try await LiveDevice(user))
        let url = try await phone.makeRoom(with: [bob])
        let sent = try await phone.sends("from the phone", to: url)
        try await laptop.shows(["from the phone"], in: url)
        // By the request id, the laptop recognizes a message that its own user sent on another
        // device.
        #expect(try laptop.messages(in: url).first?.requestID == sent.requestID)
        try await bob.sends("hello", to: url)
        for device in [phone, laptop] {
            try await device.waits { try device.unread(url) == 1 }
        }
        try await phone.client.markAsRead(url)
        for device in [phone, laptop] {
            try await device.waits { try device.unread(url) == 0 }
        }
        for device in [phone, laptop, bob] { await device.close() }
    }

    @Test func messageThatArrivesLateLeavesNoFalseCoverage() async throws {
        let alice = try await LiveDevice(LiveServer.register("alice"), timelineLimit: 10)
        let service = try await LateService()
        let url = service.room
        _ = try await alice.client.join(url)
        try await alice.waits { try alice.engine.store.groupChannel(url)?.isMember == true }
        alice.goOffline()
        // Send one message for each minute of the last hour, and then a message with a time 25
        // minutes ago.
        let now = Timestamp(Date()).milliseconds
        for minute in 1...60 {
            try await service.send("\(minute)", at: now - Int64(60 - minute) * 60_000)
        }
        try await service.send("late", at: now - 24 * 60_000 - 30_000)
        await alice.goOnline()
        let collection = try alice.client.makeMessageCollection(of: url)
        _ = try await collection.start().refreshed
        #expect(try await alice.lost(in: url).map(\.text) == [])
        collection.dispose()
        // Another late message arrives while the device is connected.
        try await service.send("later", at: now - 40 * 60_000 - 30_000)
        try await alice.waits { try alice.texts(in: url).contains("later") }
        #expect(try await alice.lost(in: url).map(\.text) == [])
        try await alice.heal(url)
        try await alice.expectEqualToServer(url)
        var expected = (1...60).map { "\($0)" }
        expected.insert("late", at: 35)
        expected.insert("later", at: 19)
        #expect(try alice.texts(in: url) == expected)
        await alice.close()
    }
}

extension LiveDevice {
    fileprivate func unread(_ url: ChannelURL) throws -> Int? {
        try engine.store.groupChannel(url)?.unreadMessageCount
    }
}

/// A user of the application service that `Tests/Tools/matrix-server` configures, in a room.
struct LateService {
    let room: ChannelURL

    static var userID: UserID {
        get async throws {
            let reply = try await LiveServer.callAsService("GET", "account/whoami", [], nil)
            guard let id = reply["user_id"]?.string else {
                throw LiveServer.Refused(reply: "\(reply)")
            }
            return UserID(id)
        }
    }

    init(room: ChannelURL) { self.room = room }

    /// Creates a public room.
    init() async throws {
        let reply = try await LiveServer.callAsService(
            "POST", "createRoom", [], ["preset": "public_chat", "name": "Late"])
        guard let id = reply["room_id"]?.string else {
            throw LiveServer.Refused(reply: "\(reply)")
        }
        room = ChannelURL(id)
    }

    /// Accepts an invitation to the room.
    func join() async throws {
        try await LiveServer.callAsService("POST", "join/\(room)", [], [:])
    }

    /// Sends a message with a given time.
    func send(_ text: String, at time: Int64) async throws {
        try await LiveServer.callAsService(
            "PUT", "rooms/\(room)/send/m.room.message/late\(LiveServer.number())",
            [URLQueryItem(name: "ts", value: "\(time)")],
            ["msgtype": "m.text", "body": .string(text)])
    }
}
