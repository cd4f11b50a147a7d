import Models
import ScrollbackTesting
import Sync

/// Something wrong that a backend could do, and the promises that it breaks.
struct Mistake: Sendable, CustomStringConvertible {
    let description: String
    let promises: Set<String>
    let make: @Sendable (any Backend, Memory) -> any Backend

    init(
        _ description: String, _ promises: Set<String>,
        _ change: @escaping @Sendable (inout WrongBackend, any Backend, Memory) -> Void
    ) {
        self.description = description
        self.promises = promises
        make = { base, memory in
            var backend = WrongBackend(base)
            change(&backend, base, memory)
            return backend
        }
    }

    static let all = feedMistakes + pageMistakes + writingMistakes
}

// MARK: The feed

extension Mistake {
    static let feedMistakes: [Mistake] = [
        Mistake("drops holes", ["feed.complete", "feed.hole"]) { backend, base, _ in
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                batch.events.removeAll { if case .hole = $0 { true } else { false } }
                return batch
            }
        },
        Mistake("walks from behind the hole", ["feed.complete", "feed.hole"]) { backend, base, _ in
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                for (index, event) in batch.events.enumerated() {
                    guard case .hole(in: let url, walk: _) = event else { continue }
                    let edge = Edge(.distantPast).cursor
                    batch.events[index] = .hole(in: url, walk: edge)
                }
                return batch
            }
        },
        Mistake("swaps two messages", ["feed.order"]) { backend, base, _ in
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                let places = batch.events.indices.filter { index in
                    if case .messageReceived = batch.events[index] { true } else { false }
                }
                if places.count > 1 { batch.events.swapAt(places[0], places[1]) }
                return batch
            }
        },
        Mistake("tells an older version after a newer", ["feed.whole"]) { backend, base, _ in
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                for case .messageUpdated(let message) in batch.events {
                    var old = message
                    old.updatedAt = nil
                    old.text = "0"
                    batch.events.append(.messageUpdated(old))
                }
                return batch
            }
        },
        Mistake("tells only what changed of a message", ["feed.whole"]) {
            backend, base, _ in
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                batch.events = batch.events.map { event in
                    guard case .messageUpdated(let message) = event else { return event }
                    var part = Message()
                    part.messageID = message.messageID
                    part.channelURL = message.channelURL
                    part.text = message.text
                    part.updatedAt = message.updatedAt
                    return .messageUpdated(part)
                }
                return batch
            }
        },
        Mistake(
            "has a cursor that skips", ["feed.complete", "feed.cursor", "feed.hole", "feed.live"]
        ) { backend, base, _ in
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                guard !batch.isLive else { return batch }
                batch.cursor = try await base.feed(since: batch.cursor).cursor
                return batch
            }
        },
        Mistake("has a cursor that stays", ["feed.cursor", "feed.once"]) { backend, base, _ in
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                if batch.isLive, let cursor { batch.cursor = cursor }
                return batch
            }
        },
        Mistake("is live too early", ["feed.complete", "feed.cursor", "feed.hole", "feed.live"]) {
            backend, base, _ in
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                batch.isLive = true
                return batch
            }
        },
        Mistake("is never live", ["feed.live"]) { backend, base, _ in
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                batch.isLive = false
                return batch
            }
        },
        Mistake("begins anew instead of expiring", ["feed.expired"]) { backend, base, _ in
            backend.onFeed = { cursor in
                do { return try await base.feed(since: cursor) } catch let error as BackendError {
                    guard error.code == .expired else { throw error }
                    return try await base.feed(since: nil)
                }
            }
        },
        Mistake("tells of channels of others", ["feed.private"]) { backend, base, memory in
            backend.onSend = { draft in
                let message = try await base.send(draft)
                memory.use { $0.messages.append(message) }
                return message
            }
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                guard let last = memory.use({ $0.messages.suffix(3).first }) else { return batch }
                do { _ = try await base.channel(last.channelURL) } catch {
                    batch.events.append(.messageReceived(last))
                }
                return batch
            }
        },
        Mistake(
            "does not tell users of their own messages",
            ["feed.sender", "feed.complete", "send.told"]
        ) { backend, base, _ in
            let mine = Memory()
            backend.onConnect = { credentials in
                mine.use { $0.user = credentials.userID }
                return try await base.connect(as: credentials)
            }
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                batch.events.removeAll { event in
                    guard case .messageReceived(let message) = event else { return false }
                    return message.sender?.userID == mine.use { $0.user }
                }
                return batch
            }
        },
        Mistake("names another epoch", ["feed.epoch"]) { backend, base, _ in
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                batch.epoch = "another"
                return batch
            }
        },
        Mistake("begins with the oldest channels", ["feed.beginning"]) { backend, base, _ in
            backend.onFeed = { cursor in
                var batch = try await base.feed(since: cursor)
                if cursor == nil { batch.events.reverse() }
                return batch
            }
        },
    ]
}

