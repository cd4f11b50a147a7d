import Foundation
import Models
import Sync

// Checks of errors and the connection.
extension BackendConformance {
    static let generalChecks: [ConformanceCheck] = [
        ConformanceCheck("errors.channel", "request a channel that does not exist") { scene in
            let alice = try await scene.device(0)
            try await alice.expectNoPart(in: "no-such-channel", "1", alice.tip())
        },
        ConformanceCheck("errors.channel", "change a channel of other users") { scene in
            let (alice, bob, carol) = try await scene.trio()
            let url = try await scene.channel(alice, bob)
            let message = try await alice.send("hello", in: url)
            let cursor = try await carol.tip()
            try await carol.expectNoPart(in: url, try message.id, cursor)
            let history = try await alice.history(url)
            try expectEqual(history.map(\.text), ["hello"], "the channel's messages afterwards")
            let channel = try await alice.backend.channel(url)
            try expectEqual(channel.memberCount, 2, "the channel's members afterwards")
            try expect(!channel.isFrozen, "the channel is frozen afterwards")
        },
        ConformanceCheck("errors.unsupported", "make all calls that the capabilities exclude") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let message = try await alice.send("hello", in: url)
            let cursor = try await alice.tip()
            let before = try await alice.history(url)
            let calls = alice.calls(on: url, try message.id, cursor, with: bob.userID)
                .filter { !$0.needed.isEmpty && !alice.can($0.needed) }
            guard !calls.isEmpty else {
                throw Skipped(text: "the capabilities exclude no call")
            }
            for call in calls {
                try await expectFailure(.unsupported, of: "\(call.name)", call.perform)
            }
            try expectEqual(try await alice.history(url), before, "the history afterwards")
        },
        ConformanceCheck(
            "errors.epoch", "change a message with an epoch that has ended", hooks: [.breakHistory]
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let former = try await alice.reconnect().epoch
            try await scene.perform(.breakHistory)
            let current = try await alice.reconnect().epoch
            try await bob.reconnect()
            let message = try await alice.send("hello", in: url)
            let before = try await alice.history(url)
            for call in alice.changes(of: message, former) where alice.can(call.needed) {
                try await expectFailure(
                    .notFound, of: "\(call.name) with an epoch that has ended", call.perform)
            }
            let after = try await alice.history(url)
            try expectEqual(after, before, "the history afterwards")
            let pinned = try await alice.backend.channel(url).pinnedMessageIDs
            try expect(pinned.isEmpty, "messages \(pinned) are pinned afterwards")
            for call in alice.changes(of: message, current)
            where alice.can(call.needed) && call.name != "vote" {
                try await call.perform()
            }
        },
        ConformanceCheck("connect.user", "connect each user") { scene in
            for index in 0..<3 {
                let device = try await scene.deviceOffline(index)
                let session = try await scene.connect(device)
                try expectEqual(session.user.userID, device.userID, "the session's user")
            }
        },
        ConformanceCheck("connect.again", "connect again, while connected and after disconnecting")
        {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let first = try await alice.backend.connect(as: alice.user)
            let messages = try await alice.send(3, in: url).inOrder
            let before = try await alice.channelURLs()
            let cursor = try await alice.tip()
            for wasConnected in [true, false] {
                if !wasConnected { await alice.backend.disconnect() }
                let session = try await alice.backend.connect(as: alice.user)
                try expectEqual(session.epoch, first.epoch, "the epoch")
                let history = try await alice.history(url)
                try expectEqual(history.ids, messages.ids, "the history")
                try expectEqual(try await alice.channelURLs(), before, "the channels")
                let missed = try await alice.missed(since: cursor).events(in: url)
                try expect(
                    missed.isEmpty,
                    "the feed reported events because of the connection: \(missed.map(\.shown))")
            }
        },
        ConformanceCheck("disconnect.ends", "make calls while disconnected, then connect") {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let message = try await alice.send("hello", in: url)
            let cursor = try await alice.tip()
            await alice.backend.disconnect()
            for call in alice.calls(on: url, try message.id, cursor, with: bob.userID)
            where call.needed.isEmpty || call.needed == .counts {
                guard alice.can(call.needed) else { continue }
                try await expectFailure(.notConnected, of: "\(call.name)", call.perform)
            }
            _ = try await alice.backend.connect(as: alice.user)
            let history = try await alice.history(url)
            try expectEqual(history.map(\.text), ["hello"], "the history after reconnecting")
        },
        ConformanceCheck("disconnect.ends", "disconnect while the feed waits") { scene in
            let alice = try await scene.device(0)
            let cursor = try await alice.tip()
            let waiting = Task { try await alice.backend.feed(since: cursor) }
            await Task.yield()
            await alice.backend.disconnect()
            do {
                _ = try await waiting.value  // The response arrived before the connection ended.
            } catch let error as BackendError {
                try expectEqual(error.code, .notConnected, "the error of the waiting feed")
            }
        },
    ]
}

