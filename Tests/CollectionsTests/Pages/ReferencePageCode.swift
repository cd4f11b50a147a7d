import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

/// The code of the modules' DocC landing pages, verbatim.
///
/// The code of Models' page is in a consumer package.
@Suite(.timeLimit(.minutes(10))) struct ReferencePageCode {
    // Sources/Collections/Collections.docc/Collections.md
    @Test @MainActor func sentMessageIsInTheCollectionAtOnce() async throws {
        let server = try EmbeddedServer.inMemory()
        var options = ChatClientOptions()
        options.storage = .inMemory  // the default is the application support directory
        let client = try await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: Credentials("alice"))
        try await client.createChannel(GroupChannelCreateParams("General", url: "general"))

        let collection = try client.makeMessageCollection(of: "general")
        collection.start()
        let hello = try await collection.send("hello")
        print(collection.messages.map(\.text))  // ["hello"]: pending, until the server has it
        let result = try await hello.result

        #expect(collection.messages.map(\.text) == ["hello"])
        guard case .sent = result else {
            Issue.record("It was not sent: \(result)")
            return
        }
        await client.close()
    }

    // Sources/EmbeddedServer/EmbeddedServer.docc/EmbeddedServer.md
    @Test func serverDeliversEventsAndNetworkLosesAnswers() async throws {
        let server = try EmbeddedServer.inMemory()
        try server.createChannel(
            GroupChannelCreateParams("General", userIDs: ["bob"], url: "general"), by: "alice")

        let bob = server.client()
        _ = try await bob.connect(as: Credentials("bob"))

        let first = try await bob.feed(since: nil)  // the channels there are
        try server.sendAdminMessage("Welcome.", to: "general")
        let second = try await bob.feed(since: first.cursor)  // the message

        #expect(first.events.contains { "\($0)".contains("general") })
        let texts = second.events.compactMap { event -> String? in
            if case .messageReceived(let message) = event { message.text } else { nil }
        }
        #expect(texts == ["Welcome."])
        try await theAnswerIsLost(server)
    }

    private func theAnswerIsLost(_ server: EmbeddedServer) async throws {
        let phone = ConditionedBackend(server.client(), conditions: .train(seed: 7))
        _ = try await phone.connect(as: Credentials("bob"))
        phone.failNext(of: [.send], with: BackendError(.unanswered, "lost"), at: .afterEffect)

        phone.conditions = .perfect
        var message = Message(id: nil, channelURL: "general", text: "Hi!", createdAt: 0)
        message.newMessage = NewMessage("Hi!")
        let item = OutboxItem(message, requestID: "r1")
        await #expect { try await phone.send(item) } throws: {
            ($0 as? BackendError)?.code == .unanswered
        }
        let page = try await phone.messages(in: "general", at: .newest, older: 1, newer: 0)
        #expect(page.messages.map(\.text) == ["Hi!"])
    }

    // Sources/Store/Store.docc/Store.md
    @Test func aBatchIsOneChange() throws {
        let store = try ChatStore.inMemory()
        let (_, change) = try store.commit { batch in
            try batch.save(
                Message(id: "1", channelURL: "general", text: "Hi!", createdAt: 1_700_000_000_000))
        }
        print(change.operations)  // a gap, since nothing else is known, and the message
        print(try store.messages(in: "general", limit: 30))  // the newest first

        let held = try store.messages(in: "general")
        #expect(held.map(\.text) == ["Hi!"])
        #expect(change.operations == [.savedGap(Gap(in: "general")), .savedMessage(held[0])])
    }

    // Sources/Sync/Sync.docc/Sync.md
    @Test func anEngineCatchesUp() async throws {
        let server = try EmbeddedServer.inMemory()
        let engine = SyncEngine(store: try ChatStore.inMemory(), backend: server.client())
        try await engine.connect(as: Credentials("alice"))
        try await engine.caughtUp()

        #expect(await engine.state.isLive)
        await engine.close()
    }
}

// MARK: Sources/ScrollbackTesting/ScrollbackTesting.docc/ScrollbackTesting.md

struct MySubject: ConformanceSubject {
    let users = ["alice", "bob", "carol"].map { Credentials($0) }
    let requestIDs = RequestIDs(prefix: "run 1, ")
    // During the checks, the feed of this backend does not wait for events.
    let answersFeedAtOnce = true

    func makeBackend(for user: Credentials) async throws -> any Backend { try MyBackend() }
    func makeRequestID() -> RequestID { requestIDs.next() }
}

@Test func myBackendKeepsItsPromises() async {
    let report = await BackendConformance.run(on: MySubject())
    #expect(report.isKept, "\(report)")
}

/// A backend like one that a user of the package would write.
private struct MyBackend: ForwardingBackend {
    let base: any Backend

    init() throws { base = try Self.server.get().client(waits: false) }

    private static let server = Result {
        // Each read of the clock takes a millisecond.
        let clock = ManualClock(at: 1_700_000_000_000)
        let server = try EmbeddedServer.inMemory { clock.advance(by: .milliseconds(1)) }
        for user in MySubject().users { try server.addUser(User(id: user.userID)) }
        return server
    }
}
