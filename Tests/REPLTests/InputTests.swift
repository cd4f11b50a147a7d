import EmbeddedServer
import Foundation
import Scrollback
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Tests input that a user enters by mistake: open quotes, empty ids, unknown keys, and ids that do
/// not exist.
@Suite(.timeLimit(.minutes(10))) @MainActor struct InputTests {
    private let workspace = Workspace.standing()
    private let directory: ScratchDirectory

    init() throws { directory = try .made() }

    private func reply(_ lines: String...) async -> String {
        var reply = ""
        for line in lines { reply = await workspace.reply(line) }
        return reply
    }

    /// The files and directories in the scratch directory.
    private var files: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: directory.url.path).sorted()
        }
    }

    // MARK: Quotes

    @Test(arguments: [
        ("create tea with bob 'carol dave", "'"), (#"open "general"#, "\""),
        ("import log into 'tea", "'"), ("members 'general", "'"),
    ])
    func aQuoteThatIsNotClosedIsAnError(line: String, quote: String) async {
        _ = await reply("demo")
        let error =
            "error: the quote \(quote) is not closed: type \\\(quote) for the character itself"
        #expect(await reply(line) == error)
        #expect(await reply(#"file-cache list dir\"#).hasPrefix("error: nothing follows the last"))
        await workspace.end()
    }

    @Test func wordsInQuotesAreOneWordInEachCommand() async {
        _ = await reply("demo")
        #expect(
            await reply(#"create "my lunch" name='Lunch at noon' with bob"#)
                .hasPrefix("created my lunch with 2 members"))
        #expect(await reply("members 'my lunch'").hasPrefix("alice  operator  joined\nbob "))
        #expect(await reply(#"open my\ lunch {"reply_type": "none"}"#) == "no messages")
        #expect(
            await reply(#"update "my lunch" {"name": "It's on"}"#).hasPrefix("my lunch is It's"))
        #expect(
            await reply(#"enqueue "my lunch" it's "late""#).hasPrefix(
                "wrote outbox item r1 in my lunch"))
        #expect(await reply("outbox 'my lunch'").hasSuffix(#"it's "late""#))
        await workspace.end()
    }

    @Test(arguments: ["send it's \"me", "say it's me", "as bob send it's me"])
    func freeTextMayHaveQuotes(line: String) async {
        _ = await reply("demo")
        #expect(await reply(line).contains("it's "))
        await workspace.end()
    }

    // MARK: Empty names

    @Test(arguments: ["connect \"\"", "connect @phone", "as ''", "as @phone status"])
    func aDeviceNeedsAUser(line: String) async {
        #expect(await reply(line).contains("names no device: a device is USER, or USER@NAME"))
        #expect(await reply("devices") == "no devices: type connect alice")
        await workspace.end()
    }

    @Test(arguments: [
        #"draw "" a b"#, #"enqueue "" Hello"#, #"create """#, #"create-open """#, #"observe """#,
    ])
    func aChannelNeedsAURL(line: String) async {
        if line.contains("create") { _ = await reply("demo") }
        #expect(await reply(line) == "error: the channel's URL is empty")
        await workspace.end()
    }

    // MARK: Directories

    @Test(arguments: [
        "store open ''", "store remove-cache ''", "store reencrypt '' none none",
        "file-cache list ''", "file-cache save ''", "store key ''",
    ])
    func anEmptyPathIsAnError(line: String) async {
        #expect(await reply("draw general a", line) == "error: the path is empty")
    }

    @Test(arguments: [
        "file-cache list DIR", "file-cache load DIR general", "file-cache load DIR",
        "file-cache remove DIR general", "file-cache remove DIR everything",
        "store remove-cache DIR",
        "store reencrypt DIR none FILE",
    ])
    func readingCommandCreatesNoDirectory(line: String) async throws {
        let path = directory.url.appending(path: "none").path
        let file = directory.url.appending(path: "key").path
        let typed = line.replacing("DIR", with: path).replacing("FILE", with: file)
        #expect(await reply(typed) == "error: there is no directory '\(path)'")
        #expect(try files == [])
    }

    @Test func readingAKeyFileDoesNotCreateIt() async throws {
        let path = directory.url.path
        _ = await reply("store open \(path)/store", "store close")
        let before = try files
        for line in [
            "store reencrypt \(path)/store \(path)/k none"
        ] {
            #expect(await reply(line) == "error: there is no key file '\(path)/k'")
        }
        #expect(try files == before)
        #expect(
            await reply("draw general a", "export \(path)/none/log general")
                .hasPrefix("error: no store is open"))
        let export = "export \(path)/none/log general"
        #expect(
            await reply("store open \(path)/store", "draw general a", export)
                == "error: the file '\(path)/none/log' cannot be written: No such file or directory"
        )
    }

    // MARK: JSON

    @Test(arguments: [
        (#"open cats {"replyType": "all"}"#, "MessageListParams has no field 'replyType'"),
        (#"open cats {"reply_type": "al"}"#, #"reply_type: "al" is not one of "#),
        (
            #"send {"message": "Hi", "mesage": "Hi"}"#,
            "NewMessage has no field 'mesage'"
        ),
        (
            #"send {"message": "Hi", "sorted_metaarray": [{"kye": "x"}]}"#,
            "MetaArray has no field 'kye'"
        ),
        (#"edit 60 {"txt": "Hi"}"#, "UserMessageUpdateParams has no field 'txt'"),
        (#"list {"ordr": "chronological"}"#, "GroupChannelListQuery has no field 'ordr'"),
        (#"channels {"extra": {}}"#, "GroupChannelListQuery has no field 'extra'"),
        (#"thread 60 {"revers": true}"#, "ThreadedMessageListParams has no field 'revers'"),
        (#"send-file /etc/hostname {"x": 1}"#, "NewMessage has no field 'x'"),
        (
            #"update cats {"member_count": 5}"#,
            "'member_count' cannot be changed: name, cover_url, data, custom_type, metadata"
        ),
        (#"update cats {"nmae": "Cats"}"#, "'nmae' cannot be changed: "),
    ])
    func anUnknownKeyIsAnErrorAndNothingIsSent(line: String, message: String) async {
        _ = await reply("demo")
        let before = workspace.device?.network.log.count
        #expect(await reply(line).hasPrefix("error: \(message)"))
        #expect(workspace.device?.network.log.count == before)
        #expect(await reply("outbox") == "no outbox items")
        await workspace.end()
    }

    @Test func jsonChangesOnlyTheFieldsInIt() async {
        _ = await reply("demo", "reply 60 So do I")
        let plain = await reply("open general")
        #expect(plain.contains("So do I"))
        #expect(await reply("open general {}") == plain)
        #expect(await reply(#"open general {"next_result_size": 20}"#) == plain)
        #expect(!(await reply(#"open general {"reply_type": "none"}"#)).contains("So do I"))
        await workspace.end()
    }

    // MARK: Ids and times

    @Test(arguments: [
        ("messages general before 99", "there is no message '99' in general: a time is "),
        ("messages general around 1700000060000", "there is no message '1700000060000' in general"),
        ("around 99", "'99' is not a time, such as 2012-04-26, or @1335398400000 in milliseconds"),
        ("restart 60", "'60' is not a time, such as "),
        ("open general at 60", "'60' is not a time, such as "),
        ("changelog messages 60", "'60' is not a time, such as "),
        ("replies general 99", "there is no message '99' in general"),
        ("thread 99", "notFound: there is no message 99 in channel general"),
        ("unmute nosuch", "notFound: there is no user nosuch"),
        ("unban nosuch", "notFound: there is no user nosuch"),
        ("remove-failed r9", "there is no failed message 'r9': see failed"),
        ("cancel r9", "there is no unsent message 'r9': see pending"),
    ])
    func anUnknownIDIsAnError(line: String, message: String) async {
        _ = await reply("demo")
        #expect(await reply(line).hasPrefix("error: \(message)"))
        await workspace.end()
    }

    @Test func timesAreDatesOrMilliseconds() {
        #expect(Timestamp(typed: "@1700000000000") == 1_700_000_000_000)
        #expect(Timestamp(typed: "@-1") == -1)
        #expect(Timestamp(typed: "2023-11-14") == Timestamp(typed: "2023-11-14T00:00:00Z"))
        for word in ["1700000000000", "@", "@x", "", "42"] {
            #expect(Timestamp(typed: word) == nil, "\(word)")
        }
    }

    // MARK: Permissions

    @Test func newChannelIsPrivateByDefault() async {
        _ = await reply("demo", "create den", "create tea isPublic=true")
        #expect(await reply("as bob join den").contains("refused: channel den is not public"))
        #expect(await reply("as bob join tea").hasPrefix("joined tea, of 2 members"))
        await workspace.end()
    }

    @Test func onlyAnInvitationIsAccepted() async {
        _ = await reply("demo")
        for line in ["accept general", "decline general"] {
            let error = "error: refused: alice is not invited to channel general"
            #expect(await reply(line) == error)
        }
        await workspace.end()
    }

    @Test func anOperatorIsNotBannedByThemselves() async {
        _ = await reply("demo")
        for command in ["ban", "mute"] {
            let answer = await reply("\(command) alice")
            #expect(answer.hasPrefix("error: refused: alice cannot mute or ban themselves"))
        }
        #expect(await reply("send Still here").contains("sent alice-1 as 69"))
        await workspace.end()
    }

    @Test func aDirectoryIsNotSent() async {
        _ = await reply("demo")
        let path = directory.url.path
        #expect(
            await reply("send-file \(path)")
                == "error: invalidFile: \(path) is a directory: only files can be sent")
        #expect(await reply("outbox") == "no outbox items")
        await workspace.end()
    }
}