// MARK: Calls with an epoch

extension Device {
    /// The calls that name a message and change something, with the epoch of the message.
    ///
    /// The last call deletes the message.
    fileprivate func changes(of message: Message, _ epoch: ServerEpoch) -> [ChannelCall] {
        let request = scene.subject.makeRequestID
        let (id, url) = (message.messageID ?? "", message.channelURL)
        var text = UserMessageUpdateParams()
        text.text = "edited"
        return [
            ChannelCall("update") { [text] in
                _ = try await backend.update(
                    id, in: url, with: .user(text),
                    requestID: request(), epoch: epoch)
            },
            ChannelCall("react", .reactions) {
                _ = try await backend.react(
                    .add, with: "+1", to: id, in: url, requestID: request(), epoch: epoch)
            },
            ChannelCall("send (a reply)", .threads) {
                var params = UserMessageCreateParams("a reply")
                params.parentMessageID = id
                var item = OutboxItem(params, request(), url)
                item.targetEpoch = epoch
                _ = try await backend.send(item)
            },
            ChannelCall("markAsUnread", .markingAsUnread) {
                try await backend.markAsUnread(from: id, in: url, epoch: epoch)
            },
            ChannelCall("setPinned", .pinnedMessages) {
                try await backend.setPinned(true, id, in: url, epoch: epoch)
            },
            ChannelCall("vote", .polls) {
                _ = try await backend.vote(for: [1], inPollOf: id, in: url, epoch: epoch)
            },
            ChannelCall("report", .reporting) {
                try await backend.report(
                    ModerationReport(.message(id, in: url), as: .spam), epoch: epoch)
            },
            ChannelCall("delete") {
                try await backend.delete(id, in: url, requestID: request(), epoch: epoch)
            },
        ]
    }
}

// MARK: Calls for a channel

/// A call for a channel, and the capabilities that it needs.
struct ChannelCall {
    let name: String
    let needed: BackendCapabilities
    let perform: () async throws -> Void

    init(
        _ name: String, _ needed: BackendCapabilities = [],
        _ perform: @escaping () async throws -> Void
    ) {
        self.name = name
        self.needed = needed
        self.perform = perform
    }
}

extension Device {
    func expectNoPart(
        in url: ChannelURL, _ id: MessageID, _ cursor: FeedCursor
    ) async throws {
        for call in calls(on: url, id, cursor, with: userID) where can(call.needed) {
            try await expectFailure(.notFound, .refused, of: call.name, call.perform)
        }
    }

