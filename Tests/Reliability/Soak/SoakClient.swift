import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync

/// An app of a user on a device whose network and process can fail.
@MainActor
final class SoakClient {
    let name: String
    let userID: UserID
    let client: ChatClient
    let network: ConditionedBackend
    /// For each channel, the number of messages for which `send` returned.
    private(set) var written: [ChannelURL: Int] = [:]
    /// The numbers of the messages that failed once.
    ///
    /// They were sent again, after later messages.
    private(set) var failed: [ChannelURL: Set<Int>] = [:]
    private(set) var counts: [String: Int] = [:]
    private var collections: [MessageCollection] = []
    private var isSuspended = false
    private var listener: Task<Void, Never>?

    init(
        _ name: String, _ userID: UserID, _ server: EmbeddedServer, in directory: URL
    ) async throws {
        self.name = name
        self.userID = userID
        network = ConditionedBackend(server.client())
        var options = ChatClientOptions()
        options.storage = .directory(directory)
        options.store.writeBufferByteCount = 64 << 10
        options.store.blockCacheByteCount = 256 << 10
        options.cacheLimits.maximumByteCount = 1 << 20
        options.cacheLimits.minimumByteCount = 0
        options.cacheLimits.bytesBetweenChecks = 64 << 10
        options.sync.backoff = Backoff(
            interval: .milliseconds(20), multiplier: 2, maximum: .milliseconds(200))
        options.renewSession = { Credentials(userID) }
        client = try await ChatClient.open(backend: network, options: options)
    }

    func count(_ what: String) { counts[what, default: 0] += 1 }

    func connect() async throws {
        try await client.connect(as: Credentials(userID))
        guard listener == nil, let engine = try? client.engine else { return }
        listener = Task { [weak self] in
            for await event in await engine.events() {
                switch event {
                case .evicted: self?.count("evictions")
                case .deliveryResult(.failed(let item), of: _): self?.recordFailure(item)
                case .historyLost: self?.count("cursors lost")
                default: break
                }
            }
        }
    }

    private func recordFailure(_ item: OutboxItem) {
        count("sends failed")
        guard let text = item.message?.text.split(separator: " "), text.count > 1,
            let number = Int(text[1])
        else { return }
        failed[item.channelURL, default: []].insert(number)
    }

    /// Performs a random action of the user, or a random event of the device.
    func act(in url: ChannelURL, _ random: inout SeededRandom) async {
        do {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45: try await write(in: url, &random)
            case 45..<57: try open(url)
            case 57..<75: try await look(&random)
            case 75..<81: dispose(&random)
            case 81..<86:
                network.goOffline()
                count("times offline")
            case 86..<93:
                network.goOnline()
                await client.reconnect()
            case 93..<95:
                network.conditions = .withinContract(seed: random.next())
                count("network changes")
            case 95..<96: try await suspend()
            case 96..<98: try await resume()
            default: try await resendFailed()
            }
        } catch {
            // While the device is offline or suspended, calls that need a connection or the files
            // throw.
            count("errors thrown")
        }
    }

    private func write(in url: ChannelURL, _ random: inout SeededRandom) async throws {
        let number = written[url, default: 0]
        let filler = random.incompressibleText(words: 40)
        _ = try await client.send(NewMessage("\(name) \(number) \(filler)"), in: url)
        written[url] = number + 1
        count("messages written")
    }

    private func open(_ url: ChannelURL) throws {
        if collections.count >= 3 { collections.removeFirst().dispose() }
        let collection = try client.makeMessageCollection(of: url)
        collection.start()
        collections.append(collection)
        count("collections opened")
    }

    private func look(_ random: inout SeededRandom) async throws {
        guard let collection = collections.randomElement(using: &random) else { return }
        count("pages requested")
        // Do not wait for the task, because the network may be offline.
        Task { try? await collection.loadPrevious() }
    }

    private func dispose(_ random: inout SeededRandom) {
        guard let index = collections.indices.randomElement(using: &random) else { return }
        collections.remove(at: index).dispose()
    }

    private func suspend() async throws {
        guard !isSuspended else { return }
        try await client.suspend()
        isSuspended = true
        count("suspensions")
    }

    private func resume() async throws {
        guard isSuspended else { return }
        try await client.resume()
        isSuspended = false
    }

    /// Resends the failed messages, as users do, and discards those that the server has received
    /// and removed since, because they are older than ``Soak/lifetime``.
    ///
    /// Otherwise the outbox would grow during the run.
    private func resendFailed() async throws {
        let engine = try client.engine
        for item in try engine.store.outboxItems() where item.state == .failed {
            if item.errorCode == .messageNotFound {
                _ = try await engine.discardFailedItems([item.requestID])
                count("messages removed before the answer to their send")
            } else {
                _ = try await engine.resend(item.requestID)
            }
        }
    }

    // MARK: The end

    /// Removes all faults, resends failed messages, and waits until all messages are sent.
    func heal() async throws {
        for collection in collections { collection.dispose() }
        collections = []
        network.conditions = .perfect
        try await resume()
        try await connect()
        try await resendFailed()
        let (snapshot, changes) = try client.engine.store.observe(.everything)
        if try snapshot.outboxItems().isEmpty { return }
        for await _ in changes {
            if try client.engine.store.outboxItems().isEmpty { return }
            // Calls in flight may have failed after the faults were removed.
            try await resendFailed()
        }
    }

    /// Fetches the whole history of a channel to the device.
    ///
    /// Returns the differences from the server's history.
    func differences(in url: ChannelURL, from history: [Message]) async throws -> [String] {
        let engine = try client.engine
        await engine.show(url, ShownRange(from: .beginning), viewer: -1)
        func isKnown(_ reader: some StoreReader) throws -> Bool {
            try reader.gaps(in: url).isEmpty && reader.staleRanges(in: url).isEmpty
        }
        let changes = try engine.store.observe(.everything).changes
        if try !isKnown(engine.store) {
            for await _ in changes where try isKnown(engine.store) { break }
        }
        let held = try engine.store.messages(in: url)
        await engine.hide(url, viewer: -1)
        var found: [String] = []
        let (ours, theirs) = (Set(held.map(\.messageID)), Set(history.map(\.messageID)))
        let (missing, extra) = (theirs.subtracting(ours).count, ours.subtracting(theirs).count)
        if ours.count != held.count { found.append("a message is there twice") }
        if missing > 0 { found.append("\(missing) are missing") }
        if extra > 0 { found.append("\(extra) are there that were deleted") }
        if found.isEmpty, held.map(\.messageID) != history.map(\.messageID) {
            found.append("the order is another one")
        }
        if found.isEmpty, held.map(\.text) != history.map(\.text) {
            found.append("a message says something else")
        }
        return found.map { "\(name) in \(url): \($0)" }
    }

    func close() async {
        listener?.cancel()
        await client.close()
    }
}
