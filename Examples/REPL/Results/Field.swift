/// The name of a value of a result or an event, as `--json` writes it.
///
/// A name has the same meaning in all results. DO NOT CHANGE a name: scripts read them.
enum Field: String, CodingKey, CaseIterable {
    case address
    case badLines = "bad_lines"
    case bytes
    case cacheBytes = "cache_bytes"
    case change
    case channel
    case channelURL = "channel_url"
    case channelURLs = "channel_urls"
    case channels
    case commands
    case connection
    case count
    case counts
    case coverage
    case damage
    case date
    case deleted
    case device
    case devices
    case different
    case drafts
    case error
    case extra
    case fields
    case gaps
    case hasMore = "has_more"
    case hex
    case ignored
    case imported
    case isComplete = "is_complete"
    case isDamaged = "is_damaged"
    case known
    case levelDB = "leveldb"
    case log
    case members
    case message
    case messageID = "message_id"
    case messages
    case missing
    case name
    case outboxBytes = "outbox_bytes"
    case outboxItems = "outbox_items"
    case path
    case picture
    case pinned
    case place
    case record
    case requestID = "request_id"
    case requestIDs = "request_ids"
    case rows
    case settings
    case stale
    case text
    case time
    case total
    case types
    case unread
    case unreadable
    case unsearched
    case updated
    case userID = "user_id"
    case userIDs = "user_ids"
    case value
    case version

    /// The description of the value, in one line.
    var meaning: String {
        switch self {
        case .address: "the address of the inspector's page; null if there is none"
        case .badLines: "the first lines that could not be read: a list of {number, reason}"
        case .bytes: "a number of bytes"
        case .cacheBytes: "the size of the cache in bytes"
        case .change: "the number of a change of the store"
        case .channel: "a channel, as its JSON"
        case .channelURL: "the URL of a channel"
        case .channelURLs: "URLs of channels"
        case .channels: "channels, as their JSON"
        case .commands: "the names of all commands"
        case .connection: "open, connecting or closed"
        case .count: "a number"
        case .counts: "numbers of messages, by channel URL"
        case .coverage: "{known, gaps, unsent, from, to} of a channel's history"
        case .damage: "descriptions of damage"
        case .date: "a time, in ISO 8601"
        case .deleted: "the ids or URLs of deleted items"
        case .device: "the name of a device"
        case .devices: "a list of {name, user_id, connection, channel_url}"
        case .different: "messages that differ from those on the server"
        case .drafts: "the texts of drafts, by channel URL"
        case .error: "the description of an error"
        case .extra: "messages that are not on the server"
        case .fields: "{number, name, type} of each field of a type"
        case .gaps: "a list of {from, to}; - is the beginning, + the end, else TIME/ID"
        case .hasMore: "whether more can be loaded"
        case .hex: "bytes in hex"
        case .ignored: "the number of occurrences of each ignored field, by its name"
        case .imported: "the number of messages that are new on the server"
        case .isComplete: "whether the server has searched all messages"
        case .isDamaged: "whether anything is damaged"
        case .known: "the number of messages that the server already had"
        case .levelDB: "the version of LevelDB"
        case .log: "calls to the server, as texts"
        case .members: "members, as their JSON"
        case .message: "a message, as its JSON"
        case .messageID: "the id of a message"
        case .messages: "messages, as their JSON"
        case .missing: "messages that are missing in the cache"
        case .name: "the name of a setting, a type, a token or a file"
        case .outboxBytes: "the size of the outbox in bytes"
        case .outboxItems: "outbox items, as the JSON of an OutboxItem"
        case .path: "the path of a file or directory"
        case .picture: "a history as one line"
        case .pinned: "the URLs of channels whose messages are never evicted"
        case .place: "the path of the store, or null if it is in memory"
        case .record: "a record, as its JSON"
        case .requestID: "the request id of an outbox item or of a sent message"
        case .requestIDs: "request ids"
        case .rows: "a list of {database, table, key, value}, with key and value in hex"
        case .settings: "values as texts, by name"
        case .stale: "stale ranges: a list of {from, to}"
        case .text: "a text"
        case .time: "milliseconds since 1970"
        case .total: "the total number"
        case .types: "the names of all types"
        case .unread: "the number of unread messages"
        case .unreadable: "the URLs of damaged channels and the request ids of damaged outbox items"
        case .unsearched:
            "ranges that a search could not read: a list of {channel_url, reason, from, to}"
        case .updated: "the ids or URLs of updated items"
        case .userID: "the id of a user"
        case .userIDs: "ids of users"
        case .value: "the value of a setting, as a text"
        case .version: "the version of the package"
        }
    }
}

/// The values of a result or an event, in addition to its text.
typealias Values = [Field: any Encodable & Sendable]
