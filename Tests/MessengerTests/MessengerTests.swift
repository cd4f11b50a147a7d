import EmbeddedServer
import Scrollback
import Sync
import Testing

@testable import ScrollbackMessenger

/// Tests the models of the example's views as an app tests its own: without a screen, on an
/// embedded server.
@Suite(.timeLimit(.minutes(10))) @MainActor struct MessengerTests {
    private let server: EmbeddedServer
    private let client: ChatClient
    private let alice: EmbeddedClient

    init() async throws {
        server = try EmbeddedServer.inMemory()
        for name in ["General", "Cats"] {
            let url = ChannelURL(name.lowercased())
            try server.createChannel(
                GroupChannelCreateParams(name, userIDs: ["bob"], url: url), by: "alice")
        }
        alice = server.client()
        _ = try await alice.connect(as: Credentials("alice"))
        var options = ChatClientOptions()
        options.storage = .inMemory
        client = try await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: Credentials("bob"))
    }

    private func conversation(_ url: ChannelURL = "general") async throws -> ConversationModel {
        let model = try ConversationModel(client, url)
        await model.start()
        return model
    }

    private func bubbles(_ model: ConversationModel) -> [ConversationModel.Bubble] {
        model.rows.compactMap { if case .bubble(let bubble) = $0.content { bubble } else { nil } }
    }

    @Test func messageWrittenOfflineKeepsItsRowWhenItIsSent() async throws {
        let model = try await conversation()
        await client.disconnect()
        model.text = "said offline"
        await model.send()
        #expect(model.problem == nil && model.text.isEmpty)
        #expect(bubbles(model).map(\.state) == [.sending])
        let row = try #require(model.rows.last?.id)
        try await client.connect(as: Credentials("bob"))
        await until { bubbles(model).map(\.state) == [.sent] }
        #expect(model.rows.last?.id == row)
        #expect(bubbles(model).first?.isMine == true)
    }

    @Test func failedMessageIsResentOrDiscarded() async throws {
        let model = try await conversation()
        await client.disconnect()
        for text in ["one", "two"] {
            model.text = text
            await model.send()
        }
        try await alice.perform(SetFrozen(true, for: "general"))
        try await client.connect(as: Credentials("bob"))
        await until { bubbles(model).map(\.state) == [.failed, .failed] }
        try await alice.perform(SetFrozen(false, for: "general"))
        await model.resend(model.rows[0])
        await model.discard(model.rows[1])
        await until { bubbles(model).map(\.state) == [.sent] }
        #expect(bubbles(model).map(\.text) == ["one"])
    }

    @Test func refusedTextStaysInTheField() async throws {
        let model = try await conversation()
        try await alice.perform(SetFrozen(true, for: "general"))
        await until { model.isFrozen }
        model.text = "one"
        await model.send()
        #expect(model.problem != nil && model.text == "one" && model.rows.isEmpty)
    }

    @Test func editReactionAndDeletionAreShown() async throws {
        let model = try await conversation()
        model.text = "helo"
        await model.send()
        await until { bubbles(model).map(\.state) == [.sent] }
        await model.edit(model.rows[0], "hello")
        await model.react(model.rows[0], with: "wave")
        await until { bubbles(model).first?.isEdited == true }
        await until { bubbles(model).first?.reactions == ["wave 1"] }
        #expect(bubbles(model).map(\.text) == ["hello"])
        await model.delete(model.rows[0])
        await until { model.rows.isEmpty }
    }

    @Test func draftIsInTheListAndInTheFieldAfterAReturn() async throws {
        let list = try ChannelListModel(client)
        await list.start()
        let model = try await conversation()
        model.text = "to be con"
        await model.saveDraft()
        await until { list.rows.contains { $0.subtitle == "Draft: to be con" } }
        #expect(try await conversation().text == "to be con")
    }

    @Test func pinnedChannelIsFirst() async throws {
        let list = try ChannelListModel(client)
        await list.start()
        await until { list.rows.count == 2 }
        let last = try #require(list.rows.last)
        await list.togglePin(last)
        await until { list.rows.first?.id == last.id && list.rows.first?.isPinned == true }
        await list.togglePin(list.rows[0])
        await until { !list.rows.contains(where: \.isPinned) }
    }

    @Test func listSaysWhenItIsNotUpToDate() async throws {
        let list = try ChannelListModel(client)
        await list.start()
        #expect(list.status == nil)
        await client.disconnect()
        let later = try ChannelListModel(client)
        await later.start()
        #expect(later.status != nil && later.rows.count == 2)
    }
}
