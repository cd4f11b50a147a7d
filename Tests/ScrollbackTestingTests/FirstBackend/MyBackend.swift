import Models
import Sync

/// One user on one device.
actor MyBackend: Backend {
    nonisolated let capabilities: BackendCapabilities = []
    private var user: UserID?

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        user = credentials.userID
        return BackendSession(user: User(id: credentials.userID), epoch: "1")
    }

    func disconnect() async { user = nil }

    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        throw .notImplemented()
    }

    func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        throw .notImplemented()
    }

    func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        throw .notImplemented()
    }

    func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        throw .notImplemented()
    }

    func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        throw .notImplemented()
    }

    func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        throw .notImplemented()
    }

    func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        throw .notImplemented()
    }

    func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID,
        epoch: ServerEpoch?
    ) async throws(BackendError) {
        throw .notImplemented()
    }
}

extension BackendError {
    /// Returns the error of a call that is not implemented yet.
    static func notImplemented(_ call: String = #function) -> BackendError {
        BackendError(.unsupported, "\(call) is not implemented yet")
    }
}
