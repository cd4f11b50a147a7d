import Foundation
import Scrollback

/// The form of the logs of a chat system or a tool for it.
struct LogPreset: Sendable {
    let name: String

    /// The paths of the lists of messages; none if each value or line is a message.
    var lists: [String] = []

    /// The fields, as in ``LogFields/sources``; none for a log of text.
    var sources: [String: [String]] = [:]

    var text: TextLog.Format?

    /// A field, and its values in lines that are messages, if not all are.
    var only: (path: String, values: [String])?

    var except: (path: String, values: [String])?

    /// A field, and its values in notices, messages of the channel itself; `*` ends a prefix.
    var system: (path: String, values: [String])?

    var replies: String?

    /// `true` if the folder has the channel's name.
    var isFolderNamed = false

    /// `true` if each UTF-8 byte was written as a character.
    var isLatin1 = false

    /// `true` if texts contain Slack's markup, such as `<@U2>`.
    var hasMarkup = false

    var otherFiles: Set<String> = []

    /// The file with the names of users, and the paths of an ID and of names.
    var users: (file: String, id: String, names: [String])?

    static let all = [
        LogPreset(
            name: "slack", lists: ["messages"],
            sources: [
                "id": ["ts"], "time": ["ts"], "channel": ["channel"],
                "sender": ["user", "bot_id", "username"],
                "nickname": ["user_profile.real_name", "user_profile.name", "username"],
                "message": ["text", "attachments.fallback", "files.name"], "parent": ["thread_ts"],
            ],
            system: ("subtype", ["channel_*", "group_*", "pinned_item", "bot_add", "bot_remove"]),
            isFolderNamed: true, hasMarkup: true,
            otherFiles: [
                "users.json", "org_users.json", "channels.json", "groups.json", "dms.json",
                "mpims.json", "integration_logs.json", "canvases.json",
            ],
            users: (
                "users.json", "id",
                ["profile.display_name", "real_name", "profile.real_name", "name"]
            )),
        LogPreset(
            name: "discord", lists: ["messages"],
            sources: [
                "id": ["id"], "time": ["timestamp"], "channel": ["/channel.name", "channel_id"],
                "sender": ["author.id"],
                "nickname": ["author.nickname", "author.name", "author.username"],
                "message": ["content", "attachments.fileName", "attachments.filename"],
                "parent": ["reference.messageId", "message_reference.message_id"],
            ],
            system: (
                "type",
                [
                    "Recipient*", "Call", "Channel*", "GuildMemberJoin", "UserPremium*",
                    "ThreadCreated",
                ]
            )),
        LogPreset(
            name: "telegram", lists: ["messages", "chats.list.messages"],
            sources: [
                "id": ["id"], "time": ["date_unixtime", "date"], "channel": ["/name", "/id"],
                "sender": ["from_id", "from"], "nickname": ["from"],
                "message": ["text", "file_name", "media_type", "photo", "action"],
                "parent": ["reply_to_message_id"],
            ], system: ("type", ["service"])),
        LogPreset(
            name: "mattermost", lists: ["posts"],
            sources: [
                "id": ["id"], "time": ["post.create_at", "direct_post.create_at", "create_at"],
                "channel": ["post.channel", "direct_post.channel_members", "channel_id"],
                "sender": ["post.user", "direct_post.user", "user", "user_id"],
                "message": ["post.message", "direct_post.message", "message"],
                "parent": ["root_id"],
            ], except: ("type", ["version", "team", "channel", "user", "emoji", "scheme", "role"]),
            system: ("post.type", ["system_*"]), replies: "replies"),
        LogPreset(
            name: "matrix", lists: ["messages", "chunk"],
            sources: [
                "id": ["event_id"], "time": ["origin_server_ts"],
                "channel": ["/room_name", "room_id"],
                "sender": ["sender"], "message": ["content.body"],
                "parent": [
                    "content.m.relates_to.event_id",
                    "content.m.relates_to.m.in_reply_to.event_id",
                ],
            ], only: ("type", ["m.room.message", "m.sticker"]),
            except: ("content.m.relates_to.rel_type", ["m.replace"])),
        LogPreset(
            name: "rocketchat", lists: ["messages"],
            sources: [
                "id": ["_id"], "time": ["ts"], "channel": ["rid"],
                "sender": ["u.username", "u._id"],
                "nickname": ["u.name"], "message": ["msg", "file.name", "attachments.title"],
                "parent": ["tmid"],
            ], system: ("t", ["*"])),
        LogPreset(
            name: "zulip", lists: ["messages", "zerver_message"],
            sources: [
                "id": ["id"], "time": ["timestamp", "date_sent"],
                "channel": ["display_recipient.email", "display_recipient", "recipient"],
                "sender": ["sender_email", "sender"], "nickname": ["sender_full_name"],
                "message": ["content"],
            ]),
        LogPreset(name: "irssi", text: .irssi),
        LogPreset(name: "weechat", text: .weechat),
        LogPreset(name: "znc", text: .znc, isFolderNamed: true),
        LogPreset(name: "whatsapp", text: .whatsapp),
        LogPreset(
            name: "messenger", lists: ["messages"],
            sources: [
                "time": ["timestamp_ms"], "channel": ["/title", "/thread_path"],
                "sender": ["sender_name"],
                "message": ["content", "share.link", "photos.uri", "videos.uri", "sticker.uri"],
            ], isFolderNamed: true, isLatin1: true),
    ]
}