    func calls(
        on url: ChannelURL, _ id: MessageID, _ cursor: FeedCursor, with other: UserID
    ) -> [ChannelCall] {
        let request = scene.subject.makeRequestID
        var text = UserMessageUpdateParams()
        text.text = "meddled"
        return [
            ChannelCall("messages") { _ = try await history(url) },
            ChannelCall("lookup") { _ = try await backend.lookup([id], in: url) },
            ChannelCall("messageChanges") { _ = try await changes(url, since: .feed(cursor)) },
            ChannelCall("channel") { _ = try await backend.channel(url) },
            ChannelCall("members") {
                _ = try await backend.members(of: url, after: nil, limit: 10)
            },
            ChannelCall("send") { _ = try await send("meddled", in: url) },
            ChannelCall("update") { [text] in
                _ = try await backend.update(id, in: url, with: .user(text), requestID: request())
            },
            ChannelCall("delete") {
                try await backend.delete(id, in: url, requestID: request())
            },
        ] + optionalCalls(on: url, id, with: other)
    }

    private func optionalCalls(
        on url: ChannelURL, _ id: MessageID, with other: UserID
    ) -> [ChannelCall] {
        let request = scene.subject.makeRequestID
        return [
            ChannelCall("messageChanges(since: a time)", .messageChangelogByTime) {
                _ = try await backend.messageChanges(in: url, since: .time(.distantPast))
            },
            ChannelCall("replies", .threads) {
                _ = try await backend.replies(to: id, in: url, at: .newest, older: 1, newer: 0)
            },
            ChannelCall("countMessages", .counts) {
                _ = try await backend.countMessages(in: url, from: nil, to: nil)
            },
            ChannelCall("reactions", .separateReactions) {
                _ = try await backend.reactions(of: [id], in: url)
            },
            ChannelCall("react", .reactions) {
                _ = try await backend.react(.add, with: "+1", to: id, in: url, requestID: request())
            },
            ChannelCall("markAsRead", .readReceipts) { try await backend.markAsRead(url) },
            ChannelCall("markAsDelivered", .deliveryReceipts) {
                try await backend.markAsDelivered(url)
            },
            ChannelCall("markAsUnread", .markingAsUnread) {
                try await backend.markAsUnread(from: id, in: url)
            },
            ChannelCall("setPinned", .pinnedMessages) {
                try await backend.setPinned(true, id, in: url)
            },
            ChannelCall("vote", .polls) {
                _ = try await backend.vote(for: [1], inPollOf: id, in: url)
            },
            ChannelCall("setRole", .roleManagement) {
                try await backend.setRole(.operator, of: [other], in: url)
            },
            ChannelCall("restrictedUsers", .restrictionLists) {
                _ = try await backend.restrictedUsers(
                    of: url, as: .muted, after: nil, limit: 10)
            },
            ChannelCall("setTyping", .typing) { try await backend.setTyping(true, in: url) },
            ChannelCall("updateChannel", .channelUpdates) {
                var patch = Patch<GroupChannel>()
                patch.set(\.name, to: "meddled")
                _ = try await backend.updateChannel(url, with: patch)
            },
            ChannelCall("invite", .inviting) {
                try await backend.invite([other], to: url)
            },
            ChannelCall("answerInvitation", .invitations) {
                try await backend.answerInvitation(to: url, accepts: true)
            },
            ChannelCall("join", .joining) { _ = try await backend.join(url) },
            ChannelCall("hide", .hiding) {
                try await backend.hide(url, until: .hiddenPreventAutoUnhide)
            },
            ChannelCall("resetMyHistory", .historyReset) {
                _ = try await backend.resetMyHistory(of: url)
            },
            ChannelCall("setFrozen", .freezing) { try await backend.setFrozen(true, for: url) },
            ChannelCall("restrict", .muting) {
                try await backend.restrict(other, in: url, as: .muted, until: nil, reason: "")
            },
            ChannelCall("lift", .muting) {
                try await backend.lift(.muted, of: other, in: url)
            },
            ChannelCall("leave a channel", .leaving) { try await backend.leave(url) },
            ChannelCall("restrict(until: a time)", [.muting, .temporaryRestrictions]) {
                try await backend.restrict(
                    other, in: url, as: .muted, until: .distantFuture, reason: "")
            },
            ChannelCall("deleteChannel", .channelDeletion) {
                try await backend.deleteChannel(url)
            },
        ]
    }
}
