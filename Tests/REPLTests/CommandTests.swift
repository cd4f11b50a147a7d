import EmbeddedServer
import Foundation
import Models
import Sync
import Testing

@testable import ScrollbackREPL

/// A request that an app declares.
private struct Wave: BackendRequest, ChannelCall {
    typealias Answer = Void

    static let declaration = CallDeclaration("wave", "Waves to the members of a channel.")
    var channelURL: ChannelURL

    static func example(_ names: ExampleNames) -> Wave { Wave(channelURL: names.channelURL) }
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct CommandTests {
    @Test func errorOfAServerIsOneLine() {
        let error = BackendError(.refused, "no\n= alice is disconnected")
        #expect(!sentence(of: error).contains("\n"))
    }

    nonisolated static let noTime =
        "is not a time, such as 2012-04-26, or @1335398400000 in milliseconds"

    @Test func noTwoCommandsHaveOneName() {
        let names = Command.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test func anExampleIsALineOfItsCommand() throws {
        for command in Command.all {
            guard let example = command.example else { continue }
            let words = example.split(separator: " ")
            #expect(try Command.command(for: words).name == command.name)
        }
    }

    @Test func helpListsEveryCommand() async throws {
        let lines = await Workspace().reply("help").split(separator: "\n")
        let titles = lines.filter { !$0.hasPrefix(" ") }.map(String.init)
        #expect(titles == Command.groups.map(\.title))
        let commands = lines.filter { $0.hasPrefix("  ") }
        #expect(commands.count == Command.all.count)
        for (line, command) in zip(commands, Command.all) {
            #expect(line.hasPrefix("  \(command.name) ") && line.hasSuffix("  \(command.summary)"))
        }
    }

    @Test func helpFitsIntoATerminal() async throws {
        for line in await Workspace().reply("help").split(separator: "\n") {
            #expect(line.count <= 120, "\(line)")
        }
    }

    @Test func helpShowsTheUsageAndAnExample() async throws {
        #expect(
            await Workspace().reply("  help   draw ") == """
                draw CHANNEL PICTURE
                    Replaces a channel's history and outbox items with those of a picture.
                    For example: draw general … a b ~ d (e) !f
                """)
    }

    @Test func helpListsCommandsWithAPrefix() async throws {
        let reply = await Workspace().reply("help cache")
        let names = reply.split(separator: "\n").map { $0.prefix(14) }
        #expect(
            names == [
                "  cache size  ", "  cache report", "  cache clear ", "  cache plan [",
                "  cache shrink",
            ])
        // A command that is also a prefix of other commands lists those.
        #expect(
            await Workspace().reply("help store").hasSuffix(
                "    See also: store open, store path, store close, store clear, store check, "
                    + "store reindex, store remove-cache, store scan, store dump, store get, "
                    + "store search, store key, store reencrypt"))
    }

    @Test func helpExplainsEachSignOfABar() async throws {
        let help = await Workspace().reply("help coverage")
        for sign in ["█", "▒", "░", "▸"] { #expect(help.contains(sign), "\(sign)") }
        for line in Command.all.flatMap(\.notes) { #expect(line.count <= 96, "\(line)") }
    }

    @Test func errorMessageIsNotRepeated() async {
        let workspace = Workspace.standing()
        for line in ["demo", "offline"] { _ = await workspace.reply(line) }
        for line in ["verify", "members", "get 1 in cats", "prev", "join cats", "status"] {
            let reply = await workspace.reply(line)
            #expect(reply.count(where: { $0 == "(" }) == 0, "\(reply)")
        }
        await workspace.end()
    }

    @Test func longestCommandNameWins() async throws {
        #expect(await Workspace().reply("store   close ") == "closed")
        #expect(await Workspace().reply("store").hasPrefix("in memory\n"))
        #expect(await Workspace().reply("help store close").hasPrefix("store close\n"))
    }

    @Test(arguments: ["", "   ", "# quit", "#quit"])
    func emptyLinesAndCommentsDoNothing(line: String) async throws {
        #expect(try await Command.perform(line).text == "")
    }

    @Test(arguments: [
        ("tiem 1", "there is no command 'tiem': did you mean time?"),
        ("help tiem", "there is no command 'tiem': did you mean time?"),
        ("xyz", "there is no command 'xyz': help lists them all"),
        ("store clsoe", "there is no command 'store clsoe': did you mean store close?"),
        ("file-cache", "there is no command 'file-cache': help file-cache lists its commands"),
        ("help cache clean", "there is no command 'cache clean': did you mean cache clear?"),
        ("close now", "usage: close"), ("wait", "usage: wait DURATION"),
        ("sample Mesage", "there is no type 'Mesage': schema lists them all"),
        ("sample", "usage: sample TYPE"),
        ("sample User Member", "usage: sample TYPE"),
        ("json Message", "usage: json TYPE JSON"),
        ("deserialize Reaction 0a 02 2b", "Reaction: truncated at byte 3"),
        ("deserialize Reaction 0a 01 ff", "Reaction: invalidText at byte 2"),
        ("deserialize Reaction 0a 0", "bytes are pairs of hex digits, such as 0a 02 2b 31"),
        ("deserialize Reaction hi", "bytes are pairs of hex digits, such as 0a 02 2b 31"),
        ("json Message {", "this is not JSON: Unexpected end of file during JSON parse."),
    ])
    func anErrorSaysWhatToDoInstead(line: String, message: String) async {
        let error = await #expect(throws: CommandError.self) { try await Command.perform(line) }
        #expect(error?.description == message)
    }

    @Test(arguments: [
        ("restart sometime", "'sometime' \(noTime)"),
        ("open general at noon", "'noon' \(noTime)"),
        ("conditions awkward x", "'x' is not a seed: a seed is a number of at least 0"),
        (
            "conditions train 1 2",
            "usage: conditions (perfect | train | awkward | within | hostile) [SEED]"
        ),
    ])
    func unknownInputIsAnError(line: String, message: String) async {
        let workspace = Workspace.standing()
        _ = await workspace.reply("demo")
        #expect(await workspace.reply(line) == "error: \(message)")
        await workspace.end()
    }

    @Test func tabOffersCommandsFirstAndAfterHelp() {
        #expect(Completion.words("q", after: "") == ["quit"])
        #expect(
            Completion.words("", after: "help ")
                == Set(Command.all.compactMap { $0.words.first.map(String.init) }).sorted())
        #expect(Completion.words("c", after: "store ") == ["check", "clear", "close"])
        #expect(Completion.words("c", after: "help store ") == ["check", "clear", "close"])
        #expect(Completion.words("q", after: "wait ") == [])
    }

    @Test func tabCompletesStoredChannels() async throws {
        let workspace = Workspace()
        _ = await workspace.reply("draw general a")
        #expect(Completion.words("", after: "picture ", in: workspace) == ["general"])
        #expect(Completion.words("g", after: "store scan ", in: workspace) == ["gap", "group"])
        #expect(Completion.words("", after: "picture general ", in: workspace) == ["limit"])
    }

    /// A log chooses the names.
    @Test func completedNameIsOneArgument() async throws {
        let workspace = Workspace()
        try workspace.store.write { batch in
            for url in ["a b", "a'c", "a\"d"] as [ChannelURL] {
                try batch.save(Message(id: "1", channelURL: url, createdAt: 1))
            }
        }
        func words(_ quote: Character?) -> [String] {
            Completion.words("a", after: "picture ", in: workspace, quote: quote)
        }
        #expect(words(nil) == [#"a\ b"#, #"a\"d"#, #"a\'c"#])
        #expect(words("'") == ["a b", #"a"d"#])
        #expect(words("\"") == ["a b", "a'c"])
        for quote in [nil, "'", "\""] as [Character?] {
            #expect("\u{301}a".typed(in: quote) == nil)
        }
    }

    @Test func requestOfAnAppIsACall() async throws {
        let workspace = Workspace.standing()
        try workspace.world.server.on(Wave.self) { _, _ throws(BackendError) in }
        _ = await workspace.reply("demo")
        let wave = #"request wave {"channelURL": "general"}"#
        #expect(Completion.words("wa", after: "fail ", in: workspace) == ["wave"])
        #expect(await workspace.reply("fail wave") == "the next call of wave fails as refused")
        #expect(await workspace.reply(wave).hasPrefix("error: "))
        #expect(await workspace.reply(wave) == "done")
        #expect(await workspace.reply("hold wave") == "holding wave")
        await workspace.end()
    }

    @Test func tabCompletesArgumentsAccordingToTheUsage() async throws {
        let workspace = Workspace.standing()
        _ = await workspace.reply("demo")
        for (before, word, words) in [
            ("typing ", "", ["off", "on"]), ("mute bob ", "", ["for"]),
            ("mute bob in ", "c", ["cats"]), ("copy 60 ", "", ["to"]),
            ("copy 60 to ", "g", ["general"]), ("open cats ", "", ["at"]),
            ("messages cats ", "", ["after", "around", "before"]), ("invite bob ", "al", ["alice"]),
            ("as bob ", "sen", ["send", "send-file"]), ("hold send ", "sen", ["send"]),
            ("option ", "sync.page", ["sync.pageSize"]), ("list ", "chr", ["chronological"]),
        ] {
            #expect(Completion.words(word, after: before, in: workspace) == words, "\(before)")
        }
        await workspace.end()
    }
}
