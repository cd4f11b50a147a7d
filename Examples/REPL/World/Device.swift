import EmbeddedServer
import Foundation
import Scrollback
import ScrollbackInspector

/// A user's device: a client with its own cache, and a simulated network.
@MainActor
final class Device {
    /// The user's ID, with `@` and a name if the user has several devices.
    let name: String

    let userID: UserID

    let network: ConditionedBackend

    let account: Account

    let client: ChatClient

    private(set) var collection: MessageCollection?

    var channelList: GroupChannelCollection? { didSet { oldValue?.dispose() } }

    var search: MessageSearch? { didSet { oldValue?.dispose() } }

    var messageList: MessageList? { didSet { oldValue?.dispose() } }

    var listedMessages: [Message] {
        (search?.messages.map(\.message) ?? []) + (messageList?.rows.map(\.message) ?? [])
    }

    private var events: EventBuffer

    #if Inspector
        var inspector: Inspector?
    #endif

    var onEvent: () -> Void = {}

    private let listener: Listener
    private var following: Task<Void, Never>?
    private weak var followed: SyncEngine?
    private var followingRows: Task<Void, Never>?
    private var streams: [Task<Void, Never>] = []
    /// The identifiers under which the listener is registered; `nil` without one.
    private var registrations: Set<String?> = []
    var isListening: Bool { !registrations.isEmpty || !streams.isEmpty }

    /// Returns the user's ID from a device's name, `USER` or `USER@DEVICE`; otherwise `nil`.
    ///
    /// `DEVICE` contains no dot, so that an e-mail address is a user's ID. A Matrix user's ID
    /// starts with `@`, and contains a colon.
    static func userID(of name: String) -> UserID? {
        guard !name.isEmpty, !name.hasPrefix("@") || name.contains(":"), name.last != "@" else {
            return nil
        }
        guard let sign = name.lastIndex(of: "@"), sign > name.startIndex,
            !name[sign...].contains(".")
        else { return UserID(name) }
        return UserID(String(name[..<sign]))
    }

    init(
        _ name: String, of userID: UserID, network: ConditionedBackend, account: Account,
        options: ChatClientOptions, eventLimit: Int
    ) async throws(SyncError) {
        (self.name, self.userID) = (name, userID)
        self.network = network
        self.account = account
        events = EventBuffer(limit: eventLimit)
        client = try await ChatClient.open(backend: network, options: options)
        listener = Listener(userID)
        listener.onEvent = { [weak self] in self?.report($0, $1) }
        listen()
        follow()
    }

    /// Registers the listener, under an identifier if there is one.
    func listen(as identifier: String? = nil) {
        stopStreams()
        registrations.insert(identifier)
        client.addConnectionDelegate(listener, identifier: identifier)
        client.addUserEventDelegate(listener, identifier: identifier)
        client.addChannelDelegate(listener, identifier: identifier)
    }

    func stopListening(as identifier: String? = nil) {
        stopStreams()
        registrations.remove(identifier)
        guard let identifier else {
            client.removeConnectionDelegate(listener)
            client.removeUserEventDelegate(listener)
            client.removeChannelDelegate(listener)
            return
        }
        client.removeConnectionDelegate(identifier: identifier)
        client.removeUserEventDelegate(identifier: identifier)
        client.removeChannelDelegate(identifier: identifier)
    }

    /// Reports the events of the client's streams instead of those that its delegates receive.
    func readStreams() {
        stopListening()
        let (client, listener) = (self.client, self.listener)
        let (connection, users) = (client.connectionEvents(), client.userEvents())
        let (channels, uploads) = (client.events(), client.uploads())
        listener.ignoresUploadsOfTheCollection = true
        streams = [
            Task { for await event in connection { listener.client(client, didReceive: event) } },
            Task { for await event in users { listener.report(event, of: client) } },
            Task { for await event in channels { listener.client(client, didReceive: event) } },
            Task { for await progress in uploads { listener.report(progress) } },
        ]
    }

