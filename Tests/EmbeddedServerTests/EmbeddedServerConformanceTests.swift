// To switch these tests on, delete this line and the last one: the server has no clients here yet.
#if false
    import Foundation
    import Models
    import ScrollbackTesting
    import Store
    import Sync
    import Testing

    @testable import EmbeddedServer

    /// The embedded server keeps what `Backend` promises, as it is, and as smaller servers are.
    @Suite struct EmbeddedServerConformanceTests {
        @Test func theServerKeepsItsPromises() async throws {
            let report = await BackendConformance.run(on: try EmbeddedServerSubject())
            #expect(report.isKept, "\(report)")
            #expect(
                report.skipped.map(\.promiseID) == ["errors.unsupported", "feed.hole", "feed.hole"])
        }

        @Test func aServerThatTellsLittleAtATimeKeepsThemToo() async throws {
            var conditions = ServerConditions()
            conditions.pageLimit = 7
            conditions.changelogPageSize = 4
            conditions.feedBatchSize = 5
            conditions.listLimit = 3
            conditions.feedLimit = 10
            let report = await BackendConformance.run(on: try EmbeddedServerSubject(conditions))
            #expect(report.isKept, "\(report)")
        }

        @Test func aServerThatCanDoLittleKeepsThemToo() async throws {
            var conditions = ServerConditions()
            conditions.missingCapabilities = BackendCapabilities(rawValue: .max)
                .subtracting([.channelManagement, .messageChangelogByTime])
            let report = await BackendConformance.run(on: try EmbeddedServerSubject(conditions))
            #expect(report.isKept, "\(report)")
        }
    }

    /// An embedded server on the disk, as the conformance suite asks for it.
    final class EmbeddedServerSubject: ConformanceSubject {
        let users: [Credentials] = ["alice", "bob", "carol"].map { Credentials($0) }
        let hooks: Set<ConformanceHook> = [
            .restartServer, .forgetPast, .breakHistory, .stopTime, .startTime,
        ]
        private let requestIDs = RequestIDs()
        private let clock = ServerClock()
        private let directory = FileManager.default.temporaryDirectory
            .appending(path: "scrollback-conformance-\(UUID().uuidString)")
        private let conditions: ServerConditions
        private let server = Locked<EmbeddedServer?>(nil)

        init(_ conditions: ServerConditions = ServerConditions()) throws {
            self.conditions = conditions
            try start()
        }

        deinit {
            try? running().close()
            try? FileManager.default.removeItem(at: directory)  // Temporary files go anyway.
        }

        func makeBackend(for user: Credentials) async throws -> any Backend {
            try running().client(waits: false)
        }

        func makeRequestID() -> RequestID { requestIDs.next() }

        func perform(_ hook: ConformanceHook) async throws {
            switch hook {
            case .restartServer:
                try running().close()
                try start()
            case .forgetPast: try running().expireCursors()
            case .breakHistory: try running().restore(try running().backup())
            case .stopTime: clock.isStopped = true
            case .startTime: clock.isStopped = false
            case .openHoles: break  // Not among the hooks.
            }
        }

        private func running() throws -> EmbeddedServer {
            try #require(server.withLock { $0 })
        }

        private func start() throws {
            let started = try EmbeddedServer(at: directory) { [clock] in clock.read() }
            started.conditions = conditions
            server.withLock { $0 = started }
        }
    }

    /// A clock that a server reads: a millisecond passes with each reading, unless it is stopped.
    private final class ServerClock: Sendable {
        private let clock = ManualClock()
        private let stopped = Locked(false)

        var isStopped: Bool {
            get { stopped.withLock { $0 } }
            set { stopped.withLock { $0 = newValue } }
        }

        func read() -> Timestamp {
            isStopped ? clock.now : clock.advance(by: .milliseconds(1))
        }
    }
#endif
