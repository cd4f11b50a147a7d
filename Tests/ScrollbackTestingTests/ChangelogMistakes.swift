import Models
import Sync

// Mistakes in changelogs.
extension Mistake {
    static let changelogMistakes: [Mistake] = [
        .altering("omits deletions from a changelog", ["messageChanges.complete"]) {
            (changes: inout MessageChangelog) in
            changes.deleted = []
        },
        Mistake(
            "reports no changes if there are parameters",
            ["messageChanges.complete", "channelChanges.complete"]
        ) { backend, base, _ in
            backend.on(CoreCall.MessageChanges.self) { call in
                var changes = try await base.messageChanges(in: call.channelURL, since: call.since)
                if call.params != nil { changes.updated = [] }
                return changes
            }
            backend.on(CoreCall.ChannelChanges.self) { call in
                var changes = try await base.channelChanges(since: call.since)
                if call.params != nil { changes.updated = [] }
                return changes
            }
        },
        Mistake("repeats a token", ["messageChanges.token"]) { backend, base, _ in
            backend.on(CoreCall.MessageChanges.self) { call in
                let (url, point) = (call.channelURL, call.since)
                var changes = try await base.messageChanges(in: url, since: point)
                if case .token(let token) = point, changes.hasMore { changes.next = token }
                return changes
            }
        },
        .altering("omits the last token", ["messageChanges.token"]) {
            (changes: inout MessageChangelog) in
            if !changes.hasMore { changes.next = nil }
        },
        Mistake("repeats its changelog endlessly", ["messageChanges.ends"]) {
            backend, base, memory in
            backend.on(CoreCall.MessageChanges.self) { call in
                let (url, point) = (call.channelURL, call.since)
                var changes = try await base.messageChanges(in: url, since: point)
                if !changes.hasMore, let next = changes.next {
                    (changes.hasMore, changes.next) = (true, memory.another(next))
                }
                return changes
            }
        },
        Mistake("returns no changes instead of throwing expired", ["messageChanges.expired"]) {
            backend, base, _ in
            backend.on(CoreCall.MessageChanges.self) { call in
                let (url, point) = (call.channelURL, call.since)
                do { return try await base.messageChanges(in: url, since: point) } catch let error
                    as BackendError
                {
                    guard error.code == .expired else { throw error }
                    var none = MessageChangelog()
                    none.next = "1/0"
                    return none
                }
            }
        },
        .altering("omits lost and changed channels", ["channelChanges.complete"]) {
            (changes: inout GroupChannelChangelog) in
            changes.updated = changes.updated.filter { $0.lastMessage == nil }
            changes.deletedURLs = []
        },
        .altering("omits the last token of channels", ["channelChanges.token"]) {
            (changes: inout GroupChannelChangelog) in
            changes.next = changes.hasMore ? changes.next : nil
        },
        Mistake("repeats its changelog of channels endlessly", ["channelChanges.ends"]) {
            backend, base, memory in
            backend.on(CoreCall.ChannelChanges.self) { call in
                let point = call.since
                var changes = try await base.channelChanges(since: point)
                if !changes.hasMore, let next = changes.next {
                    (changes.hasMore, changes.next) = (true, memory.another(next))
                }
                return changes
            }
        },
        Mistake("returns no channels instead of throwing expired", ["channelChanges.expired"]) {
            backend, base, _ in
            backend.on(CoreCall.ChannelChanges.self) { call in
                let point = call.since
                do { return try await base.channelChanges(since: point) } catch let error
                    as BackendError
                {
                    guard error.code == .expired else { throw error }
                    return GroupChannelChangelog()
                }
            }
        },
    ]
}

// Mistakes in channels.
extension Mistake {
    static let channelMistakes: [Mistake] = [
        Mistake("reverses the list of channels", ["channels.query"]) { backend, base, _ in
            backend.on(CoreCall.Channels.self) { call in
                let (query, cursor) = (call.query, call.cursor)
                var page = try await base.channels(matching: query, after: cursor)
                page.elements.reverse()
                return page
            }
        },
        Mistake("ignores filters", ["channels.query"]) { backend, base, _ in
            backend.on(CoreCall.Channels.self) { call in
                let cursor = call.cursor
                var query = call.query
                query.channelNameContainsFilter = nil
                return try await base.channels(matching: query, after: cursor)
            }
        },
        Mistake(
            "returns another name of a channel", ["channel.same", "feed.beginning", "feed.members"]
        ) {
            backend, base, _ in
            backend.on(CoreCall.Channel.self) { call in
                let url = call.channelURL
                var channel = try await base.channel(url)
                channel.name += " "
                return channel
            }
        },
        Mistake("loses a member between pages", ["members.all"]) { backend, base, _ in
            backend.on(ListMembers.self) { call in
                let (url, cursor, limit) = (call.channelURL, call.cursor, call.limit)
                var page = try await base.perform(ListMembers(of: url, after: cursor, limit: limit))
                if cursor != nil { page.elements.removeFirst() }
                return page
            }
        },
    ]
}

extension Memory {
    /// Returns a token of the team chat in another spelling with the same meaning.
    ///
    /// Each call returns a new spelling.
    func another(_ token: String) -> String {
        let zeros = use { memory in
            memory.count += 1
            return String(repeating: "0", count: memory.count % 4000)
        }
        return token.replacing("/", with: "/\(zeros)", maxReplacements: 1)
    }
}
