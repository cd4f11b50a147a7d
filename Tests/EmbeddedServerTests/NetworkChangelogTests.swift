import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct NetworkChangelogTests {
    let server = LogBackend()
    let network: ConditionedBackend

    init() {
        server.receive("a b c")
        server.change("a", to: "A")
        server.remove("b")
        network = ConditionedBackend(server)
    }

    /// Follows the tokens to the end.
    ///
    /// Returns each page with its token.
    func pages(_ limit: Int = 20, since point: ChangelogPoint = .time(0)) async throws -> [String] {
        var point = point
        var lines: [String] = []
        while lines.count < limit {
            let page = try await network.messageChanges(in: "one", since: point)
            let changes =
                page.updated.map(\.text) + page.deleted.map { "-\($0.messageID)" }
            let token = try #require(page.next)
            lines.append("[\(changes.joined(separator: " "))] \(token)")
            guard page.hasMore else { break }
            point = .token(token)
        }
        return lines
    }

    @Test func perfectNetworkForwardsChangelogs() async throws {
        #expect(try await pages() == ["[] 2", "[A] 4", "[-b] 5"])
    }

    @Test func changelogPageIsRepeatedUnderAnAdvancingToken() async throws {
        network.update { $0.changelogs.repeated = 1 }
        #expect(
            try await pages(since: .token("2")) == ["[A] ~r:2", "[A] 4", "[-b] ~r:4", "[-b] 5"])
        #expect(try await pages(since: .time(0)).prefix(2) == ["[] ~r,stime:0", "[] 2"])
        #expect(
            try await pages(since: .feed("3")) == [
                "[A -b] ~r,sfeed:3", "[A -b] 5",
            ])
    }

    @Test func emptyChangelogPagePrecedesThePage() async throws {
        network.update { $0.changelogs.empty = 1 }
        #expect(
            try await pages(since: .token("2")) == ["[] ~p1:2", "[A] 4", "[] ~p1:4", "[-b] 5"])
        network.update { $0.changelogs.repeated = 1 }
        #expect(
            try await pages(since: .token("4")) == ["[] ~p1:4", "[-b] ~p1,r:4", "[-b] 5"])
    }

    @Test func stuckTokenNeverEnds() async throws {
        network.update { $0.changelogs.stuck = 1 }
        #expect(
            try await pages(4, since: .token("2")) == ["[A] 2", "[A] 2", "[A] 2", "[A] 2"])
        #expect(
            try await pages(3, since: .time(0))
                == ["[] ~stime:0", "[] ~stime:0", "[] ~stime:0"])
    }

    @Test func tokensFromBeforeExpireAndTimesDoNot() async throws {
        network.expire(.changelogTokens)
        #expect(
            await thrown {
                try await network.messageChanges(in: "one", since: .token("2"))
            }?.code == .expired)
        #expect(
            await thrown { try await network.channelChanges(since: .token("1")) }?.code == .expired)
        #expect(try await pages() == ["[] ~g1:2", "[A] ~g1:4", "[-b] ~g1:5"])
        #expect(try await pages(since: .feed("4")) == ["[-b] ~g1:5"])
    }

    @Test func someCallsFindTheirTokenExpired() async throws {
        network.update { $0.changelogs.expired = 1 }
        for point: ChangelogPoint in [.token("2"), .feed("2")] {
            #expect(
                await thrown {
                    try await network.messageChanges(in: "one", since: point)
                }?.code == .expired)
        }
        #expect(try await network.messageChanges(in: "one", since: .time(0)).next == "2")
    }

    @Test func channelChangelogFollowsTheSameConditions() async throws {
        network.update {
            $0.changelogs.repeated = 1
            $0.changelogs.empty = 1
        }
        var tokens: [String] = []
        var urls: [String] = []
        var point = ChangelogPoint.time(0)
        while true {
            let page = try await network.channelChanges(since: point)
            urls.append(page.updated.map(\.url.rawValue).joined())
            tokens.append(page.next ?? "")
            guard page.hasMore else { break }
            point = .token(page.next ?? "")
        }
        #expect(urls == ["", "one", "one", "", "two", "two"])
        #expect(tokens == ["~p1,stime:0", "~p1,r,stime:0", "1", "~p1:1", "~p1,r:1", "2"])
    }

    @Test(arguments: UInt64(0)..<20)
    func changelogIsCompleteForEachSeed(seed: UInt64) async throws {
        network.conditions = .awkward(seed: seed)
        let pages = try await pages()
        #expect(pages.contains { $0.hasPrefix("[A]") } && pages.contains { $0.hasPrefix("[-b]") })
        #expect(pages.count <= 9)
        #expect(Set(pages).count == pages.count)
    }
}
