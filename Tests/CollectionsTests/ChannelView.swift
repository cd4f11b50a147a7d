import Collections
import EmbeddedServer
import Models
import Observation
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// A view of a channel list.
///
/// It applies each change that it receives, and records its notifications.
@MainActor
final class ChannelView: Recorder, GroupChannelCollectionDelegate {
    let collection: GroupChannelCollection
    private(set) var channels: [GroupChannel] = []
    /// The channels of an app that uses only the specific delegate methods and the returned pages.
    private(set) var told: [ChannelURL: GroupChannel] = [:]
    /// The notifications that such an app could not apply.
    private(set) var problems: [String] = []
    private var isLoading = false
    /// The number of changes that were resets.
    private(set) var resetCount = 0

    init(_ collection: GroupChannelCollection) {
        self.collection = collection
        super.init()
        collection.delegate = self
        followHasMore()
    }

    /// Observes `hasMore` and `isStale` with Observation, as a view does, because the delegate has
    /// no calls for them.
    private func followHasMore() {
        withObservationTracking {
            _ = (collection.hasMore, collection.isStale)
        } onChange: { [weak self] in
            Task { @MainActor in
                self?.followHasMore()
                self?.waiting.recordChange()
            }
        }
    }

    /// The names of the channels in order, followed by `…` if more channels may exist.
    var picture: String {
        (channels.map(\.name) + (collection.hasMore ? ["…"] : [])).joined(separator: " ")
    }

    /// Loads the next page, and returns the notifications.
    @discardableResult
    func load() async throws -> String {
        isLoading = true
        defer { isLoading = false }
        let page = try await collection.loadMore()
        tell(page, isNew: true)
        return page.map(\.name).joined(separator: " ")
    }

    /// The differences between what the view was told and the collection.
    var differences: [String] {
        let shown = Dictionary(uniqueKeysWithValues: collection.channels.map { ($0.url, $0) })
        if told == shown { return problems }
        return problems + ["told \(told.keys.sorted()), shows \(shown.keys.sorted())"]
    }

    private func tell(_ channels: [GroupChannel], isNew: Bool) {
        for channel in channels {
            if !isLoading, isNew != (told[channel.url] == nil) {
                problems.append("\(channel.url): \(isNew ? "added" : "updated")")
            }
            // A change of a channel of the page that is being loaded is part of the page.
            if isNew || told[channel.url] != nil { told[channel.url] = channel }
        }
    }

    /// Waits until a condition holds.
    ///
    /// The condition is checked after each change.
    func until(_ condition: @escaping () -> Bool) async { await waiting.until(condition) }

    /// Waits until the view shows a picture.
    func shows(_ picture: String) async { await until { self.picture == picture } }

    private func record(_ what: String, _ context: GroupChannelContext, _ names: [String]) {
        record("\(what) \(names.joined(separator: " ")): \(context.source)")
    }

    // MARK: GroupChannelCollectionDelegate

    func channelCollection(
        _ collection: GroupChannelCollection, didChange change: CollectionChange<GroupChannel>
    ) {
        if change.reset != nil { resetCount += 1 }
        channels = change.applied(to: channels)
        #expect(channels == collection.channels)
        waiting.recordChange()
    }

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        addedChannels channels: [GroupChannel]
    ) {
        tell(channels, isNew: true)
        record("added", context, channels.map(\.name))
    }

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        updatedChannels channels: [GroupChannel]
    ) {
        tell(channels, isNew: false)
        record("updated", context, channels.map(\.name))
    }

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        deletedChannelURLs channelURLs: [ChannelURL]
    ) {
        for url in channelURLs { told[url] = nil }
        record("deleted", context, channelURLs.map(\.rawValue))
    }
}

extension Story {
    /// Creates channels of alice and bob, one second apart.
    ///
    /// The names are also the URLs.
    func create(_ names: String) throws {
        for name in names.split(separator: " ") {
            clock.advance(by: .seconds(1))
            try createChannel(ChannelURL(String(name)))
        }
    }

    /// Returns a view of bob's channels without "general", the channel that every story starts
    /// with.
    @MainActor
    func list(
        _ limit: Int = 20, _ change: (inout GroupChannelListQuery) -> Void = { _ in },
        engine: SyncEngine? = nil
    ) -> ChannelView {
        var query = GroupChannelListQuery()
        query.limit = limit
        query.createdAfter = 1000
        change(&query)
        return ChannelView(
            GroupChannelCollection(query: query, userID: "bob", engine: engine ?? self.engine))
    }

    /// Connects another device of bob.
    func otherDevice() async throws -> EmbeddedClient {
        let client = server.client()
        _ = try await client.connect(as: Credentials("bob"))
        return client
    }
}
