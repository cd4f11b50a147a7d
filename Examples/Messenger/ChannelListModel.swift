import Observation
import Scrollback

/// The model of a view that lists the user's channels.
///
/// A view reads ``rows``, and is drawn again when they change.
@MainActor @Observable
final class ChannelListModel {
    struct Row: Identifiable, Hashable {
        let id: ChannelURL
        let title: String
        /// The draft or the last message.
        let subtitle: String
        let unreadCount: Int
        let isPinned: Bool
    }

    /// The label of the channels at the top of the list, known only to this device.
    private nonisolated static let pinned = "pinned"

    private let client: ChatClient
    private let collection: GroupChannelCollection
    private(set) var problem: String?

    init(_ client: ChatClient) throws {
        self.client = client
        var query = GroupChannelListQuery()
        query.labelListedFirst = Self.pinned
        collection = try client.makeGroupChannelCollection(query)
    }

    var rows: [Row] {
        collection.channels.map { channel in
            let draft = collection.drafts[channel.url].map { "Draft: \($0)" }
            return Row(
                id: channel.url, title: channel.name,
                subtitle: draft ?? channel.lastMessage?.text ?? "",
                unreadCount: channel.unreadMessageCount,
                isPinned: collection.labels[channel.url]?.labels.contains(Self.pinned) ?? false)
        }
    }

    /// The state of the list; `nil` if it is up to date.
    var status: String? {
        if let problem { return problem }
        return collection.isStale ? "Not up to date" : nil
    }

    /// Shows the cached channels at once, and the server's when it answers.
    func start() async {
        await report { _ = try await collection.start().refreshed }
    }

    /// Call this when the last row appears.
    func loadMore() async {
        guard collection.hasMore else { return }
        await report { _ = try await collection.loadMore() }
    }

    func togglePin(_ row: Row) async {
        await report {
            try await client.changeLabels(of: row.id) { labels in
                if labels.labels.remove(Self.pinned) == nil { labels.labels.insert(Self.pinned) }
            }
        }
    }

    private func report(_ action: () async throws -> Void) async {
        problem = await failure(of: action)
    }
}

/// Performs an action, and returns the text for the user if it fails.
@MainActor func failure(of action: () async throws -> Void) async -> String? {
    do {
        try await action()
        return nil
    } catch let error as SyncError {
        return error.userText
    } catch {
        return "\(error)"
    }
}
