import Models
import Store

/// A call of the backend.
enum BackendRequest: Hashable, Sendable {
    case connect(Credentials)
    case feed(FeedCursor?)
    case messages(ChannelURL, MessageAnchor, older: Int, newer: Int)
    case lookup([MessageID], ChannelURL)
    case reactions([MessageID], ChannelURL)
    case search(MessageSearchParams, PageCursor?, limit: Int)
    case messageChanges(ChannelURL, ChangelogPoint, MessageChangelogParams?)
    case channelChanges(ChangelogPoint, GroupChannelChangelogParams?)
    case channels(GroupChannelListQuery, PageCursor?)
    case channel(ChannelURL)
    case send(OutboxItem)
    case upload(OutboxItem, index: Int)
    case update(MessageID, ChannelURL, MessageUpdate, RequestID, ServerEpoch?)
    case delete(MessageID, ChannelURL, RequestID, ServerEpoch?)
    case react(
        ReactionEventAction, String, MessageID, ChannelURL, RequestID, ServerEpoch?)
    case replies(MessageID, ChannelURL, MessageAnchor, older: Int, newer: Int)
    case createChannel(GroupChannelCreateParams)
    case updateChannel(ChannelURL, Patch<GroupChannel>)
    case join(ChannelURL)

    /// The channel of the call; `nil` if the call has none.
    var channelURL: ChannelURL? {
        switch self {
        case .messages(let url, _, _, _), .lookup(_, let url), .reactions(_, let url),
            .messageChanges(let url, _, _), .channel(let url):
            url
        case .update(_, let url, _, _, _), .delete(_, let url, _, _),
            .react(_, _, _, let url, _, _),
            .replies(_, let url, _, _, _), .updateChannel(let url, _), .join(let url):
            url
        case .send(let item), .upload(let item, _): item.channelURL
        case .connect, .feed, .search, .channelChanges, .channels, .createChannel: nil
        }
    }
}

/// The result of a backend call.
enum BackendAnswer: Sendable {
    case session(BackendSession)
    case batch(FeedBatch)
    case page(MessagePage)
    case lookup(MessageLookup)
    case reactions([MessageID: [Reaction]])
    case found(Page<Message>)
    case messageChanges(MessageChangelog)
    case channelChanges(GroupChannelChangelog)
    case channels(Page<GroupChannel>)
    case channel(GroupChannel)
    case message(Message)
    case uploaded(FileInfo)
    case deleted
    case reaction(ReactionEvent)
    case failed(BackendError)
}

extension Backend {
    func answer(
        to request: BackendRequest, _ files: OutboxFiles? = nil,
        storedChannel: () -> GroupChannel? = { nil },
        progress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async -> BackendAnswer {
        do throws(BackendError) {
            switch request {
            case .connect(let credentials): return .session(try await connect(as: credentials))
            case .feed(let cursor): return .batch(try await feed(since: cursor))
            case .messages(let url, let anchor, let older, let newer):
                return .page(try await messages(in: url, at: anchor, older: older, newer: newer))
            case .lookup(let ids, let url): return .lookup(try await lookup(ids, in: url))
            case .reactions(let ids, let url):
                return .reactions(try await reactions(of: ids, in: url))
            case .search(let params, let cursor, let limit):
                return .found(
                    try await searchMessages(matching: params, after: cursor, limit: limit))
            case .messageChanges(let url, let point, let params):
                return .messageChanges(
                    try await messageChanges(in: url, since: point, params: params))
            case .channelChanges(let point, let params):
                return .channelChanges(try await channelChanges(since: point, params: params))
            case .channels(let query, let cursor):
                return .channels(try await channels(matching: query, after: cursor))
            case .channel(let url): return .channel(try await channel(url))
            case .send(let item): return .message(try await send(item))
            case .upload(let item, let index):
                // The channel may have changed since the item was stored.
                if let refusal = storedChannel().flatMap(sendingRefusal) { throw refusal }
                return .uploaded(try await upload(item, index, files, progress))
            case .update(let id, let url, let update, let requestID, let epoch):
                return .message(
                    try await self.update(
                        id, in: url, with: update, requestID: requestID, epoch: epoch))
            case .delete(let id, let url, let requestID, let epoch):
                try await delete(id, in: url, requestID: requestID, epoch: epoch)
                return .deleted
            case .react(let action, let key, let id, let url, let requestID, let epoch):
                return .reaction(
                    try await react(
                        action, with: key, to: id, in: url, requestID: requestID, epoch: epoch))
            case .replies(let id, let url, let anchor, let older, let newer):
                return .page(
                    try await replies(to: id, in: url, at: anchor, older: older, newer: newer))
            case .createChannel(let params): return .channel(try await createChannel(params))
            case .updateChannel(let url, let patch):
                return .channel(try await updateChannel(url, with: patch))
            case .join(let url): return .channel(try await join(url))
            }
        } catch {
            return .failed(error)
        }
    }

    private func upload(
        _ item: OutboxItem, _ index: Int, _ files: OutboxFiles?,
        _ progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        let source = try UploadSource(item, index, in: files)
        var file = item.files[index]
        // Remove the data and the path, so that the backend reads the file only through the source,
        // which verifies the bytes.
        (file.data, file.path) = (nil, nil)
        let result: Result<FileInfo, BackendError>
        do throws(BackendError) {
            result = .success(
                try await upload(
                    file, from: source, requestID: item.requestID, progress: progress))
        } catch {
            result = .failure(error)
        }
        // If the file was found damaged, the upload fails, even if the backend returned a result.
        if let damage = source.damage { throw damage }
        return try result.get()
    }
}
