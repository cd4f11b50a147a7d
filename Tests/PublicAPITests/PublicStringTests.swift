import Collections
import Foundation
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests that no string that is passed to a client, a collection or a store ends the process.
///
/// The call must use the string or throw an error.
@Suite(.timeLimit(.minutes(10))) struct PublicStringTests {
    static let strings = [
        "", " ", "\u{0}", "a\u{0}b", "/", "..", "../../x", "~", "%2F", "e\u{301}", "\u{202E}abc",
        "👨‍👩‍👧‍👦", "\u{FEFF}", "\n", String(repeating: "x", count: 70_000),
        String(repeating: "é", count: 40_000),
    ]

    @Test(arguments: strings) @MainActor func noStringEndsTheProcess(string: String) async throws {
        let world = try await NumberWorld()
        let client = try await world.client()
        let url = ChannelURL(string)
        var message = NewMessage(string)
        (message.data, message.customType) = (string, string)
        _ = try? await client.send(message, in: world.url)
        _ = try? await client.send(NewMessage("x"), in: url)
        _ = try? await client.createChannel(
            GroupChannelCreateParams(string, userIDs: [UserID(string)], url: url))
        _ = try? await client.message(MessageID(string), in: world.url)
        _ = try? await client.messages(in: url, around: 5)
        _ = try? await client.resend(RequestID(string))
        _ = try? await client.setKeptInCache(true, for: url)
        _ = try? await client.clearCachedMessages(in: [url])
        _ = try? await client.engine.verify(url)
        _ = try? await client.download(FileInfo(url: string))
        _ = try? await client.outgoingFile(0, of: RequestID(string))
        let collection = try client.makeMessageCollection(of: url)
        _ = try? await collection.start().refreshed
        _ = try? await collection.send(message)
        collection.dispose()
        var query = GroupChannelListQuery()
        query.channelNameContainsFilter = string
        query.customTypeStartsWithFilter = string
        query.nicknameContainsFilter = string
        query.channelURLsFilter = [url]
        let channels = try client.makeGroupChannelCollection(query)
        _ = try? await channels.loadMore()
        try await client.send(NewMessage("usable"), in: world.url)
        _ = try? await client.connect(as: Credentials(UserID(string)))
        await client.close()
    }

    @Test(arguments: strings) func noStringEndsAStore(string: String) throws {
        let store = try ChatStore.inMemory()
        let url = ChannelURL(string)
        let message = Message.sample(1, in: url, text: string)
        _ = try? store.write { batch in try batch.save(message) }
        _ = try? store.write { $0.setToken([1], for: string) }
        _ = try? store.write { batch in try batch.save(User(id: UserID(string))) }
        _ = try? store.write { batch in try batch.removeMessage(MessageID(string), in: url) }
        _ = try? (store.messages(in: url, limit: 5), store.gaps(in: url), store.groupChannel(url))
        _ = try? store.message(MessageID(string), in: url)
        try store.write { batch in try batch.save(Message.sample(2)) }
        #expect(try store.message("2", in: "general") != nil)
        _ = ChatStore.directory(
            in: .temporaryDirectory, applicationID: string, userID: UserID(string))
    }
}
