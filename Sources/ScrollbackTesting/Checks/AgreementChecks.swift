import Foundation
import Models
import Store
import Sync

extension BackendConformance {
    static let agreementChecks: [ConformanceCheck] = MessageChange.all.flatMap { change in
        [
            ConformanceCheck(
                "messages.same", "\(change.summary), and compare the message in all calls",
                needs: change.needed
            ) { scene in
                for copies in try await change.perform(scene) {
                    try copies.calls.expectAgreement(with: copies.found, of: "a lookup")
                }
            },
            ConformanceCheck(
                "feed.whole", "\(change.summary), and compare the message in the feed",
                needs: change.needed
            ) { scene in
                for copies in try await change.perform(scene) {
                    try copies.feed.expectAgreement(with: copies.found, of: "a lookup")
                }
            },
            ConformanceCheck(
                "messages.sent", "\(change.summary), and check the sending status in all calls",
                needs: change.needed
            ) { scene in
                for copies in try await change.perform(scene) {
                    var all = copies.calls
                    all.add(copies.feed)
                    all.add(copies.found, from: "a lookup")
                    try all.expectSent()
                }
            },
        ]
    }

    static let contentChecks: [ConformanceCheck] = [
        ConformanceCheck("send.message", "compare the sent fields of a message") { scene in
            let (alice, bob, url) = try await scene.pair()
            let params = NewMessage.withAllFields(mentioning: bob.userID)
            try await alice.expectContent(
                of: Message(params, in: url, by: nil, at: 0), seenBy: bob)
        },
        ConformanceCheck("send.message", "compare the sent fields of a reply", needs: .threads) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            var params = NewMessage.withAllFields(mentioning: bob.userID)
            params.parentMessageID = try await bob.send("question", in: url).id
            try await alice.expectContent(
                of: Message(params, in: url, by: nil, at: 0), seenBy: bob)
        },
        ConformanceCheck("send.message", "compare the sent fields of a file", needs: .files) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let params = NewMessage.fileWithAllFields(mentioning: bob.userID)
            try await alice.expectContent(
                of: Message(params, in: url, by: nil, at: 0), seenBy: bob)
        },
    ]
}

extension Device {
    fileprivate func expectContent(of unsent: Message, seenBy reader: Device) async throws {
        let item = OutboxItem(unsent, requestID: scene.subject.makeRequestID())
        let answer = try await sendWithFiles(item)
        let found = try await reader.backend.lookup([answer.id], in: unsent.channelURL).found
        try expectEqual(found.count, 1, "the number of messages")
        try expectEqual(found.map(\.position), [answer.position], "the position")
        for (message, source) in zip([answer] + found, ["the answer", "a lookup of a member"]) {
            var expected = unsent
            // Only the sender's devices know the request ID.
            if source == "the answer" { expected.requestID = item.requestID }
            let losses = message.losses(of: expected, except: scene.subject.unsupportedFields)
            try expect(losses.isEmpty, "\(source) has \(losses.joined(separator: ", "))")
            try expectEqual(message.sender?.userID, userID, "the sender in \(source)")
        }
    }

    fileprivate func sendWithFiles(_ item: OutboxItem) async throws -> Message {
        var item = item
        for (index, file) in item.files.enumerated() {
            let info = try await backend.upload(
                file, from: UploadSource(file.data ?? Data()), requestID: item.requestID
            ) { _ in }
            item.setUploadedFile(info, at: index)
        }
        return try await backend.send(item)
    }

    fileprivate func sendAllFields(
        in url: ChannelURL, mentioning user: UserID
    ) async throws -> Message {
        let params = NewMessage.withAllFields(mentioning: user)
        if scene.subject.isReadOnly { return try await send(params, in: url) }
        return try await backend.send(
            OutboxItem(
                Message(params, in: url, by: nil, at: 0),
                requestID: scene.subject.makeRequestID()))
    }

