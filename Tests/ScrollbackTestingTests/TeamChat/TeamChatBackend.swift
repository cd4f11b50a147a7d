import Models
import Sync

/// A backend for `TeamChatServer`: one user on one device.
actor TeamChatBackend: PagingBackend {
    nonisolated let capabilities: BackendCapabilities = [.deduplicatesRequests]

    nonisolated var requests: RequestHandlers {
        var handlers = RequestHandlers()
        handlers.on(ListMembers.self) { request throws(BackendError) in
            let channel = try await self.channel(request.channelURL)
            return try Page(
                channel.members.sorted { $0.userID < $1.userID }, after: request.cursor,
                limit: request.limit, id: \.userID.rawValue)
        }
        return handlers
    }

    private let server: TeamChatServer
    /// True if the feed waits for new events.
    ///
    /// Most tests use false.
    private let waits: Bool
    nonisolated let pageContinuation: PageContinuation
    private var session: Int?
    private var me: UserID = ""
    private var epoch = 0

    init(_ server: TeamChatServer, waits: Bool = true, pagesByID: Bool = false) {
        self.server = server
        self.waits = waits
        pageContinuation = pagesByID ? .messages : .times
    }

    // MARK: The connection

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        await disconnect()
        me = credentials.userID
        do { session = try await server.signIn(me.rawValue) } catch { throw BackendError(error) }
        epoch = await server.epoch
        return BackendSession(user: User(id: me), epoch: ServerEpoch("\(epoch)"))
    }

    func disconnect() async {
        if let session { await server.signOut(session) }
        session = nil
    }

    /// Calls the server, and converts its failures.
    private func ask<Answer>(
        _ call: (Int) async throws -> Answer
    ) async throws(BackendError) -> Answer {
        guard let session else { throw BackendError(.notConnected, "nobody is connected") }
        do { return try await call(session) } catch { throw BackendError(error) }
    }

    // MARK: The feed: a cursor is the number of an entry in the server's log

    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        guard let cursor else {
            let (rooms, last) = try await ask { try await server.rooms($0) }
            let channels = rooms.map { GroupChannel($0, me) }
                .sorted(by: GroupChannelListQuery().precedes)
            return batch(channels.map(FeedEvent.init), last, isLive: true)
        }
        let number = try number(cursor.rawValue)
        let answer = try await ask {
            try await server.changes(since: number, limit: 12, waits: waits, $0)
        }
        if Task.isCancelled { throw BackendError(.canceled, "the feed was canceled") }
        // Truncations come first: the omitted messages are older than the delivered ones.
        return batch(
            answer.truncations + answer.entries.compactMap { FeedEvent($0, answer, me) },
            answer.last,
            isLive: !answer.hasMore)
    }

    private func batch(_ events: [FeedEvent], _ last: Int, isLive: Bool) -> FeedBatch {
        FeedBatch(
            events: events, cursor: FeedCursor("\(epoch)/\(last)"), epoch: ServerEpoch("\(epoch)"),
            isLive: isLive)
    }

    private func number(_ cursor: String) throws(BackendError) -> Int {
        let parts = cursor.split(separator: "/").map { Int($0) }
        guard parts.count == 2, parts[0] == epoch, let number = parts[1] else {
            throw BackendError(.expired, "this server cannot go on from \(cursor)")
        }
        return number
    }

    // MARK: Pages

    func messages(
        in channelURL: ChannelURL, before point: PagePoint, limit: Int
    ) async throws(BackendError) -> [Message] {
        let point = TeamChatServer.Point(point)
        return try await ask {
            try await server.posts(in: channelURL.rawValue, before: point, limit: limit, $0)
        }.map(Message.init)
    }

    func messages(
        in channelURL: ChannelURL, after point: PagePoint, limit: Int
    ) async throws(BackendError) -> [Message] {
        let point = TeamChatServer.Point(point)
        return try await ask {
            try await server.posts(in: channelURL.rawValue, after: point, limit: limit, $0)
        }.map(Message.init)
    }

    func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        let ids = messageIDs.compactMap { Int($0.rawValue) }
        let found = try await ask { try await server.posts(ids, in: channelURL.rawValue, $0) }
            .map(Message.init)
        let gone = Set(messageIDs).subtracting(found.compactMap(\.messageID))
        return MessageLookup(found: found, gone: Array(gone))
    }

    // MARK: Changelogs: the same log, so a token is a feed cursor

    private func number(_ point: ChangelogPoint, _ byTime: BackendCapabilities) throws(BackendError)
        -> Int
    {
        switch point {
        case .token(let token): try number(token)
        case .feed(let cursor): try number(cursor.rawValue)
        case .time: throw .lacking(byTime)
        }
    }

    func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint, params: MessageChangelogParams?
    ) async throws(BackendError) -> MessageChangelog {
        let number = try number(point, .messageChangelogByTime)
        let answer = try await ask {
            try await server.changes(since: number, in: channelURL.rawValue, limit: 12, $0)
        }
        return MessageChangelog(answer, next: "\(epoch)/\(answer.last)")
    }

    func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog {
        let number = try number(point, .channelChangelogByTime)
        let answer = try await ask { try await server.changes(since: number, limit: 12, $0) }
        return GroupChannelChangelog(answer, me, next: "\(epoch)/\(answer.last)")
    }

    // MARK: Channels

    func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        let list = try await ask { try await server.rooms($0).rooms }.map { GroupChannel($0, me) }
            .filter { query.belongsTo($0, currentUserID: me) }.sorted(by: query.precedes)
        return try Page(list, after: cursor, limit: query.limit, id: \.url.rawValue)
    }

    func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        GroupChannel(try await ask { try await server.room(url.rawValue, $0) }, me)
    }

    // MARK: Writing

    func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        guard let params = item.newMessage else { throw .lacking(.files) }
        let post = try await ask {
            try await server.say(
                params.text, data: params.data, kind: params.customType, arrays: params.metaArrays,
                in: item.channelURL.rawValue, requestID: item.requestID.rawValue, $0)
        }
        return Message(post)
    }

    func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        guard case .text(let params) = update else { throw .lacking(.files) }
        let post = try await ask {
            try await server.edit(
                Int(messageID.rawValue) ?? 0, of: number(epoch), in: channelURL.rawValue,
                text: params.text, data: params.data, kind: params.customType, $0)
        }
        return Message(post)
    }

    func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID,
        epoch: ServerEpoch?
    ) async throws(BackendError) {
        let id = Int(messageID.rawValue) ?? 0
        try await ask {
            try await server.delete(id, of: number(epoch), in: channelURL.rawValue, $0)
        }
    }

    /// The server's number of an epoch, which it compares with its own: 0 is never equal.
    private func number(_ epoch: ServerEpoch?) -> Int? { epoch.map { Int($0.rawValue) ?? 0 } }
}
