import Models
import Sync

// Mistakes in optional capabilities. The tests use a server that has all of these capabilities.
extension Mistake {
    static let ofAbilities =
        reactionMistakes + receiptMistakes + managementMistakes
        + moderationMistakes + historyMistakes + lossesOfAllFields

    private static let historyMistakes: [Mistake] = [
        .altering("reports earlier names of channels", ["feed.fresh"]) { (batch: inout FeedBatch) in
            for (index, event) in batch.events.enumerated() {
                guard case .channel(var update) = event, update.patch.contains(\.name) else {
                    continue
                }
                var channel = GroupChannel()
                update.patch.apply(to: &channel)
                guard channel.name == "second" else { continue }
                update.patch.set(\.name, to: "first")
                batch.events[index] = .channel(update)
            }
        },
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
            backend.on(CoreCall.React.self) { call in
                let (action, key, id, url, request) = (
                    call.action, call.key, call.messageID, call.channelURL, call.requestID
                )
                return try await base.react(action, with: key, to: id, in: url, requestID: request)
            }
        },
        Mistake("ignores the epoch of a reply's parent", ["errors.epoch"]) { backend, base, _ in
            backend.on(CoreCall.Send.self) { call in
                var item = call.item
                item.targetEpoch = nil
                return try await base.send(item)
            }
        },
        Mistake("ignores the epoch of a pinned message", ["errors.epoch"]) { backend, base, _ in
            backend.on(SetPinned.self) { call in
                let (isPinned, id, url) = (call.isPinned, call.messageID, call.channelURL)
                try await base.perform(SetPinned(isPinned, id, in: url))
            }
        },
        Mistake("removes a reaction that is added again", ["react.idempotent"]) {
            backend, base, _ in
            let mine = Memory()
            backend.on(CoreCall.React.self) { call in
                let (key, id, url) = (call.key, call.messageID, call.channelURL)
                let isNew = mine.use { $0.reactions.insert("\(id) \(key)").inserted }
                let action = call.action == .add && !isNew ? .delete : call.action
                let request = call.requestID
                return try await base.react(action, with: key, to: id, in: url, requestID: request)
            }
        },
        Mistake("gives all reactions the same time", ["react.version"]) { backend, base, _ in
            backend.on(CoreCall.React.self) { call in
                let (action, key, id, url, request) = (
                    call.action, call.key, call.messageID, call.channelURL, call.requestID
                )
                var event = try await base.react(
                    action, with: key, to: id, in: url, requestID: request)
                event.updatedAt = 1
                return event
            }
        },
        Mistake("returns the channel's history as a thread", ["replies.page"]) { backend, base, _ in
            backend.on(CoreCall.Replies.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                return try await base.messages(in: url, at: anchor, older: older, newer: newer)
            }
        },
        Mistake("omits the oldest message of a kind", ["kinds.page"]) { backend, base, _ in
            backend.on(CoreCall.MessagesOfKinds.self) { call in
                var page = try await base.messages(
                    of: call.kinds, in: call.channelURL, at: call.anchor, older: call.older)
                if page.older == nil { page.messages = Array(page.messages.dropFirst()) }
                return page
            }
        },
        Mistake("lists only the newest mentions", ["mentions.pages"]) { backend, base, _ in
            backend.on(ListMentions.self) { call in
                var page = try await base.perform(
                    ListMentions(after: call.cursor, limit: call.limit))
                page.next = nil
                return page
            }
        },
        Mistake("counts beyond the upper bound", ["count.exact"]) { backend, base, _ in
            backend.on(CountMessages.self) { call in
                let (url, lower) = (call.channelURL, call.lower)
                return try await base.perform(CountMessages(in: url, from: lower, to: nil))
            }
        },
        Mistake("loses the last byte of a file", ["upload.bytes"]) { backend, base, _ in
            backend.on(CoreCall.Download.self) { try await base.download($0.file).dropLast() }
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
            backend.on(SetTyping.self) { call in
                let (isTyping, url) = (call.isTyping, call.channelURL)
                if isTyping { try await base.perform(SetTyping(true, in: url)) }
            }
        },
    ]

    private static let managementMistakes: [Mistake] = [
        Mistake("does not count invited members", ["create.members"]) { backend, base, _ in
            backend.on(CoreCall.Channel.self) { call in
                let url = call.channelURL
                var channel = try await base.channel(url)
                channel.memberCount = channel.joinedMemberCount
                return channel
            }
            backend.on(UpdateChannel.self) { call in
                let (url, patch) = (call.channelURL, call.patch)
                var channel = try await base.perform(UpdateChannel(url, with: patch))
                channel.memberCount = channel.joinedMemberCount
                return channel
            }
        },
        Mistake("makes a new channel each time", ["create.distinct"]) { backend, base, _ in
            backend.on(CreateChannel.self) { call in
                var params = call.params
                params.isDistinct = false
                return try await base.perform(CreateChannel(params))
            }
        },
        Mistake("clears fields that a patch omits", ["updateChannel.absent"]) { backend, base, _ in
            backend.on(UpdateChannel.self) { call in
                let url = call.channelURL
                var patch = call.patch
                if !patch.contains(\.customType) { patch.set(\.customType, to: "") }
                return try await base.perform(UpdateChannel(url, with: patch))
            }
        },
        Mistake("shows the history of a deleted channel", ["deleteChannel.gone"]) {
            backend, base, memory in
            backend.on(DeleteChannel.self) { call in
                let url = call.channelURL
                try await base.perform(DeleteChannel(url))
                memory.use { $0.channels[url] = 0 }
            }
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                if memory.use({ $0.channels[url] }) != nil {
                    return MessagePage(messages: [], older: nil, newer: nil)
                }
                return try await base.messages(in: url, at: anchor, older: older, newer: newer)
            }
        },
        Mistake("ignores invitations", ["invite.reported"]) { backend, base, _ in
            backend.on(InviteUsers.self) { call in
                let url = call.channelURL
                _ = try await base.channel(url)
            }
        },
        Mistake("accepts declined invitations", ["invitation.answer"]) { backend, base, _ in
            backend.on(AnswerInvitation.self) { call in
                let url = call.channelURL
                try await base.perform(AnswerInvitation(to: url, accepts: true))
            }
        },
        Mistake("lets members accept again", ["invitation.none"]) { backend, base, _ in
            backend.on(AnswerInvitation.self) { call in
                let (url, accepts) = (call.channelURL, call.accepts)
                let state = try await base.channel(url).myMemberState
                if accepts, state == .joined { return }
                try await base.perform(AnswerInvitation(to: url, accepts: accepts))
            }
        },
        Mistake("counts members who have left", ["leave.loses"]) { backend, base, memory in
            backend.on(LeaveChannel.self) { call in
                let url = call.channelURL
                try await base.perform(LeaveChannel(url))
                memory.use { $0.channels[url, default: 0] += 1 }
            }
            backend.on(CoreCall.Channel.self) { call in
                let url = call.channelURL
                var channel = try await base.channel(url)
                channel.memberCount += memory.use { $0.channels[url] ?? 0 }
                return channel
            }
        },
        Mistake("shows channels that should stay hidden", ["hide.state"]) { backend, base, _ in
            backend.on(HideChannel.self) { call in
                let (url, state) = (call.channelURL, call.state)
                let isHidden = state != .unhidden
                try await base.perform(
                    HideChannel(url, until: isHidden ? .hiddenAllowAutoUnhide : .unhidden))
            }
        },
        Mistake("does not report where a history begins", ["reset.history"]) { backend, base, _ in
            backend.on(CoreCall.Channel.self) { call in
                let url = call.channelURL
                var channel = try await base.channel(url)
                channel.messageOffset = nil
                return channel
            }
        },
    ]

    private static let moderationMistakes: [Mistake] = [
        Mistake("freezes a channel for all", ["freeze.refuses"]) { backend, base, memory in
            backend.on(SetFrozen.self) { call in
                let (isFrozen, url) = (call.isFrozen, call.channelURL)
                try await base.perform(SetFrozen(isFrozen, for: url))
                memory.use { $0.channels[url] = isFrozen ? 1 : 0 }
            }
            backend.on(CoreCall.Send.self) { call in
                let item = call.item
                if memory.use({ $0.channels[item.channelURL] }) == 1 {
                    throw BackendError(.refused, "it is frozen", detail: .channelFrozen)
                }
                return try await base.send(item)
            }
        },
        Mistake("does not report that a user is muted", ["mute.refuses"]) { backend, base, _ in
            backend.on(CoreCall.Send.self) { call in
                let item = call.item
                do { return try await base.send(item) } catch let error as BackendError {
                    guard error.detail == .mutedInChannel else { throw error }
                    throw BackendError(.refused, "no")
                }
            }
        },
        Mistake("bans for a moment", ["ban.loses", "restricted.all"]) { backend, base, _ in
            backend.on(RestrictUser.self) { call in
                let (userID, url, type) = (call.userID, call.channelURL, call.restriction)
                try await base.perform(
                    RestrictUser(userID, in: url, as: type, until: nil, reason: ""))
                if type == .banned {
                    try await base.perform(LiftRestriction(type, of: userID, in: url))
                }
            }
        },
        .altering("returns an old unread count", ["channel.same"]) {
            (channel: inout GroupChannel) in
            channel.unreadMessageCount = min(channel.unreadMessageCount, 1)
        },
        Mistake("does not mark as unread", ["unread.reported"]) { backend, base, _ in
            backend.on(MarkAsUnread.self) { call in
                let (id, url) = (call.messageID, call.channelURL)
                _ = try await base.lookup([id], in: url)
            }
        },
        Mistake("pins a message for a moment", ["pin.reported"]) { backend, base, _ in
            backend.on(SetPinned.self) { call in
                let (isPinned, id, url) = (call.isPinned, call.messageID, call.channelURL)
                try await base.perform(SetPinned(isPinned, id, in: url))
                if isPinned { try await base.perform(SetPinned(false, id, in: url)) }
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
            backend.on(SetRole.self) { call in
                let (role, ids, url) = (call.role, call.userIDs, call.channelURL)
                try await base.perform(SetRole(.none, of: ids, in: url))
            }
        },
        Mistake("lists one restricted user", ["restricted.all"]) { backend, base, _ in
            backend.on(ListRestrictedUsers.self) { call in
                let (url, type, cursor, limit) = (
                    call.channelURL, call.restriction, call.cursor, call.limit
                )
                var page = try await base.perform(
                    ListRestrictedUsers(
                        of: url, as: type, after: cursor, limit: limit))
                page.next = nil
                return page
            }
        },
        Mistake("creates a poll without its options", ["poll.options"]) { backend, base, _ in
            backend.on(CreatePoll.self) { call in
                var poll = call.poll
                poll.options = Array(poll.options.prefix(1)) + Array(poll.options.prefix(1))
                return try await base.perform(CreatePoll(poll))
            }
        },
        Mistake("does not end a vote", ["vote.reported"]) { backend, base, _ in
            backend.on(VoteInPoll.self) { call in
                let (options, id, url) = (call.optionIDs, call.messageID, call.channelURL)
                if options.isEmpty {
                    return try await base.lookup([id], in: url).found[0]
                }
                return try await base.perform(VoteInPoll(for: options, inPollOf: id, in: url))
            }
        },
        Mistake("does not end a block", ["block.listed"]) { backend, base, _ in
            backend.on(SetBlocked.self) { call in
                let (isBlocked, id) = (call.isBlocked, call.userID)
                if isBlocked { try await base.perform(SetBlocked(true, id)) }
            }
        },
        Mistake("lists one blocked user", ["blocked.all"]) { backend, base, _ in
            backend.on(ListBlockedUsers.self) { call in
                let (cursor, limit) = (call.cursor, call.limit)
                var page = try await base.perform(ListBlockedUsers(after: cursor, limit: limit))
                page.next = nil
                return page
            }
        },
        Mistake("searches for the first word only", ["search.words"]) { backend, base, _ in
            backend.on(SearchMessages.self) { call in
                let (cursor, limit) = (call.cursor, call.limit)
                var params = call.params
                params.text = params.text.split(separator: " ").first.map(String.init) ?? ""
                return try await base.perform(
                    SearchMessages(
                        matching: params, after: cursor, limit: limit))
            }
        },
        .altering("finds the oldest message first", ["search.order", "mentions.pages"]) {
            (page: inout Page<Message>) in
            page.elements.reverse()
        },
        .altering("loses a message between two pages", ["search.pages", "mentions.pages"]) {
            (page: inout Page<Message>) in
            if page.next != nil { page.elements.removeLast() }
        },
        Mistake("finds messages by their first text", ["search.current"]) {
            backend, base, memory in
            backend.on(CoreCall.Send.self) { call in
                let item = call.item
                let message = try await base.send(item)
                memory.use { $0.messages.append(message) }
                return message
            }
            backend.on(SearchMessages.self) { call in
                let (params, cursor, limit) = (call.params, call.cursor, call.limit)
                var page = try await base.perform(
                    SearchMessages(
                        matching: params, after: cursor, limit: limit))
                for message in memory.use({ $0.messages }) where message.text == params.text {
                    if !page.elements.map(\.messageID).contains(message.messageID) {
                        page.elements.append(message)
                    }
                }
                return page
            }
        },
        Mistake("finds messages of other channels", ["search.private"]) { backend, base, memory in
            backend.on(CoreCall.Send.self) { call in
                let item = call.item
                let message = try await base.send(item)
                memory.use { $0.messages.append(message) }
                return message
            }
            backend.on(SearchMessages.self) { call in
                let (params, cursor, limit) = (call.params, call.cursor, call.limit)
                var page = try await base.perform(
                    SearchMessages(
                        matching: params, after: cursor, limit: limit))
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
            backend.on(ReportAbuse.self) { _ in }
        },
        Mistake("lets operators restrict themselves", ["restrict.self", "restricted.all"]) {
            backend, base, _ in
            backend.on(RestrictUser.self) { call in
                let (userID, url, type) = (call.userID, call.channelURL, call.restriction)
                do {
                    try await base.perform(
                        RestrictUser(userID, in: url, as: type, until: nil, reason: ""))
                } catch let error as BackendError
                    where error.message.contains("mute or ban themselves")
                {}
            }
        },
        Mistake("ignores exits of open channels", ["open.live"]) { backend, _, _ in
            backend.on(ExitOpenChannel.self) { _ in }
        },
    ]
}

extension FeedEvent {
    fileprivate var isHistoryChange: Bool {
        if case .historyChanged = self { true } else { false }
    }
}