    private func stopStreams() {
        for stream in streams { stream.cancel() }
        streams = []
        listener.ignoresUploadsOfTheCollection = false
    }

    /// Opens the user's stored data without connecting.
    func open() async throws(SyncError) {
        defer { follow() }
        try await client.open(as: userID)
    }

    /// Connects, and fetches what the device has missed, as a background task does.
    func catchUp(within limit: Duration, accessToken: String?) async -> CatchUpResult {
        defer { follow() }
        return await client.catchUp(as: credentials(accessToken), within: limit)
    }

    /// Connects the device's user with an access token; `nil` for the previous credentials.
    func connect(accessToken: String?) async throws(SyncError) -> BackendError? {
        defer { follow() }
        return try await client.connect(as: credentials(accessToken)).reason
    }

    /// Returns the credentials of the user, with an access token if there is a new one.
    private func credentials(_ accessToken: String?) -> Credentials {
        if let accessToken {
            account.credentials = Credentials(userID, accessToken: accessToken)
        }
        return account.credentials
    }

    func show(_ collection: MessageCollection?) {
        self.collection?.dispose()
        followingRows?.cancel()
        followingRows = nil
        self.collection = collection
        collection?.delegate = listener
    }

    func followRows() {
        guard let collection, followingRows == nil else { return }
        let changes = collection.allChanges()
        followingRows = Task { [weak self] in
            for await change in changes {
                self?.report(Event("rows_changed", "~ \(change.line)"), .collection)
            }
        }
    }

    func close() async {
        show(nil)
        following?.cancel()
        stopStreams()
        await client.close()
    }

    func hasReported(_ state: SyncState) -> Bool { listener.state == state }

    func removeEvents() -> [Event] { events.removeAll() }

    private func report(_ event: Event, _ source: EventBuffer.Source) {
        events.add(event, source)
        onEvent()
    }

    /// Observes the engine's events; a log-out replaces the engine.
    private func follow() {
        guard let engine = try? client.engine, engine !== followed else { return }
        followed = engine
        following?.cancel()
        following = Task { [weak self] in
            for await event in await engine.events() { self?.listener.report(event) }
        }
    }
}

/// The credentials of a device's user, with a replaceable token.
final class Account: Sendable {
    private let current: Locked<Credentials>

    var credentials: Credentials {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    init(_ credentials: Credentials) { current = Locked(credentials) }
}

/// The newest events that are not shown yet, up to a limit.
///
/// Events are grouped by source, because the order of sources varies from run to run.
struct EventBuffer {
    /// The sources, in the order in which their events are shown.
    enum Source: CaseIterable { case client, upload, engine, store, collection }

    let limit: Int

    private var events: [Source: [Event]] = [:]
    private var omittedCounts: [Source: Int] = [:]

    init(limit: Int) { self.limit = limit }

    mutating func add(_ event: Event, _ source: Source) {
        events[source, default: []].append(event)
        guard events[source, default: []].count > limit else { return }
        events[source]?.removeFirst()
        omittedCounts[source, default: 0] += 1
    }

    mutating func removeAll() -> [Event] {
        defer { self = EventBuffer(limit: limit) }
        return Source.allCases.flatMap { source in
            let omitted = omittedCounts[source].map {
                Event("left_out", "… \(counted($0, "earlier event"))", ["count": $0])
            }
            return [omitted].compactMap { $0 } + (events[source] ?? [])
        }
    }
}

extension CollectionChange {
    fileprivate var line: String {
        if let reset { return "reset to \(counted(reset.count, "row"))" }
        func places(_ what: String, _ indices: [Int]) -> String? {
            indices.isEmpty ? nil : "\(what) \(indices.map(String.init).joined(separator: " "))"
        }
        return [
            places("delete", deletions), places("insert", insertions.map(\.index)),
            places("update", updates.map(\.to)), places("move", moves.map(\.to)),
        ].compactMap { $0 }.joined(separator: ", ")
    }
}
