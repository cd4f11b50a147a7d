import Models
import Store
import Sync
import Testing

@testable import EmbeddedServer

/// A minimal client that retries, backfills truncations, and starts again when a cursor has
/// expired.
private struct Client {
    let network: ConditionedBackend
    var messages: [MessageID: Message] = [:]
    var cursor: FeedCursor?
    /// The number of calls that the client may still make.
    ///
    /// It ends an endless loop.
    var budget = 6_000

    init(_ network: ConditionedBackend) { self.network = network }

    /// Repeats a call until it is answered.
    ///
    /// Returns `nil` if a cursor has expired.
    mutating func call<Answer>(
        _ body: () async throws(BackendError) -> Answer
    ) async throws -> Answer? {
        while true {
            budget -= 1
            try #require(budget > 0)
            do throws(BackendError) {
                return try await body()
            } catch {
                if error.code == .expired { return nil }
                try #require(error.isTransient, "\(error)")
            }
        }
    }

    /// Reads the feed up to the newest event of the server.
    mutating func catchUp(_ server: LogBackend) async throws {
        while true {
            let (network, since) = (network, cursor)
            let end = server.state.withLock { "\($0.log.count)" }
            if since.flatMap({ ConditionedCursor(text: $0.rawValue) })
                .map({ $0.part == 0 && $0.base == end }) == true
            {
                return
            }
            guard
                let batch = try await call({ () throws(BackendError) in
                    try await network.feed(since: since)
                })
            else {
                cursor = nil
                continue
            }
            for event in batch.events { try await apply(event, since) }
            cursor = batch.cursor
            if since == nil {
                messages = [:]
                for url in LogBackend.urls { try await readAll(url) }
            }
        }
    }

    private mutating func apply(_ event: FeedEvent, _ before: FeedCursor?) async throws {
        switch event {
        case .messageReceived(let message), .messageUpdated(let message): save(message)
        case .messageChanged(let id, in: let url):
            let network = network
            let lookup = try await call { () throws(BackendError) in
                try await network.lookup([id], in: url)
            }
            for message in lookup?.found ?? [] { save(message) }
        case .messageDeleted(let id, in: _, at: _): messages[id] = nil
        case .truncation(in: let url):
            try await readAll(url)
            try await changes(url, try #require(before))
        default: break
        }
    }

    private mutating func save(_ message: Message) {
        messages[message.messageID ?? ""] = message
    }

    /// Reads the history from the newest message to the oldest one.
    private mutating func readAll(_ url: ChannelURL) async throws {
        let network = network
        var anchor = MessageAnchor.newest
        while true {
            let page = try await call { [anchor] () throws(BackendError) in
                try await network.messages(in: url, at: anchor, older: 3, newer: 0)
            }
            for message in page?.messages ?? [] { save(message) }
            guard let page else {
                anchor = .newest
                continue
            }
            guard let older = page.older else { return }
            anchor = .cursor(older)
        }
    }

    /// Reads the changelog since a cursor, or from the beginning if the cursor has expired.
    private mutating func changes(_ url: ChannelURL, _ cursor: FeedCursor) async throws {
        let network = network
        var point = ChangelogPoint.feed(cursor)
        while true {
            let page = try await call { [point] () throws(BackendError) in
                try await network.messageChanges(in: url, since: point)
            }
            guard let page else {
                point = .time(0)
                continue
            }
            for message in page.updated { save(message) }
            for deleted in page.deleted { messages[deleted.messageID] = nil }
            guard page.hasMore else { return }
            point = .token(try #require(page.next))
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct NetworkContractTests {
    /// Returns the texts of messages, sorted by time and then by text.
    private func picture(_ messages: some Sequence<Message>) -> String {
        messages.sorted { ($0.createdAt, $0.text) < ($1.createdAt, $1.text) }.map(\.text)
            .joined(separator: " ")
    }

    @Test(arguments: UInt64(0)..<100)
    func retriesWithinTheContractDeliverEverything(seed: UInt64) async throws {
        let server = LogBackend()
        let network = ConditionedBackend(server, conditions: .withinContract(seed: seed))
        var client = Client(network)
        for round in 0..<6 {
            server.receive("a\(round) b\(round) c\(round)", in: "one")
            server.receive("x\(round) y\(round)", in: "two")
            if round > 0 {
                server.change(MessageID("a\(round - 1)"), to: "A\(round - 1)")
                server.remove(MessageID("y\(round - 1)"))
            }
            _ = try await client.call { () throws(BackendError) in
                try await network.send("s\(round)")
            }
            if round == 3 { network.expire(.feedCursors) }
            if round == 4 { network.expire(.pageCursors) }
            try await client.catchUp(server)
            #expect(
                picture(client.messages.values) == picture(server.state.withLock { $0.messages }))
        }
    }

    @Test func sameSeedGivesTheSameResults() async throws {
        var logs: [[String]] = []
        for seed: UInt64 in [5, 5, 6] {
            let server = LogBackend()
            let network = ConditionedBackend(server, conditions: .withinContract(seed: seed))
            var client = Client(network)
            for round in 0..<4 {
                server.receive("a\(round) b\(round) c\(round)")
                try await client.catchUp(server)
            }
            logs.append(network.log)
        }
        #expect(logs[0] == logs[1])
        #expect(logs[0] != logs[2])
    }

    @Test func clientMissesExactlyTheLostEvents() async throws {
        let server = LogBackend()
        let network = ConditionedBackend(server)
        var client = Client(network)
        try await client.catchUp(server)
        server.receive("a")
        try await client.catchUp(server)
        network.update { $0.feed.lost = 1 }
        server.receive("b c")
        try await client.catchUp(server)
        #expect(picture(client.messages.values) == "a")
    }
}
