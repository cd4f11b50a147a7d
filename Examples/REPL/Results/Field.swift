/// A value of a result or an event, as `--json` writes it.
///
/// A name means the same wherever it stands. DO NOT CHANGE one: scripts read them.
enum Field: String, CodingKey, CaseIterable {
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
    case updated
    case userID = "user_id"
    case userIDs = "user_ids"
    case value
    case version

    /// What it holds, in one line.
    var meaning: String {
        switch self {
        case .badLines: "the first lines that could not be read: {number, reason} each"
        case .bytes: "how many bytes"
        case .cacheBytes: "how many bytes the cache takes"
        case .change: "the number of a change of the store"
        case .channel: "a channel, as its JSON"
        case .channelURL: "the URL of a channel"
        case .channelURLs: "URLs of channels"
        case .channels: "channels, as their JSON"
        case .commands: "the names of all commands"
        case .connection: "open, connecting or closed"
        case .count: "how many"
        case .counts: "how many messages, by the URLs of their channels"
        case .coverage: "{known, gaps, unsent, from, to} of a channel's history"
        case .damage: "what is damaged, a text each"
        case .date: "a time, in ISO 8601"
        case .deleted: "the ids or URLs of what was deleted"
        case .device: "the name of a device"
        case .devices: "{name, user_id, connection, channel_url} each"
        case .different: "messages that are otherwise on the server"
        case .drafts: "what is not confirmed, as the JSON of a Draft"
        case .error: "what went wrong, as a text"
        case .extra: "messages that are not on the server"
        case .fields: "{number, name, type} of each field of a type"
        case .gaps: "{from, to} each; - is the beginning, + the end, else TIME/ID"
        case .hasMore: "whether there is more to be had"
        case .hex: "bytes in hex"
        case .ignored: "how often a field came that was ignored, by its name"
        case .imported: "how many messages are new on the server"
        case .isDamaged: "whether anything is damaged"
        case .known: "how many messages were on the server before"
        case .levelDB: "the version of LevelDB"
        case .log: "calls to the server, a text each"
        case .members: "members, as their JSON"
        case .message: "a message, as its JSON"
        case .messageID: "the id of a message"
        case .messages: "messages, as their JSON"
        case .missing: "messages that are missing in the cache"
        case .name: "the name of a setting, a type, a token or a file"
        case .outboxBytes: "how many bytes the outbox takes"
        case .path: "the path of a file or directory"
        case .picture: "a history as one line"
        case .pinned: "the URLs of the channels that are never evicted from"
        case .place: "where the store is: a path, or null for memory"
        case .record: "a record, as its JSON"
        case .requestID: "the request id of what is not confirmed, or was sent"
        case .requestIDs: "request ids"
        case .rows: "{database, table, key, value} each, key and value in hex"
        case .settings: "values by their names, as texts"
        case .stale: "{from, to} of what may have changed meanwhile, each"
        case .text: "a text"
        case .time: "milliseconds since 1970"
        case .total: "how many in all"
        case .types: "the names of all types"
        case .unread: "how many messages are not read"
        case .unreadable: "the URLs of channels and the request ids of drafts that are damaged"
        case .updated: "the ids or URLs of what was updated"
        case .userID: "the id of a user"
        case .userIDs: "ids of users"
        case .value: "the value of a setting, as a text"
        case .version: "the version of the package"
        }
    }
}

/// What a result or an event holds beside its text.
typealias Values = [Field: any Encodable & Sendable]