extension LogPreset {
    /// The fields that are not imported, although a user may miss them.
    static let lost: Set = [
        "attachments", "audio_files", "edit_at", "edited", "edited_unixtime", "embeds", "file",
        "files", "forwarded_from", "gifs", "isPinned", "media_type", "photo", "photos", "pinned_to",
        "poll", "reactions", "sticker", "timestampEdited", "videos",
    ]

    /// `true` if a message's channel may follow the messages.
    var needsContext: Bool { sources["channel"]?.contains { $0.hasPrefix("/") } ?? false }

    func skipped(_ line: JSONValue) -> String? {
        for (rule, isAllowed) in [(only, true), (except, false)] {
            guard let rule else { continue }
            let kind = line.value(at: rule.path[...])?.scalar ?? ""
            if rule.values.contains(kind) != isAllowed { return kind }
        }
        return nil
    }

    func isSystem(_ line: JSONValue) -> Bool {
        if text != nil { return line["type"] == "ADMM" }
        guard let system, let kind = line.value(at: system.path[...])?.scalar else { return false }
        return system.values.contains {
            $0.hasSuffix("*") ? kind.hasPrefix($0.dropLast()) : kind == $0
        }
    }

    func replies(in line: JSONValue) -> [JSONValue] {
        let post = line["post"] ?? line["direct_post"]
        guard let replies, case .array(let elements)? = post?[replies] else { return [] }
        return elements
    }

    func decode(_ text: String, _ nicknames: [String: String] = [:]) -> String {
        if hasMarkup {
            return text.replacing(#/<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>/#) { found in
                let (_, sign, target, label) = found.output
                let name = label ?? (nicknames[String(target)] ?? String(target))[...]
                switch sign {
                case "": return label.map { "\($0) (\(target))" } ?? String(target)
                case "#": return "#\(name)"
                default: return name.hasPrefix("@") ? String(name) : "@\(name)"
                }
            }
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
        }
        guard isLatin1, text.unicodeScalars.allSatisfy({ $0.value < 256 }),
            let decoded = String(
                bytes: text.unicodeScalars.map { UInt8($0.value) }, encoding: .utf8)
        else { return text }
        return decoded
    }

    func channel(of path: String) -> String {
        let url = URL(filePath: path)
        if isFolderNamed { return url.deletingLastPathComponent().lastPathComponent }
        let parts = url.lastPathComponent.split(separator: ".").map(String.init)
        let name = parts.dropLast(parts.count > 1 ? (parts.last == "gz" ? 2 : 1) : 0)
        return (text == .weechat ? name.last : name.joined(separator: ".")) ?? url.lastPathComponent
    }
}
