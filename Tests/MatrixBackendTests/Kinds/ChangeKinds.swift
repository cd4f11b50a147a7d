// Replies, and changes of messages.
extension Kinds {
    // MARK: Replies and threads

    static let replies: [Kind] = [
        Kind(
            name: "reply", before: [.text("<m>", "hi")],
            then: [.reply("", "hello", to: "<m>")], sees: "hi | hello ↩hi"),
        Kind(
            name: "reply with the old quotation", before: [.text("<m>", "hi")],
            then: [.reply("", #"> <@bob> hi\n\nhello"#, to: "<m>")], sees: "hi | hello ↩hi"),
        Kind(
            name: "reply to a reply",
            before: [.text("<m>", "hi"), .reply("<r>", "hello", to: "<m>")],
            then: [.reply("", "again", to: "<r>")], sees: "hi | hello ↩hi | again ↩hello"),
        Kind(
            name: "reply to a deleted message", before: [.text("<m>", "hi"), .redact("<m>")],
            then: [.reply("", "hello", to: "<m>")], sees: "hello ↩?"),
        Kind(
            name: "reference", before: [.text("<m>", "hi")],
            then: [
                .text("", "see", relation: #"{"rel_type": "m.reference", "event_id": "<m>"}"#)
            ], sees: "hi | see"),
        Kind(
            name: "thread", before: [.text("<m>", "root")],
            then: [.thread("", "first", in: "<m>"), .thread("", "second", in: "<m>")],
            sees: "root #2 | first ⤷root | second ⤷root"),
        Kind(
            name: "thread that goes on",
            before: [.text("<m>", "root"), .thread("", "first", in: "<m>")],
            then: [.thread("", "second", in: "<m>")],
            sees: "root #2 | first ⤷root | second ⤷root"),
        Kind(
            name: "answer in a thread",
            before: [.text("<m>", "root"), .thread("<a>", "first", in: "<m>")],
            then: [.thread("", "second", in: "<m>", answering: "<a>")],
            sees: "root #2 | first ⤷root | second m.in_reply_to=first ⤷root"),
        Kind(
            name: "edited reply in a thread",
            before: [.text("<m>", "root"), .thread("<a>", "first", in: "<m>")],
            then: [.edit("", "<a>", "new")], sees: "root #1 | new ⤷root ✎"),
        Kind(
            name: "edited first message of a thread",
            before: [.text("<m>", "root"), .thread("<a>", "first", in: "<m>")],
            then: [.edit("", "<m>", "new")], sees: "new ✎ #1 | first ⤷new"),
        Kind(
            name: "deleted reply in a thread",
            before: [
                .text("<m>", "root"), .thread("", "first", in: "<m>"),
                .thread("<b>", "second", in: "<m>"),
            ], then: [.redact("<b>")], sees: "root #1 | first ⤷root"),
        Kind(
            name: "deleted last reply in a thread",
            before: [.text("<m>", "root"), .thread("<a>", "first", in: "<m>")],
            then: [.redact("<a>")], sees: "root"),
        Kind(
            name: "deleted first message of a thread",
            before: [.text("<m>", "root"), .thread("", "first", in: "<m>")],
            then: [.redact("<m>")], sees: "first ⤷?"),
        Kind(
            name: "reaction in a thread",
            before: [.text("<m>", "root"), .thread("<a>", "first", in: "<m>")],
            then: [.react("", "👍", to: "<a>")], sees: "root #1 | first ⤷root 👍×1"),
    ]

    // MARK: Edits

    static let edits: [Kind] = [
        Kind(
            name: "edit", before: [.text("<m>", "old")], then: [.edit("", "<m>", "new")],
            sees: "new ✎", channel: ["last": "new"]),
        Kind(
            name: "message and edit", then: [.text("<m>", "old"), .edit("", "<m>", "new")],
            sees: "new ✎"),
        Kind(
            name: "two edits", before: [.text("<m>", "old"), .edit("", "<m>", "newer")],
            then: [.edit("", "<m>", "newest")], sees: "newest ✎"),
        Kind(
            name: "edit of an older message", before: [.text("<m>", "old"), .text("", "last")],
            then: [.edit("", "<m>", "new")], sees: "new ✎ | last", channel: ["last": "last"]),
        Kind(
            name: "edit of an edit",
            before: [.text("<m>", "old"), .edit("<e>", "<m>", "new")],
            then: [.edit("", "<e>", "wrong")], sees: "new ✎"),
        Kind(
            name: "edit of another user's message", before: [.text("<m>", "old")],
            then: [.edit("", "<m>", "wrong").by("@alice")], sees: "old"),
        Kind(
            name: "edit without a new content", before: [.text("<m>", "old")],
            then: [
                .text("", "* new", relation: #"{"rel_type": "m.replace", "event_id": "<m>"}"#)
            ], sees: "old"),
        Kind(
            name: "edit of a deleted message", before: [.text("<m>", "old"), .redact("<m>")],
            then: [.edit("", "<m>", "new")], sees: ""),
        Kind(
            name: "edit with HTML and a mention", before: [.text("<m>", "old")],
            then: [
                .edit(
                    "", "<m>", "new",
                    """
                    "format": "org.matrix.custom.html", "formatted_body": "<i>new</i>",
                    "m.mentions": {"user_ids": ["@alice"]}
                    """)
            ], sees: "new formatted_body=<i>new</i> @alice ✎"),
        Kind(
            name: "edit to a notice", before: [.text("<m>", "old")],
            then: [
                .message(
                    "",
                    """
                    {"msgtype": "m.notice", "body": "* new",
                     "m.new_content": {"msgtype": "m.notice", "body": "new"},
                     "m.relates_to": {"rel_type": "m.replace", "event_id": "<m>"}}
                    """)
            ], sees: "new [m.notice] ✎"),
        Kind(
            name: "edit of a caption",
            before: [
                .message(
                    "<m>",
                    """
                    {"msgtype": "m.image", "body": "old", "filename": "cat.png",
                     "url": "mxc://localhost/cat"}
                    """)
            ],
            then: [
                .message(
                    "",
                    """
                    {"msgtype": "m.image", "body": "* new", "url": "mxc://localhost/cat",
                     "m.new_content": {"msgtype": "m.image", "body": "new", "filename": "cat.png",
                                       "url": "mxc://localhost/cat"},
                     "m.relates_to": {"rel_type": "m.replace", "event_id": "<m>"}}
                    """)
            ], sees: "new file(cat.png) [m.image] ✎"),
        Kind(
            name: "edit of a reply", before: [.text("<m>", "hi"), .reply("<r>", "old", to: "<m>")],
            then: [.edit("", "<r>", "new")], sees: "hi | new ↩hi ✎"),
        Kind(
            name: "deleted edit", before: [.text("<m>", "old"), .edit("<e>", "<m>", "new")],
            then: [.redact("<e>")], sees: "old", channel: ["last": "old"]),
        Kind(
            name: "deleted last edit",
            before: [
                .text("<m>", "old"), .edit("", "<m>", "newer"), .edit("<e>", "<m>", "newest"),
            ], then: [.redact("<e>")], sees: "newer ✎"),
        Kind(
            name: "deleted earlier edit",
            before: [
                .text("<m>", "old"), .edit("<e>", "<m>", "newer"), .edit("", "<m>", "newest"),
            ], then: [.redact("<e>")], sees: "newest ✎"),
        Kind(
            name: "edit and its deletion", before: [.text("<m>", "old")],
            then: [.edit("<e>", "<m>", "new"), .redact("<e>")], sees: "old"),
    ]

    // MARK: Deletions

    static let deletions: [Kind] = [
        Kind(
            name: "deletion", before: [.text("", "a"), .text("<m>", "b")], then: [.redact("<m>")],
            sees: "a", channel: ["last": "a"]),
        Kind(
            name: "deletion of an older message", before: [.text("<m>", "a"), .text("", "b")],
            then: [.redact("<m>")], sees: "b", channel: ["last": "b"]),
        Kind(
            name: "deletion of the only message", before: [.text("<m>", "a")],
            then: [.redact("<m>")], sees: "", channel: ["last": ""]),
        Kind(
            name: "message and its deletion", before: [.text("", "a")],
            then: [.text("<m>", "b"), .redact("<m>")], sees: "a"),
        Kind(
            name: "deletion with a reason", before: [.text("<m>", "a")],
            then: [.nio(#"["room_redact", "ROOM", "<m>", "spam"]"#)], sees: ""),
        Kind(
            name: "repeated deletion", before: [.text("", "a"), .text("<m>", "b"), .redact("<m>")],
            then: [.redact("<m>")], sees: "a"),
        Kind(
            name: "deletion by a moderator", before: [.text("<m>", "a").by("@alice")],
            then: [.redact("<m>")], sees: ""),
        Kind(
            name: "deletion of an edited message",
            before: [.text("<m>", "old"), .edit("", "<m>", "new")], then: [.redact("<m>")],
            sees: ""),
        Kind(
            name: "deletion of a message with reactions",
            before: [.text("<m>", "a"), .react("", "👍", to: "<m>")], then: [.redact("<m>")],
            sees: ""),
        Kind(
            name: "deletion of a file",
            before: [
                .message(
                    "<m>", #"{"msgtype": "m.file", "body": "a", "url": "mxc://localhost/cat"}"#)
            ], then: [.redact("<m>")], sees: ""),
        Kind(
            name: "deletion of a sticker",
            before: [.event("<m>", "m.sticker", #"{"body": "Hi", "url": "mxc://localhost/cat"}"#)],
            then: [.redact("<m>")], sees: ""),
        Kind(
            name: "deletion of an event that is ignored",
            before: [.text("", "a"), .event("<m>", "m.poll.start", #"{"m.poll": {}}"#)],
            then: [.redact("<m>")], sees: "a"),
        Kind(
            name: "deletion of a state event",
            before: [.text("", "a"), .state("m.room.topic", #"{"topic": "x"}"#, name: "<m>")],
            then: [.redact("<m>")], sees: "a", channel: ["topic": ""]),
    ]

    // MARK: Reactions

    static let reactions: [Kind] = [
        Kind(
            name: "reaction", before: [.text("<m>", "a")], then: [.react("", "👍", to: "<m>")],
            sees: "a 👍×1"),
        Kind(
            name: "message and reaction", then: [.text("<m>", "a"), .react("", "👍", to: "<m>")],
            sees: "a 👍×1"),
        Kind(
            name: "reactions of two users",
            before: [.text("<m>", "a"), .react("", "👍", to: "<m>")],
            then: [.react("", "👍", to: "<m>").by("@alice")], sees: "a 👍×2"),
        Kind(
            name: "two reactions of a user",
            before: [.text("<m>", "a"), .react("", "👍", to: "<m>")],
            then: [.react("", "🎉", to: "<m>")], sees: "a 🎉×1 👍×1"),
        Kind(
            name: "removed reaction",
            before: [.text("<m>", "a"), .react("<r>", "👍", to: "<m>")], then: [.redact("<r>")],
            sees: "a"),
        Kind(
            name: "one of two reactions is removed",
            before: [
                .text("<m>", "a"), .react("<r>", "👍", to: "<m>"),
                .react("", "👍", to: "<m>").by("@alice"),
            ], then: [.redact("<r>")], sees: "a 👍×1"),
        Kind(
            name: "reaction that is removed and added",
            before: [.text("<m>", "a"), .react("<r>", "👍", to: "<m>")],
            then: [.redact("<r>"), .react("", "👍", to: "<m>")], sees: "a 👍×1"),
        Kind(
            name: "reaction to an edited message",
            before: [.text("<m>", "old"), .edit("", "<m>", "new")],
            then: [.react("", "👍", to: "<m>")], sees: "new ✎ 👍×1"),
        Kind(
            name: "edit of a message with a reaction",
            before: [.text("<m>", "old"), .react("", "👍", to: "<m>")],
            then: [.edit("", "<m>", "new")], sees: "new ✎ 👍×1"),
        Kind(
            name: "reaction to a deleted message", before: [.text("<m>", "a"), .redact("<m>")],
            then: [.react("", "👍", to: "<m>")], sees: ""),
        Kind(
            name: "reaction with a text", before: [.text("<m>", "a")],
            then: [.react("", "looks good", to: "<m>")], sees: "a looks good×1"),
        Kind(
            name: "reaction with an image", before: [.text("<m>", "a")],
            then: [.react("", "mxc://localhost/cat", to: "<m>")], sees: "a mxc://localhost/cat×1"),
    ]
}
