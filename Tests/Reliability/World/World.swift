import EmbeddedServer
import Foundation
import Models
import ScrollbackFaultyDisks
import ScrollbackTesting
import Store
import Sync

/// A server to which alice writes, and bob's device, whose disk and network can be made to fail.
///
/// All files of the server and of the device are in one directory. A copy of the directory is
/// another world in the same state.
final class World {
    /// The channels in which both bob and alice write.
    static let channels: [ChannelURL] = ["general", "random"]
    /// The channel in which only alice writes, because some faults delete it.
    static let lounge: ChannelURL = "lounge"

    let directory: URL
    let server: EmbeddedServer
    let clock: ManualClock
    let alice: EmbeddedClient
    /// The network between the device and the server.
    let network: ConditionedBackend
    let waits = Waits()

    private(set) var disks = FailingDisks()
    private(set) var store: ChatStore?
    private(set) var engine: SyncEngine?
    /// The reports to the app, without duplicates.
    let reported = Reports()
    private var listener: Task<Void, Never>?

    /// The texts of bob's messages in each channel, in the order in which `send` returned.
    var promised: [ChannelURL: [String]] = [:]
    /// The texts of messages that failed and that the user sent again.
    var resent: Set<String> = []
    /// The messages of alice that the device has stored.
    var heard: [ChannelURL: Set<MessageID>] = [:]

    private let requestIDs: RequestIDs
    private let deviceIDs: RequestIDs
    private var count = 0
    private let process: Int

    /// Opens a world in a new directory or in the directory of an earlier world.
    ///
    /// `process` is the number of the process that opens the world. It makes names unique.
    init(
        in directory: URL, process: Int = 1,
        server conditions: ServerConditions = ServerConditions()
    ) async throws {
        self.directory = directory
        self.process = process
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let clock = ManualClock(at: Timestamp(milliseconds: Int64(process) * 1_000_000_000))
        self.clock = clock
        server = try EmbeddedServer(at: directory.appending(path: "server")) { clock.now }
        server.conditions = conditions
        alice = server.client()
        network = ConditionedBackend(server.client())
        requestIDs = RequestIDs(prefix: "alice \(process) ")
        deviceIDs = RequestIDs(prefix: "bob \(process) ")
        _ = try await alice.connect(as: Credentials("alice"))
        for url in World.channels + [World.lounge] { createChannel(url) }
    }

    var device: URL { directory.appending(path: "device") }

    func createChannel(_ url: ChannelURL) {
        // An earlier process may have created the channel.
        _ = try? server.createChannel(
            GroupChannelCreateParams(url.rawValue, userIDs: ["bob"], url: url), by: "alice")
    }

    // MARK: The device

    /// Options with logs and tables of 64 KiB, LevelDB's minimum, so that a store soon has several
    /// files.
    static var options: StoreOptions {
        var options = StoreOptions()
        options.writeBufferByteCount = 64 << 10
        options.blockCacheByteCount = 64 << 10
        return options
    }

    /// Opens the device's files on disks that may fail.
    func openDevice(
        on disks: FailingDisks = FailingDisks(), key: EncryptionKey? = nil
    ) throws(StoreError) {
        self.disks = disks
        let store = try disks.open(device, World.options, key: key)
        self.store = store
        store.observeReplacements { [reported] _ in reported.recordReplacement() }
        var options = SyncOptions()
        options.clockSkew = .zero
        options.backgroundChannels = 0
        let engine = SyncEngine(
            store: store, backend: network, options: options,
            sleep: { [waits] in try await waits.sleep(for: $0) }, jitter: { 0 },
            now: { [waits] in waits.now }, makeRequestID: { [deviceIDs] in deviceIDs.next() },
            renewSession: { Credentials("bob") })
        self.engine = engine
        listener = Task { [reported] in
            for await event in await engine.events() {
                if let text = event.asReported { reported.record(text) }
                if case .deliveryResult(.failed(let item), of: _) = event {
                    reported.record(failed: item)
                }
            }
        }
    }

    func closeDevice() async {
        await engine?.close()
        listener?.cancel()
        await listener?.value
        store?.close()
        (engine, store, listener) = (nil, nil, nil)
    }

    /// Closes the store after damage was found in its files.
    ///
    /// The engine has not connected yet.
    func dropDevice() {
        listener?.cancel()
        store?.close()
        (engine, store, listener) = (nil, nil, nil)
    }

    func close() async {
        await closeDevice()
        await alice.disconnect()
        server.close()
    }

    /// Connects the device.
    ///
    /// Waits until it has received the newest messages.
    func connect() async throws {
        guard let engine else { return }
        try await engine.connect(as: Credentials("bob"))
        for url in World.channels { try await engine.caughtUp(url) }
    }

    /// Waits until the device's store fulfills a condition.
    func until(_ condition: (any StoreReader) throws -> Bool) async throws {
        guard let store else { throw Unexpected("no store is open") }
        let (snapshot, changes) = try store.observe(.everything)
        if try condition(snapshot) { return }
        for await _ in changes where try condition(try store.snapshot()) { return }
        throw Unexpected("the store was closed before it was as it should be")
    }

