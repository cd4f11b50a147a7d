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
    let hello = try await client.send(UserMessageCreateParams("Hello?"), in: "general")
    #expect(hello.sendingStatus == .pending)

    network.goOnline()
    let request = try #require(hello.requestID)
    let result = try await client.engine().deliveryResult(of: request, in: "general")
    guard case .sent = result else {
        Issue.record("not sent: \(result)")
        return
    }
    await client.close()
}
