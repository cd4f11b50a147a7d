import EmbeddedServer
import Scrollback
import Testing

@Test @MainActor func offlineMessageIsSentLater() async throws {
    let server = try EmbeddedServer.inMemory()
    let network = ConditionedBackend(server.client())
    var options = ChatClientOptions()
    options.sleep = { _ in }  // retries do not wait
    options.storage = .inMemory
    let client = try await ChatClient.open(backend: network, options: options)
    try await client.connect(as: Credentials("alice"))
    try await client.createChannel(GroupChannelCreateParams("General", url: "general"))

    network.goOffline()
    let hello = try await client.send("Hello?", in: "general")
    #expect(hello.message.sendingStatus == .pending)

    network.goOnline()
    let result = try await hello.result
    guard case .sent = result else {
        Issue.record("not sent: \(result)")
        return
    }
    await client.close()
}
