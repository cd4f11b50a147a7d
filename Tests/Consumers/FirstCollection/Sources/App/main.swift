import EmbeddedServer
import Foundation
import Scrollback

let server = try EmbeddedServer.inMemory()  // replace this with your own Backend
try server.createChannel(GroupChannelCreateParams("General", url: "general"), by: "alice")

var options = ChatClientOptions()
options.storage = .directory(.temporaryDirectory.appending(path: "scrollback-first-list"))
let client = try await ChatClient.open(backend: server.client(), options: options)
try await client.connect(as: Credentials("alice"))

let messages = try client.makeMessageCollection(of: "general")
_ = try await messages.start().refreshed  // messages.items already has the cached rows
let changes = messages.allChanges()
try await messages.send(UserMessageCreateParams("Hello!"))  // is on disk when the call returns
for await _ in changes {
    for message in messages.items.compactMap(\.message) {
        print(message.sendingStatus, message.text)
    }
    if messages.pendingMessages.isEmpty { break }
}
await client.close()
