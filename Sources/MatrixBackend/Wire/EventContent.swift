// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Keys are named as on the wire.

import Models

struct EventContent: Decodable, Sendable {
    private(set) var isEmpty = true
    /// True if the content is that of an edit, and has the new content of the message.
    private(set) var isNewContent = false

    // MARK: Messages

    private(set) var messageType: String?
    private(set) var body: String?
    private(set) var filename: String?
    private(set) var url: String?
    private(set) var info: Info?
    private(set) var formattedBody: String?
    private(set) var isVoice = false
    private(set) var isFileEncrypted = false
    private(set) var geoURI: String?
    private(set) var mentions: Mentions?
    private(set) var relation: Relation?
    private(set) var own: OwnContent?
    /// The properties in the outer content, where those of a state event are.
    private(set) var ownState: OwnContent?
    private(set) var redacts: String?

    // MARK: State

    private(set) var membership: String?
    private(set) var reason: String?
    private(set) var displayName: String?
    private(set) var avatarURL: String?
    private(set) var isDirect: Bool?
    private(set) var name: String?
    private(set) var alias: String?
    private(set) var joinRule: String?
    private(set) var algorithm: String?
    private(set) var topic: String?
    private(set) var roomType: String?
    private(set) var additionalCreators: [String] = []
    private(set) var roomVersion: String?
    private(set) var replacementRoom: String?
    private(set) var pinned: [String] = []
    private(set) var power: PowerLevels?

    init() {}

    static var fieldNames: Set<String> { Set(Key.allCases.map(\.rawValue)) }

    private enum Key: String, CodingKey, CaseIterable {
        case msgtype, body, filename, url, info, geo_uri, redacts
        case mentions = "m.mentions"
        case relation = "m.relates_to"
        case newContent = "m.new_content"
        case own = "dev.scrollback"
        case membership, displayname, avatar_url, is_direct, name, alias, join_rule, type
        case additional_creators, room_version, replacement_room, pinned, users, events_default
        case users_default, notifications
        case algorithm, topic, reason, formatted_body, file
        case voice = "org.matrix.msc3245.voice"
    }

    init(from decoder: any Decoder) throws {
        let whole = try decoder.container(keyedBy: Key.self)
        // The content of a redacted event is empty.
        isEmpty = try decoder.container(keyedBy: AnyKey.self).allKeys.isEmpty
        relation = whole.lenient(.relation)
        isNewContent = whole.contains(.newContent) && relation?.type == "m.replace"
        let content =
            isNewContent
            ? (try? whole.nestedContainer(keyedBy: Key.self, forKey: .newContent)) ?? whole : whole
        messageType = content.lenientID(.msgtype)
        body = content.lenient(.body)
        filename = content.lenient(.filename)
        url = content.lenient(.url)
        if url == nil, let file = content.lenient(EncryptedFile.self, .file) {
            (url, isFileEncrypted) = (file.url, true)
        }
        formattedBody = content.lenient(.formatted_body)
        isVoice = content.contains(.voice)
        info = content.lenient(.info)
        geoURI = content.lenient(.geo_uri)
        mentions = content.lenient(.mentions)
        own = content.lenient(.own)
        // Homeservers read these only from the outer content, whatever the type of the message.
        redacts = whole.lenientID(.redacts)
        decodeState(whole)
        if [.users, .users_default, .events_default, .notifications].contains(where: whole.contains)
        {
            power = try? PowerLevels(from: decoder)
        }
    }

    private mutating func decodeState(_ content: KeyedDecodingContainer<Key>) {
        membership = content.lenientID(.membership)
        reason = content.lenient(.reason)
        displayName = content.lenientName(.displayname)
        avatarURL = content.lenientName(.avatar_url)
        isDirect = content.lenient(.is_direct)
        name = content.lenientName(.name)
        alias = content.lenientID(.alias)
        joinRule = content.lenientID(.join_rule)
        algorithm = content.lenientID(.algorithm)
        topic = content.lenient(.topic)
        ownState = isNewContent ? content.lenient(.own) : own
        roomType = content.lenientID(.type)
        additionalCreators = content.lenientIDs(.additional_creators)
        roomVersion = content.lenientID(.room_version)
        replacementRoom = content.lenientID(.replacement_room)
        pinned = content.lenientIDs(.pinned)
    }
}

private struct EncryptedFile: Decodable { let url: String }

