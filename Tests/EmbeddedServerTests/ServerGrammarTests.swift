import Foundation
import Models
import Store
import Sync
import Testing

@testable import EmbeddedServer

/// Reads every row of a server with a reader that follows only the grammar in Docs/Format.md and
/// uses none of the server's code.
///
/// The server has rows of each table and of each kind of event.
@Suite(.timeLimit(.minutes(10))) struct ServerGrammarTests {
    @Test func everyRowFollowsTheGrammar() async throws {
        try await withDirectory { directory in
            let world = try World(at: directory)
            let general = try await fill(world)
            world.server.close()

            let database = try LevelDB(at: directory.path)
            defer { database.close() }
            var rows = GrammarRows()
            try database.snapshot().forEachRow { key, value in try rows.read(key, value) }
            #expect(Set(rows.tables.keys) == Set("midrplkycgboufwesqv"))
            #expect(rows.kinds == Set(0...11))
            #expect(rows.channelLogs.allSatisfy { rows.logs[$0] == $1 })
            #expect(rows.channels["general"]?.channelURL == "general")
            #expect(rows.users["carol"]?.token == "secret" && rows.users["dave"]?.isRevoked == true)
            #expect(rows.messages == general)
            #expect(rows.deleted == ["2"] && rows.files == [[1, 2, 3]])
            #expect(rows.restrictions == ["muted bob spam", "banned erin flood"])
            #expect(rows.blocks == ["bob erin"] && rows.votes == ["1 bob 2"])
            #expect(
                rows.reports == [
                    "bob spam 1 general ", "bob harassing erin rude", "bob suspicious general ",
                ])
            let newest = try #require(rows.logs.keys.max())
            #expect(rows.counters?.newest == newest)
        }
    }

    /// Makes requests that create rows of every kind.
    ///
    /// - Returns: The texts of the messages in "general", by id.
    private func fill(_ world: World) async throws -> [String: String] {
        let server = world.server
        try server.addUser(User(id: "carol", nickname: "C"), accessToken: "secret")
        try world.makeChannel("general", "alice", "bob", "dave", "erin")
        try world.makeChannel("gone", "alice", "bob")
        let (alice, bob) = (try await world.connect("alice"), try await world.connect("bob"))
        _ = try await alice.say("a", "b")
        _ = try await alice.send(.text("to all") { $0.mentionType = .channel })
        _ = try await bob.send(.text("reply") { $0.parentMessageID = "1" })
        world.clock.advance()
        _ = try await alice.edit("1", to: "edited")
        try await alice.delete("2", in: "general", requestID: "delete")
        _ = try await bob.react(.add, with: "👍", to: "1", in: "general", requestID: "react")
        try await bob.perform(MarkAsRead("general"))
        try await bob.perform(MarkAsDelivered("general"))
        try await bob.perform(SetBlocked(true, "erin"))
        var poll = Poll()
        poll.title = "Which?"
        poll.options = [PollOption(), PollOption()]
        let created = try await bob.perform(CreatePoll(poll))
        let question = try await bob.send(.text("poll") { $0.pollID = created.id })
        _ = try await bob.perform(
            VoteInPoll(
                for: [2], inPollOf: try #require(question.messageID), in: "general"))
        try await bob.perform(
            ReportAbuse(ModerationReport(.message("1", in: "general"), as: .spam)))
        try await bob.perform(
            ReportAbuse(
                ModerationReport(.user("erin"), as: .harassing, comment: "rude")))
        try await bob.perform(ReportAbuse(ModerationReport(.channel("general"), as: .suspicious)))
        try await bob.perform(SetPinned(true, "1", in: "general"))
        try await bob.perform(HideChannel("general", until: .hiddenAllowAutoUnhide))
        _ = try await bob.perform(ResetMyHistory(of: "general"))
        _ = try await alice.perform(CreateOpenChannel(OpenChannelCreateParams("O", url: "open")))
        try await alice.perform(InviteUsers(["carol"], to: "general"))
        try await alice.perform(SetFrozen(true, for: "general"))
        try await alice.perform(SetFrozen(false, for: "general"))
        try await alice.perform(
            RestrictUser("bob", in: "general", as: .muted, until: nil, reason: "spam"))
        try await alice.perform(
            RestrictUser("erin", in: "general", as: .banned, until: 2000, reason: "flood"))
        try world.makeChannel("left", "alice", "bob")
        _ = try await bob.perform(ResetMyHistory(of: "left"))
        try await bob.perform(LeaveChannel("left"))
        try server.deleteChannel("gone")
        try server.revokeUser("dave")
        try server.sendAdminMessage("admin", to: "general")
        var file = UploadableFile()
        file.name = "a.bin"
        _ = try await alice.upload(
            file, from: UploadSource(Data([1, 2, 3])), requestID: "file"
        ) { _ in }
        try server.importMessages(
            [Message(id: "old", channelURL: "general", text: "old", createdAt: 5)],
            isReported: true)
        try server.expireCursors()
        try server.expirePageCursors()
        return [
            "1": "edited", "3": "to all", "4": "reply", "5": "poll", "6": "admin", "old": "old",
        ]
    }
}

/// The rows of a server, decoded as Docs/Format.md describes.
private struct GrammarRows {
    struct Foreign: Error {
        let what: String
    }

    var tables: [Character: Int] = [:]
    var kinds: Set<Int> = []
    var logs: [UInt64: [UInt8]] = [:]
    var channelLogs: [UInt64: [UInt8]] = [:]
    var channels: [String: (isOpen: Bool, distinctKey: String, channelURL: ChannelURL)] = [:]
    var users: [String: (isRevoked: Bool, token: String)] = [:]
    var messages: [String: String] = [:]
    var deleted: Set<String> = []
    var files: [[UInt8]] = []
    var restrictions: Set<String> = []
    var blocks: Set<String> = []
    var votes: [String] = []
    var reports: [String] = []
    var counters: (newest: UInt64, time: Int64)?

    mutating func read(_ keyBytes: [UInt8], _ valueBytes: [UInt8]) throws {
        var (key, value) = (GrammarBytes(keyBytes), GrammarBytes(valueBytes))
        let table = Character(UnicodeScalar(try key.byte()))
        tables[table, default: 0] += 1
        switch table {
        case "m":
            _ = try key.integer(4)
            let (time, id) = try key.position()
            let message = try Message(serialized: value.rest())
            guard message.messageID?.rawValue == id, message.createdAt.milliseconds == time else {
                throw Foreign(what: "a message under another key")
            }
            messages[id] = message.text
        case "i":
            let id = try key.text()
            _ = (try value.integer(4), try value.time(), try value.integer(8))
            if try value.flag() { deleted.insert(id) }
        case "d": _ = (try key.integer(4), try key.position(), try value.integer(8))
        case "r": _ = (try key.name(), try key.text(), try value.text())
        case "p": _ = (try key.name(), try key.position(), try value.text())
        case "l":
            let sequence = try key.integer(8)
            logs[sequence] = valueBytes
            try readEntry(&value)
        case "k":
            _ = try key.integer(4)
            channelLogs[try key.integer(8)] = valueBytes
            try readEntry(&value)
        case "y": _ = (try key.name(), try key.integer(8), try value.text())
        case "c":
            _ = try key.integer(4)
            let (isOpen, distinctKey) = (try value.flag(), try value.name())
            let record = value.rest()
            let url =
                isOpen
                ? try OpenChannel(serialized: record).url : try GroupChannel(serialized: record).url
            channels[url.rawValue] = (isOpen, distinctKey, url)
        case "g":
            _ = (try key.integer(4), try key.text())
            guard try value.byte() == 1 else { throw Foreign(what: "a membership's version") }
            for _ in 1...3 { _ = try value.byte() }
            for _ in 1...3 { _ = try value.integer(8) }
            for _ in 1...5 { _ = try value.time() }
            _ = try value.text()
        case "b":
            _ = try key.integer(4)
            let type = try key.flag() ? "banned" : "muted"
            let userID = try key.text()
            let until = try value.time()
            guard until == (type == "muted" ? .min : 2000) else { throw Foreign(what: "an end") }
            restrictions.insert("\(type) \(userID) \(try value.text())")
        case "o": _ = (try key.integer(4), try key.text(), try value.time())
        case "u":
            let userID = try key.text()
            users[userID] = (try value.flag(), try value.name())
            guard try User(serialized: value.rest()).userID.rawValue == userID else {
                throw Foreign(what: "a user under another key")
            }
        case "q":
            guard try key.integer(8) == UInt64(try Poll(serialized: value.rest()).id) else {
                throw Foreign(what: "a poll under another key")
            }
        case "v": votes.append("\(try key.integer(8)) \(try key.text()) \(try value.integer(8))")
        case "w": blocks.insert("\(try key.name()) \(try key.text())")
        case "e":
            _ = (try key.integer(8), try value.time())
            var words = [try value.name(), try value.name()]
            switch try value.byte() {
            case 0: words += [try value.name(), try value.name()]
            case 1, 2: words += [try value.name()]
            default: throw Foreign(what: "a subject")
            }
            reports.append((words + [try value.text()]).joined(separator: " "))
        case "f":
            _ = try key.integer(8)
            files.append(value.rest())
        case "s":
            guard try value.byte() == 1 else { throw Foreign(what: "a version of the counters") }
            counters = (try value.integer(8), try value.time())
            _ = (try value.integer(8), try value.integer(4), try value.integer(8))
            _ = (try value.integer(8), try value.integer(4), try value.integer(8))
        default: throw Foreign(what: "table \(table)")
        }
        guard key.isAtEnd, value.isAtEnd else { throw Foreign(what: "bytes after table \(table)") }
    }

    private mutating func readEntry(_ value: inout GrammarBytes) throws {
        let kind = Int(try value.byte())
        kinds.insert(kind)
        _ = (try value.time(), try value.integer(4), try value.name())
        switch kind {
        case 0: break
        case 1:
            _ = (try value.position(), try value.name())
            guard try value.byte() < 4 else { throw Foreign(what: "flags") }
            try value.names()
        case 2, 5: _ = try value.position()
        case 3: _ = try value.text()
        case 4:
            _ = try value.position()
            _ = try ReactionEvent(serialized: value.rest())
        case 6, 7: _ = (try value.time(), try value.text())
        case 8:
            guard try value.byte() < 4 else { throw Foreign(what: "a part") }
            try value.cause()
        case 9: try value.cause()
        case 10:
            guard try value.byte() < 5 else { throw Foreign(what: "a cause") }
            _ = (try value.name(), try value.name(), try value.text())
        case 11: _ = (try value.time(), try value.time())
        default: throw Foreign(what: "kind \(kind)")
        }
    }
}

/// Reads values from the beginning of bytes.
private struct GrammarBytes {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func take(_ count: Int) throws -> [UInt8] {
        guard bytes.count >= count else { throw GrammarRows.Foreign(what: "\(count) bytes") }
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    mutating func rest() -> [UInt8] {
        defer { bytes = [] }
        return Array(bytes)
    }

    mutating func byte() throws -> UInt8 { try take(1)[0] }

    mutating func flag() throws -> Bool {
        let byte = try byte()
        guard byte < 2 else { throw GrammarRows.Foreign(what: "a flag") }
        return byte == 1
    }

    mutating func integer(_ size: Int) throws -> UInt64 {
        try take(size).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func time() throws -> Int64 {
        Int64(bitPattern: try integer(8) ^ 1 << 63)
    }

    private func string(_ bytes: [UInt8]) throws -> String {
        guard let text = String(bytes: bytes, encoding: .utf8) else {
            throw GrammarRows.Foreign(what: "UTF-8")
        }
        return text
    }

    mutating func text() throws -> String { try string(rest()) }

    mutating func name() throws -> String { try string(take(Int(try integer(2)))) }

    mutating func names() throws {
        while !isAtEnd { _ = try name() }
    }

    mutating func position() throws -> (time: Int64, id: String) { (try time(), try name()) }

    mutating func cause() throws {
        let source = CollectionEventSource(rawValue: Int(try integer(2)))
        // The description of an unknown source is its number.
        guard source.description.first?.isLetter == true else {
            throw GrammarRows.Foreign(what: "a source")
        }
        try names()
    }
}

extension LevelDB.Snapshot {
    fileprivate func forEachRow(_ body: ([UInt8], [UInt8]) throws -> Void) throws {
        var rows: [([UInt8], [UInt8])] = []
        try Rows(self, nil).scan(KeyRange.all) { (key, value) throws(StoreError) in
            rows.append((Array(key), Array(value)))
            return true
        }
        for (key, value) in rows { try body(key, value) }
    }
}
