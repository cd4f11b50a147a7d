import Models
import Sync

// Mistakes in optional capabilities. The tests use a server that has all of these capabilities.
extension Mistake {
    static let ofAbilities =
        reactionMistakes + receiptMistakes + managementMistakes
        + moderationMistakes + historyMistakes + lossesOfAllFields

    private static let historyMistakes: [Mistake] = [
        .altering("does not report purges", ["feed.purge"]) { (batch: inout FeedBatch) in
            batch.events.removeAll { event in
                if case .messagesDeleted = event { true } else { false }
            }
        },
        .altering("reports a purge of the wrong channel", ["feed.purge"]) {
            (batch: inout FeedBatch) in
            for (index, event) in batch.events.enumerated() {
                guard case .messagesDeleted(ofSender: let sender, in: _, at: let time) = event
                else { continue }
                batch.events[index] = .messagesDeleted(
                    ofSender: sender, in: "no-such-channel", at: time)
            }
        },
        .altering("reports a purge in all channels", ["feed.purge"]) {
            (batch: inout FeedBatch) in
            for (index, event) in batch.events.enumerated() {
                guard case .messagesDeleted(ofSender: let sender, in: _, at: let time) = event
                else { continue }
                batch.events[index] = .messagesDeleted(ofSender: sender, in: nil, at: time)
            }
        },
        .altering("does not report imported messages", ["feed.history"]) {
            (batch: inout FeedBatch) in
            batch.events.removeAll { $0.isHistoryChange }
        },
        .altering("reports the newest imported message alone", ["feed.history"]) {
            (batch: inout FeedBatch) in
            for (index, event) in batch.events.enumerated() {
                guard case .historyChanged(in: let url, from: _, let through) = event else {
                    continue
                }
                batch.events[index] = .historyChanged(in: url, from: through, through: through)
            }
        },
        .altering("does not report the channel of imported messages", ["feed.history"]) {
            (batch: inout FeedBatch) in
            let urls = Set(batch.events.filter(\.isHistoryChange).compactMap(\.channelURL))
            batch.events.removeAll { event in
                guard case .channel(let update) = event else { return false }
                return urls.contains(update.channelURL)
            }
        },
    ]

    private static let reactionMistakes: [Mistake] = [
        Mistake("ignores the epoch of a reaction", ["errors.epoch"]) { backend, base, _ in
            backend.onReact = { action, key, id, url, request in
                try await base.react(action, with: key, to: id, in: url, requestID: request)
            }
        },
        Mistake("ignores the epoch of a reply's parent", ["errors.epoch"]) { backend, base, _ in
            backend.onSend = { item in
                var item = item
                item.targetEpoch = nil
                return try await base.send(item)
            }
        },
        Mistake("ignores the epoch of a pinned message", ["errors.epoch"]) { backend, base, _ in
            backend.onPin = { isPinned, id, url in
                try await base.setPinned(isPinned, id, in: url)
            }
        },
        Mistake("removes a reaction that is added again", ["react.idempotent"]) {
            backend, base, _ in
            let mine = Memory()
            backend.onReact = { action, key, id, url, request in
                let isNew = mine.use { $0.reactions.insert("\(id) \(key)").inserted }
                let action = action == .add && !isNew ? .delete : action
                return try await base.react(action, with: key, to: id, in: url, requestID: request)
            }
        },
        Mistake("gives all reactions the same time", ["react.version"]) { backend, base, _ in
            backend.onReact = { action, key, id, url, request in
                var event = try await base.react(
                    action, with: key, to: id, in: url, requestID: request)
                event.updatedAt = 1
                return event
            }
        },
        Mistake("returns the channel's history as a thread", ["replies.page"]) { backend, base, _ in
            backend.onReplies = { _, url, anchor, older, newer in
                try await base.messages(in: url, at: anchor, older: older, newer: newer)
            }
        },
        Mistake("counts beyond the upper bound", ["count.exact"]) { backend, base, _ in
            backend.onCount = { url, lower, _ in
                try await base.countMessages(in: url, from: lower, to: nil)
            }
        },
        Mistake("loses the last byte of a file", ["upload.bytes"]) { backend, base, _ in
            backend.onDownload = { try await base.download($0).dropLast() }
        },
    ]

    private static let receiptMistakes: [Mistake] = [
        .altering("reports no read receipts", ["read.reported"]) { (batch: inout FeedBatch) in
            batch.events.removeAll { if case .read = $0 { true } else { false } }
        },
        .altering("reports no delivery receipts", ["delivered.reported"]) {
            (batch: inout FeedBatch) in
            batch.events.removeAll { if case .delivered = $0 { true } else { false } }
        },
        Mistake("never ends typing", ["typing.reported"]) { backend, base, _ in
            backend.onTyping = { isTyping, url in
                if isTyping { try await base.setTyping(true, in: url) }
            }
        },
    ]

