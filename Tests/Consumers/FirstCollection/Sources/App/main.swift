import EmbeddedServer
import Foundation
import Scrollback

// In place of your own server, which a Backend would stand for: one within the process.
let server = try EmbeddedServer.inMemory()
try server.createChannel(
    GroupChannelCreateParams("General", userIDs: ["bob"], url: "general"), by: "alice")

var options = ChatClientOptions()
options.isLocalCachingEnabled = true
options.directory = .temporaryDirectory.appending(path: "first-collection")
let client = await ChatClient.open(backend: server.client(), options: options)
try await client.connect(as: Credentials("alice"))
if let error = client.cachingError { print("Nothing is kept on the disk: \(error)") }

// The channels, and the messages of one: from the cache at once, and in step with the server.
let channels = try client.makeGroupChannelCollection()
try await channels.loadMore()
let messages = try client.makeMessageCollection(of: "general")
_ = try await messages.start().value

// What a list view does: it shows the rows, and folds each change into them.
var rows = messages.items
let changes = messages.allChanges()

// On the disk when the call returns; sent when it can be, in order, and once.
try await messages.send(UserMessageCreateParams("Hello!"))
for await change in changes {
    rows = change.applied(to: rows)
    for row in rows {
        switch row {
        case .message(let message): print(message.sendingStatus, message.text)
        case .gap: print("There is something missing here.")
        }
    }
    if messages.pendingMessages.isEmpty { break }
}

// Older messages, what is missing, and a look at what is known.
if messages.hasPrevious { try await messages.loadPrevious() }
for gap in rows.compactMap(\.gap) { try await messages.fill(gap) }
print(try messages.coverage().isComplete)  // true
await client.close()
