import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

// The code of Docs/EndToEnd.md, verbatim.

/// An end-to-end encryption, such as an implementation of MLS or of the Double Ratchet.
protocol MessageCipher: Sendable {
    func encrypt(_ text: String, in channel: ChannelURL) throws -> String

    /// Returns the text; `nil` if its key has not arrived yet.
    func decrypt(_ text: String, in channel: ChannelURL) -> String?
}

/// A backend that encrypts what it sends and decrypts what it receives.
struct EndToEndBackend: ForwardingBackend {
    let base: any Backend
    let cipher: any MessageCipher

    func forward<Call: BackendCall>(_ call: Call) async throws(BackendError) -> Call.Answer {
        let answer = try await call.make(on: base)
        return decrypted(answer) as? Call.Answer ?? answer
    }

    func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        var item = item
        if let text = item.newMessage?.text {
            let ciphertext = try encrypted(text, in: item.channelURL)
            item.message?.newMessage?.text = ciphertext
        }
        return decrypted(try await base.send(item))
    }

    func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        var update = update
        if case .text(var params) = update, let text = params.text {
            params.text = try encrypted(text, in: channelURL)
            update = .text(params)
        }
        return decrypted(
            try await base.update(
                messageID, in: channelURL, with: update, requestID: requestID, epoch: epoch))
    }

    private func encrypted(
        _ text: String, in channel: ChannelURL
    ) throws(BackendError) -> String {
        do {
            return try cipher.encrypt(text, in: channel)
        } catch {
            throw BackendError(.refused, "the text cannot be encrypted: \(error)")
        }
    }
}

extension EndToEndBackend {
    private func decrypted(_ message: Message) -> Message {
        var message = message
        if let text = cipher.decrypt(message.text, in: message.channelURL) {
            message.text = text
        } else {
            // A view shows such a message as locked.
            (message.text, message.customType) = ("", "locked")
        }
        return message
    }

    private func decrypted(_ channel: GroupChannel) -> GroupChannel {
        var channel = channel
        channel.lastMessage = channel.lastMessage.map(decrypted)
        return channel
    }

    private func decrypted(_ event: FeedEvent) -> FeedEvent {
        switch event {
        case .messageReceived(let message): return .messageReceived(decrypted(message))
        case .messageUpdated(let message): return .messageUpdated(decrypted(message))
        case .channel(var update):
            var channel = GroupChannel()
            update.patch.apply(to: &channel)
            if let message = channel.lastMessage {
                update.patch.set(\.lastMessage, to: decrypted(message))
            }
            return .channel(update)
        default: return event
        }
    }

    /// Decrypts the messages in an answer of the server.
    private func decrypted(_ answer: Any) -> Any {
        switch answer {
        case let message as Message: return decrypted(message)
        case let channel as GroupChannel: return decrypted(channel)
        case var page as MessagePage:
            page.messages = page.messages.map(decrypted)
            return page
        case var lookup as MessageLookup:
            lookup.found = lookup.found.map(decrypted)
            return lookup
        case var batch as FeedBatch:
            batch.events = batch.events.map(decrypted)
            return batch
        case var changes as MessageChangelog:
            changes.updated = changes.updated.map(decrypted)
            return changes
        case var page as Page<GroupChannel>:
            page.elements = page.elements.map(decrypted)
            return page
        case var changes as GroupChannelChangelog:
            changes.updated = changes.updated.map(decrypted)
            return changes
        default: return answer
        }
    }
}

/// A cipher for tests, which hides nothing.
private final class TestCipher: MessageCipher {
    private let keys: Locked<Set<ChannelURL>>

    init(keys: Set<ChannelURL>) { self.keys = Locked(keys) }

    func addKey(of channel: ChannelURL) { keys.withLock { _ = $0.insert(channel) } }

    func encrypt(_ text: String, in channel: ChannelURL) -> String {
        "cipher:" + Data(text.utf8).base64EncodedString()
    }

    func decrypt(_ text: String, in channel: ChannelURL) -> String? {
        guard text.hasPrefix("cipher:") else { return text }
        guard keys.withLock({ $0.contains(channel) }) else { return nil }
        return Data(base64Encoded: String(text.dropFirst(7)))
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Tests the backend of Docs/EndToEnd.md.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct EndToEndPageCode {
    private func open(
        _ server: EmbeddedServer, _ cipher: TestCipher, as user: UserID
    ) async throws -> ChatClient {
        let client = try await ChatClient.open(
            backend: EndToEndBackend(base: server.client(), cipher: cipher),
            options: ChatClientOptions(storage: .inMemory))
        try await client.connect(as: Credentials(user))
        return client
    }

    @Test func messageWithoutAKeyIsReadableOnceTheKeyArrives() async throws {
        let server = try EmbeddedServer.inMemory()
        try server.createChannel(
            GroupChannelCreateParams("Family", userIDs: ["alice", "bob"], url: "family"),
            by: "alice")
        let alice = try await open(server, TestCipher(keys: ["family"]), as: "alice")
        let cipher = TestCipher(keys: [])
        let client = try await open(server, cipher, as: "bob")
        let view = View(try client.makeMessageCollection(of: "family"))
        _ = try await view.collection.start().refreshed

        let sent = try await alice.makeMessageCollection(of: "family").send("secret")
        guard case .sent(let message) = try await sent.result else {
            Issue.record("not sent")
            return
        }
        #expect(message.text == "secret")
        await view.until { $0.collection.messages.map(\.customType) == ["locked"] }
        #expect(view.collection.messages[0].text == "")
        let plain = try await ChatClient.open(
            backend: server.client(), options: ChatClientOptions(storage: .inMemory))
        try await plain.connect(as: "alice")
        _ = try await plain.engine.fetchMessages(in: "family", at: .newest, older: 1, newer: 0)
        #expect(
            try plain.engine.store.messages(in: "family").map(\.text) == ["cipher:c2VjcmV0"])

        cipher.addKey(of: "family")
        let channel: ChannelURL = "family"
        try await client.engine.repair(channel)
        await view.until { $0.collection.messages.map(\.text) == ["secret"] }
        #expect(view.collection.messages[0].customType == "")
        #expect(try client.engine.store.groupChannel("family")?.lastMessage?.text == "secret")
        // The cache is in plain text, so that it can be searched.
        #expect(try await client.search(MessageSearchParams("secret")).messages.count == 1)
        for client in [alice, client, plain] { await client.close() }
    }

    @Test func editIsEncrypted() async throws {
        let server = try EmbeddedServer.inMemory()
        try server.createChannel(
            GroupChannelCreateParams("Family", userIDs: ["alice"], url: "family"), by: "alice")
        let client = try await open(server, TestCipher(keys: ["family"]), as: "alice")
        let view = View(try client.makeMessageCollection(of: "family"))
        _ = try await view.collection.start().refreshed
        _ = try await view.collection.send("one").result
        _ = try await view.collection.edit(view.collection.messages[0], text: "two").result
        await view.until { $0.collection.messages.map(\.text) == ["two"] }
        let plain = try await ChatClient.open(
            backend: server.client(), options: ChatClientOptions(storage: .inMemory))
        try await plain.connect(as: "alice")
        _ = try await plain.engine.fetchMessages(in: "family", at: .newest, older: 1, newer: 0)
        #expect(try plain.engine.store.messages(in: "family").map(\.text) == ["cipher:dHdv"])
        for client in [client, plain] { await client.close() }
    }
}
