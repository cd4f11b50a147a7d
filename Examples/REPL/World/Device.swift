import EmbeddedServer
import Foundation
import Scrollback

/// One device of a user: an application with a cache of its own, and its way to the server.
@MainActor
final class Device {
    /// What it is called: the user's id, and what follows an `@` where the user has several.
    let name: String

    /// Whose it is.
    let userID: UserID

    /// The network between the device and the server.
    let network: ConditionedBackend

    /// The application.
    let client: ChatClient

    /// The channel that is open.
    private(set) var collection: MessageCollection?

    /// The list of channels, if it was asked for.
    var channelList: GroupChannelCollection? { didSet { oldValue?.dispose() } }

    private var news: News

    /// Is called when there is news.
    var onNews: () -> Void = {}

    private let listener: Listener
    private var following: Task<Void, Never>?
    private weak var followed: SyncEngine?
    private var followingRows: Task<Void, Never>?

    /// The user of a device's name.
    static func userID(of name: String) -> UserID {
        UserID(name.split(separator: "@", maxSplits: 1).first.map(String.init) ?? name)
    }

    init(
        _ name: String, network: ConditionedBackend, options: ChatClientOptions, newsLimit: Int
    ) async {
        self.name = name
        news = News(limit: newsLimit)
        userID = Device.userID(of: name)
        self.network = network
        client = await ChatClient.open(backend: network, options: options)
        listener = Listener(userID)
        listener.onNews = { [weak self] in self?.tell($0, $1) }
        client.addConnectionDelegate(listener)
        client.addUserEventDelegate(listener)
        client.addChannelDelegate(listener)
        follow()
    }

    /// Connects its user.
    func connect(accessToken: String?) async throws(SyncError) -> BackendError? {
        let credentials = Credentials(userID, accessToken: accessToken)
        defer { follow() }
        let (_, error) = try await client.connect(as: credentials)
        return error
    }

    /// Shows a collection instead of what is shown.
    func show(_ collection: MessageCollection?) {
        self.collection?.dispose()
        followingRows?.cancel()
        followingRows = nil
        self.collection = collection
        collection?.delegate = listener
    }

    /// Tells the changes of the rows that are shown, until another channel is.
    func followRows() {
        guard let collection, followingRows == nil else { return }
        let changes = collection.allChanges()
        followingRows = Task { [weak self] in
            for await change in changes {
                let event = Event(.rowsChanged, "~ \(change.line)", [.text: change.line])
                self?.tell(event, .collection)
            }
        }
    }

    /// Ends the application, as when its process ends.
    func close() async {
        show(nil)
        following?.cancel()
        await client.close()
    }

    /// Whether a state of the engine is the last that was told.
    func hasHeard(_ state: SyncState) -> Bool { listener.state == state }

    /// Takes what has been told.
    func takeNews() -> [Event] { news.take() }

    private func tell(_ event: Event, _ source: News.Source) {
        news.add(event, source)
        onNews()
    }

    /// Follows what the engine tells, once there is one; it is another one after the user has logged out.
    private func follow() {
        guard let engine = try? client.engine(), engine !== followed else { return }
        followed = engine
        following?.cancel()
        following = Task { [weak self] in
            for await event in await engine.events() { self?.listener.hear(event) }
        }
    }
}

/// Events that wait to be shown; of very many, the newest.
///
/// They come by several ways, of which now one is faster and now another; together they are always shown in
/// one order.
struct News {
    /// Who tells, in the order in which it is shown.
    enum Source: CaseIterable { case client, engine, store, collection }

    private let limit: Int
    private var events: [Source: [Event]] = [:]
    private var leftOut: [Source: Int] = [:]

    /// Creates an empty one.
    ///
    /// - Parameter limit: How many events of each source are shown at once.
    init(limit: Int) { self.limit = limit }

    mutating func add(_ event: Event, _ source: Source) {
        events[source, default: []].append(event)
        let more = events[source, default: []].count - 2 * limit
        // Not at every event: what is removed moves all others.
        guard more > limit else { return }
        events[source]?.removeFirst(more)
        leftOut[source, default: 0] += more
    }

    mutating func take() -> [Event] {
        defer { self = News(limit: limit) }
        return Source.allCases.flatMap { source in
            let events = events[source] ?? []
            let more = max(0, events.count - limit)
            let count = more + (leftOut[source] ?? 0)
            let before = Event(.leftOut, "… \(count) lines of news before", [.count: count])
            return (count > 0 ? [before] : []) + events.dropFirst(more)
        }
    }
}

extension CollectionChange {
    /// What a list view would do, in one line.
    fileprivate var line: String {
        if let reset { return "all \(reset.count) rows anew" }
        func places(_ what: String, _ indices: [Int]) -> String? {
            indices.isEmpty ? nil : "\(what) \(indices.map(String.init).joined(separator: " "))"
        }
        return [
            places("delete", deletions), places("insert", insertions.map(\.index)),
            places("update", updates.map(\.to)), places("move", moves.map(\.to)),
        ].compactMap { $0 }.joined(separator: ", ")
    }
}
