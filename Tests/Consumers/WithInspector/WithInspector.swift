import EmbeddedServer
import Foundation
import Scrollback
import ScrollbackInspector

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@main
struct WithInspector {
    @MainActor static func main() async throws {
        let server = try EmbeddedServer.inMemory()
        var options = ChatClientOptions()
        options.storage = .inMemory
        let client = try await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: Credentials("alice"))

        let inspector = try await Inspector(client).start()
        guard let address = inspector.address else { fatalError("The inspector has no address.") }
        let (page, _) = try await URLSession.shared.data(from: address)
        precondition(String(decoding: page, as: UTF8.self).contains("Scrollback Inspector"))

        await client.close()
    }
}
