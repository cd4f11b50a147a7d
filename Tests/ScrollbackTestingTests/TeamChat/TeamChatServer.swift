import Models

/// A typical chat server: lists ordered by time, one log of events, and rooms that an administrator
/// creates.
///
/// It represents a server at the other end of a network. To be short, it uses Scrollback's types
/// for times and meta arrays, and nothing else of Scrollback.
actor TeamChatServer {
    struct Post: Sendable {
        let id: Int
        let room, author, requestID: String
        let time: Timestamp
        var editedAt: Timestamp?
        var text, data, kind: String
        let arrays: [MetaArray]
    }

    struct Room: Sendable {
        let id, name: String
        let createdAt: Timestamp
        /// The members of the room.
        ///
        /// The first one moderates it.
        var members: [String]
        var lastPost: Post?
    }

    /// An entry of the log.
    struct Entry: Sendable {
        enum Change: Sendable {
            case posted(Int)
            case edited(Int)
            case deleted(Int, Timestamp)
            case room
        }
        let number: Int
        let room: String
        let change: Change
        /// The users who were in the room, or have just been removed from it.
        let audience: [String]
    }

    /// The events in a user's rooms after an entry.
    struct Answer: Sendable {
        var entries: [Entry] = []
        /// The posts that the entries refer to, in their current state.
        var posts: [Int: Post] = [:]
        var rooms: [String: Room] = [:]
        /// The rooms with omitted posts.
        var truncatedRooms: Set<String> = []
        var last: Int
        var hasMore = false
    }

    enum Failure: Error { case signedOut, unknownUser, noRoom, noPost, forbidden, tooOld }

    private(set) var epoch = 1
    private let now: @Sendable () -> Timestamp
    /// `pageLimit` is the maximum number of posts in an answer.
    ///
    /// `replayLimit` is the maximum number of posts of one room that a returning user receives.
    private let pageLimit, replayLimit: Int
    private let users: Set<String>
    private var rooms: [String: Room] = [:]
    private var posts: [Int: Post] = [:]
    private var lastPostID = 0
    private var postIDs: [String: [Int]] = [:]
    /// The ids of posts by request id, including deleted posts.
    private var requests: [String: Int] = [:]
    private var log: [Entry] = []
    private var lastNumber = 0
    private var discardedNumber = 0
    private var skippedNumber = 0
    private var sessions: [Int: String] = [:]
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private var keys = 0

    init(
        users: Set<String>, pageLimit: Int = 100, replayLimit: Int = 20,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.users = users
        self.pageLimit = pageLimit
        self.replayLimit = replayLimit
        self.now = now
    }

    // MARK: Administration

    func makeRoom(_ name: String, members: [String]) -> String {
        let id = "room\(rooms.count + 1)"
        rooms[id] = Room(id: id, name: name, createdAt: now(), members: members)
        write(id, .room)
        return id
    }

    func remove(_ user: String, from room: String) {
        let audience = rooms[room]?.members ?? []
        rooms[room]?.members.removeAll { $0 == user }
        write(room, .room, audience)
    }

    func restart() {
        sessions = [:]
        wakeAll()
    }

    func restoreBackup() { epoch += 1 }
    func discardLog() { (log, discardedNumber) = ([], lastNumber) }
    func skipDetails() { skippedNumber = lastNumber }

    // MARK: Sessions

    func signIn(_ user: String) throws(Failure) -> Int {
        guard users.contains(user) else { throw .unknownUser }
        sessions[next()] = user
        return keys
    }

    func signOut(_ session: Int) {
        sessions[session] = nil
        wakeAll()
    }

    // MARK: Rooms

    /// Returns all rooms of the user, and the number of the last log entry that they include.
    func rooms(_ session: Int) throws(Failure) -> (rooms: [Room], last: Int) {
        let user = try user(session)
        return (rooms.values.filter { $0.members.contains(user) }.map(withLastPost), lastNumber)
    }

    func room(_ id: String, _ session: Int) throws(Failure) -> Room {
        let user = try user(session)
        guard let room = rooms[id], room.members.contains(user) else { throw .noRoom }
        return withLastPost(room)
    }

    // MARK: Posts

    /// A post, or a time.
    enum Point: Sendable {
        case id(Int)
        case time(Timestamp)
    }

    /// Returns the posts before a point, newest first.
    func posts(
        in room: String, before point: Point?, limit: Int, _ session: Int
    ) throws(Failure) -> [Post] {
        let posts = try sorted(room, session).reversed().drop { post in
            switch point {
            case .id(let id): post.id >= id
            case .time(let time): post.time >= time
            case nil: false
            }
        }
        return Array(posts.prefix(min(limit, pageLimit)))
    }

    /// Returns the posts after a post, or since a time, oldest first.
    func posts(
        in room: String, after point: Point?, limit: Int, _ session: Int
    ) throws(Failure) -> [Post] {
        let posts = try sorted(room, session).drop { post in
            switch point {
            case .id(let id): post.id <= id
            case .time(let time): post.time < time
            case nil: true
            }
        }
        return Array(posts.prefix(min(limit, pageLimit)))
    }

    func posts(_ ids: [Int], in room: String, _ session: Int) throws(Failure) -> [Post] {
        _ = try self.room(room, session)
        return ids.compactMap { posts[$0] }.filter { $0.room == room }
    }

    func say(
        _ text: String, data: String, kind: String, arrays: [MetaArray], in room: String,
        requestID: String, _ session: Int
    ) throws(Failure) -> Post {
        _ = try self.room(room, session)
        let author = try user(session)
        if let known = requests["\(author)/\(requestID)"] {
            guard let post = posts[known] else { throw .noPost }
            return post
        }
        let time = max(now(), posts[lastPostID]?.time ?? .distantPast)
        lastPostID += 1
        requests["\(author)/\(requestID)"] = lastPostID
        let post = Post(
            id: lastPostID, room: room, author: author, requestID: requestID, time: time,
            text: text,
            data: data, kind: kind, arrays: arrays)
        posts[lastPostID] = post
        postIDs[room, default: []].append(lastPostID)
        write(room, .posted(lastPostID))
        return post
    }

    func edit(
        _ id: Int, of epoch: Int?, in room: String, text: String?, data: String?, kind: String?,
        _ session: Int
    ) throws(Failure) -> Post {
        var post = try post(id, of: epoch, in: room, session)
        guard post.author == (try user(session)) else { throw .forbidden }
        post.text = text ?? post.text
        post.data = data ?? post.data
        post.kind = kind ?? post.kind
        let version = (post.editedAt ?? post.time).milliseconds
        post.editedAt = max(now(), Timestamp(milliseconds: version + 1))
        posts[id] = post
        write(room, .edited(id))
        return post
    }

    func delete(_ id: Int, of epoch: Int?, in room: String, _ session: Int) throws(Failure) {
        let (post, user) = (try post(id, of: epoch, in: room, session), try user(session))
        guard post.author == user || rooms[room]?.members.first == user else { throw .forbidden }
        posts[id] = nil
        postIDs[room]?.removeAll { $0 == id }
        write(room, .deleted(id, now()))
    }

    // MARK: Log

    /// Returns at most `limit` events after an entry, in one room or in all rooms of the user.
    ///
    /// If there are no events yet and `waits` is true, waits for one.
    func changes(
        since number: Int, in room: String? = nil, limit: Int, waits: Bool = false, _ session: Int
    ) async throws(Failure) -> Answer {
        if waits { await wait(after: number, session) }
        let user = try user(session)
        if let room { _ = try self.room(room, session) }
        guard number >= discardedNumber, number <= lastNumber else { throw .tooOld }
        var kept: [Entry] = []
        var dropped: [Entry] = []
        var counts: [String: Int] = [:]
        for entry in log.reversed().prefix(while: { $0.number > number }) {
            guard room == nil || room == entry.room, entry.audience.contains(user) else { continue }
            if case .room = entry.change {
                kept.append(entry)
                continue
            }
            guard rooms[entry.room]?.members.contains(user) == true else { continue }
            let isMuch =
                counts[entry.room, default: 0] >= replayLimit || entry.number <= skippedNumber
            if isMuch && room == nil { dropped.append(entry) } else { kept.append(entry) }
            if case .posted = entry.change { counts[entry.room, default: 0] += 1 }
        }
        kept.reverse()
        var answer = Answer(entries: Array(kept.prefix(limit)), last: lastNumber)
        answer.hasMore = kept.count > limit
        if answer.hasMore, let last = answer.entries.last { answer.last = last.number }
        for entry in dropped where entry.number <= answer.last {
            answer.truncatedRooms.insert(entry.room)
        }
        for entry in answer.entries {
            if let id = entry.postID { answer.posts[id] = posts[id] }
            answer.rooms[entry.room] = rooms[entry.room].map(withLastPost)
        }
        return answer
    }

    /// Waits until the log has a newer entry than `number`, or the session has ended.
    private func wait(after number: Int, _ session: Int) async {
        guard lastNumber == number, sessions[session] != nil, !Task.isCancelled else { return }
        let key = next()
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiting[key] = $0 }
        } onCancel: {
            Task { await wake(key) }
        }
    }

    // MARK: Implementation

    private func wake(_ key: Int) { waiting.removeValue(forKey: key)?.resume() }
    private func wakeAll() { for key in waiting.keys { wake(key) } }

    private func next() -> Int {
        keys += 1
        return keys
    }

    private func write(_ room: String, _ change: Entry.Change, _ audience: [String]? = nil) {
        lastNumber += 1
        let audience = audience ?? rooms[room]?.members ?? []
        log.append(Entry(number: lastNumber, room: room, change: change, audience: audience))
        wakeAll()
    }

    private func user(_ session: Int) throws(Failure) -> String {
        guard let user = sessions[session] else { throw .signedOut }
        return user
    }

    /// Returns a post; throws if the id is that of another epoch, in which it may have been another
    /// post's.
    private func post(
        _ id: Int, of epoch: Int?, in room: String, _ session: Int
    ) throws(Failure) -> Post {
        _ = try self.room(room, session)
        guard epoch == nil || epoch == self.epoch else { throw .noPost }
        guard let post = posts[id], post.room == room else { throw .noPost }
        return post
    }

    private func sorted(_ room: String, _ session: Int) throws(Failure) -> [Post] {
        _ = try self.room(room, session)
        // Ids are ordered by time, because times never go back.
        return (postIDs[room] ?? []).compactMap { posts[$0] }
    }

    private func withLastPost(_ room: Room) -> Room {
        var room = room
        room.lastPost = postIDs[room.id]?.last.flatMap { posts[$0] }
        return room
    }
}

extension TeamChatServer.Entry {
    /// The id of the post that the entry refers to.
    var postID: Int? {
        switch change {
        case .posted(let id), .edited(let id), .deleted(let id, _): id
        case .room: nil
        }
    }
}