    private static let managementMistakes: [Mistake] = [
        Mistake("does not count invited members", ["create.members"]) { backend, base, _ in
            backend.onChannel = { url in
                var channel = try await base.channel(url)
                channel.memberCount = channel.joinedMemberCount
                return channel
            }
            backend.onUpdateChannel = { url, patch in
                var channel = try await base.updateChannel(url, with: patch)
                channel.memberCount = channel.joinedMemberCount
                return channel
            }
        },
        Mistake("makes a new channel each time", ["create.distinct"]) { backend, base, _ in
            backend.onCreate = { params in
                var params = params
                params.isDistinct = false
                return try await base.createChannel(params)
            }
        },
        Mistake("clears fields that a patch omits", ["updateChannel.absent"]) { backend, base, _ in
            backend.onUpdateChannel = { url, patch in
                var patch = patch
                if !patch.contains(\.customType) { patch.set(\.customType, to: "") }
                return try await base.updateChannel(url, with: patch)
            }
        },
        Mistake("shows the history of a deleted channel", ["deleteChannel.gone"]) {
            backend, base, memory in
            backend.onDeleteChannel = { url in
                try await base.deleteChannel(url)
                memory.use { $0.channels[url] = 0 }
            }
            backend.onMessages = { url, anchor, older, newer in
                if memory.use({ $0.channels[url] }) != nil {
                    return MessagePage(messages: [], older: nil, newer: nil)
                }
                return try await base.messages(in: url, at: anchor, older: older, newer: newer)
            }
        },
        Mistake("ignores invitations", ["invite.reported"]) { backend, base, _ in
            backend.onInvite = { _, url in _ = try await base.channel(url) }
        },
        Mistake("accepts declined invitations", ["invitation.answer"]) { backend, base, _ in
            backend.onAnswer = { url, _ in
                try await base.answerInvitation(to: url, accepts: true)
            }
        },
        Mistake("lets members accept again", ["invitation.none"]) { backend, base, _ in
            backend.onAnswer = { url, accepts in
                let state = try await base.channel(url).myMemberState
                if accepts, state == .joined { return }
                try await base.answerInvitation(to: url, accepts: accepts)
            }
        },
        Mistake("counts members who have left", ["leave.loses"]) { backend, base, memory in
            backend.onLeave = { url in
                try await base.leave(url)
                memory.use { $0.channels[url, default: 0] += 1 }
            }
            backend.onChannel = { url in
                var channel = try await base.channel(url)
                channel.memberCount += memory.use { $0.channels[url] ?? 0 }
                return channel
            }
        },
        Mistake("shows channels that should stay hidden", ["hide.state"]) { backend, base, _ in
            backend.onHide = { url, state in
                let isHidden = state != .unhidden
                try await base.hide(url, until: isHidden ? .hiddenAllowAutoUnhide : .unhidden)
            }
        },
        Mistake("does not report where a history begins", ["reset.history"]) { backend, base, _ in
            backend.onChannel = { url in
                var channel = try await base.channel(url)
                channel.messageOffset = nil
                return channel
            }
        },
    ]

