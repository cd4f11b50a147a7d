import Collections
import Foundation
import MatrixBackend
import Models
import Store
import Sync
import Testing

/// Tests what clients can do in a room with a client of other authors, on a real homeserver.
///
/// Four devices of Alice show all kinds: one receives them live, one after an absence, one after a
/// restart, and a new one reads the history.
@Suite(
    .enabled(if: LiveServer.url != nil && OtherClient.isInstalled), .timeLimit(.minutes(6)),
    .stacks(afterMinutes: 7), .serialized)
@MainActor
struct LiveKindTests {
    @Test func everyKindIsTheSameLiveAfterAnAbsenceAfterARestartAndOnANewDevice() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "scrollback-kinds-\(LiveServer.run)")
        // Ignore the error: the system removes temporary files.
        defer { try? FileManager.default.removeItem(at: directory) }
        let users = try await KindUsers()
        let phone = try await LiveDevice(users.alice)
        let tablet = try await LiveDevice(users.alice)
        let desktop = try await LiveDevice(users.alice) { $0.storage = .directory(directory) }
        var run = KindRun(users: users, phone: phone)
        try await run.createRooms(Kinds.all)
        try await run.perform(\.before)
        for device in [phone, tablet, desktop] { try await run.awaitEnd(on: device) }
        tablet.goOffline()
        await desktop.close()

        try await run.perform(\.then)
        let restarted = try await LiveDevice(users.alice) { $0.storage = .directory(directory) }
        await tablet.goOnline()
        let laptop = try await LiveDevice(users.alice)
        let devices = [
            ("live", phone), ("absent", tablet), ("restarted", restarted), ("new", laptop),
        ]
        for (_, device) in devices { try await run.awaitEnd(on: device) }
        let done = run
        let checks = devices.map { situation, device in
            Task { await done.check(device, situation) }
        }
        for check in checks { await check.value }
        try await run.checkOtherClient()
        if ProcessInfo.processInfo.environment["SCROLLBACK_RECORD"] != nil {
            try await run.record()
        }
        for (_, device) in devices { await device.close() }
    }
}

/// Alice, who uses Scrollback, and two users of nio.
struct KindUsers: Sendable {
    let alice: Credentials
    let bob: OtherClient
    let carol: UserID

    init() async throws {
        alice = try await LiveServer.register("alice")
        bob = OtherClient(user: try await LiveServer.register("bob").userID)
        carol = try await LiveServer.register("carol").userID
    }

    var ids: [String: String] {
        ["@alice": alice.userID.rawValue, "@bob": bob.user.rawValue, "@carol": carol.rawValue]
    }

    var names: [String: String] {
        Dictionary(uniqueKeysWithValues: ids.map { ($0.value, String($0.key.dropFirst())) })
    }
}

/// The rooms of all kinds, and the steps in them.
@MainActor
struct KindRun {
    let users: KindUsers
    /// The device with which Alice does something.
    let phone: LiveDevice
    private(set) var rooms: [KindRoom] = []
    /// The room of the messages that end each part.
    private var end = ChannelURL("")
    private var ends = 0

    init(users: KindUsers, phone: LiveDevice) {
        self.users = users
        self.phone = phone
    }

    // MARK: Steps

    private struct Group {
        var names: [String: String]
        var steps: [Step]
    }

    /// Does the steps of several groups with nio, and returns the names of each group.
    private func perform(_ groups: [Group]) async throws -> [[String: String]] {
        let words: [JSONValue] = try groups.map { group in
            let steps: [JSONValue] = try group.steps.map { step in
                let action = try JSONDecoder().decode(
                    JSONValue.self, from: Data(step.action.utf8))
                return [.string(step.name), .string(users.ids[step.user] ?? ""), action]
            }
            return [
                "names": .object(group.names.mapValues { .string($0) }), "steps": .array(steps),
            ]
        }
        let reply = try await users.bob.run(["groups", .array(words)])
        let names = try JSONDecoder().decode(
            [[String: String?]].self, from: try JSONEncoder().encode(reply[0]))
        return names.map { $0.compactMapValues(\.self) }
    }

