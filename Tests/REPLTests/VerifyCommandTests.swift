import Foundation
import Scrollback
import Testing

@testable import ScrollbackREPL

/// Tests how `verify` reports a difference, and what `repair` changes.
@Suite(.timeLimit(.minutes(10))) @MainActor struct VerifyCommandTests {
    @Test func theRowOfTheChannelIsShownAndRepaired() async throws {
        let workspace = Workspace.standing()
        _ = await workspace.reply("demo")
        try workspace.store.write { batch in
            var channel = try #require(try batch.groupChannel("general"))
            channel.memberCount = 99
            channel.lastMessage = nil
            try batch.save(channel)
        }
        let shown = await workspace.reply("verify general")
        #expect(
            shown.split(separator: "\n").dropFirst() == [
                "the channel itself: member_count, last_message", "repair general fetches it",
            ])
        #expect(
            await workspace.reply("repair general").hasPrefix("general equals the server's copy"))
        #expect(await workspace.reply("verify general").hasSuffix("no differences from the server"))
        await workspace.end()
    }

    @Test func historyThatWasNotFetchedAgainCountsAsStale() async throws {
        let workspace = Workspace.standing()
        for line in ["demo", "open general", "offline"] { _ = await workspace.reply(line) }
        #expect(await workspace.reply("repair general").hasPrefix("error: notConnected: "))
        #expect(await workspace.reply("coverage general").contains(", 1 stale range, "))
        #expect(await workspace.jsonLines("coverage general", 1).contains(#""stale_ranges":1"#))
        await workspace.end()
    }
}
