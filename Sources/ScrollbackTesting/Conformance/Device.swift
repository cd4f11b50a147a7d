import Models
import Sync

struct Device: Sendable {
    let user: Credentials
    let backend: CompleteBackend
    let scene: Scene

    var userID: UserID { user.userID }

    func can(_ capability: BackendCapabilities) -> Bool {
        backend.capabilities.contains(capability)
    }

    func supports(_ type: any BackendRequest.Type) -> Bool { backend.requests.supports(type) }

    func accept(_ url: ChannelURL) async throws {
        guard can(.invitations) else { return }
        guard try await backend.channel(url).myMemberState == .invited else { return }
        try await backend.perform(AnswerInvitation(to: url, accepts: true))
    }
}

// MARK: Writing

extension Device {
    func send(
        _ text: String, in url: ChannelURL, to parent: MessageID? = nil,
        requestID: RequestID? = nil
    ) async throws -> Message {
        var params = NewMessage(text)
        params.parentMessageID = parent
        return try await send(params, in: url, requestID: requestID)
    }

    func send(
        _ params: NewMessage, in url: ChannelURL, requestID: RequestID? = nil
    ) async throws -> Message {
        if scene.subject.isReadOnly { return try await write(.send(params, in: url), in: url) }
        let id = requestID ?? scene.subject.makeRequestID()
        return try await backend.send(OutboxItem(params, id, url))
    }

    private func write(_ change: ConformanceWrite, in url: ChannelURL) async throws -> Message {
        let id = try await scene.write(change, as: user)
        guard let message = try await backend.lookup([id], in: url).found.first else {
            throw Broken(
                text: "a lookup does not find \(id), which the subject has written",
                promiseID: "lookup.all")
        }
        return message
    }

    /// Sends messages with the texts "1", "2", "3" and so on.
    func send(_ count: Int, in url: ChannelURL) async throws -> [Message] {
        var messages: [Message] = []
        for number in 0..<count { messages.append(try await send("\(number + 1)", in: url)) }
        return messages
    }

    @discardableResult
    func edit(_ message: Message, _ text: String) async throws -> Message {
        var params = UserMessageUpdateParams()
        params.text = text
        return try await edit(message, params)
    }

    @discardableResult
    func edit(_ message: Message, _ params: UserMessageUpdateParams) async throws -> Message {
        let (id, url) = (try message.id, message.channelURL)
        if scene.subject.isReadOnly {
            return try await write(.edit(id, in: url, params), in: url)
        }
        return try await backend.update(
            id, in: url, with: .text(params), requestID: scene.subject.makeRequestID())
    }

    func delete(_ message: Message) async throws {
        let (id, url) = (try message.id, message.channelURL)
        if scene.subject.isReadOnly {
            _ = try await scene.write(.delete(id, in: url), as: user)
            return
        }
        try await backend.delete(id, in: url, requestID: scene.subject.makeRequestID())
    }

    @discardableResult
    func react(
        _ action: ReactionEventAction = .add, with key: String, to message: Message
    ) async throws -> ReactionEvent {
        try await backend.react(
            action, with: key, to: try message.id, in: message.channelURL,
            requestID: scene.subject.makeRequestID())
    }
}

// MARK: Reading

enum Side {
    case older
    case newer
}

extension Device {
    /// Returns the messages of all pages to the end of the history, oldest first.
    func readAll(
        _ url: ChannelURL, from anchor: MessageAnchor, _ side: Side, by step: Int = 7,
        thread parent: MessageID? = nil
    ) async throws -> [Message] {
        var anchor = anchor
        var found: [Message] = []
        for _ in 0..<100 {
            let page = try await page(
                url, anchor, older: side == .older ? step : 0, newer: side == .newer ? step : 0,
                thread: parent)
            let cursor = side == .older ? page.older : page.newer
            found = side == .older ? page.messages + found : found + page.messages
            guard let cursor else { return found }
            anchor = .cursor(cursor)
        }
        throw Broken(
            text: "reading \(side) messages has no end within 100 pages",
            promiseID: parent == nil ? "messages.walk" : "replies.page")
    }

    func page(
        _ url: ChannelURL, _ anchor: MessageAnchor, older: Int, newer: Int,
        thread parent: MessageID? = nil
    ) async throws -> MessagePage {
        guard let parent else {
            return try await backend.messages(in: url, at: anchor, older: older, newer: newer)
        }
        return try await backend.replies(
            to: parent, in: url, at: anchor, older: older, newer: newer)
    }

    func history(_ url: ChannelURL) async throws -> [Message] {
        try await readAll(url, from: .newest, .older, by: 50)
    }

    func members(of url: ChannelURL, limit: Int = 10) async throws -> [Member] {
        try await allPages(of: "the list of members", "members.all") { cursor in
            let page = try await backend.perform(ListMembers(of: url, after: cursor, limit: limit))
            try expect(page.elements.count <= limit, "a page has more than \(limit) members")
            return page
        }
    }

    func channelURLs() async throws -> Set<ChannelURL> {
        Set(try await channels(matching: .everything).map(\.url))
    }

    func channels(matching query: GroupChannelListQuery) async throws -> [GroupChannel] {
        try await allPages(of: "the list of channels", "channels.query", limit: 1000) {
            try await backend.channels(matching: query, after: $0)
        }
    }
}

/// Returns the elements of a list; throws if it has too many pages.
func allPages<Element>(
    of list: String, _ promiseID: String, limit: Int = 100,
    _ request: (PageCursor?) async throws -> Page<Element>
) async throws -> [Element] {
    var found: [Element] = []
    var cursor: PageCursor?
    for _ in 0..<limit {
        let page = try await request(cursor)
        found += page.elements
        guard let next = page.next else { return found }
        cursor = next
    }
    throw Broken(text: "\(list) has no end within \(limit) pages", promiseID: promiseID)
}

extension GroupChannelListQuery {
    static var everything: GroupChannelListQuery {
        var query = GroupChannelListQuery()
        query.limit = 100
        query.hiddenStateFilter = .all
        return query
    }
}

// MARK: Properties of messages

extension Message {
    /// The ID, which every message from a server must have.
    var id: MessageID {
        get throws {
            guard let messageID else { throw Broken(text: "a message without an id: \(shown)") }
            return messageID
        }
    }

    /// The time of the last edit or, without one, of the creation.
    var version: Timestamp { updatedAt ?? createdAt }
}

extension Sequence<Message> {
    var ids: [String] { map { $0.messageID?.rawValue ?? "-" } }

    /// The messages by position, the order of sending if the server's clocks do not differ.
    var inOrder: [Message] {
        sorted { left, right in
            guard let position = left.position, let other = right.position else { return false }
            return position < other
        }
    }
}
