import Observation
import Scrollback

/// The model of a view that shows one channel, with a field for new messages.
@MainActor @Observable
final class ConversationModel {
    struct Row: Identifiable, Hashable {
        enum Content: Hashable {
            case bubble(Bubble)
            /// Messages may be missing here: a button fetches them.
            case gap
        }

        let id: MessageItem.ID
        let content: Content
    }

    struct Bubble: Hashable {
        enum State: Hashable { case sent, sending, failed }

        let text: String
        let author: String
        let isMine: Bool
        let state: State
        let isEdited: Bool
        /// Each reaction with its number of users.
        let reactions: [String]
        /// `true` if the line "New messages" is above the bubble.
        let isFirstUnread: Bool
    }

    private let client: ChatClient
    private let collection: MessageCollection
    /// The text in the field.
    ///
    /// ``saveDraft()`` saves it.
    var text = ""
    private(set) var problem: String?

    init(_ client: ChatClient, _ url: ChannelURL) throws {
        self.client = client
        collection = try client.makeMessageCollection(of: url)
    }

    var title: String { collection.channel.name }

    /// `true` if the channel is frozen, which disables the field.
    var isFrozen: Bool { collection.channel.isFrozen }

    var rows: [Row] {
        collection.items.map { item in
            guard let message = item.message else { return Row(id: item.id, content: .gap) }
            return Row(id: item.id, content: .bubble(bubble(message)))
        }
    }

    /// A text such as "Bob is typing"; `nil` if no user is typing.
    var typing: String? {
        let names = collection.typingUsers.map(\.displayName)
        guard let first = names.first else { return nil }
        return names.count == 1 ? "\(first) is typing" : "\(names.count) people are typing"
    }

    /// Shows the cached messages at once, and the server's when it answers.
    func start() async {
        let loading = collection.start()
        text = collection.draft
        await report { _ = try await loading.refreshed }
    }

    /// Call this when the first row appears.
    func loadOlder() async {
        guard collection.hasPrevious else { return }
        await report { try await collection.loadPrevious() }
    }

    func fill(_ row: Row) async {
        guard let gap = item(row)?.gap else { return }
        await report { _ = try await collection.fill(gap) }
    }

    /// Call this when the newest row is visible.
    func markAsRead() async { await report { try await collection.markAsRead() } }

    // MARK: Writing

    /// Sends the text in the field.
    ///
    /// When the call returns, the message is stored, and its row is shown. Without a network it
    /// waits, even if the app is closed.
    func send() async {
        guard !text.isEmpty else { return }
        let sent = text
        text = ""
        await report { try await collection.send(sent) }
        // The message was not stored: keep its text.
        if problem != nil { text = sent } else { await saveDraft() }
    }

    /// Call this when the user leaves the view.
    func saveDraft() async { await report { try await collection.setDraft(text) } }

    func resend(_ row: Row) async { await change(row) { try await collection.resend($0) } }
    func discard(_ row: Row) async { await change(row) { try await collection.discard($0) } }
    func delete(_ row: Row) async { await change(row) { try await collection.delete($0) } }

    func edit(_ row: Row, _ text: String) async {
        await change(row) { try await collection.edit($0, text: text) }
    }

    func react(_ row: Row, with key: String) async {
        await change(row) { try await collection.addReaction(key, to: $0) }
    }

    private func change(_ row: Row, _ action: (Message) async throws -> Void) async {
        guard let message = item(row)?.message else { return }
        await report { try await action(message) }
    }

    private func bubble(_ message: Message) -> Bubble {
        let state: Bubble.State =
            switch message.sendingStatus {
            case .pending: .sending
            case .failed: .failed
            default: .sent
            }
        let id = message.messageID
        return Bubble(
            text: message.text,
            author: message.sender?.displayName ?? "",
            isMine: client.currentUser.map { message.isSent(by: $0.userID) } ?? false,
            state: state, isEdited: message.isEdited,
            reactions: message.reactions.map { "\($0.key) \($0.totalCount ?? $0.userIDs.count)" },
            isFirstUnread: id != nil && id == collection.firstUnreadMessageID)
    }

    private func item(_ row: Row) -> MessageItem? { collection.items.first { $0.id == row.id } }

    private func report(_ action: () async throws -> Void) async {
        problem = await failure(of: action)
    }
}
