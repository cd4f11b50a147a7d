import EmbeddedServer
import Foundation
import Scrollback
import Testing

@testable import ScrollbackREPL

/// Tests an unknown key or an unknown id in each command that takes JSON or an id.
@Suite(.timeLimit(.minutes(10))) @MainActor struct BadInputTests {
    /// A line with an unknown key for each command that takes JSON.
    nonisolated static let unknownKeys = [
        "channels": #"channels {"nosuch": 1}"#,
        "update": #"update cats {"nosuch": 1}"#,
        "list": #"list {"nosuch": 1}"#,
        "save": #"save Message {"message_id": 1, "channel_url": "cats", "nosuch": 1}"#,
        "thread": #"thread 60 {"nosuch": 1}"#,
        "changelog messages": #"changelog messages 2023-11-14 {"nosuch": 1}"#,
        "changelog channels": #"changelog channels 2023-11-14 {"nosuch": 1}"#,
        "push": #"push {"message_id": 99, "channel_url": "cats", "nosuch": 1}"#,
        "leave-push": #"leave-push {"message_id": 99, "channel_url": "cats", "nosuch": 1}"#,
        "open": #"open cats {"nosuch": 1}"#,
        "open-thread": #"open-thread 60 {"nosuch": 1}"#,
        "send": #"send {"message": "Hi", "nosuch": 1}"#,
        "send-file": #"send-file /etc/hostname {"nosuch": 1}"#,
        "edit": #"edit 60 {"nosuch": "Hi"}"#,
        "request":
            #"request setFrozen {"channelURL": "cats", "isFrozen": true, "nosuch": 1}"#,
    ]

    /// The commands that accept unknown keys: those that show how a record is read, whose `extra`
    /// gets the keys, and the one that stores any JSON.
    nonisolated static let lenient: Set = ["json", "serialize", "fields", "table put"]

    /// A line with an unknown ID for each command that takes one.
    nonisolated static let unknownIDs = [
        "message": "message general nosuch",
        "replies": "replies general nosuch",
        "remove": "remove general nosuch",
        "remove-item": "remove-item nosuch",
        "get": "get nosuch",
        "thread": "thread nosuch",
        "open-thread": "open-thread nosuch",
        "jump": "jump nosuch",
        "draft-reply": "draft-reply nosuch Hello",
        "mark-unread": "mark-unread nosuch",
        "report": "report message nosuch spam",
        "vote": "vote nosuch 1",
        "pin-message": "pin-message nosuch",
        "unpin-message": "unpin-message nosuch",
        "reply": "reply nosuch So do I",
        "copy": "copy nosuch to cats",
        "edit": "edit nosuch Hello",
        "delete": "delete nosuch",
        "react": "react nosuch +1",
        "unreact": "unreact nosuch +1",
        "resend": "resend nosuch",
        "result": "result nosuch",
        "cancel": "cancel nosuch",
        "remove-failed": "remove-failed nosuch",
        "download": "download nosuch",
        "outgoing-file": "outgoing-file nosuch 1",
    ]

    /// The transcript of bad lines shows the reply to each.
    @Test func eachBadLineHasOneClearErrorInOneLine() throws {
        let url = TranscriptTests.directory.appending(path: TranscriptTests.badInput)
        let transcript = Transcript(try String(contentsOf: url, encoding: .utf8))
        #expect(transcript.lines.count > 290)
        for (line, reply) in zip(transcript.lines, transcript.replies) where line != "demo" {
            let isError = reply.count == 1 && reply[0].hasPrefix("error: ")
            #expect(isError, "\(line): \(reply)")
            // No names of the Swift interface, and no errors of Foundation.
            let code = #/[a-z]+\([a-z]*:|[A-Z][a-z]+[A-Z]\w*\.[a-z]|Domain=/#
            #expect(reply.first?.contains(code) == false, "\(line): \(reply)")
        }
    }

    @Test func adviceOfThePackageNamesCommandsInsteadOfCalls() throws {
        let url = TranscriptTests.directory.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Docs/Errors.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        let messages = page.matches(of: #/\n {2}- `(.*)`/#).map { String($0.1) }
        #expect(messages.count > 100)
        for message in messages {
            let text = sentence(of: CommandError.failed(message))
            #expect(!text.contains(#/[a-z]+\([a-z]*:?|[A-Z]\w+[A-Z]\w*\.[a-z]/#), "\(text)")
        }
        for (call, _) in adviceByCall { #expect(page.contains(call), "\(call)") }
    }

    @Test func everyCommandWithJSONOrAnIDIsTested() {
        let json = Command.all.filter { $0.usage.contains("JSON") }.map(\.name)
        #expect(Set(json) == Self.lenient.union(Self.unknownKeys.keys))
        let id = Command.all.filter { $0.usage.contains(#/\b(REQUEST)?ID\b/#) }.map(\.name)
        #expect(Set(id) == Set(Self.unknownIDs.keys))
    }

    @Test(arguments: unknownKeys.values.sorted())
    func unknownKeyIsNamedAndNothingIsSent(line: String) async throws {
        let workspace = Workspace.standing()
        _ = await workspace.reply("demo")
        let sent = workspace.device?.network.log.count
        let before = try workspace.store.read { $0.number }
        let reply = await workspace.reply(line)
        #expect(reply.hasPrefix("error: ") && reply.contains("'nosuch'"), "\(line): \(reply)")
        #expect(!reply.contains("\n"))
        #expect(workspace.device?.network.log.count == sent)
        #expect(try workspace.store.read { $0.number } == before)
        #expect(workspace.prompt == "alice general> ")
        await workspace.end()
    }

    @Test(arguments: unknownIDs.values.sorted())
    func unknownIDIsAnErrorAndNothingIsWritten(line: String) async throws {
        let workspace = Workspace.standing()
        _ = await workspace.reply("demo")
        let before = try workspace.store.read { $0.number }
        let reply = await workspace.reply(line)
        #expect(reply.hasPrefix("error: ") && reply.contains("nosuch"), "\(line): \(reply)")
        #expect(try workspace.store.read { $0.number } == before)
        #expect(await workspace.reply("outbox") == "no outbox items")
        #expect(workspace.prompt == "alice general> ")
        await workspace.end()
    }
}
