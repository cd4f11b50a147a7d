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
_ = try await messages.start().refreshed  // the server's newest messages are in messages.items
var rows = messages.items
let changes = messages.allChanges()
try await messages.send("Hello!")  // is on disk when the call returns
for await change in changes {
    rows = change.applied(to: rows)
    for message in rows.compactMap(\.message) {
        print(message.sendingStatus, message.text)
    }
    if !rows.contains(where: { $0.message?.sendingStatus == .pending }) { break }
}
await client.close()
