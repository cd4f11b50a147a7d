import Collections
import Foundation
import Models
import Store
import Sync
import Testing

// What Alice does with Scrollback, and what nio shows.
extension Kinds {
    // MARK: Messages

    static let ownMessages: [Kind] = [
        Kind(
            name: "own text", then: [.ours { try await $0.sends("hi", to: $1.url).messageID }],
            sees: "alice: hi", nio: "Text hi"),
        Kind(
            name: "own HTML",
            then: [
                .sent { params, _ in
                    params.text = "bold"
                    params.metaArrays = [MetaArray(key: "formatted_body", values: ["<b>bold</b>"])]
                }
            ], sees: "alice: bold formatted_body=<b>bold</b>", nio: "Text bold html=<b>bold</b>"),
        Kind(
            name: "own mention",
            then: [
                .sent { params, room in
                    params.text = "bob?"
                    params.mentionedUserIDs = [room.user("@bob")]
                }
            ], sees: "alice: bob? @bob", nio: "Text bob? @bob"),
        Kind(
            name: "own mention of the room",
            then: [
                .sent { params, _ in
                    params.text = "all"
                    params.mentionType = .channel
                }
            ], sees: "alice: all", nio: "Text all @room"),
        Kind(
            name: "own data and custom type",
            then: [
                .sent { params, _ in
                    params.text = "hi"
                    params.data = "7"
                    params.customType = "dice"
                }
            ], sees: "alice: hi [dice] {7}", nio: "Text hi"),
        Kind(
            name: "own reply", before: [.text("<m>", "hi")],
            then: [
                .sent { params, room in
                    params.text = "hello"
                    params.parentMessageID = room.id("<m>")
                    params.isReplyToChannel = true
                }
            ], sees: "hi | alice: hello ↩hi", nio: "Text hi | Text hello to hi"),
        Kind(
            name: "own thread", before: [.text("<m>", "root")], then: [.thread("first", in: "<m>")],
            sees: "root #1 | alice: first ⤷root", nio: "Text root | Text first in root"),
        Kind(
            name: "own answer in a thread",
            before: [.text("<m>", "root"), .thread("<a>", "first", in: "<m>")],
            then: [.thread("second", in: "<a>")],
            sees: "root #2 | first ⤷root | alice: second m.in_reply_to=first ⤷root",
            nio: "Text root | Text first in root | Text second in root to first"),
        Kind(
            name: "own reply to a reference",
            before: [
                .text("<m>", "hi"),
                .text(
                    "<r>", "see", relation: #"{"rel_type": "m.reference", "event_id": "<m>"}"#),
            ], then: [.thread("yes", in: "<r>")], sees: "hi | see | alice: yes ↩see",
            nio: "Text hi | Text see | Text yes to see"),
        Kind(
            name: "own edit", before: [.text("<m>", "old").by("@alice")],
            then: [.edited("<m>", "new")], sees: "alice: new ✎",
            nio: "Text old | Text * new edits old"),
        Kind(
            name: "own edit of a caption",
            before: [
                .message(
                    "<m>",
                    """
                    {"msgtype": "m.image", "body": "old", "filename": "cat.png",
                     "url": "mxc://localhost/cat", "info": {"mimetype": "image/png"}}
                    """
                ).by("@alice")
            ],
            then: [
                .ours { device, room in
                    var params = FileMessageUpdateParams()
                    params.text = "new"
                    return try await device.delivered(
                        device.client.update(
                            room.reference("<m>"), in: room.url, with: .file(params)))
                }
            ], sees: "alice: new file(cat.png image/png) [m.image] ✎",
            nio: "Image old image/png | Image * new image/png edits old"),
        Kind(
            name: "own deletion", before: [.text("<m>", "a").by("@alice")],
            then: [
                .ours {
                    try await $0.delivered($0.client.delete($1.reference("<m>"), in: $1.url))
                }
            ], sees: "", nio: "Redacted"),
        Kind(
            name: "own reaction", before: [.text("<m>", "a")],
            then: [
                .ours {
                    try await $0.delivered(
                        $0.client.addReaction("👍", to: $1.reference("<m>"), in: $1.url))
                }
            ], sees: "a 👍×1", nio: "Text a | Reaction 👍 on a"),
        Kind(
            name: "own removed reaction",
            before: [.text("<m>", "a"), .react("", "👍", to: "<m>").by("@alice")],
            then: [
                .ours {
                    try await $0.delivered(
                        $0.client.deleteReaction("👍", from: $1.reference("<m>"), in: $1.url))
                }
            ], sees: "a", nio: "Text a | Redacted"),
        Kind(
            name: "own image",
            then: [
                .ours { device, room in
                    let file = UploadableFile(Data("cat".utf8), name: "cat.png")
                    return try await device.delivered(
                        device.client.send(NewMessage("A cat", files: [file]), in: room.url)
                            .delivery)
                }
            ], sees: "alice: A cat file(cat.png image/png 3) [m.image]",
            nio: "Image A cat image/png"),
        Kind(
            name: "own copy of a file",
            before: [
                .message(
                    "<m>",
                    """
                    {"msgtype": "m.file", "body": "a.pdf", "url": "mxc://localhost/cat",
                     "info": {"mimetype": "application/pdf", "size": 7}}
                    """)
            ],
            then: [
                .ours { device, room in
                    let message = try #require(
                        try device.engine.store.message(room.id("<m>"), in: room.url))
                    return try await device.delivered(
                        device.client.forward(message, to: room.url).delivery)
                }
            ],
            sees: "file(a.pdf application/pdf 7) | alice: file(a.pdf application/pdf 7)",
            nio: "File a.pdf application/pdf | File a.pdf application/pdf"),
    ]

