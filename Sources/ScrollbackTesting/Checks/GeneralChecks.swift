import Foundation
import Models
import Sync

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
                .filter { !$0.isSupported }
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
            for call in alice.changes(of: message, former) where call.isSupported {
                try await expectFailure(
                    .notFound, of: "\(call.name) with an epoch that has ended", call.perform)
            }
            let after = try await alice.history(url)
            try expectEqual(after, before, "the history afterwards")
            let pinned = try await alice.backend.channel(url).pinnedMessageIDs
            try expect(pinned.isEmpty, "messages \(pinned) are pinned afterwards")
            for call in alice.changes(of: message, current)
            where call.isSupported && call.name != VoteInPoll.name {
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
            where call.isSupported {
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
    /// The calls that change a message with an epoch; the last one is a deletion.
    fileprivate func changes(of message: Message, _ epoch: ServerEpoch) -> [CheckedCall] {
        let makeRequestID = scene.subject.makeRequestID
        let (id, url) = (message.messageID ?? "", message.channelURL)
        var text = UserMessageUpdateParams()
        text.text = "edited"
        let names = ExampleNames(channelURL: url, messageID: id, userID: userID)
        return [
            CheckedCall("update", isSupported: canWrite) { [text] in
                _ = try await backend.update(
                    id, in: url, with: .text(text), requestID: makeRequestID(), epoch: epoch)
            },
            CheckedCall("react", isSupported: can(.reactions)) {
                _ = try await backend.react(
                    .add, with: "+1", to: id, in: url, requestID: makeRequestID(), epoch: epoch)
            },
            CheckedCall("send (a reply)", isSupported: canWrite && can(.threads)) {
                var params = NewMessage("a reply")
                params.parentMessageID = id
                var item = OutboxItem(params, makeRequestID(), url)
                item.targetEpoch = epoch
                _ = try await backend.send(item)
            },
        ]
            + examples(names).compactMap { request in
                guard var request = request as? any MessageRequest, request.message != nil else {
                    return nil
                }
                request.epoch = epoch
                return call(request)
            }
            + [
                CheckedCall("delete", isSupported: canWrite) {
                    try await backend.delete(
                        id, in: url, requestID: makeRequestID(), epoch: epoch)
                }
            ]
    }
}

// MARK: Calls for a channel

struct CheckedCall {
    let name: CallName
    let isSupported: Bool
    let perform: () async throws -> Void

    init(
        _ name: CallName, isSupported: Bool = true, _ perform: @escaping () async throws -> Void
    ) {
        self.name = name
        self.isSupported = isSupported
        self.perform = perform
    }
}

extension Device {
    fileprivate var canWrite: Bool { !scene.subject.isReadOnly }

    func expectNoPart(
        in url: ChannelURL, _ id: MessageID, _ cursor: FeedCursor
    ) async throws {
        for call in calls(on: url, id, cursor, with: userID) where call.isSupported {
            try await expectFailure(.notFound, .refused, of: "\(call.name)", call.perform)
        }
    }

    func calls(
        on url: ChannelURL, _ id: MessageID, _ cursor: FeedCursor, with other: UserID
    ) -> [CheckedCall] {
        let makeRequestID = scene.subject.makeRequestID
        var text = UserMessageUpdateParams()
        text.text = "meddled"
        let names = ExampleNames(channelURL: url, messageID: id, userID: other)
        return [
            CheckedCall("messages") { _ = try await history(url) },
            CheckedCall("lookup") { _ = try await backend.lookup([id], in: url) },
            CheckedCall("messageChanges", isSupported: scene.subject.hasChangelogs) {
                _ = try await changes(url, since: .feed(cursor))
            },
            CheckedCall("messageChanges(since: a time)", isSupported: can(.messageChangelogByTime))
            { _ = try await backend.messageChanges(in: url, since: .time(.distantPast)) },
            CheckedCall("replies", isSupported: can(.threads)) {
                _ = try await backend.replies(to: id, in: url, at: .newest, older: 1, newer: 0)
            },
            CheckedCall("messagesOfKinds", isSupported: can(.kindFilter)) {
                _ = try await backend.messages(of: .image, in: url, at: .newest, older: 1)
            },
            CheckedCall("reactions", isSupported: can(.separateReactions)) {
                _ = try await backend.reactions(of: [id], in: url)
            },
            CheckedCall("channel") { _ = try await backend.channel(url) },
            CheckedCall("send", isSupported: canWrite) {
                _ = try await backend.send(OutboxItem(NewMessage("meddled"), makeRequestID(), url))
            },
            CheckedCall("update", isSupported: canWrite) { [text] in
                _ = try await backend.update(
                    id, in: url, with: .text(text), requestID: makeRequestID())
            },
            CheckedCall("react", isSupported: can(.reactions)) {
                _ = try await backend.react(
                    .add, with: "+1", to: id, in: url, requestID: makeRequestID())
            },
            CheckedCall("delete", isSupported: canWrite) {
                try await backend.delete(id, in: url, requestID: makeRequestID())
            },
            call(RestrictUser(other, in: url, as: .muted, until: .distantFuture)),
        ] + examples(names).filter { $0.channel == url }.map { call($0) }
    }

    private func examples(_ names: ExampleNames) -> [any BackendRequest] {
        let declared = StandardRequests.types
        let others = backend.requests.types.filter { type in !declared.contains { $0 == type } }
        return (declared + others).map { $0.example(names) }
    }

    private func call<Request: BackendRequest>(_ request: Request) -> CheckedCall {
        let isSupported = supports(Request.self) && can(request.neededCapabilities)
        return CheckedCall(Request.name, isSupported: isSupported) {
            _ = try await backend.perform(request)
        }
    }
}