    private static let moderationMistakes: [Mistake] = [
        Mistake("freezes a channel for all", ["freeze.refuses"]) { backend, base, memory in
            backend.onFrozen = { isFrozen, url in
                try await base.setFrozen(isFrozen, for: url)
                memory.use { $0.channels[url] = isFrozen ? 1 : 0 }
            }
            backend.onSend = { item in
                if memory.use({ $0.channels[item.channelURL] }) == 1 {
                    throw BackendError(.refused, "it is frozen", detail: .channelFrozen)
                }
                return try await base.send(item)
            }
        },
        Mistake("does not report that a user is muted", ["mute.refuses"]) { backend, base, _ in
            backend.onSend = { item in
                do { return try await base.send(item) } catch let error as BackendError {
                    guard error.detail == .mutedInChannel else { throw error }
                    throw BackendError(.refused, "no")
                }
            }
        },
        Mistake("bans for a moment", ["ban.loses", "restricted.all"]) { backend, base, _ in
            backend.onRestrict = { userID, url, type in
                try await base.restrict(userID, in: url, as: type, until: nil, reason: "")
                if type == .banned { try await base.lift(type, of: userID, in: url) }
            }
        },
        .altering("returns an old unread count", ["channel.same"]) {
            (channel: inout GroupChannel) in
            channel.unreadMessageCount = min(channel.unreadMessageCount, 1)
        },
        Mistake("does not mark as unread", ["unread.reported"]) { backend, base, _ in
            backend.onUnread = { id, url in _ = try await base.lookup([id], in: url) }
        },
        Mistake("pins a message for a moment", ["pin.reported"]) { backend, base, _ in
            backend.onPin = { isPinned, id, url in
                try await base.setPinned(isPinned, id, in: url)
                if isPinned { try await base.setPinned(false, id, in: url) }
            }
        },
        .altering("does not report the pinned messages", ["pin.reported"]) {
            (batch: inout FeedBatch) in
            batch.events.removeAll { event in
                guard case .channel(let update) = event else { return false }
                return update.source == .eventPinnedMessageUpdated
            }
        },
        Mistake("gives no role", ["role.reported"]) { backend, base, _ in
            backend.onRole = { role, ids, url in
                try await base.setRole(.none, of: ids, in: url)
            }
        },
        Mistake("lists one restricted user", ["restricted.all"]) { backend, base, _ in
            backend.onRestricted = { url, type, cursor, limit in
                var page = try await base.restrictedUsers(
                    of: url, as: type, after: cursor, limit: limit)
                page.next = nil
                return page
            }
        },
        Mistake("creates a poll without its options", ["poll.options"]) { backend, base, _ in
            backend.onPoll = { poll in
                var poll = poll
                poll.options = Array(poll.options.prefix(1)) + Array(poll.options.prefix(1))
                return try await base.createPoll(poll)
            }
        },
        Mistake("does not end a vote", ["vote.reported"]) { backend, base, _ in
            backend.onVote = { options, id, url in
                if options.isEmpty {
                    return try await base.lookup([id], in: url).found[0]
                }
                return try await base.vote(for: options, inPollOf: id, in: url)
            }
        },
        Mistake("does not end a block", ["block.listed"]) { backend, base, _ in
            backend.onBlock = { isBlocked, id in
                if isBlocked { try await base.setBlocked(true, id) }
            }
        },
        Mistake("lists one blocked user", ["blocked.all"]) { backend, base, _ in
            backend.onBlocked = { cursor, limit in
                var page = try await base.blockedUsers(after: cursor, limit: limit)
                page.next = nil
                return page
            }
        },
        Mistake("searches for the first word only", ["search.words"]) { backend, base, _ in
            backend.onSearch = { params, cursor, limit in
                var params = params
                params.text = params.text.split(separator: " ").first.map(String.init) ?? ""
                return try await base.searchMessages(
                    matching: params, after: cursor, limit: limit)
            }
        },
        .altering("finds the oldest message first", ["search.order"]) {
            (page: inout Page<Message>) in
            page.elements.reverse()
        },
        .altering("loses a message between two pages", ["search.pages"]) {
            (page: inout Page<Message>) in
            if page.next != nil { page.elements.removeLast() }
        },
        Mistake("finds messages by their first text", ["search.current"]) {
            backend, base, memory in
            backend.onSend = { item in
                let message = try await base.send(item)
                memory.use { $0.messages.append(message) }
                return message
            }
            backend.onSearch = { params, cursor, limit in
                var page = try await base.searchMessages(
                    matching: params, after: cursor, limit: limit)
                for message in memory.use({ $0.messages }) where message.text == params.text {
                    if !page.elements.map(\.messageID).contains(message.messageID) {
                        page.elements.append(message)
                    }
                }
                return page
            }
        },
        Mistake("finds messages of other channels", ["search.private"]) { backend, base, memory in
            backend.onSend = { item in
                let message = try await base.send(item)
                memory.use { $0.messages.append(message) }
                return message
            }
            backend.onSearch = { params, cursor, limit in
                var page = try await base.searchMessages(
                    matching: params, after: cursor, limit: limit)
                for message in memory.use({ $0.messages }) where message.text.contains(params.text)
                {
                    do { _ = try await base.channel(message.channelURL) } catch {
                        page.elements.append(message)
                    }
                }
                return page
            }
        },
        Mistake("accepts reports of anything", ["report.missing"]) { backend, _, _ in
            backend.onReport = { _ in }
        },
        Mistake("lets operators restrict themselves", ["restrict.self", "restricted.all"]) {
            backend, base, _ in
            backend.onRestrict = { userID, url, type in
                do {
                    try await base.restrict(userID, in: url, as: type, until: nil, reason: "")
                } catch let error as BackendError
                    where error.message.contains("mute or ban themselves")
                {}
            }
        },
        Mistake("ignores exits of open channels", ["open.live"]) { backend, _, _ in
            backend.onExit = { _ in }
        },
    ]
}

extension FeedEvent {
    fileprivate var isHistoryChange: Bool {
        if case .historyChanged = self { true } else { false }
    }
}
