import EmbeddedServer
import Observation
import Scrollback

// A messenger without a screen: the models of two views, and a program that uses them as views
// would, on an embedded server. `swift run ScrollbackMessenger` prints what the views show.

@main
enum Messenger {
    @MainActor
    static func main() async throws {
        let server = try EmbeddedServer.inMemory()
        try server.createChannel(
            GroupChannelCreateParams("General", userIDs: ["bob"], url: "general"), by: "alice")

        // An app uses its own server's backend, and stores data in files.
        var options = ChatClientOptions()
        options.storage = .inMemory
        let client = try await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: Credentials("alice"))

        let list = try ChannelListModel(client)
        await list.start()
        let conversation = try ConversationModel(client, "general")
        await conversation.start()
        conversation.text = "hello"
        await conversation.send()
        await client.disconnect()
        conversation.text = "said offline"
        await conversation.send()
        show(list, conversation)

        try await client.connect(as: Credentials("alice"))
        await until { !conversation.rows.contains { $0.isWaiting } }
        show(list, conversation)
        await client.close()
    }

    @MainActor
    private static func show(_ list: ChannelListModel, _ conversation: ConversationModel) {
        for row in list.rows { print("\(row.title): \(row.subtitle)") }
        for row in conversation.rows {
            switch row.content {
            case .gap: print("  … more messages")
            case .bubble(let bubble): print("  \(bubble.author): \(bubble.text) (\(bubble.state))")
            }
        }
    }
}

extension ConversationModel.Row {
    var isWaiting: Bool {
        if case .bubble(let bubble) = content { bubble.state == .sending } else { false }
    }
}

/// Waits until a condition on observable values is true.
@MainActor func until(_ isTrue: @escaping @MainActor () -> Bool) async {
    while true {
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        let isDone = withObservationTracking(isTrue) { continuation.yield() }
        if isDone { return }
        for await _ in changes { break }
    }
}