    // MARK: Rooms

    private static let operatorRoom = #"{"power_level_override": {"users": {"@alice": 100}}}"#

    static let ownRooms: [Kind] = [
        Kind(
            name: "own name", room: operatorRoom, then: [.changed { $0.set(\.name, to: "Lunch") }],
            sees: "", channel: ["name": "Lunch"], nioRoom: ["name": "Lunch"]),
        Kind(
            name: "own topic", room: operatorRoom,
            then: [.changed { $0.set(\.metadata, to: ["topic": "Food"]) }],
            sees: "", channel: ["topic": "Food"], nioRoom: ["topic": "Food"]),
        Kind(
            name: "own picture", room: operatorRoom,
            then: [.changed { $0.set(\.coverURL, to: "mxc://localhost/cat") }],
            sees: "", channel: ["cover": "mxc://localhost/cat"],
            nioRoom: ["avatar": "mxc://localhost/cat"]),
        Kind(
            name: "own data of a room", room: operatorRoom,
            then: [.changed { $0.set(\.data, to: "7") }], sees: "", channel: ["data": "7"]),
        Kind(
            name: "own invitation", room: operatorRoom,
            then: [.acted { try await $0.client.invite([$1.user("@carol")], to: $1.url) }],
            sees: "", channel: ["members": "alice* bob* carol?"], nioRoom: ["invited": "carol"]),
        Kind(
            name: "own frozen room", room: operatorRoom,
            then: [.acted { try await $0.client.freeze($1.url) }], sees: "",
            channel: ["frozen": "true"], nioRoom: ["default": "50"]),
        Kind(
            name: "own muted member", room: operatorRoom,
            before: [.nio(#"["join", "ROOM"]"#).by("@carol")],
            then: [
                .acted {
                    try await $0.client.restrict($1.user("@carol"), in: $1.url, as: .muted)
                }
            ], sees: "", channel: ["members": "alice* bob* carol-"]),
        Kind(
            name: "own banned member", room: operatorRoom,
            before: [.nio(#"["join", "ROOM"]"#).by("@carol")],
            then: [
                .acted {
                    try await $0.client.restrict($1.user("@carol"), in: $1.url, as: .banned)
                }
            ], sees: "", channel: ["members": "alice* bob*"], nioRoom: ["members": "alice bob"]),
        Kind(
            name: "own lifted ban", room: operatorRoom,
            before: [
                .nio(#"["join", "ROOM"]"#).by("@carol"),
                .nio(#"["room_ban", "ROOM", "@carol", "spam"]"#),
            ],
            then: [
                .acted {
                    try await $0.client.liftRestriction(.banned, of: $1.user("@carol"), in: $1.url)
                },
                .nio(#"["join", "ROOM"]"#).by("@carol"),
            ], sees: "", channel: ["members": "alice* bob* carol"],
            nioRoom: ["members": "alice bob carol"]),
        Kind(
            name: "own accepted request to join", room: operatorRoom,
            before: [
                .state("m.room.join_rules", #"{"join_rule": "knock"}"#),
                .nio(#"["room_knock", "ROOM", "please"]"#).by("@carol"),
            ],
            then: [
                .acted { try await $0.client.invite([$1.user("@carol")], to: $1.url) },
                .nio(#"["join", "ROOM"]"#).by("@carol"),
            ], sees: "", channel: ["members": "alice* bob* carol"]),
        Kind(
            name: "own accepted invitation", room: #"{"preset": "private_chat"}"#,
            isMember: false,
            before: [.text("", "a"), .nio(#"["room_invite", "ROOM", "@alice"]"#)],
            then: [.acted { try await $0.client.acceptInvitation(to: $1.url) }], sees: "a",
            channel: ["state": "joined"], nioRoom: ["members": "alice bob"]),
        Kind(
            name: "own declined invitation", room: #"{"preset": "private_chat"}"#,
            isMember: false, before: [.nio(#"["room_invite", "ROOM", "@alice"]"#)],
            then: [.acted { try await $0.client.declineInvitation(to: $1.url) }],
            channel: ["state": "none"], nioRoom: ["members": "bob", "invited": ""]),
        Kind(
            name: "own leave", then: [.acted { try await $0.client.leave($1.url) }],
            channel: ["state": "none"], nioRoom: ["members": "bob"]),
        Kind(
            name: "own join", isMember: false, before: [.text("", "a")],
            then: [.acted { _ = try await $0.client.join($1.url) }], sees: "a",
            channel: ["state": "joined"], nioRoom: ["members": "alice bob"]),
        Kind(
            name: "own reading", before: [.text("", "a"), .text("", "b")],
            then: [.acted { try await $0.client.markAsRead($1.url) }], sees: "a | b",
            channel: ["unread": "0 0", "read": "alice=b"], nioRoom: ["read": #"{"alice": "b"}"#]),
    ]
}

extension Step {
    /// Alice sends a text.
    fileprivate static func sent(
        _ name: String = "",
        _ change: @escaping @Sendable (inout NewMessage, KindRoom) -> Void
    ) -> Step {
        .ours(name) { device, room in
            var params = NewMessage()
            change(&params, room)
            return try await device.delivered(device.client.send(params, in: room.url).delivery)
        }
    }

    /// Alice replies in a thread.
    fileprivate static func thread(_ text: String, in parent: String) -> Step {
        .sent { params, room in
            params.text = text
            params.parentMessageID = room.id(parent)
        }
    }

    /// Alice edits a text.
    fileprivate static func edited(_ target: String, _ text: String) -> Step {
        .ours {
            try await $0.delivered(
                $0.client.update($1.reference(target), in: $1.url, with: .text(text)))
        }
    }

    /// Alice changes a channel.
    fileprivate static func changed(
        _ change: @escaping @Sendable (inout Patch<GroupChannel>) -> Void
    ) -> Step {
        .acted { device, room in
            var patch = Patch<GroupChannel>()
            change(&patch)
            _ = try await device.client.updateChannel(room.url, with: patch)
        }
    }

    /// Alice does something that returns no message.
    fileprivate static func acted(
        _ work: @escaping @MainActor @Sendable (LiveDevice, KindRoom) async throws -> Void
    ) -> Step {
        .ours { device, room in
            try await work(device, room)
            return nil
        }
    }
}

extension LiveDevice {
    /// Waits until the homeserver has accepted an item, and returns the ID of its message.
    fileprivate func delivered(_ delivery: Delivery) async throws -> MessageID? {
        switch try await delivery.result {
        case .sent(let message): return message.messageID
        case .done: return nil
        case let other: throw Unsent(description: "\(other)")
        }
    }
}
