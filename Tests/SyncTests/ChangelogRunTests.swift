import Models
import Testing

@testable import Sync

@Suite struct ChangelogRunTests {
    @Test func lastTokenMayRepeatThePreviousOne() {
        var run = ChangelogRun(since: .token("1"))
        #expect(run.step(token: "1", hasMore: false) == .done(token: "1"))
    }

    @Test func missingTokenEndsTheRun() {
        var run = ChangelogRun(since: .time(1000))
        #expect(run.step(token: nil, hasMore: true) == .stalled)
        #expect(run.step(token: nil, hasMore: false) == .done(token: nil))
    }

    @Test func endlessEmptyPagesStallTheRun() {
        var run = ChangelogRun(since: .time(1000))
        for page in 1...200 {
            #expect(run.step(token: "\(page)", hasMore: true, isEmpty: page % 100 != 0) == .more)
        }
        for page in 201...300 {
            #expect(run.step(token: "\(page)", hasMore: true, isEmpty: true) == .more)
        }
        #expect(run.step(token: "301", hasMore: true, isEmpty: true) == .stalled)
    }

    /// A member of a channel can change messages any number of times.
    @Test func longChangelogIsNotReadToItsEnd() {
        var run = ChangelogRun(since: .time(1000))
        for page in 1..<ChangelogRun.limit {
            #expect(run.step(token: "\(page)", hasMore: true) == .more)
        }
        #expect(run.step(token: "last", hasMore: false) == .done(token: "last"))
        #expect(run.step(token: "another", hasMore: true) == .tooLong)
    }

    /// Tests every sequence of answers with three tokens.
    ///
    /// A run that continues must never repeat a token.
    @Test func repeatedTokenStallsTheRun() {
        let tokens = ["a", "b", "c"]
        func follow(_ run: ChangelogRun, _ requested: Set<String>, _ depth: Int) {
            #expect(depth <= tokens.count)
            for token in tokens {
                var next = run
                switch next.step(token: token, hasMore: true) {
                case .more:
                    #expect(next.point == .token(token))
                    #expect(!requested.contains(token))
                    follow(next, requested.union([token]), depth + 1)
                case .stalled: #expect(requested.contains(token))
                case .done, .tooLong: Issue.record("there was more")
                }
            }
        }
        follow(ChangelogRun(since: .feed("f")), [], 0)
        follow(ChangelogRun(since: .token("a")), ["a"], 1)
    }
}
