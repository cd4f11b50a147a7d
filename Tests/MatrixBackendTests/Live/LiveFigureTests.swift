import Collections
import Foundation
import MatrixBackend
import Models
import Store
import Sync
import Testing

/// The measurements that `make figures-matrix` prints.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["SCROLLBACK_MATRIX_FIGURES"] != nil),
    .timeLimit(.minutes(20)), .serialized)
@MainActor
struct LiveFigureTests {
    private func measured<Value>(
        _ body: () async throws -> Value
    ) async rethrows -> (value: Value, seconds: Double) {
        let start = ContinuousClock.now
        let value = try await body()
        return (value, (ContinuousClock.now - start) / .seconds(1))
    }

    private func print(_ what: String, _ number: Double, _ unit: String) {
        Swift.print("figure: \(what): \(String(format: "%.3g", number)) \(unit)")
    }

    @Test func liveMessage() async throws {
        let devices = try await LiveDevice.users("alice", "bob")
        let (alice, bob) = (devices[0], devices[1])
        let url = try await alice.makeRoom(with: [bob])
        var delays: [Double] = []
        var events = bob.client.events().makeAsyncIterator()
        for number in 0..<200 {
            let start = ContinuousClock.now
            try await alice.send("\(number)", to: url)
            while let event = await events.next() {
                if event.message?.text == "\(number)" { break }
            }
            delays.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        delays.sort()
        print("live message, sender to the other app, p50", delays[100], "ms")
        print("live message, p95", delays[190], "ms")
        for device in devices { await device.close() }
    }

    @Test func history() async throws {
        let devices = try await LiveDevice.users("alice", "bob")
        let (alice, bob) = (devices[0], devices[1])
        let url = try await alice.makeRoom(with: [bob])
        for number in 0..<1000 {
            for device in devices { try await device.send("\(number)", to: url) }
        }
        for device in devices {
            try await device.waits(upTo: .seconds(600)) {
                try device.engine.store.outboxItems().isEmpty
            }
        }
        // The first reading makes the server load the events into its memory.
        _ = try await LiveServer.history(of: url, as: Credentials(alice.user))
        try await measurePages(of: url, as: Credentials(alice.user))
        let device = try await LiveDevice(Credentials(alice.user))
        let healed = try await measured { try await device.heal(url) }
        #expect(try device.texts(in: url).count == 2000)
        print("history through a collection", 2000 / healed.seconds, "messages a second")
        for device in devices + [device] { await device.close() }
    }

    /// Reads a room in pages of 100 messages, and prints the rate and what limits it.
    private func measurePages(of url: ChannelURL, as user: Credentials) async throws {
        let transport = TimedTransport()
        let backend = LiveServer.device(of: user.userID, longPoll: .zero, transport: transport)
        _ = try await backend.connect(as: user)
        _ = try await backend.channel(url)
        transport.reset()
        let read = try await measured {
            var count = 0
            var anchor: MessageAnchor? = .newest
            while let next = anchor {
                let page = try await backend.messages(in: url, at: next, older: 100, newer: 0)
                count += page.messages.count
                anchor = page.older.map { .cursor($0) }
            }
            return count
        }
        print("history in pages of 100", Double(read.value) / read.seconds, "messages a second")
        let (requests, waiting) = transport.total
        print("  its requests", Double(requests), "")
        print("  its time in the homeserver", 100 * waiting / read.seconds, "%")
        await backend.disconnect()
    }

    @Test func thousandRooms() async throws {
        let user = try await LiveServer.register("many")
        let writer = LiveServer.device(longPoll: .zero)
        _ = try await writer.connect(as: user)
        for number in 0..<1000 {
            let room = try await writer.perform(
                CreateChannel(GroupChannelCreateParams("Room \(number)")))
            let message = Message(
                NewMessage("hello"), in: room.url, by: nil, at: Timestamp(Date()))
            let item = OutboxItem(message, requestID: RequestID("hello \(number)"))
            _ = try await writer.send(item)
        }
        // The measured app is the first to request the rooms, so the homeserver has no reply to
        // repeat.
        let start = ContinuousClock.now
        let device = try await LiveDevice(user)
        let list = try device.client.makeGroupChannelCollection()
        _ = try await list.start().refreshed
        try await device.waits { list.channels.count >= 20 }
        print(
            "first screen of an app with 1,000 rooms", (ContinuousClock.now - start) / .seconds(1),
            "s")
        try await device.waits { try device.engine.store.groupChannels().count == 1000 }
        print("all 1,000 rooms in its cache", (ContinuousClock.now - start) / .seconds(1), "s")
        await device.close()
    }
}

/// A transport that counts requests, and measures the time until their replies.
private final class TimedTransport: HTTPTransport {
    private let base = URLSessionTransport()
    private let state = Locked((count: 0, seconds: 0.0))

    var total: (count: Int, seconds: Double) { state.withLock { $0 } }

    func reset() { state.withLock { $0 = (0, 0) } }

    func send(_ request: HTTPRequest) async throws(BackendError) -> HTTPReply {
        let start = ContinuousClock.now
        defer {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            state.withLock { $0 = ($0.count + 1, $0.seconds + seconds) }
        }
        return try await base.send(request)
    }
}