extension EventContent {
    struct Info: Decodable, Sendable {
        let mimeType: String?
        let size: Int?
        let width: Int?
        let height: Int?
        /// The duration in milliseconds.
        let duration: Int?
        let thumbnailURL: String?
        let thumbnailWidth: Int?
        let thumbnailHeight: Int?

        private enum Key: String, CodingKey {
            case mimetype, size, w, h, duration, thumbnail_url, thumbnail_info
        }

        init(from decoder: any Decoder) throws {
            let info = try decoder.container(keyedBy: Key.self)
            mimeType = info.lenientID(.mimetype)
            size = info.lenient(.size)
            width = info.lenient(.w)
            height = info.lenient(.h)
            duration = info.lenient(.duration)
            thumbnailURL = info.lenient(.thumbnail_url)
            let thumbnail = try? info.nestedContainer(keyedBy: Key.self, forKey: .thumbnail_info)
            thumbnailWidth = thumbnail?.lenient(.w)
            thumbnailHeight = thumbnail?.lenient(.h)
        }
    }

    struct Mentions: Decodable, Sendable {
        let userIDs: [String]
        let isRoom: Bool

        private enum Key: String, CodingKey { case user_ids, room }

        init(from decoder: any Decoder) throws {
            let mentions = try decoder.container(keyedBy: Key.self)
            userIDs = mentions.lenientIDs(.user_ids)
            isRoom = mentions.lenient(.room) ?? false
        }
    }

    struct Relation: Decodable, Sendable {
        let type: String?
        let eventID: String?
        let key: String?
        let isFallback: Bool
        let repliesTo: String?

        private enum Key: String, CodingKey {
            case rel_type, event_id, key, is_falling_back
            case in_reply_to = "m.in_reply_to"
        }

        init(from decoder: any Decoder) throws {
            let relation = try decoder.container(keyedBy: Key.self)
            type = relation.lenientID(.rel_type)
            eventID = relation.lenientID(.event_id)
            key = relation.lenientID(.key)
            isFallback = relation.lenient(.is_falling_back) ?? false
            let reply = try? relation.nestedContainer(keyedBy: Key.self, forKey: .in_reply_to)
            repliesTo = reply?.lenientID(.event_id)
        }
    }

    struct PowerLevels: Decodable, Sendable {
        let users: [UserID: Int]
        let usersDefault: Int
        let eventsDefault: Int
        /// The level that a member needs in order to notify the whole room.
        let roomNotification: Int

        static let defaultRoomNotification = 50

        private enum Key: String, CodingKey {
            case users, users_default, events_default, notifications, room
        }

        /// The defaults of an event without content.
        init() {
            (users, usersDefault, eventsDefault) = ([:], 0, 0)
            roomNotification = Self.defaultRoomNotification
        }

        init(from decoder: any Decoder) throws {
            let levels = try decoder.container(keyedBy: Key.self)
            let users: [String: LenientInt] = levels.lenientMap(.users)
            self.users = Dictionary(
                uniqueKeysWithValues: users.map { (UserID($0.key), $0.value.value) })
            usersDefault = levels.lenient(LenientInt.self, .users_default)?.value ?? 0
            eventsDefault = levels.lenient(LenientInt.self, .events_default)?.value ?? 0
            let notifications = try? levels.nestedContainer(
                keyedBy: Key.self, forKey: .notifications)
            roomNotification =
                notifications?.lenient(LenientInt.self, .room)?.value
                ?? Self.defaultRoomNotification
        }
    }

    /// The properties for which Matrix has no field, under `dev.scrollback`.
    struct OwnContent: Decodable, Sendable {
        let requestID: String?
        let data: String?
        let customType: String?
        let metaArrays: [MetaArray]
        let mentionTemplate: String?
        let metadata: [String: String]
        let extra: [String: JSONValue]

        private enum Key: String, CodingKey {
            case request_id, data, custom_type, meta_arrays, mention_template, metadata, extra
        }

        init(from decoder: any Decoder) throws {
            let own = try decoder.container(keyedBy: Key.self)
            requestID = own.lenientID(.request_id)
            data = own.lenient(.data)
            customType = own.lenient(.custom_type)
            metaArrays = own.lenientList(.meta_arrays)
            mentionTemplate = own.lenient(.mention_template)
            metadata = own.lenientMap(.metadata)
            extra = own.lenientMap(.extra)
        }
    }
}
