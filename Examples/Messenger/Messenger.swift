import EmbeddedServer
import Foundation
import Scrollback

// A minimal app with two views: a list of channels, and a channel. The views only apply the changes
// of their collections to their contents. `swift run ScrollbackMessenger` prints the contents.

/// A list of channels with a line for each, sorted by the last message.
@MainActor
final class ChannelListView: GroupChannelCollectionDelegate {
    private let collection: GroupChannelCollection

    init(_ client: ChatClient) async throws {
        collection = try client.makeGroupChannelCollection()
        collection.delegate = self
        _ = try await collection.start().refreshed
    }

    func channelCollection(
        _ collection: GroupChannelCollection, didChange change: CollectionChange<GroupChannel>
    ) { draw() }

    func draw() {
        let lines = collection.channels.map { "\($0.name): \($0.lastMessage?.text ?? "…")" }
        print("channels | " + lines.joined(separator: " | "))
    }
}

/// A view of a channel's rows.
///
/// It applies changes to the rows, as a list view of an app does with animations.
@MainActor
final class ChannelView: MessageCollectionDelegate {
    let collection: MessageCollection
    private var rows: [MessageItem] = []

    init(_ client: ChatClient, _ url: ChannelURL) throws {
        collection = try client.makeMessageCollection(of: url)
        collection.delegate = self
        collection.start()
    }

    func messageCollection(
        _ collection: MessageCollection, didChange change: CollectionChange<MessageItem>
    ) {
        rows = change.applied(to: rows)
        let words = rows.map { row in
            switch row {
            case .gap: "~"
            case .message(let message):
                switch message.sendingStatus {
                case .pending: "(\(message.text))"
                case .failed: "!\(message.text)"
                default: message.text
                }
            }
        }
        print("\(collection.channelURL) | " + words.joined(separator: " | "))
    }
}

@main
enum Messenger {
    @MainActor
    static func main() async throws {
        let server = try EmbeddedServer.inMemory()
        let alice = server.client()
        _ = try await alice.connect(as: Credentials("alice"))
        let params = GroupChannelCreateParams("General", userIDs: ["bob"], url: "general")
        try server.createChannel(params, by: "alice")

        // This example keeps its data in memory and uses an embedded server. An app uses the
        // backend of its own server, and stores its data in files.
        var options = ChatClientOptions()
        options.storage = .inMemory
        let client = try await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: Credentials("bob"))
        try await client.acceptInvitation(to: "general")
        let list = try await ChannelListView(client)
        let view = try ChannelView(client, "general")
        try await view.collection.send(NewMessage("hello"))
        await client.disconnect()
        try await view.collection.send(NewMessage("said offline"))
        try await client.connect(as: Credentials("bob"))
        var changes = view.collection.allChanges().makeAsyncIterator()
        while !view.collection.pendingMessages.isEmpty { _ = await changes.next() }
        list.draw()
        await client.close()
    }
}
