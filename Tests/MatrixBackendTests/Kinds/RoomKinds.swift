// The state of rooms, their members, and the account of the user.
extension Kinds {
    // MARK: State

    static let rooms: [Kind] = [
        Kind(
            name: "name", then: [.state("m.room.name", #"{"name": "Lunch"}"#)], sees: "",
            channel: ["name": "Lunch"]),
        Kind(
            name: "empty name", then: [.state("m.room.name", #"{"name": ""}"#)], sees: "",
            channel: ["name": "bob"]),
        Kind(
            name: "topic", then: [.state("m.room.topic", #"{"topic": "Food"}"#)], sees: "",
            channel: ["topic": "Food"]),
        Kind(
            name: "removed topic", before: [.state("m.room.topic", #"{"topic": "Food"}"#)],
            then: [.state("m.room.topic", #"{"topic": ""}"#)], sees: "", channel: ["topic": ""]),
        Kind(
            name: "picture", then: [.state("m.room.avatar", #"{"url": "mxc://localhost/cat"}"#)],
            sees: "", channel: ["cover": "mxc://localhost/cat"]),
        Kind(
            name: "removed picture",
            before: [.state("m.room.avatar", #"{"url": "mxc://localhost/cat"}"#)],
            then: [.state("m.room.avatar", "{}")], sees: "", channel: ["cover": ""]),
        Kind(
            name: "closed room",
            then: [.state("m.room.join_rules", #"{"join_rule": "invite"}"#)], sees: "",
            channel: ["public": "false"]),
        Kind(
            name: "opened room", before: [.state("m.room.join_rules", #"{"join_rule": "invite"}"#)],
            then: [.state("m.room.join_rules", #"{"join_rule": "public"}"#)], sees: "",
            channel: ["public": "true"]),
        Kind(
            name: "operator",
            then: [.state("m.room.power_levels", #"{"users": {"@alice": 50}}"#)], sees: "",
            channel: ["role": "operator", "members": "alice* bob*"]),
        Kind(
            name: "former operator", room: #"{"power_level_override": {"users": {"@alice": 50}}}"#,
            then: [.state("m.room.power_levels", #"{"users": {}}"#)], sees: "",
            channel: ["role": "none"]),
        Kind(
            name: "muted member",
            then: [.state("m.room.power_levels", #"{"users": {"@alice": -1}}"#)], sees: "",
            channel: ["muted": "true", "members": "alice- bob*"]),
        Kind(
            name: "frozen room",
            then: [.state("m.room.power_levels", #"{"events_default": 50}"#)], sees: "",
            channel: ["frozen": "true", "muted": "false"]),
        Kind(
            name: "pinned message", before: [.text("<m>", "a")],
            then: [.state("m.room.pinned_events", #"{"pinned": ["<m>"]}"#)], sees: "a",
            channel: ["pinned": "a"]),
        Kind(
            name: "unpinned message",
            before: [
                .text("<m>", "a"), .state("m.room.pinned_events", #"{"pinned": ["<m>"]}"#),
            ], then: [.state("m.room.pinned_events", #"{"pinned": []}"#)], sees: "a",
            channel: ["pinned": ""]),
        Kind(
            name: "replaced room",
            then: [
                .state(
                    "m.room.tombstone",
                    #"{"body": "moved", "replacement_room": "!new:localhost"}"#)
            ], sees: "", channel: ["frozen": "true", "replacement_room": "!new:localhost"]),
        Kind(
            name: "encryption", before: [.text("", "clear")],
            then: [.state("m.room.encryption", #"{"algorithm": "m.megolm.v1.aes-sha2"}"#)],
            sees: "clear", channel: ["encryption": "m.megolm.v1.aes-sha2"]),
        Kind(
            name: "space", room: #"{"space": true}"#, then: [.text("", "hi")],
            channel: ["state": "none"]),
    ]

    // MARK: Members

    static let members: [Kind] = [
        Kind(
            name: "join", then: [carolJoins], sees: "",
            channel: ["members": "alice bob* carol", "count": "3 3"]),
        Kind(
            name: "member who leaves", before: [carolJoins],
            then: [.nio(#"["room_leave", "ROOM"]"#).by("@carol")], sees: "",
            channel: ["members": "alice bob*", "count": "2 2"]),
        Kind(
            name: "invited member", then: [.nio(#"["room_invite", "ROOM", "@carol"]"#)], sees: "",
            channel: ["members": "alice bob* carol?", "count": "3 2"]),
        Kind(
            name: "declined invitation", before: [.nio(#"["room_invite", "ROOM", "@carol"]"#)],
            then: [.nio(#"["room_leave", "ROOM"]"#).by("@carol")], sees: "",
            channel: ["members": "alice bob*", "count": "2 2"]),
        Kind(
            name: "kicked member", before: [carolJoins],
            then: [.nio(#"["room_kick", "ROOM", "@carol", "spam"]"#)], sees: "",
            channel: ["members": "alice bob*"]),
        Kind(
            name: "banned member", before: [carolJoins, .text("", "spam").by("@carol")],
            then: [.nio(#"["room_ban", "ROOM", "@carol", "spam"]"#)], sees: "carol: spam",
            channel: ["members": "alice bob*", "count": "2 2"]),
        Kind(
            name: "member who is no longer banned",
            before: [carolJoins, .nio(#"["room_ban", "ROOM", "@carol", "spam"]"#)],
            then: [.nio(#"["room_unban", "ROOM", "@carol"]"#), carolJoins], sees: "",
            channel: ["members": "alice bob* carol"]),
        Kind(
            name: "request to join",
            before: [.state("m.room.join_rules", #"{"join_rule": "knock"}"#)],
            then: [.nio(#"["room_knock", "ROOM", "please"]"#).by("@carol")], sees: "",
            channel: ["members": "alice bob* carol~", "count": "2 2"]),
        Kind(
            name: "nickname in the room", before: [.text("", "a")],
            then: [
                .state(
                    "m.room.member", #"{"membership": "join", "displayname": "Robert"}"#,
                    key: "@bob")
            ], sees: "a", channel: ["members": "alice bob*(Robert)"]),
        Kind(
            name: "member who leaves and whose messages stay",
            before: [carolJoins, .text("", "a").by("@carol")],
            then: [.nio(#"["room_leave", "ROOM"]"#).by("@carol")], sees: "carol: a"),
        Kind(
            name: "invitation", room: privateRoom, isMember: false,
            then: [.nio(#"["room_invite", "ROOM", "@alice"]"#)],
            channel: ["state": "invited", "name": "invitation", "inviter": "bob"]),
        Kind(
            name: "invitation with a reason", room: privateRoom, isMember: false,
            then: [
                .nio(
                    """
                    ["request", "POST", "rooms/ROOM/invite",
                     {"user_id": "@alice", "reason": "Lunch?"}]
                    """)
            ], channel: ["state": "invited", "invitation_reason": "Lunch?"]),
        Kind(
            name: "invitation to a direct chat", isMember: false,
            then: [
                .nio(
                    """
                    ["create", {"preset": "trusted_private_chat", "invite": ["@alice"],
                                "is_direct": true}]
                    """, name: "ROOM")
            ], channel: ["state": "invited", "distinct": "true", "name": "bob"]),
        Kind(
            name: "withdrawn invitation", room: privateRoom, isMember: false,
            before: [.nio(#"["room_invite", "ROOM", "@alice"]"#)],
            then: [.nio(#"["room_kick", "ROOM", "@alice"]"#)], channel: ["state": "none"]),
        Kind(
            name: "invitation that another device accepts", room: privateRoom, isMember: false,
            before: [.text("", "a"), .nio(#"["room_invite", "ROOM", "@alice"]"#)],
            then: [.nio(#"["join", "ROOM"]"#).by("@alice"), .text("", "b")], sees: "a | b",
            channel: ["state": "joined"]),
        Kind(
            name: "invitation that another device declines", room: privateRoom, isMember: false,
            before: [.nio(#"["room_invite", "ROOM", "@alice"]"#)],
            then: [.nio(#"["room_leave", "ROOM"]"#).by("@alice")], channel: ["state": "none"]),
        Kind(
            name: "kick", before: [.text("", "a")],
            then: [.nio(#"["room_kick", "ROOM", "@alice", "spam"]"#)], channel: ["state": "none"]),
        Kind(
            name: "ban", before: [.text("", "a")],
            then: [.nio(#"["room_ban", "ROOM", "@alice", "spam"]"#)], channel: ["state": "none"]),
        Kind(
            name: "kick and return", before: [.text("", "a")],
            then: [
                .nio(#"["room_kick", "ROOM", "@alice", "spam"]"#), .text("", "b"),
                .nio(#"["join", "ROOM"]"#).by("@alice"), .text("", "c"),
            ], sees: "a | b | c", channel: ["state": "joined"]),
        Kind(
            name: "room that another device leaves", before: [.text("", "a")],
            then: [.nio(#"["room_leave", "ROOM"]"#).by("@alice")], channel: ["state": "none"]),
        Kind(
            name: "room that another device joins", isMember: false, before: [.text("", "a")],
            then: [.nio(#"["join", "ROOM"]"#).by("@alice")], sees: "a",
            channel: ["state": "joined"]),
    ]

    private static let privateRoom = #"{"preset": "private_chat"}"#
    private static let carolJoins = Step.nio(#"["join", "ROOM"]"#).by("@carol")

    // MARK: Receipts, counts and the account

    static let account: [Kind] = [
        Kind(
            name: "read receipt",
            before: [.text("<a>", "a").by("@alice"), .text("", "b").by("@alice")],
            then: [.nio(#"["read", "ROOM", "<a>"]"#)], sees: "alice: a | alice: b",
            channel: ["read": "bob=a"]),
        Kind(
            name: "later read receipt",
            before: [
                .text("<a>", "a").by("@alice"), .text("<b>", "b").by("@alice"),
                .nio(#"["read", "ROOM", "<a>"]"#),
            ], then: [.nio(#"["read", "ROOM", "<b>"]"#)], sees: "alice: a | alice: b",
            channel: ["read": "bob=b"]),
        Kind(
            name: "read receipt of a thread",
            before: [
                .text("<a>", "a").by("@alice"), .thread("<b>", "b", in: "<a>").by("@alice"),
            ],
            then: [
                .nio(
                    """
                    ["request", "POST", "rooms/ROOM/receipt/m.read/<b>", {"thread_id": "<a>"}]
                    """)
            ], sees: "alice: a #1 | alice: b ⤷a", channel: ["read": ""]),
        Kind(
            name: "unread messages", then: [.text("", "a"), .text("", "b")], sees: "a | b",
            channel: ["unread": "2 0"]),
        Kind(
            name: "messages that another device has read", before: [.text("<a>", "a")],
            then: [.nio(#"["read", "ROOM", "<a>"]"#).by("@alice")], sees: "a",
            channel: ["unread": "0 0", "read": "alice=a"]),
        Kind(
            name: "messages that another device has read privately", before: [.text("<a>", "a")],
            then: [
                .nio(#"["request", "POST", "rooms/ROOM/receipt/m.read.private/<a>", {}]"#).by(
                    "@alice")
            ], sees: "a", channel: ["unread": "0 0", "read": "alice=a"]),
        Kind(
            name: "notices do not count as unread",
            then: [.message("", #"{"msgtype": "m.notice", "body": "a"}"#)], sees: "a [m.notice]",
            channel: ["unread": "0 0"]),
        Kind(
            name: "tag of a room",
            then: [
                .text("", "a"),
                accountData("tags/m.favourite", #"{"order": 0.5}"#),
            ], sees: "a"),
        Kind(
            name: "room that is marked as unread",
            then: [
                .text("", "a"), accountData("account_data/m.marked_unread", #"{"unread": true}"#),
            ],
            sees: "a"),
    ]

    private static func accountData(_ path: String, _ content: String) -> Step {
        .nio(#"["request", "PUT", "user/@alice/rooms/ROOM/\#(path)", \#(content)]"#).by("@alice")
    }
}
