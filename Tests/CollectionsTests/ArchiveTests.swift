import Collections
import EmbeddedServer
import Models
import ScrollbackTesting
import Sync
import Testing

// CONTRIBUTING.md describes these steps under "Adding a call to a server".

/// Archives a channel, or takes it out of the archive.
private struct ArchiveChannel: BackendRequest, ChannelCall {
    typealias Answer = GroupChannel

    static let declaration = CallDeclaration(
        "archiveChannel", "Archives a channel, or takes it out of the archive.",
        promises: [
            BackendPromise("archive.reported", "The channel has the custom type \"archived\".")
        ])

    var isArchived: Bool
    var channelURL: ChannelURL

    func effect(of answer: GroupChannel) -> CacheEffect { .channel(answer) }

    static func example(_ names: ExampleNames) -> ArchiveChannel {
        ArchiveChannel(isArchived: true, channelURL: names.channelURL)
    }
}

/// Tests that a request which an app declares passes through the client, the simulated network and
/// the recorder.
@MainActor @Suite struct ArchiveTests {
    private let server: EmbeddedServer
    private let network: ConditionedBackend
    private let recorder: BackendRecorder

    init() throws {
        server = try EmbeddedServer.inMemory()
        try server.createChannel(GroupChannelCreateParams("General", url: "general"), by: "alice")
        server.on(ArchiveChannel.self) { request, user throws(BackendError) in
            guard user == "alice" else { throw BackendError(.refused, "\(user) is no member") }
            var channel = GroupChannel()
            channel.url = request.channelURL
            channel.customType = request.isArchived ? "archived" : ""
            return channel
        }
        recorder = BackendRecorder(server.client())
        network = ConditionedBackend(recorder)
    }

    private func client(of user: UserID = "alice") async throws -> ChatClient {
        var options = ChatClientOptions()
        options.storage = .inMemory
        let client = try await ChatClient.open(backend: network, options: options)
        try await client.connect(as: Credentials(user))
        try await client.engine.caughtUp()
        return client
    }

    @Test func clientRunsTheRequestAndStoresItsEffect() async throws {
        let client = try await client()
        #expect(try client.supports(ArchiveChannel.self))
        let request = ArchiveChannel(isArchived: true, channelURL: "general")
        #expect(try await client.perform(request).customType == "archived")
        #expect(try await client.channel("general").customType == "archived")
        #expect(
            recorder.log.lines.contains {
                $0.hasPrefix("archiveChannel(isArchived: true, channelURL: general) → general")
            })
        #expect(network.log.contains { $0.hasSuffix("archiveChannel general: answered") })
        await client.close()
    }

    @Test func simulatedFailuresApplyToTheRequest() async throws {
        let client = try await client()
        network.failNext(of: [ArchiveChannel.name], with: BackendError(.throttled, "too many"))
        let request = ArchiveChannel(isArchived: true, channelURL: "general")
        let error = await #expect(throws: SyncError.self) { try await client.perform(request) }
        #expect(error?.code == .throttled)
        #expect(try await client.perform(request).customType == "archived")
        await client.close()
    }

    @Test func serverWithoutTheHandlerDoesNotSupportTheRequest() async throws {
        let other = try EmbeddedServer.inMemory().client(waits: false)
        #expect(!other.requests.supports(ArchiveChannel.self))
        _ = try await other.connect(as: Credentials("alice"))
        let request = ArchiveChannel(isArchived: true, channelURL: "general")
        let error = await #expect(throws: BackendError.self) { try await other.perform(request) }
        #expect(error?.code == .unsupported)
    }
}