// MARK: Pages and changelogs

extension Mistake {
    static let pageMistakes: [Mistake] = [
        Mistake("calls a page that is cut short the end", ["messages.ends"]) { backend, base, _ in
            backend.onMessages = { url, anchor, older, newer in
                guard older > 60 else {
                    return try await base.messages(
                        in: url, at: anchor, older: older, newer: newer)
                }
                var page = try await base.messages(in: url, at: anchor, older: 20, newer: 0)
                page.older = nil
                return page
            }
        },
        Mistake("has no end", ["messages.walk"]) { backend, base, _ in
            backend.onMessages = { url, anchor, older, newer in
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                page.older = page.older ?? Edge(.distantPast).cursor
                return page
            }
        },
        Mistake("loses a message between pages", ["messages.cursor"]) { backend, base, _ in
            backend.onMessages = { url, anchor, older, newer in
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                if case .cursor = anchor, older == 3, page.messages.count == older {
                    page.messages.removeLast()
                }
                return page
            }
        },
        Mistake("has messages twice between pages", ["messages.cursor"]) {
            backend, base, memory in
            backend.onMessages = { url, anchor, older, newer in
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                let first = page.messages.first
                let before = memory.use { memory in
                    defer { memory.told[url] = first }
                    return memory.told[url]
                }
                if case .cursor = anchor, older == 3, let before { page.messages.append(before) }
                return page
            }
        },
        Mistake(
            "loses what shares a millisecond at a border", ["messages.cursor", "messages.anchor"]
        ) { backend, base, _ in
            backend.onMessages = { url, anchor, older, newer in
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                if older > 0, let first = page.messages.first, page.older != nil {
                    let time = Timestamp(milliseconds: first.createdAt.milliseconds - 1)
                    page.older = Edge(time).cursor
                }
                return page
            }
        },
        Mistake("gives more than was asked for", ["messages.limit"]) { backend, base, _ in
            backend.onMessages = { url, anchor, older, newer in
                guard newer == 1, older == 0 else {
                    return try await base.messages(in: url, at: anchor, older: older, newer: newer)
                }
                return try await base.messages(in: url, at: anchor, older: 0, newer: 2)
            }
        },
        Mistake("leaves a message out of a page", ["messages.whole"]) { backend, base, _ in
            backend.onMessages = { url, anchor, older, newer in
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                if older == 20, newer == 20, page.messages.count > 4 { page.messages.remove(at: 3) }
                return page
            }
        },
        Mistake("sorts the newest first", ["messages.order"]) { backend, base, _ in
            backend.onMessages = { url, anchor, older, newer in
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                if older == 20, newer == 20 { page.messages.reverse() }
                return page
            }
        },
        Mistake("counts a time's own millisecond as older", ["messages.time"]) { backend, base, _ in
            backend.onMessages = { url, anchor, older, newer in
                guard case .time(let time) = anchor, time != .distantFuture, time != .distantPast
                else {
                    return try await base.messages(in: url, at: anchor, older: older, newer: newer)
                }
                let next = Timestamp(milliseconds: time.milliseconds + 1)
                return try await base.messages(
                    in: url, at: .time(next), older: older, newer: newer)
            }
        },
        Mistake("shows the newest page for what is not there", ["messages.expired"]) {
            backend, base, _ in
            backend.onMessages = { url, anchor, older, newer in
                do {
                    return try await base.messages(in: url, at: anchor, older: older, newer: newer)
                } catch let error as BackendError {
                    guard error.code == .expired, anchor == .message("no-such-message") else {
                        throw error
                    }
                    return try await base.messages(
                        in: url, at: .newest, older: older, newer: newer)
                }
            }
        },
        Mistake("shows an old page", ["messages.fresh"]) { backend, base, memory in
            backend.onMessages = { url, anchor, older, newer in
                let page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                guard older == 10 else { return page }
                return memory.use { memory in
                    defer { memory.pages["\(url)"] = page }
                    return memory.pages["\(url)"] ?? page
                }
            }
        },
        Mistake("says nothing of what is gone", ["lookup.all", "delete.gone"]) { backend, base, _ in
            backend.onLookup = { ids, url in
                var answer = try await base.lookup(ids, in: url)
                answer.gone = []
                return answer
            }
        },
        Mistake("tells no deletions in a changelog", ["messageChanges.complete"]) {
            backend, base, _ in
            backend.onChanges = { url, point in
                var changes = try await base.messageChanges(in: url, since: point)
                changes.deleted = []
                return changes
            }
        },
        Mistake("repeats a token", ["messageChanges.token"]) { backend, base, _ in
            backend.onChanges = { url, point in
                var changes = try await base.messageChanges(in: url, since: point)
                if case .token(let token) = point, changes.hasMore { changes.next = token }
                return changes
            }
        },
        Mistake("has no last token", ["messageChanges.token"]) { backend, base, _ in
            backend.onChanges = { url, point in
                var changes = try await base.messageChanges(in: url, since: point)
                if !changes.hasMore { changes.next = nil }
                return changes
            }
        },
    ]
}

