import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

@testable import EmbeddedServer

/// Under a sanitizer, the tests take ten times as long.
@Suite(.timeLimit(.minutes(30))) struct ConformanceTests {
    @Test(arguments: Self.conditions)
    func embeddedServerPassesTheConformanceSuite(_ name: String, _ conditions: ServerConditions)
        async throws
    {
        try await withDirectory { directory in
            let subject = try EmbeddedServerSubject(at: directory, conditions)
            let report = await BackendConformance.run(on: subject)
            #expect(report.isKept, "\(name): \(report)")
            subject.close()
        }
    }

    @Test func suiteKeepsNoReferenceToTheSubject() async throws {
        weak var released: EmbeddedServerSubject?
        try await withDirectory { directory in
            let subject = try EmbeddedServerSubject(at: directory, ServerConditions())
            released = subject
            _ = await BackendConformance.run(on: subject)
            subject.close()
        }
        #expect(released == nil)
    }

    @Test(arguments: Seeds.count(1, atNight: 20))
    func embeddedServerPassesTheConformanceSuiteOnAnAwkwardNetwork(seed: Int) async throws {
        try await withDirectory { directory in
            let subject = try EmbeddedServerSubject(
                at: directory, ServerConditions(), network: .awkward(seed: UInt64(seed)))
            let report = await BackendConformance.run(on: subject)
            #expect(report.isKept, "\(report)")
            subject.close()
        }
    }

    @Test(arguments: Seeds.count(1, atNight: 20))
    func embeddedServerPassesTheConformanceSuiteWithClockSkew(seed: Int) async throws {
        try await withDirectory { directory in
            var conditions = ServerConditions()
            conditions.clockSkew = 50
            let subject = try EmbeddedServerSubject(at: directory, conditions, seed: UInt64(seed))
            let report = await BackendConformance.run(on: subject)
            #expect(report.isKept, "\(report)")
            #expect(report.skipped.contains { $0.promiseID == "send.order" })
            subject.close()
        }
    }

    private static var conditions: [(String, ServerConditions)] {
        let usual = ServerConditions()
        var small = usual
        small.pageLimit = 10
        small.changelogPageSize = 2
        small.feedBatchSize = 1
        small.listLimit = 3
        var repeating = small
        repeating.repeatsChangelogEntries = true
        var coarse = usual
        coarse.timeGranularity = 1000
        var joined = usual
        joined.missingCapabilities = .invitations
        var poor = usual
        poor.missingCapabilities = ServerConditions.allCapabilities
        var separate = usual
        separate.hasSeparateReactions = true
        return [
            ("usual", usual), ("small", small), ("repeating", repeating), ("coarse", coarse),
            ("joined", joined), ("poor", poor), ("separate", separate),
        ]
    }
}

/// The embedded server as the subject of the conformance suite.
///
/// It is on disk, so that it can be restarted.
private final class EmbeddedServerSubject: ConformanceSubject {
    private let directory: URL
    private let conditions: ServerConditions
    private let network: NetworkConditions
    private let seed: UInt64
    private let clock = RunningClock()
    private let server: Locked<EmbeddedServer>
    private let requestIDs = RequestIDs()
    let users: [Credentials] = ["alice", "bob", "carol"].map { Credentials($0) }

    init(
        at directory: URL, _ conditions: ServerConditions,
        network: NetworkConditions = .perfect, seed: UInt64 = 0
    ) throws {
        self.seed = seed
        self.directory = directory
        self.conditions = conditions
        self.network = network
        let clock = clock
        let server = try EmbeddedServer(at: directory, seed: seed) { clock.read() }
        server.conditions = conditions
        self.server = Locked(server)
        for user in users { try server.addUser(User(id: user.userID)) }
    }

    private var current: EmbeddedServer { server.withLock { $0 } }

    func close() { current.close() }

    func makeBackend(for user: Credentials) async throws -> any Backend {
        let client = RestartedClient { [self] in current.client(waits: false) }
        return network == .perfect ? client : ConditionedBackend(client, conditions: network)
    }

    let answersFeedAtOnce = true

    func makeRequestID() -> RequestID { requestIDs.next() }

    /// Two clocks may differ by twice the skew: one may be fast, and the other slow.
    var clockSkew: Duration { .milliseconds(conditions.clockSkew * 2) }

    func makeChannel(
        named name: String, for users: [Credentials]
    ) async throws -> ChannelURL? {
        let params = GroupChannelCreateParams(name, userIDs: users.dropFirst().map(\.userID))
        return try current.createChannel(params, by: users[0].userID).url
    }

    func importMessages(_ messages: [Message]) async throws -> Bool {
        try current.importMessages(messages)
        return true
    }

    func deleteMessages(of user: Credentials, in url: ChannelURL?) async throws -> Bool {
        try current.deleteMessages(ofSender: user.userID, in: url)
        return true
    }

    func expireMessages(before time: Timestamp) async throws -> Bool {
        try current.expireMessages(before: time)
        return true
    }

    var hooks: Set<ConformanceHook> {
        var hooks = Set(ConformanceHook.allCases)
        // The suite resumes a changelog from the time of a message. With a coarse or skewed clock,
        // that time may be older than the server's log reaches after `discardLog`.
        if conditions.timeGranularity > 1 || conditions.clockSkew > 0 {
            hooks.remove(.discardLog)
        }
        return hooks
    }

    func perform(_ hook: ConformanceHook) async throws {
        switch hook {
        case .restartServer:
            let (directory, clock, conditions, seed) = (directory, clock, conditions, seed)
            try server.withLock { server in
                server.close()
                server = try EmbeddedServer(at: directory, seed: seed) { clock.read() }
                server.conditions = conditions
            }
        case .discardLog: try current.expireCursors()
        case .breakHistory: try current.restore(try current.backup())
        case .openTruncations: current.conditions.feedLimit = 2
        case .stopTime: clock.isStopped.withLock { $0 = true }
        case .startTime: clock.isStopped.withLock { $0 = false }
        }
    }
}

/// A device that connects to the restarted server after its own server was closed.
private final class RestartedClient: ForwardingBackend {
    private let make: @Sendable () -> EmbeddedClient
    private let client: Locked<EmbeddedClient>

    init(_ make: @escaping @Sendable () -> EmbeddedClient) {
        self.make = make
        client = Locked(make())
    }

    var base: any Backend { client.withLock { $0 } }

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        // A device of a closed server throws `notConnected`.
        let old = client.withLock { $0 }
        do throws(BackendError) {
            return try await old.connect(as: credentials)
        } catch {
            guard error.code == .notConnected else { throw error }
            let new = make()
            client.withLock { $0 = new }
            return try await new.connect(as: credentials)
        }
    }
}

/// A clock that advances by a millisecond each time it is read, unless it is stopped.
private final class RunningClock: Sendable {
    let isStopped = Locked(false)
    private let time = Locked<Int64>(1_700_000_000_000)

    func read() -> Timestamp {
        let step: Int64 = isStopped.withLock { $0 } ? 0 : 1
        return Timestamp(
            milliseconds: time.withLock { time in
                time += step
                return time
            })
    }
}