    // MARK: Messages

    /// Sends a message of alice in each channel.
    @discardableResult
    func say(in urls: [ChannelURL] = World.channels) async throws -> [Message] {
        var said: [Message] = []
        for url in urls {
            count += 1
            clock.advance(by: .seconds(1))
            said.append(try await alice.send(outboxItem("alice \(process).\(count)", in: url)))
        }
        return said
    }

    /// Sends a message of alice in each channel, and waits until the device has received it.
    func receive(_ note: (String) -> Void = { _ in }) async throws {
        for message in try await say() {
            guard let id = message.messageID else { continue }
            try await until { try $0.message(id, in: message.channelURL) != nil }
            heard[message.channelURL, default: []].insert(id)
            note("heard \(message.channelURL) \(id)")
        }
    }

    /// Sends a message of bob in each channel.
    ///
    /// A message is promised if the outbox accepts it.
    func write(_ note: (String) -> Void = { _ in }) async throws {
        guard let engine else { return }
        for url in World.channels {
            count += 1
            let text = "bob \(process).\(count)"
            _ = try await engine.send(NewMessage(text), in: url)
            promised[url, default: []].append(text)
            note("wrote \(url) \(text)")
        }
    }

    /// Sends a file of bob in each channel, of which the outbox keeps a copy.
    ///
    /// The message is promised if the outbox accepts it.
    func sendFiles(_ note: (String) -> Void = { _ in }) async throws {
        guard let engine else { return }
        for url in World.channels {
            count += 1
            let text = "bob \(process).\(count)"
            let file = try file(text)
            defer { remove(file) }
            _ = try await engine.send(NewMessage(text, files: [file]), in: url, keepsCopies: true)
            promised[url, default: []].append(text)
            note("wrote \(url) \(text)")
        }
    }

    /// Returns the bytes of the file of one of bob's messages.
    static func fileBytes(_ text: String) -> Data {
        Data(String(repeating: text + " ", count: 1_000).utf8)
    }

    /// Creates the file of one of bob's messages.
    func file(_ text: String) throws -> UploadableFile {
        let url = directory.appending(path: "file-\(count)")
        try World.fileBytes(text).write(to: url)
        return UploadableFile(path: url.path, name: text)
    }

    /// Removes the original of a file of which the outbox has a copy.
    func remove(_ file: UploadableFile?) {
        // An error can be ignored, because the remaining files are removed at the end of the test.
        if let path = file?.path { try? FileManager.default.removeItem(atPath: path) }
    }

    func waitUntilSent() async throws { try await until { try $0.outboxItems().isEmpty } }

    private func outboxItem(_ text: String, in url: ChannelURL) -> OutboxItem {
        var message = Message(id: nil, channelURL: url, text: text, createdAt: 0)
        message.newMessage = NewMessage(text)
        return OutboxItem(message, requestID: requestIDs.next())
    }

    /// Returns a request ID that no other request has.
    func nextRequestID() -> RequestID { requestIDs.next() }
}

/// The reports to an app, without duplicates.
final class Reports: Sendable {
    private let texts = Locked<Set<String>>([])
    private let failedTexts = Locked<Set<String>>([])

    var all: Set<String> { texts.withLock { $0 } }

    /// The texts of messages that could not be sent, or whose result was not known.
    var failed: Set<String> { failedTexts.withLock { $0 } }

    private let isReplaced = Locked(false)

    func recordReplacement() { isReplaced.withLock { $0 = true } }

    /// Returns whether the engine has replaced the cache since the last call.
    func takeReplacement() -> Bool {
        isReplaced.withLock { isReplaced in
            defer { isReplaced = false }
            return isReplaced
        }
    }

    func record(_ text: String) { texts.withLock { _ = $0.insert(text) } }

    func record(failed item: OutboxItem) {
        guard let text = item.message?.text else { return }
        failedTexts.withLock { _ = $0.insert(text) }
    }
}

extension SyncEvent {
    /// The text that an app may show to its user, or `nil` if the event is not a problem.
    fileprivate var asReported: String? {
        switch self {
        case .state(let state):
            if let failure = state.failure { return "SyncState.failure: \(failure.code)" }
            switch state.connection {
            case .waiting: return "SyncState.connection: waiting"
            case .revoked: return "SyncState.connection: revoked"
            case .offline, .connecting, .online: return nil
            }
        case .historyLost(let loss): return "historyLost(\(loss))"
        case .sessionExpired: return "sessionExpired"
        case .failed(_, let error): return "failed(\(error.code))"
        case .deliveryResult(.failed(let item), of: _):
            let reason =
                item.errorCode == .fileDamaged
                ? "fileDamaged" : item.isDoubtful ? "isDoubtful" : "can be resent"
            return "DeliveryResult.failed: \(reason)"
        case .deliveryResult, .hugeGap, .evicted: return nil
        }
    }
}
