/// All kinds that `LiveKindTests` checks.
enum Kinds {
    static let all: [Kind] =
        messages + media + ignored + replies + edits + deletions + reactions + rooms + members
        + account + ownMessages + ownRooms
}

extension Kinds {
    // MARK: Messages

    static let messages: [Kind] = [
        Kind(name: "text", then: [.text("", "hi")], sees: "hi", channel: ["last": "hi"]),
        Kind(
            name: "HTML",
            then: [
                .text(
                    "", "bold",
                    #""format": "org.matrix.custom.html", "formatted_body": "<b>bold</b>""#)
            ], sees: "bold formatted_body=<b>bold</b>"),
        Kind(
            name: "notice", then: [.message("", #"{"msgtype": "m.notice", "body": "done"}"#)],
            sees: "done [m.notice]"),
        Kind(
            name: "emote", then: [.message("", #"{"msgtype": "m.emote", "body": "waves"}"#)],
            sees: "waves [m.emote]"),
        Kind(
            name: "unknown message type",
            then: [.message("", #"{"msgtype": "org.example.dice", "body": "6"}"#)],
            sees: "6 [org.example.dice]"),
        Kind(
            name: "fields of wrong types",
            then: [
                .message(
                    "",
                    """
                    {"msgtype": "m.text", "body": "hi", "formatted_body": [], "info": 7,
                     "dev.scrollback": "x"}
                    """)
            ], sees: "hi"),
        Kind(name: "empty text", then: [.text("", "")], sees: ""),
        Kind(
            name: "long text", then: [.text("", String(repeating: "long ", count: 1_200))],
            sees: "lon…6000"),
        Kind(
            name: "emoji and other scripts", then: [.text("", "👩‍👩‍👧 שלום สวัสดี")],
            sees: "👩‍👩‍👧 שלום สวัสดี"),
        Kind(name: "several lines", then: [.text("", #"a\n\nb"#)], sees: "a\n\nb"),
        Kind(
            name: "mention of a user",
            then: [.text("", "alice?", #""m.mentions": {"user_ids": ["@alice"]}"#)],
            sees: "alice? @alice", channel: ["unread": "1 1"]),
        Kind(
            name: "mention of the room",
            then: [.text("", "all", #""m.mentions": {"room": true}"#)], sees: "all @room",
            channel: ["unread": "1 1"]),
        Kind(
            name: "location",
            then: [
                .message(
                    "",
                    #"{"msgtype": "m.location", "body": "Here", "geo_uri": "geo:51.5,-0.1"}"#)
            ], sees: "Here [m.location] {geo:51.5,-0.1}"),
        Kind(
            name: "request to verify a device",
            then: [
                .message(
                    "",
                    """
                    {"msgtype": "m.key.verification.request", "body": "verify?",
                     "from_device": "NIO", "methods": ["m.sas.v1"], "to": "@alice"}
                    """)
            ], sees: "verify? [m.key.verification.request]"),
        Kind(
            name: "encrypted event",
            then: [
                .event(
                    "", "m.room.encrypted",
                    """
                    {"algorithm": "m.megolm.v1.aes-sha2", "ciphertext": "AwgA", "sender_key": "k",
                     "session_id": "s", "device_id": "NIO"}
                    """)
            ], sees: "This message is encrypted. [m.room.encrypted]"),
        Kind(
            name: "messages of three users",
            then: [
                .text("", "b"), .text("", "a").by("@alice"),
                Step(
                    user: "@carol", action: #"["join", "ROOM"]"#), .text("", "c").by("@carol"),
            ],
            sees: "b | alice: a | carol: c"),
    ]

    // MARK: Media

    static let media: [Kind] = [
        Kind(
            name: "image",
            then: [
                .nio(#"["upload", "image/png", "cat.png", "cat"]"#, name: "<f>"),
                .message(
                    "",
                    """
                    {"msgtype": "m.image", "body": "cat.png", "url": "<f>",
                     "info": {"mimetype": "image/png", "size": 3, "w": 640, "h": 480}}
                    """),
            ], sees: #"file(cat.png image/png 3 {"height":480,"width":640}) [m.image]"#),
        Kind(
            name: "image with a caption and a thumbnail",
            then: [
                .message(
                    "",
                    """
                    {"msgtype": "m.image", "body": "A cat", "filename": "cat.png",
                     "url": "mxc://localhost/cat",
                     "info": {"mimetype": "image/png", "thumbnail_url": "mxc://localhost/small",
                              "thumbnail_info": {"w": 64, "h": 48}}}
                    """)
            ], sees: "A cat file(cat.png image/png thumbnail) [m.image]"),
        Kind(
            name: "video",
            then: [
                .message(
                    "",
                    """
                    {"msgtype": "m.video", "body": "cat.mp4", "url": "mxc://localhost/cat",
                     "info": {"mimetype": "video/mp4", "duration": 1500, "w": 64, "h": 48}}
                    """)
            ],
            sees: #"file(cat.mp4 video/mp4 {"duration":1500,"height":48,"width":64}) [m.video]"#),
        Kind(
            name: "audio",
            then: [
                .message(
                    "",
                    """
                    {"msgtype": "m.audio", "body": "cat.ogg", "url": "mxc://localhost/cat",
                     "info": {"mimetype": "audio/ogg", "duration": 1500}}
                    """)
            ], sees: #"file(cat.ogg audio/ogg {"duration":1500}) [m.audio]"#),
        Kind(
            name: "voice message",
            then: [
                .message(
                    "",
                    """
                    {"msgtype": "m.audio", "body": "voice.ogg", "url": "mxc://localhost/cat",
                     "info": {"mimetype": "audio/ogg", "duration": 1500},
                     "org.matrix.msc1767.audio": {"duration": 1500, "waveform": [1, 2]},
                     "org.matrix.msc3245.voice": {}}
                    """)
            ], sees: #"file(voice.ogg audio/ogg {"duration":1500,"is_voice":true}) [m.audio]"#),
        Kind(
            name: "file",
            then: [
                .message(
                    "",
                    """
                    {"msgtype": "m.file", "body": "a.pdf", "url": "mxc://localhost/cat",
                     "info": {"mimetype": "application/pdf", "size": 1234}}
                    """)
            ], sees: "file(a.pdf application/pdf 1234)"),
        Kind(
            name: "file without information",
            then: [
                .message(
                    "", #"{"msgtype": "m.file", "body": "a", "url": "mxc://localhost/cat"}"#)
            ], sees: "file(a)"),
        Kind(
            name: "encrypted file",
            then: [
                .message(
                    "",
                    """
                    {"msgtype": "m.file", "body": "secret.pdf",
                     "file": {"url": "mxc://localhost/cat", "v": "v2", "key": {}, "iv": "",
                              "hashes": {}}}
                    """)
            ], sees: "file(secret.pdf [m.encrypted])"),
        Kind(
            name: "sticker",
            then: [
                .event(
                    "", "m.sticker",
                    """
                    {"body": "Hi", "url": "mxc://localhost/cat", "info": {"mimetype": "image/png"}}
                    """)
            ], sees: "Hi file(Hi image/png) [m.sticker]"),
    ]

    // MARK: Events that are ignored

    /// A kind whose event of another type shows nothing.
    private static func ignored(_ name: String, _ type: String, _ content: String = "{}") -> Kind {
        Kind(name: name, then: [.text("", "hi"), .event("", type, content)], sees: "hi")
    }

    private static func ignoredState(
        _ name: String, _ type: String, _ content: String = "{}"
    ) -> Kind {
        Kind(name: name, then: [.text("", "hi"), .state(type, content)], sees: "hi")
    }

    static let ignored: [Kind] = [
        Kind(
            name: "call", before: [.state("m.room.join_rules", #"{"join_rule": "invite"}"#)],
            then: [
                .text("", "hi"),
                .event(
                    "", "m.call.invite",
                    #"{"call_id": "1", "version": "1", "lifetime": 1, "offer": {"type": "offer"}}"#
                ),
            ], sees: "hi"),
        ignored("end of a call", "m.call.hangup", #"{"call_id": "1", "version": "1"}"#),
        ignoredState("group call", "org.matrix.msc3401.call.member", #"{"memberships": []}"#),
        ignored(
            "poll", "m.poll.start",
            #"{"m.text": [{"body": "?"}], "m.poll": {"question": {"m.text": []}}}"#),
        ignored("vote", "m.poll.response", #"{"m.selections": ["1"]}"#),
        ignored("beacon", "org.matrix.msc3672.beacon", #"{"org.matrix.msc3488.location": {}}"#),
        ignoredState("shared location", "org.matrix.msc3672.beacon_info", #"{"live": true}"#),
        ignored("step of a verification", "m.key.verification.ready", #"{"methods": []}"#),
        ignored("unknown event", "org.example.dice", #"{"body": "6"}"#),
        ignoredState("unknown state", "org.example.board", #"{"title": "x"}"#),
        ignoredState("widget", "im.vector.modular.widgets", #"{"type": "m.etherpad"}"#),
        ignoredState(
            "visibility of the history", "m.room.history_visibility",
            #"{"history_visibility": "joined"}"#),
        ignoredState("access of guests", "m.room.guest_access", #"{"guest_access": "can_join"}"#),
        ignoredState("list of servers", "m.room.server_acl", #"{"allow": ["*"]}"#),
        ignoredState("parent of a room", "m.space.parent", #"{"via": ["localhost"]}"#),
    ]
}
