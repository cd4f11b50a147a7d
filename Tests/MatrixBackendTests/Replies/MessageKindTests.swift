import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// Tests the kinds of messages, and the events that change them, with prepared replies.
@Suite struct MatrixMessageKindTests {
    private let room = ChannelURL("!room:example.org")

    private func event(
        _ content: String, type: String = "m.room.message", id: String = "$m", more: String = ""
    ) -> String {
        """
        {"type": "\(type)", "event_id": "\(id)", "sender": "@bob:example.org",
         "origin_server_ts": 2000, "content": \(content)\(more)}
        """
    }

    /// Returns the events that the feed delivers for a timeline after the first `/sync`.
    private func feed(
        _ timeline: String..., prepare: (PreparedReplies) -> Void = { _ in }
    ) async throws -> [FeedEvent] {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        let cursor = try await device.backend.feed(since: nil).cursor
        let sync = PreparedReplies.sync("s2", events: timeline)
        device.server.reply("GET rooms/!room:example.org/messages", #"{"chunk": []}"#)
        prepare(device.server)
        device.server.replace("GET sync", sync)
        return try await device.backend.feed(since: cursor).events
    }

    private func message(_ content: String, type: String = "m.room.message") async throws -> Message
    {
        let found = try await feed(event(content, type: type)).compactMap { event -> Message? in
            if case .messageReceived(let message) = event { message } else { nil }
        }
        return try #require(found.first)
    }

    @Test(arguments: ["m.notice", "m.emote"])
    func otherTextKeepsItsKindAsCustomType(kind: String) async throws {
        let message = try await message(#"{"msgtype": "\#(kind)", "body": "waves"}"#)
        #expect(message.text == "waves" && message.customType == kind)
    }

    @Test func locationHasItsCoordinatesAsData() async throws {
        let message = try await message(
            #"{"msgtype": "m.location", "body": "Here", "geo_uri": "geo:51.5,-0.1"}"#)
        #expect(message.text == "Here" && message.data == "geo:51.5,-0.1")
        #expect(message.customType == "m.location")
    }

    @Test func imageHasAFileWithCaptionAndThumbnail() async throws {
        let message = try await message(
            """
            {"msgtype": "m.image", "body": "A cat", "filename": "cat.png",
             "url": "mxc://example.org/abc",
             "info": {"mimetype": "image/png", "size": 1234,
                      "thumbnail_url": "mxc://example.org/small"}}
            """)
        #expect(message.type == .file && message.text == "A cat")
        #expect(message.file?.url == "mxc://example.org/abc" && message.file?.name == "cat.png")
        #expect(message.file?.size == 1234 && message.file?.mimeType == "image/png")
        #expect(message.file?.thumbnails.first?.url == "mxc://example.org/small")
        #expect(message.file?.requiresAuth == true)
    }

    /// Any member can write such an event.
    @Test func extraValuesDoNotReplaceTheFieldsOfAMessage() async throws {
        let message = try await message(
            """
            {"msgtype": "m.text", "body": "Hi", "dev.scrollback": {"extra": {
             "type": "ADMM", "reactions": [{"key": "like", "user_ids": ["@eve:example.org"]}],
             "parent_message_id": "$0", "msg_id": "$1", "score": 7}}}
            """)
        #expect(message.extra == ["score": 7])
    }

    @Test func stickerIsAFile() async throws {
        let message = try await message(
            #"{"body": "Hi", "url": "mxc://example.org/abc", "info": {}}"#, type: "m.sticker")
        #expect(message.type == .file && message.customType == "m.sticker")
    }

    @Test func replyNamesItsParentAndLosesTheQuotation() async throws {
        let message = try await message(
            #"""
            {"msgtype": "m.text", "body": "> <@alice:example.org> Hi\n\nHello",
             "m.relates_to": {"m.in_reply_to": {"event_id": "$0"}}}
            """#)
        #expect(message.parentMessageID == "$0" && message.isReplyToChannel)
        #expect(message.text == "Hello")
    }

    @Test func mentionsAreThoseOfTheEvent() async throws {
        let message = try await message(
            """
            {"msgtype": "m.text", "body": "Alice?",
             "m.mentions": {"user_ids": ["@alice:example.org", 7]}}
            """)
        #expect(message.mentionType == .users)
        #expect(message.mentionedUserIDs == ["@alice:example.org"])
    }

    private var mentionOfAll: String {
        event(#"{"msgtype": "m.text", "body": "All!", "m.mentions": {"room": true}}"#)
    }

    private func power(ofBob level: Int) -> String {
        """
        {"type": "m.room.power_levels", "state_key": "", "event_id": "$p",
         "sender": "@alice:example.org", "origin_server_ts": 1500,
         "content": {"users": {"@alice:example.org": 100, "@bob:example.org": \(level)}}}
        """
    }

    private func mentionTypes(_ events: [FeedEvent]) -> [MentionType] {
        events.compactMap { event in
            if case .messageReceived(let message) = event { message.mentionType } else { nil }
        }
    }

    /// Any member can write the field; Matrix's push rules demand the right to notify the room.
    @Test(arguments: [(bob: 0, isChannel: false), (bob: 50, isChannel: true)])
    func mentionOfAllNeedsTheRightToNotifyTheRoom(bob: Int, isChannel: Bool) async throws {
        let types = mentionTypes(try await feed(power(ofBob: bob), mentionOfAll))
        #expect(types == [isChannel ? .channel : .users])
    }

    /// Without levels, only the creator, Bob, may notify the room.
    @Test(arguments: ["@bob:example.org", "@eve:example.org"])
    func mentionOfAllWithoutLevelsNeedsTheCreator(sender: String) async throws {
        let mention = mentionOfAll.replacing("@bob:example.org", with: sender)
        let types = mentionTypes(try await feed(mention))
        #expect(types == [sender.hasPrefix("@bob") ? .channel : .users])
    }

    @Test(arguments: ["{}", #"{"users_default": 0}"#])
    func creatorHasNoRightThatTheLevelsDoNotGive(levels: String) async throws {
        let event = """
            {"type": "m.room.power_levels", "state_key": "", "event_id": "$p",
             "sender": "@bob:example.org", "origin_server_ts": 1500, "content": \(levels)}
            """
        #expect(mentionTypes(try await feed(event, mentionOfAll)) == [.users])
    }

    /// After a restart, the feed continues without a list of the rooms.
    @Test func mentionOfAllIsCheckedAfterARestart() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        device.server.reply("GET sync", PreparedReplies.sync("s2", events: [mentionOfAll]))
        device.server.reply("GET sync", PreparedReplies.sync("s3", events: [power(ofBob: 0)]))
        device.server.reply("GET rooms/!room:example.org/messages", #"{"chunk": []}"#)
        let events = try await device.backend.feed(since: "s1").events
        #expect(mentionTypes(events) == [.users])
    }

    // MARK: Changes

    @Test func editIsTheMessageInItsNewVersion() async throws {
        let edit = event(
            """
            {"msgtype": "m.text", "body": "* new", "m.new_content": {"msgtype": "m.text",
             "body": "new"}, "m.relates_to": {"rel_type": "m.replace", "event_id": "$m"}}
            """, id: "$e")
        let events = try await feed(edit) { server in
            server.reply(
                "GET rooms/!room:example.org/event/$m",
                event(
                    #"{"msgtype": "m.text", "body": "old"}"#,
                    more: """
                        , "unsigned": {"m.relations": {"m.replace": {"origin_server_ts": 3000,
                          "content": {"m.new_content": {"msgtype": "m.text", "body": "new"},
                          "m.relates_to": {"rel_type": "m.replace", "event_id": "$m"}}}}}
                        """))
        }
        let updated = events.compactMap { event -> Message? in
            if case .messageUpdated(let message) = event { message } else { nil }
        }
        #expect(updated.map(\.text) == ["new"] && updated.first?.updatedAt == 3000)
    }

    @Test func reactionIsAddedAndItsRedactionRemovesIt() async throws {
        let reaction = event(
            #"{"m.relates_to": {"rel_type": "m.annotation", "event_id": "$m", "key": "+1"}}"#,
            type: "m.reaction", id: "$r")
        let redaction = event(#"{"redacts": "$r"}"#, type: "m.room.redaction", id: "$d")
        let actions = try await feed(reaction, redaction).compactMap { event -> String? in
            guard case .reaction(let reaction) = event else { return nil }
            return "\(reaction.operation) \(reaction.key) \(reaction.messageID.rawValue)"
        }
        #expect(actions == ["add +1 $m", "delete +1 $m"])
    }

    @Test func redactedMessageIsDeleted() async throws {
        let events = try await feed(
            event(#"{"msgtype": "m.text", "body": "oops"}"#, id: "$m"),
            event(#"{"redacts": "$m"}"#, type: "m.room.redaction", id: "$d"))
        #expect(events.contains(.messageDeleted("$m", in: room, at: 2000)))
    }

    @Test func redactedReactionThatWasNotSeenMakesOlderHistoryStale() async throws {
        let redaction = event(#"{"redacts": "$r"}"#, type: "m.room.redaction", id: "$d")
        let events = try await feed(redaction) { server in
            server.reply(
                "GET rooms/!room:example.org/event/$r",
                event(
                    "{}", type: "m.reaction", id: "$r",
                    more: #", "unsigned": {"redacted_because": {}}"#
                ))
        }
        #expect(events.contains(.historyChanged(in: room, from: nil, through: 2000)))
    }

    /// The sender's server chooses the time.
    @Test func redactedReactionOfTheFutureConcernsNoLaterMessages() async throws {
        let redaction = event(#"{"redacts": "$r"}"#, type: "m.room.redaction", id: "$d")
        let events = try await feed(redaction) { server in
            server.reply(
                "GET rooms/!room:example.org/event/$r",
                #"{"type": "m.reaction", "event_id": "$r", "sender": "@bob:example.org", "#
                    + #""origin_server_ts": 9007199254740990, "content": {}, "#
                    + #""unsigned": {"redacted_because": {}}}"#)
        }
        let now = Timestamp(Date())
        let ends = events.compactMap { event in
            if case .historyChanged(in: _, from: nil, let end) = event { end } else { nil }
        }
        #expect(ends.count == 1 && ends.allSatisfy { $0 <= now })
    }

    @Test func typingReceiptsAndCountsAreReported() async throws {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        let cursor = try await device.backend.feed(since: nil).cursor
        device.server.reply(
            "GET rooms/!room:example.org/event/$m", PreparedReplies.message("$m", "hi", at: 3000))
        device.server.replace(
            "GET sync",
            """
            {"next_batch": "s2", "rooms": {"join": {"!room:example.org": {
                "unread_notifications": {"notification_count": 5, "highlight_count": 1},
                "ephemeral": {"events": [
                    {"type": "m.typing", "content": {"user_ids": ["@bob:example.org"]}},
                    {"type": "m.receipt", "content": {"$m": {"m.read": {
                        "@bob:example.org": {"ts": 4000}}}}}]}}}}}
            """)
        let events = try await device.backend.feed(since: cursor).events
        var channel = GroupChannel()
        var seen: [String] = []
        for event in events {
            switch event {
            case .channel(let update): update.patch.apply(to: &channel)
            case .read(let user, room, let time): seen.append("\(user) read at \(time)")
            case .typing(let users, room): seen += users.map { "\($0.nickname) is typing" }
            default: seen.append("\(event)")
            }
        }
        #expect(channel.unreadMessageCount == 5 && channel.unreadMentionCount == 1)
        #expect(
            seen == ["@bob:example.org read at \(Timestamp(milliseconds: 3000))", "Bob is typing"])
    }

    // MARK: Files

    @Test func downloadAsksTheHomeserverWithTheToken() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("GET media/download/example.org:8448/abc", "bytes")
        var file = FileInfo(url: "mxc://example.org:8448/abc")
        file.requiresAuth = true
        #expect(try await device.backend.download(file) == Data("bytes".utf8))
        #expect(device.server.authorizations.last == "Bearer token")
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.download(FileInfo(url: "https://example.org/abc"))
        }
        #expect(error?.code == .refused)
    }

    @Test func uploadReturnsTheURLOfTheServer() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("POST upload", #"{"content_uri": "mxc://example.org/abc"}"#)
        var file = UploadableFile()
        file.name = "cat.png"
        let info = try await device.backend.upload(
            file, from: UploadSource(Data("bytes".utf8)), requestID: "r1", progress: { _ in })
        #expect(info.url == "mxc://example.org/abc" && info.name == "cat.png" && info.size == 5)
    }

    // MARK: Server names

    @Test(arguments: [
        (
            200, #"{"m.homeserver": {"base_url": "https://matrix.example.org"}}"#,
            "https://matrix.example.org"
        ),
        (404, "", "https://example.org"),
    ])
    func serverNameAnnouncesTheHomeserver(status: Int, body: String, url: String) async throws {
        let server = PreparedReplies()
        server.reply("GET https://example.org/.well-known/matrix/client", body, status: status)
        let found = try await MatrixBackend.homeserver(of: "@alice:example.org", transport: server)
        #expect(found.absoluteString == url)
    }

    @Test(arguments: ["alice", "@alice", "alice:example.org"])
    func nameThatIsNoUserIDHasNoHomeserver(name: String) async throws {
        let error = await #expect(throws: BackendError.self) {
            try await MatrixBackend.homeserver(
                of: UserID(name), transport: PreparedReplies())
        }
        #expect(error?.code == .refused)
    }
}
