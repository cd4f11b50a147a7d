import Collections
import Models
import Observation
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// A view of a collection.
///
/// It applies each change that it receives, and records its notifications.
@MainActor
final class View: Recorder, MessageCollectionDelegate {
    let collection: MessageCollection
    private(set) var items: [MessageItem]
    /// The messages of an app that uses only the specific delegate methods and the returned pages.
    var dataSource = DataSource()
    /// A Boolean value that indicates whether the server's first page is being fetched, which
    /// replaces all messages.
    private(set) var isRefreshing = false
    /// The numbers of rows that a list with the IDs of the rows, such as a diffable data source,
    /// has inserted and deleted.
    private(set) var (insertedCount, deletedCount) = (0, 0)

    init(_ collection: MessageCollection) {
        self.collection = collection
        items = collection.items
        super.init()
        collection.delegate = self
        followEnds()
    }

    /// Checks the conditions again when `hasPrevious` or `hasNext` changes, which the delegate does
    /// not hear of.
    private func followEnds() {
        withObservationTracking {
            _ = (collection.hasPrevious, collection.hasNext)
        } onChange: { [weak self] in
            Task { @MainActor in
                guard let self else { return }
                self.waiting.recordChange()
                self.followEnds()
            }
        }
    }

    /// The rows as one line.
    ///
    /// - `~`: a gap
    /// - `…`: more messages can be loaded
    /// - `(…)`: around a pending message
    /// - `!`: before a failed message
    var picture: String {
        var words = items.map { item in
            switch item {
            case .gap: "~"
            case .message(let message): message.word
            }
        }
        if collection.params.isReversed { words.reverse() }
        if collection.hasPrevious { words.insert("…", at: 0) }
        if collection.hasNext, words.last != "~" { words.append("…") }
        return words.joined(separator: " ")
    }

    // MARK: The data source

    /// Starts the collection, and replaces the messages of the data source twice.
    func start(_ policy: InitPolicy) {
        isRefreshing = true
        dataSource.loadCount += 1
        let start = collection.start(policy)
        dataSource.replace(by: (try? start.cached) ?? [])
        Task {
            _ = try? await start.refreshed
            dataSource.replace(by: collection.messages)
            isRefreshing = false
            dataSource.loadCount -= 1
        }
    }

    /// Loads a page, and inserts its messages into the data source.
    func insert(_ load: () async throws -> [Message]) async throws {
        dataSource.loadCount += 1
        defer { dataSource.loadCount -= 1 }
        dataSource.insert(try await load(), isPage: true)
    }

    func restart(at point: StartingPoint) async {
        dataSource.loadCount += 1
        defer { dataSource.loadCount -= 1 }
        // After an error, the window may have moved.
        _ = try? await collection.restart(at: point)
        dataSource.replace(by: collection.messages)
    }

    /// The differences between the data source and the collection.
    var differences: [String] {
        isRefreshing ? [] : dataSource.differences(from: collection)
    }

    /// Waits until the view fulfills a condition.
    func until(_ condition: @escaping (View) -> Bool) async {
        await waiting.until { condition(self) }
    }

    /// Waits until the view shows a picture.
    func shows(_ picture: String) async { await until { $0.picture == picture } }

    /// Waits until the view has received all changes that the store has committed so far.
    func isUpToDate() async throws {
        let url = collection.channelURL
        try collection.engine.store.emit(.typing([], in: url), source: .eventTypingStatusUpdated)
        await until { $0.heard.last?.hasSuffix("eventTypingStatusUpdated") ?? false }
        heard.removeLast()
    }

    private func record(_ what: String, _ context: MessageContext, _ messages: [Message]) {
        let words = messages.map(\.text).joined(separator: " ")
        record("\(what) \(words): \(context.source), \(context.sendingStatus)")
    }

    // MARK: MessageCollectionDelegate

    func messageCollection(
        _ collection: MessageCollection, didChange change: CollectionChange<MessageItem>
    ) {
        let before = items.map(\.id)
        items = change.applied(to: items)
        #expect(items == collection.items)
        let ids = items.map(\.id)
        #expect(Set(ids).count == ids.count, "a row occurs twice")
        let difference = ids.difference(from: before)
        insertedCount += difference.insertions.count
        deletedCount += difference.removals.count
        waiting.recordChange()
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [Message]
    ) {
        dataSource.insert(messages)
        record("added", context, messages)
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [Message]
    ) {
        dataSource.update(messages, context)
        record("updated", context, messages)
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [Message]
    ) {
        dataSource.delete(messages)
        record("deleted", context, messages)
    }

    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext, updatedChannel: GroupChannel
    ) { record("channel \(updatedChannel.name): \(context.source)") }

    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL
    ) { record("channel \(channelURL) deleted: \(context.source)") }

    func messageCollectionDidDetectHugeGap(_ collection: MessageCollection) { record("huge gap") }

    func messageCollection(
        _ collection: MessageCollection, didReceive event: MessageCollectionEvent
    ) {
        switch event {
        case .openChannel(let channel, let context):
            record("open channel \(channel.name): \(context.source)")
        case .parentMessage(let message, let context):
            record("parent \(message?.text ?? "deleted"): \(context.source)")
        case .failedChange(let item):
            record("failed \(item.operation) of \(item.messageID ?? "?")")
        case .upload(let progress):
            record("uploaded \(progress.bytesTransferred) of \(progress.bytesInAll)")
        }
    }
}

extension Message {
    /// The message's word in a picture.
    var word: String {
        switch sendingStatus {
        case .pending: "(\(text))"
        case .failed: "!\(text)"
        default: text
        }
    }
}

extension Story {
    @MainActor
    func view(
        of url: ChannelURL = "general", at point: StartingPoint = .latest,
        _ params: MessageListParams = MessageListParams(), capacity: Int = 10_000
    ) -> View {
        View(
            MessageCollection(
                of: url, startingPoint: point, params: params, userID: "bob", capacity: capacity,
                engine: engine))
    }

    /// Returns a view of a channel after it shows the same messages as the server.
    @MainActor
    func startedView(
        at point: StartingPoint = .latest, _ params: MessageListParams = MessageListParams(),
        capacity: Int = 10_000
    ) async throws -> View {
        let view = view(at: point, params, capacity: capacity)
        _ = try await view.collection.start().refreshed
        return view
    }
}

extension MessageListParams {
    /// Creates params with the given page sizes.
    static func sized(_ previous: Int, _ next: Int = 0) -> MessageListParams {
        var params = MessageListParams()
        params.previousResultSize = previous
        params.nextResultSize = next
        return params
    }
}
