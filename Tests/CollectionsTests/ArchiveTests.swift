import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Archives a channel, or takes it out of the archive.
private struct ArchiveChannel: OfflineRequest {
    typealias Answer = Void

    static let declaration = CallDeclaration(
        "archiveChannel", "Archives a channel, or takes it out of the archive.",
        promises: [BackendPromise("archive.reported", "The feed reports an admin message.")])

    var isArchived: Bool
    var channelURL: ChannelURL

    static func example(_ names: ExampleNames) -> ArchiveChannel {
        ArchiveChannel(isArchived: true, channelURL: names.channelURL)
    }
}

/// Tests that a request which an app declares passes through the client, the outbox, the simulated
/// network and the recorder.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ArchiveTests {
    private let server: EmbeddedServer
    private let network: ConditionedBackend
    private let recorder: BackendRecorder
    private let request = ArchiveChannel(isArchived: true, channelURL: "general")

    init() throws {
        let server = try EmbeddedServer.inMemory()
        try server.createChannel(GroupChannelCreateParams("General", url: "general"), by: "alice")
        server.on(ArchiveChannel.self) { [unowned server] request, user throws(BackendError) in
            guard user == "alice" else { throw BackendError(.refused, "\(user) is no member") }
            let change = request.isArchived ? "archived" : "restored"
            try server.sendAdminMessage("\(change) by \(user)", to: request.channelURL)
        }
        self.server = server
        recorder = BackendRecorder(server.client())
        network = ConditionedBackend(recorder)
    }

    private func client(
        _ storage: Storage = .inMemory, of user: UserID = "alice"
    ) async throws -> ChatClient {
        var options = ChatClientOptions()
        options.storage = storage
        options.sleep = { _ in }
        let client = try await ChatClient.open(backend: network, options: options)
        try await client.connect(as: Credentials(user))
        try await client.engine.caughtUp()
        return client
    }

    private func messages(_ client: ChatClient) throws -> [String] {
        try client.engine.store.read { try $0.messages(in: "general") }.map(\.text)
    }

    @Test func clientRunsTheRequestAndTheFeedReportsItsEffect() async throws {
        let client = try await client()
        #expect(try client.supports(ArchiveChannel.self))
        try await client.perform(request)
        try await client.engine.store.until { try !$0.messages(in: "general").isEmpty }
        #expect(try messages(client) == ["archived by alice"])
        #expect(
            recorder.log.lines.contains {
                $0.hasPrefix("archiveChannel(isArchived: true, channelURL: general)")
            })
        #expect(network.log.contains { $0.hasSuffix("archiveChannel general: answered") })
        await client.close()
    }

    @Test func requestThatWaitsOfflineIsSentAfterARelaunch() async throws {
        let directory = ScratchDirectory()
        let first = try await client(.directory(directory.url))
        await first.disconnect()
        try await first.perform(request)
        let items = try first.engine.store.outboxItems()
        #expect(items.map(\.requestName) == ["archiveChannel"] && items[0].state == .pending)
        await first.close()

        // The first attempt gets no answer, and is retried.
        network.failNext(
            of: [ArchiveChannel.name], with: BackendError(.unanswered, "no answer"))
        let second = try await client(.directory(directory.url))
        try await second.engine.store.until { try $0.outboxItems().isEmpty }
        try await second.engine.store.until { try !$0.messages(in: "general").isEmpty }
        #expect(try messages(second) == ["archived by alice"])
        let steps = network.log.filter { $0.contains("archiveChannel general: ") }
            .map { $0.drop { $0 != ":" } }
        #expect(steps == [": fails before its effect", ": unanswered", ": answered"])
        await second.close()
    }

    @Test func waitingRequestThatTheServerRefusesIsReported() async throws {
        let client = try await client(of: "bob")
        let events = try await client.engine.events()
        await client.disconnect()
        try await client.perform(request)
        try await client.connect(as: Credentials("bob"))
        for await case .deliveryResult(.failed(let item), _) in events {
            #expect(item.requestName == "archiveChannel")
            #expect(item.errorMessage == "bob is no member")
            break
        }
        #expect(try client.engine.store.outboxItems().isEmpty)
        await client.close()
    }

    @Test func simulatedFailuresApplyToTheRequest() async throws {
        let client = try await client()
        network.failNext(of: [ArchiveChannel.name], with: BackendError(.throttled, "too many"))
        let error = await #expect(throws: SyncError.self) { try await client.perform(request) }
        #expect(error?.code == .throttled)
        try await client.perform(request)
        await client.close()
    }

    @Test func serverWithoutTheHandlerDoesNotSupportTheRequest() async throws {
        let other = try EmbeddedServer.inMemory().client(waits: false)
        #expect(!other.requests.supports(ArchiveChannel.self))
        _ = try await other.connect(as: Credentials("alice"))
        let error = await #expect(throws: BackendError.self) { try await other.perform(request) }
        #expect(error?.code == .unsupported)
    }
}
