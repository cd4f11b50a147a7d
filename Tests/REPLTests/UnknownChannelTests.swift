import EmbeddedServer
import Foundation
import Scrollback
import Testing

@testable import ScrollbackREPL

/// Tests each command that takes a channel with a channel that does not exist.
@Suite(.timeLimit(.minutes(10))) @MainActor struct UnknownChannelTests {
    private let workspace = Workspace.standing()

    /// The commands that create a channel, or that are useful before a channel exists.
    nonisolated static let makers = ["create", "create-open", "draw", "import", "observe"]

    /// The other commands that take a channel, each with a line that names an unknown channel.
    nonisolated static let lines: [(name: String, line: String)] = Command.all.compactMap {
        command in
        guard !makers.contains(command.name), let line = line(of: command) else { return nil }
        return (command.name, line)
    }

    /// Returns the shortest line of a command that names a channel.
    ///
    /// It omits all other optional arguments.
    nonisolated private static func line(of command: Command) -> String? {
        guard command.usage.contains("CHANNEL") else { return nil }
        var usage = command.usage
        // Brackets may be nested.
        while usage.contains("[") {
            usage.replace(/\[([^\[\]]*)\]/) { part in
                part.1.contains("CHANNEL") ? "\(part.1)" : ""
            }
        }
        usage = usage.components(separatedBy: " | ").first { $0.contains("CHANNEL") } ?? usage
        let words = usage.split(separator: " ").compactMap { word -> String? in
            switch word {
            case "CHANNEL": "nosuch"
            case "...": nil
            case "JSON": #"{"name": "All"}"#
            case "TIME": "2023-11-10"
            case "ID": "60"
            case "USER": "bob"
            case "FROM": "-"
            case "TO": "+"
            case "N": "2"
            case "FILE": "/tmp/scrollback-unknown"
            // This directory exists.
            case "DIRECTORY": "/tmp/scrollback"
            case "TEXT": "Hello"
            default: String(word)
            }
        }
        return ([command.name] + words).joined(separator: " ")
    }

    @Test func everyCommandWithAChannelIsTested() {
        // Every new command that takes a channel is in `lines`, unless it is in `makers`. These are
        // some that must be there.
        let lines = Self.lines.map(\.line)
        #expect(lines.allSatisfy { $0.split(separator: " ").contains("nosuch") }, "\(lines)")
        #expect(
            Set(Self.lines.map(\.name)).isSuperset(of: [
                "open", "coverage", "verify", "repair", "backfill", "get", "cache clear", "mute",
                "copy",
                "members", "sync", "keep", "evict", "picture", "gaps", "count", "messages",
                "export",
            ]))
        for name in Self.makers {
            #expect(Command.all.contains { $0.name == name && $0.usage.contains("CHANNEL") })
        }
    }

    @Test(arguments: lines.map(\.line))
    func unknownChannelIsAnErrorThatNamesTheChannel(line: String) async throws {
        let directory = try ExampleDirectory()
        _ = await workspace.reply("demo")
        let before = try workspace.store.read { $0.number }

        let online = await workspace.reply(directory.moved(line))
        #expect(
            online.contains(
                #/^error: (notFound: there is no|the store has no data of|there is no file of a) channel '?nosuch/#
            ),
            "\(line): \(online)")
        // The command prints one line, and writes nothing about the channel to the store.
        #expect(!online.contains("\n"), "\(online)")
        #expect(try workspace.store.read { $0.number } == before)
        #expect(try !workspace.store.channelURLs().contains("nosuch"))
        #expect(workspace.prompt == "alice general> ")

        // Without the network, the command cannot determine whether the channel exists, unless it
        // is one of the server.
        _ = await workspace.reply("offline")
        let offline = await workspace.reply(directory.moved(line))
        #expect(
            offline.contains(
                #/^error: (notConnected: )?(the store has no data of|there is no file of a|the request about) channel '?nosuch/#
            ) || line.hasPrefix("server ") && offline == online,
            "\(line): \(offline)")
        #expect(workspace.prompt == "alice general> ")
        await workspace.end()
    }

    @Test func uncachedChannelIsAnErrorOffline() async {
        for line in ["demo", "offline"] { _ = await workspace.reply(line) }
        let unknown = "the store has no data of channel nosuch, and the server cannot be reached: "
        #expect(
            await workspace.reply("verify nosuch").hasPrefix("error: notConnected: \(unknown)"))
        #expect(
            await workspace.jsonLines("verify nosuch", 1).contains(#""code":"notConnected""#))
        // With a failing server, it cannot determine this either.
        _ = await workspace.reply("online")
        _ = await workspace.reply("fail all serverFailure 1")
        #expect(
            await workspace.reply("coverage nosuch").hasPrefix("error: serverFailure: \(unknown)"))
        await workspace.end()
    }

    @Test func serverDataIsFetchedIfNothingIsCached() async {
        for line in ["demo", "as bob create tea isPublic=true", "as bob create-open lobby"] {
            #expect(!(await workspace.reply(line)).contains("error: "))
        }
        #expect(await workspace.reply("coverage tea").contains("\nno messages, 0 known, 1 gap"))
        #expect(await workspace.reply("coverage lobby").contains("\nno messages, 0 known, 1 gap"))
        let error = await workspace.reply("gaps tea")
        #expect(error == "error: the store has no data of channel 'tea'")
        await workspace.end()
    }

    @Test func channelWithoutMessagesIsComparedAlone() async {
        for line in ["demo", "clear cats"] { _ = await workspace.reply(line) }
        #expect(
            await workspace.reply("verify cats")
                == "no messages of cats are known, so only the channel was compared: "
                + "backfill cats fetches them")
        #expect(
            await workspace.reply("repair cats")
                == "no messages of cats are known yet: backfill cats fetches them")
        _ = await workspace.reply("offline")
        #expect(await workspace.reply("repair random").hasPrefix("error: notConnected: "))
        #expect(await workspace.reply("verify random").hasPrefix("error: notConnected: "))
        _ = await workspace.reply("online")
        #expect(
            await workspace.reply("verify random")
                == "no messages of random are known, so only the channel was compared: "
                + "repair random fetches them")
        await workspace.end()
    }

    @Test func failedOpeningKeepsTheOpenChannel() async {
        for line in ["demo", "open cats"] { _ = await workspace.reply(line) }
        #expect(
            await workspace.reply("open nosuch")
                == "error: notFound: there is no channel nosuch; cats stays open")
        // The channel exists, but the server refuses the request.
        for line in ["clear random", "fail messages refused 2"] { _ = await workspace.reply(line) }
        let refused = await workspace.reply("open random apiOnly")
        #expect(
            refused.hasPrefix("error: refused: ") && refused.hasSuffix("; cats stays open"),
            "\(refused)")
        #expect(workspace.prompt == "alice cats> ")
        #expect(await workspace.reply("window") == "61 62 63 64 65")
        // The open collection still works, and receives new messages.
        #expect(await workspace.reply("as bob send Yes!").contains("+ cats 69  Bob: Yes!"))
        #expect(await workspace.reply("window") == "61 62 63 64 65 69")
        // If no channel was open before the command, none is open after it.
        _ = await workspace.reply("close")
        #expect(
            await workspace.reply("open nosuch") == "error: notFound: there is no channel nosuch")
        #expect(workspace.prompt == "alice> ")
        await workspace.end()
    }

    @Test func canceledOpeningKeepsTheOpenChannel() async throws {
        for line in ["demo", "clear cats", "hold messages"] { _ = await workspace.reply(line) }
        let network = try #require(workspace.device?.network)
        let opening = Task { await workspace.reply("open cats") }
        while network.held.isEmpty { await Task.yield() }
        opening.cancel()
        #expect(await opening.value.hasSuffix("; general stays open"))
        #expect(workspace.prompt == "alice general> ")
        await workspace.end()
    }

    @Test func withoutAnAnswerTheRowsAreNotCalledCached() async {
        for line in ["demo", "offline"] { _ = await workspace.reply(line) }
        #expect(
            await workspace.reply("open cats").hasSuffix("\n(offline: cached messages)"))
        let reply = await workspace.reply("open cats apiOnly")
        #expect(reply.hasSuffix("\n(offline: nothing from the server)"), "\(reply)")
        await workspace.end()
    }

    @Test func uncachedChannelCanBeObserved() async {
        #expect(
            await workspace.reply("observe cats")
                == "observing cats, of which the store has no data yet, after change 0")
        #expect(await workspace.reply("draw cats a").contains("\nchange 1: "))
        #expect(await workspace.reply("observe cats") == "observing cats after change 1")
    }
}