    fileprivate func sendFile(in url: ChannelURL, mentioning user: UserID) async throws -> Message {
        let params = NewMessage.fileWithAllFields(mentioning: user)
        return try await sendWithFiles(
            OutboxItem(
                Message(params, in: url, by: nil, at: 0),
                requestID: scene.subject.makeRequestID()))
    }

    fileprivate func edit(_ message: Message, mentioning user: UserID) async throws -> Message {
        var params = UserMessageUpdateParams()
        params.text = "edited, @user"
        params.data = "edited data"
        params.customType = "farewell"
        params.mentionType = .users
        params.mentionedUserIDs = [user]
        params.mentionedMessageTemplate = "edited, {0}"
        return try await edit(message, params)
    }
}

extension NewMessage {
    fileprivate static func withAllFields(mentioning user: UserID) -> NewMessage {
        var new = NewMessage("hello, wörld 👋")
        new.data = "{\"a\": 1}"
        new.customType = "greeting"
        new.metaArrays = [
            MetaArray(key: "mood", values: ["sunny", "warm"]),
            MetaArray(key: "place", values: ["é"]),
        ]
        new.mentionType = .users
        new.mentionedUserIDs = [user]
        new.mentionedMessageTemplate = "hello, {0} 👋"
        new.translationTargetLanguages = ["fr"]
        return new
    }

    fileprivate static func fileWithAllFields(mentioning user: UserID) -> NewMessage {
        var new = withAllFields(mentioning: user)
        new.text = "a caption"
        new.translationTargetLanguages = []
        new.files = [UploadableFile(Data("content".utf8), name: "notes é.txt")]
        return new
    }
}

/// A change of a message whose result all calls must return alike.
private struct MessageChange: Sendable {
    let summary: String
    let needed: BackendCapabilities
    /// Prepares and returns the compared message, or the parent of the compared one.
    var prepare: @Sendable (Device, Device, ChannelURL) async throws -> Message?
    /// Makes the change, and returns the answer with its device.
    let change:
        @Sendable (Device, Device, ChannelURL, Message?) async throws -> (
            id: MessageID, answer: (device: Device, message: Message)?
        )

    struct Copies {
        let found: Message
        var calls = MessageCopies()
        var feed = MessageCopies()
    }

    func perform(_ scene: Scene) async throws -> [Copies] {
        let (alice, bob, url) = try await scene.pair()
        let before = try await prepare(alice, bob, url)
        var starts: [(device: Device, cursor: FeedCursor, held: Message?)] = []
        for device in [alice, bob] {
            var held: Message?
            if let before {
                held = try await device.backend.lookup([before.id], in: url).found.first
            }
            starts.append((device, try await device.tip(), held))
        }
        let (id, answer) = try await change(alice, bob, url, before)
        var all: [Copies] = []
        for (device, cursor, held) in starts {
            let found = try await device.backend.lookup([id], in: url).found
            guard found.count == 1 else {
                throw Broken(text: "a lookup finds \(id) \(found.count) times")
            }
            var copies = Copies(found: found[0])
            copies.calls = try await device.copies(of: found[0], since: cursor)
            if let answer, answer.device.userID == device.userID {
                copies.calls.add(answer.message, from: "the answer of the call")
            }
            let fed = try await device.fedCopy(
                of: id, in: url, since: cursor, held?.messageID == id ? held : nil)
            copies.feed.add(fed, from: "the feed")
            all.append(copies)
        }
        return all
    }