    mutating func createRooms(_ kinds: [Kind]) async throws {
        let kinds = kinds + [Kind(name: "end", then: [])]
        let groups = kinds.map { kind in
            var steps: [Step] = []
            steps.append(.nio(#"["create", \#(kind.creation)]"#, name: "ROOM"))
            if kind.isMember {
                steps.append(Step(user: "@alice", action: #"["join", "ROOM"]"#))
            }
            return Group(names: users.ids, steps: steps)
        }
        let names = try await perform(groups)
        for (kind, ids) in zip(kinds, names) {
            rooms.append(KindRoom(kind: kind, ids: ids))
        }
        end = rooms.removeLast().url
    }

    /// Does a part of all kinds, with the steps of each kind in order.
    mutating func perform(_ part: KeyPath<Kind, [Step]>) async throws {
        var open = rooms.map { ArraySlice($0.kind[keyPath: part]) }
        while open.contains(where: { !$0.isEmpty }) {
            let leading = open.map { Array($0.prefix { $0.work == nil }) }
            let indexes = rooms.indices.filter { !leading[$0].isEmpty }
            let names = try await perform(
                indexes.map { Group(names: rooms[$0].ids, steps: leading[$0]) })
            for (index, ids) in zip(indexes, names) {
                rooms[index].ids = ids
                open[index] = open[index].dropFirst(leading[index].count)
            }
            if open.contains(where: { !$0.isEmpty }) { try await awaitEnd(on: phone, sends: true) }
            for index in rooms.indices {
                while let step = open[index].first, let work = step.work {
                    let id = try await work(phone, rooms[index])
                    if let id { rooms[index].ids[step.name] = id.rawValue }
                    open[index] = open[index].dropFirst()
                }
            }
        }
        try await sendEnd()
    }

    private mutating func sendEnd() async throws {
        ends += 1
        try await users.bob.run(OtherClient.send("end \(ends)", to: end))
    }

    private mutating func awaitEnd(on device: LiveDevice, sends: Bool) async throws {
        try await sendEnd()
        try await awaitEnd(on: device)
    }

    /// Waits until a device has received all events before the last call of `perform`.
    func awaitEnd(on device: LiveDevice) async throws {
        try await device.waits(upTo: .seconds(30)) {
            try device.texts(in: end).last == "end \(ends)"
        }
    }

    // MARK: Checks

    /// Compares what a device shows with what it should show and with the homeserver.
    func check(_ device: LiveDevice, _ situation: String) async {
        for room in rooms {
            do {
                try await check(room, on: device, situation)
            } catch {
                Issue.record("\(room.kind.name), \(situation): \(error)")
            }
        }
    }

    private func check(
        _ room: KindRoom, on device: LiveDevice, _ situation: String
    ) async throws {
        let kind = room.kind
        if kind.sees != nil { try await device.heal(room.url) }
        var faults: [String] = []
        let limit = ContinuousClock.now + .seconds(5)
        repeat {
            if !faults.isEmpty { try await Task.sleep(for: .milliseconds(50)) }
            faults = try await KindPictures(of: room, on: device, names: users.names).faults(
                of: kind)
        } while !faults.isEmpty && ContinuousClock.now < limit
        #expect(faults == [], "\(kind.name), \(situation)")
        guard kind.sees != nil else { return }
        let differences = try await device.engine.verify(room.url)
        #expect(differences.isEmpty, "\(kind.name), \(situation): \(differences)")
    }

    /// Compares what nio shows with what it should show.
    func checkOtherClient() async throws {
        let rooms = rooms.filter { $0.kind.nio != nil || !$0.kind.nioRoom.isEmpty }
        let urls = JSONValue.array(rooms.map { .string($0.url.rawValue) })
        let pictures = try await users.bob.run(["pictures", urls])[0]
        guard case .array(let pictures) = pictures else { throw LiveServer.Refused(reply: "nio") }
        for (room, picture) in zip(rooms, pictures) {
            if let expected = room.kind.nio {
                #expect(named(picture["messages"]) == expected, "\(room.kind.name), nio")
            }
            for (key, value) in room.kind.nioRoom {
                let found = named(picture["state"]?[key])
                #expect(found == value, "\(room.kind.name), nio: \(key)")
            }
        }
    }

    /// Writes the replies that a new device receives, which `KindTests` uses.
    func record() async throws {
        let transport = RecordingTransport()
        let backend = LiveServer.device(longPoll: .zero, transport: transport)
        _ = try await backend.connect(as: users.alice)
        for room in rooms {
            _ = try await KindPictures(of: room, from: backend, names: users.names)
        }
        await backend.disconnect()
        let ids = Dictionary(uniqueKeysWithValues: rooms.map { ($0.kind.name, $0.ids) })
        try KindRecording(users: users.ids, rooms: ids, replies: transport.replies).write()
    }

    private func named(_ text: JSONValue?) -> String {
        users.names.reduce(text?.string ?? "") { $0.replacing($1.key, with: $1.value) }
    }
}

extension Kind {
    /// The arguments of nio for the room: those of the kind, and those of a public room.
    fileprivate var creation: String {
        let rest = room.dropFirst().dropLast()
        let name = room.contains(#""name""#) ? "" : #", "name": "\#(name)""#
        return #"{"preset": "public_chat"\#(name)\#(rest.isEmpty ? "" : ", ")\#(rest)}"#
    }
}
