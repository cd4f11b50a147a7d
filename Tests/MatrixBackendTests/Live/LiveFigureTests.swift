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
        // One request is made before the measurement, so that the server has the events in memory
        // for every measured request.
        _ = try await LiveServer.history(of: url, as: Credentials(alice.user))
        let pages = try await measured {
            try await LiveServer.history(of: url, as: Credentials(alice.user))
        }
        print(
            "history in pages of 100", Double(pages.value.count) / pages.seconds,
            "messages a second")
        let device = try await LiveDevice(Credentials(alice.user))
        let healed = try await measured { try await device.heal(url) }
        #expect(try device.texts(in: url).count == 2000)
        print("history through a collection", 2000 / healed.seconds, "messages a second")
        for device in devices + [device] { await device.close() }
    }

    @Test func thousandRooms() async throws {
        let user = try await LiveServer.register("many")
        let writer = LiveServer.device(longPoll: .zero)
        _ = try await writer.connect(as: user)
        for number in 0..<1000 {
            let room = try await writer.createChannel(GroupChannelCreateParams("Room \(number)"))
            let message = Message(
                UserMessageCreateParams("hello"), in: room.url, by: nil, at: Timestamp(Date()))
            let item = OutboxItem(message, requestID: RequestID("hello \(number)"))
            _ = try await writer.send(item)
        }
        let first = try await measured {
            let reader = LiveServer.device(longPoll: .zero)
            _ = try await reader.connect(as: user)
            return try await reader.feed(since: nil)
        }
        #expect(first.value.events.count == 1001)
        print("first feed of 1,000 rooms", first.seconds, "s")
        let client = try await measured {
            let device = try await LiveDevice(user)
            let list = try device.client.makeGroupChannelCollection()
            _ = try await list.start().refreshed
            try await device.waits { list.channels.count >= 20 }
            return device
        }
        print("first screen of an app with 1,000 rooms", client.seconds, "s")
        await client.value.close()
    }
}