    static let all: [MessageChange] = [
        MessageChange(summary: "send a message with all fields", needed: []) { _, _, _ in
            nil
        } change: { alice, bob, url, _ in
            let sent = try await alice.sendAllFields(in: url, mentioning: bob.userID)
            return (try sent.id, (alice, sent))
        },
        MessageChange(summary: "edit a message with all fields", needed: []) { alice, bob, url in
            try await alice.sendAllFields(in: url, mentioning: bob.userID)
        } change: { alice, bob, _, message in
            let edited = try await alice.edit(message.known, mentioning: bob.userID)
            return (try edited.id, (alice, edited))
        },
        MessageChange(summary: "send a file", needed: .files) { _, _, _ in
            nil
        } change: { alice, bob, url, _ in
            let sent = try await alice.sendFile(in: url, mentioning: bob.userID)
            return (try sent.id, (alice, sent))
        },
        MessageChange(summary: "send a reply", needed: .threads) { _, bob, url in
            try await bob.send("question", in: url)
        } change: { alice, _, url, parent in
            let reply = try await alice.send("answer", in: url, to: parent.known.id)
            return (try reply.id, (alice, reply))
        },
        MessageChange(summary: "reply to a message", needed: .threads) { alice, _, url in
            try await alice.send("question", in: url)
        } change: { _, bob, url, parent in
            let id = try parent.known.id
            _ = try await bob.send("answer", in: url, to: id)
            return (id, nil)
        },
        MessageChange(summary: "react to a message", needed: .reactions) { alice, _, url in
            try await alice.send("hello", in: url)
        } change: { _, bob, _, message in
            try await bob.react(.add, with: "+1", to: message.known)
            return (try message.known.id, nil)
        },
        MessageChange(summary: "vote in a poll", needed: .polls) { alice, _, url in
            try await alice.sendPoll(["tea", "coffee"], in: url).1
        } change: { _, bob, url, message in
            let id = try message.known.id
            let options = try message.known.poll?.options.prefix(1).map(\.id) ?? []
            let voted = try await bob.backend.perform(
                VoteInPoll(for: options, inPollOf: id, in: url))
            return (id, (bob, voted))
        },
    ]
}

extension Message? {
    fileprivate var known: Message {
        get throws {
            guard let self else { throw Broken(text: "there is no message to change") }
            return self
        }
    }
}

extension Device {
    fileprivate func copies(
        of message: Message, since cursor: FeedCursor
    ) async throws -> MessageCopies {
        let (id, url) = (try message.id, message.channelURL)
        var copies = MessageCopies()
        let anchors: [(MessageAnchor, Side, String)] = [
            (.newest, .older, "the pages at the newest message"),
            (.time(message.createdAt), .newer, "the pages at a time"),
        ]
        // A server may return fewer messages than requested: follow the cursors.
        for (anchor, side, source) in anchors {
            let read = try await readAll(url, from: anchor, side, by: 20)
            try copies.add(id, among: read, from: source)
        }
        let around = try await page(url, .message(id), older: 2, newer: 2).messages
        copies.add(around.first { $0.messageID == id }, from: "a page at the message")
        let read = try await readAll(url, from: .newest, .older, by: 1)
        try copies.add(id, among: read, from: "a page at a cursor")
        if let parent = message.parentMessageID, can(.threads) {
            let read = try await readAll(url, from: .newest, .older, by: 20, thread: parent)
            try copies.add(id, among: read, from: "a page of the thread")
        }
        // The changelog may also contain new messages.
        if scene.subject.hasChangelogs {
            let updated = try await changes(url, since: .feed(cursor)).updated
            copies.add(updated.last { $0.messageID == id }, from: "the changelog")
        }
        if can(.messageSearch), let word = message.text.split(separator: ",").first {
            var params = MessageSearchParams(String(word))
            params.channelURLs = [url]
            let found = try await search(params).filter { $0.messageID == id }
            copies.add(found.first, from: "a search")
        }
        return copies
    }

    /// Returns the copy of a client that applies the feed; `nil` if the feed reports the change in
    /// another way.
    fileprivate func fedCopy(
        of id: MessageID, in url: ChannelURL, since cursor: FeedCursor, _ held: Message?
    ) async throws -> Message? {
        let reading = try await missed(since: cursor)
        guard !reading.hasTruncation(in: url) else { return nil }
        var copy = held
        for event in reading.events(in: url) {
            switch event {
            case .messageReceived(let message), .messageUpdated(let message):
                if message.messageID == id { copy = message }
            case .messageChanged(id, in: url):
                copy = try await backend.lookup([id], in: url).found.first
            case .reaction(let event): copy?.apply(event)
            case .threadInfo(let event): copy?.apply(event)
            default: break
            }
        }
        return copy
    }
}
