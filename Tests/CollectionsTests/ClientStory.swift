import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// A server, the user alice who writes, and an app on bob's device.
@MainActor
final class ClientStory {
    let server: EmbeddedServer
    let clock = ManualClock(at: 1000)
    let alice: EmbeddedClient
    /// The device's network.
    let network: ConditionedBackend
    private let place = ScratchDirectory()
    let device = ManualClock(at: 5_000_000_000_000)
    private let deviceIDs = RequestIDs(prefix: "device ")
    private let requestIDs = RequestIDs()

    init() async throws {
        let clock = clock
        server = try EmbeddedServer.inMemory { clock.now }
        alice = server.client()
        network = ConditionedBackend(server.client())
        _ = try await alice.connect(as: Credentials("alice"))
        try createChannel()
    }

    /// The app's directory.
    var directory: URL { place.url }

    /// The app's directory for a user.
    func directory(of userID: UserID, hidesUser: Bool = false) -> URL {
        ChatStore.directory(
            in: directory, applicationID: "default", userID: userID, hidesUser: hidesUser)
    }

    func createChannel(_ url: ChannelURL = "general", with users: [UserID] = ["bob"]) throws {
        try server.createChannel(
            GroupChannelCreateParams(url.rawValue, userIDs: users, url: url), by: "alice")
    }

    var options: ChatClientOptions {
        var options = ChatClientOptions()
        options.storage = .directory(directory)
        options.sync.clockSkew = .zero
        options.sync.backgroundChannels = 0
        options.sleep = { _ in }
        options.jitter = { 0 }
        options.now = { [device] in device.now }
        options.makeRequestID = { [deviceIDs] in deviceIDs.next() }
        return options
    }

    /// Returns options with which the client works in memory if it cannot open its files.
    func lenientOptions(with key: EncryptionKey? = nil) -> ChatClientOptions {
        var options = self.options.encrypted(with: key)
        options.storageFailurePolicy = .continueInMemory
        return options
    }

    /// Opens the app as a new process would.
    func open(_ options: ChatClientOptions? = nil) async throws(SyncError) -> ChatClient {
        try await ChatClient.open(
            backend: JitteryBackend.wrapping(network), options: options ?? self.options)
    }

    /// Opens the app as a new process would, and connects bob.
    func connected(_ options: ChatClientOptions? = nil) async throws -> ChatClient {
        let client = try await open(options)
        try await client.connect(as: Credentials("bob"))
        return client
    }

    /// Returns those of the texts that a file of the app has in its path or contents.
    ///
    /// A text of up to five characters must be the entire contents of a file, because random bytes
    /// may contain it by chance.
    func readable(_ texts: [String]) throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        return texts.filter { text in
            paths.contains { path in
                let bytes = FileManager.default.contents(
                    atPath: directory.appending(path: path).path)
                if path.contains(text) || bytes == Data(text.utf8) { return true }
                return text.count > 5 && bytes?.range(of: Data(text.utf8)) != nil
            }
        }
    }

    @discardableResult
    func say(_ words: String, in url: ChannelURL = "general") async throws -> [Message] {
        try await alice.say(words, in: url, clock, requestIDs)
    }

    func edit(_ message: Message, to text: String) async throws {
        clock.advance(by: .seconds(1))
        _ = try await alice.update(
            message.messageID!, in: message.channelURL, with: .text(text),
            requestID: requestIDs.next())
    }

    func delete(_ message: Message) async throws {
        clock.advance(by: .seconds(1))
        try await alice.delete(
            message.messageID!, in: message.channelURL, requestID: requestIDs.next())
    }

    /// Waits until the client's store fulfills a condition.
    func until(
        _ client: ChatClient, _ condition: (any StoreReader) throws -> Bool
    ) async throws {
        try await client.engine.store.until(condition)
    }
}

extension ChatClientOptions {
    /// Returns these options with an encryption key.
    func encrypted(with key: EncryptionKey?) -> ChatClientOptions {
        var options = self
        options.encryptionKey = key
        return options
    }
}

extension ChatClient {
    /// Starts a collection of a channel, and returns it after it was updated from the server.
    func startedCollection(of url: ChannelURL = "general") async throws -> MessageCollection {
        let collection = try makeMessageCollection(of: url)
        _ = try await collection.start().refreshed
        return collection
    }
}

/// Records the notifications of a client, one line for each.
@MainActor
final class Listener: Recorder, ConnectionDelegate, UserEventDelegate, ChannelDelegate {
    func client(_ client: ChatClient, didReceive event: ConnectionEvent) {
        record(event.description)
    }

    func client(_ client: ChatClient, didFind damage: StorageDamage) {
        if damage.cache != nil { record("damage: cache") }
        if damage.replacedCache != nil { record("damage: replaced cache") }
        if damage.outbox != nil { record("damage: outbox") }
        if damage.plainStore != nil { record("damage: plain store") }
    }

    func client(_ client: ChatClient, didUpdateUnreadCount count: UnreadItemCount) {
        record("unread \(count.groupChannelUnreadMessageCount)")
    }

    func client(_ client: ChatClient, didReceive event: ChannelEvent) { record(event.line) }
}

extension ChannelEvent {
    /// The event as one line, such as `general +a` or `general eventUserJoined bob`.
    var line: String {
        let mention = isMention ? " (mention)" : ""
        switch source {
        case .eventMessageReceived:
            return "\(channelURL) +\(message!.text)\(mention)"
        case .eventMessageUpdated: return "\(channelURL) *\(message!.text)"
        case .eventMessageDeleted: return "\(channelURL) -\(messageID!)"
        default:
            let details =
                users.map(\.userID.rawValue) + (message.map { [$0.text] } ?? [])
                + (channel == nil ? ["(removed)"] : [])
            return (["\(channelURL)", "\(source)"] + details).joined(separator: " ")
        }
    }
}