// MARK: Writing

extension Mistake {
    static let writingMistakes: [Mistake] = [
        Mistake("forgets request ids after a while", ["send.once"]) { backend, base, memory in
            backend.onSend = { draft in
                var draft = draft
                let isOld = memory.use { memory in
                    memory.messages.append(Message())
                    let count = memory.messages.count
                    defer { memory.drafts[draft.requestID] = count }
                    return memory.drafts[draft.requestID].map { count - $0 > 20 } ?? false
                }
                if isOld { draft.requestID = RequestID("\(draft.requestID) again") }
                return try await base.send(draft)
            }
        },
        Mistake("resurrects what was deleted", ["send.deleted"]) { backend, base, _ in
            backend.onSend = { draft in
                do { return try await base.send(draft) } catch let error as BackendError {
                    guard error.detail == .messageNotFound else { throw error }
                    var draft = draft
                    draft.requestID = RequestID("\(draft.requestID) again")
                    return try await base.send(draft)
                }
            }
        },
        Mistake("lets others edit", ["update.owner"]) { backend, base, memory in
            backend.onSend = { draft in
                let message = try await base.send(draft)
                memory.use { $0.senders[message.messageID ?? ""] = base }
                return message
            }
            backend.onUpdate = { id, url, update, request in
                do {
                    return try await base.update(id, in: url, with: update, requestID: request)
                } catch let error as BackendError {
                    guard error.code == .refused, let sender = memory.use({ $0.senders[id] })
                    else { throw error }
                    return try await sender.update(id, in: url, with: update, requestID: request)
                }
            }
        },
        Mistake("lets others delete", ["delete.owner"]) { backend, base, memory in
            backend.onSend = { draft in
                let message = try await base.send(draft)
                memory.use { $0.senders[message.messageID ?? ""] = base }
                return message
            }
            backend.onDelete = { id, url, request in
                do { try await base.delete(id, in: url, requestID: request) } catch let error
                    as BackendError
                {
                    guard error.code == .refused, let sender = memory.use({ $0.senders[id] })
                    else { throw error }
                    try await sender.delete(id, in: url, requestID: request)
                }
            }
        },
        Mistake("wipes what an edit does not name", ["update.absent"]) { backend, base, _ in
            backend.onUpdate = { id, url, update, request in
                guard case .user(var params) = update else { throw BackendError.lacking(.files) }
                params.data = params.data ?? ""
                return try await base.update(id, in: url, with: .user(params), requestID: request)
            }
        },
        Mistake("gives edits the time of the message", ["update.version"]) { backend, base, _ in
            backend.onUpdate = { id, url, update, request in
                var message = try await base.update(
                    id, in: url, with: update, requestID: request)
                message.updatedAt = message.createdAt
                return message
            }
        },
        Mistake("deletes what is gone", ["delete.twice"]) { backend, base, _ in
            backend.onDelete = { id, url, request in
                do { try await base.delete(id, in: url, requestID: request) } catch let error
                    as BackendError
                {
                    guard error.detail == .messageNotFound else { throw error }
                }
            }
        },
        Mistake("does not pass the request id on", ["send.message"]) { backend, base, _ in
            backend.onSend = { draft in
                var message = try await base.send(draft)
                message.requestID = nil
                return message
            }
        },
        Mistake("ignores what it cannot do", ["errors.unsupported"]) { backend, _, _ in
            backend.onTyping = { _ in }
        },
        Mistake("answers when it is disconnected", ["disconnect.ends"]) { backend, _, _ in
            backend.disconnects = false
        },
        Mistake("connects somebody else", ["connect.user"]) { backend, base, _ in
            backend.onConnect = { credentials in
                var session = try await base.connect(as: credentials)
                session.user = User(id: "somebody")
                return session
            }
        },
        Mistake("invents a channel that is not there", ["errors.channel"]) { backend, base, _ in
            backend.onMessages = { url, anchor, older, newer in
                do {
                    return try await base.messages(in: url, at: anchor, older: older, newer: newer)
                } catch let error as BackendError {
                    guard error.code == .notFound else { throw error }
                    return MessagePage(messages: [], older: nil, newer: nil)
                }
            }
        },
    ]
}
