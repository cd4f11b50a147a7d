import Models

@testable import Store

/// The rows of a cache.
///
/// They are decoded from their keys and values without the store's reading code.
///
/// Docs/Format.md has the grammar.
struct CacheRows {
    struct HeldMessage {
        let position: Position
        let essence: MessageEssence
        let channelURL: ChannelURL
        let reactionTimes: [String: Timestamp]
    }

    struct Range: CustomStringConvertible {
        let lower: Gap.Bound
        let upper: Gap.Bound
        var cursor: String?
        var hasChangesToRead = false

        func contains(_ position: Position) -> Bool {
            lower < .position(position) && .position(position) < upper
        }

        var description: String {
            "\(lower) … \(upper)" + (cursor.map { " at \($0)" } ?? "")
                + (hasChangesToRead ? " with changes" : "")
        }
    }

    struct Channel {
        var url: ChannelURL = ""
        var messages: [MessageID: HeldMessage] = [:]
        /// Ordered by key.
        var positions: [Position] = []
        var places: [MessageID: Timestamp] = [:]
        var requests: [RequestID: MessageID] = [:]
        var replies: [MessageID: Set<Position>] = [:]
        var group: GroupChannel?
        /// Ordered from oldest to newest.
        var gaps: [Range] = []
        var stale: [Range] = []
        var tombstones: Set<MessageID> = []
        /// The kinds that were fetched inside gaps, each with the bound down to which.
        var kinds: [(kind: MessageKinds, lower: Gap.Bound)] = []

        func isKnown(_ position: Position) -> Bool { !gaps.contains { $0.contains(position) } }

        func isStale(_ position: Position) -> Bool { stale.contains { $0.contains(position) } }
    }

    /// The row of the feed's cursor.
    struct Token: Hashable {
        let number: Int64
        let epoch: String
        let cursor: String
    }

    var numbers: [ChannelURL: UInt32] = [:]
    private var rows: [UInt32: Channel] = [:]
    var token: Token?
    var losses: Int64 = 0
    /// True if the feed has reported all channels of the user.
    var hasAllChannels = false

    /// All channels that have a name row.
    var channels: [(url: ChannelURL, number: UInt32, channel: Channel)] {
        numbers.sorted { $0.key < $1.key }.map { ($0.key, $0.value, rows[$0.value] ?? Channel()) }
    }

    subscript(url: ChannelURL) -> Channel? {
        numbers[url].map { rows[$0] ?? Channel() }
    }

    struct Unreadable: Error {
        let what: String
    }

    init(_ rows: [CacheRow], _ known: KnownMessages) throws {
        for row in rows { try read(row, known) }
    }

    init() {}

    private mutating func read(_ row: CacheRow, _ known: KnownMessages) throws {
        var key = RowBytes(row.key)
        var value = RowBytes(row.value)
        let letter = Character(Unicode.Scalar(try key.byte()))
        switch letter {
        case "n": numbers[ChannelURL(try key.text())] = UInt32(try value.integer(4))
        case "t": try readToken(try key.text(), try value.text())
        case "l", "s", "u", "z", "k": break
        default:
            let number = UInt32(try key.integer(4))
            try rows[number, default: Channel()].read(letter, &key, &value, known)
        }
    }

    private mutating func readToken(_ scope: String, _ text: String) throws {
        switch scope {
        case "losses": losses = Int64(text) ?? -1
        case "list": hasAllChannels = true
        case "feed":
            let parts = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, let number = Int64(parts[0]), let length = Int(parts[2]) else {
                throw Unreadable(what: "the token of the feed: \(text)")
            }
            token = Token(
                number: number, epoch: String(parts[3].prefix(length)),
                cursor: String(parts[3].dropFirst(length)))
        default: break
        }
    }
}

extension CacheRows.Channel {
    fileprivate mutating func read(
        _ table: Character, _ key: inout RowBytes, _ value: inout RowBytes, _ known: KnownMessages
    ) throws {
        switch table {
        case "m":
            let position = try key.invertedPosition()
            positions.append(position)
            messages[position.messageID] = try known.message(value.all)
        case "i": places[MessageID(try key.text())] = try value.time()
        case "r": requests[RequestID(try key.text())] = MessageID(try value.text())
        case "p":
            let parent = MessageID(try key.name())
            replies[parent, default: []].insert(try key.invertedPosition())
        case "c": group = try GroupChannel(serialized: value.all)
        // No gap, or no stale range, is at the end.
        case "g" where value.all.isEmpty, "v" where value.all.isEmpty: break
        case "g":
            var gap = CacheRows.Range(lower: try value.bound(), upper: try key.bound())
            gap.cursor = try value.optionalText()
            gap.hasChangesToRead = try value.optionalText() != nil
            gaps.append(gap)
        case "v": stale.append(CacheRows.Range(lower: try value.bound(), upper: try key.bound()))
        case "e":
            let kind = MessageKinds(rawValue: 1 << (try key.byte()))
            kinds.append((kind, try value.bound()))
        case "x": tombstones.insert(MessageID(try key.text()))
        default: break
        }
    }
}

struct CacheRow: Hashable, Sendable {
    let key: [UInt8]
    let value: [UInt8]
}

/// A cache of decoded messages, so that equal bytes are decoded once.
final class KnownMessages {
    private var messages: [[UInt8]: CacheRows.HeldMessage] = [:]

    func message(_ bytes: [UInt8]) throws -> CacheRows.HeldMessage {
        if let known = messages[bytes] { return known }
        let message = try Message(serialized: bytes)
        guard let position = message.position else { throw CacheRows.Unreadable(what: "no id") }
        let times = message.reactionHistory.map { ($0.key, $0.updatedAt) }
        let held = CacheRows.HeldMessage(
            position: position, essence: MessageEssence(message), channelURL: message.channelURL,
            reactionTimes: Dictionary(times) { max($0, $1) })
        messages[bytes] = held
        return held
    }
}

/// Reads values from the beginning of a byte array.
struct RowBytes {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The bytes that have not been read.
    var all: [UInt8] { bytes }

    mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard offset + count <= bytes.count else { throw CacheRows.Unreadable(what: "\(bytes)") }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    mutating func byte() throws -> UInt8 { try take(1).first ?? 0 }

    mutating func integer(_ size: Int) throws -> UInt64 {
        try take(size).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func time() throws -> Timestamp {
        Timestamp(milliseconds: Int64(bitPattern: try integer(8) ^ 1 << 63))
    }

    mutating func text() throws -> String {
        String(decoding: try take(bytes.count - offset), as: UTF8.self)
    }

    mutating func name() throws -> String {
        let count = Int(try integer(2))
        return String(decoding: try take(count), as: UTF8.self)
    }

    mutating func optionalText() throws -> String? {
        let count = Int(try integer(4))
        return count == 0 ? nil : String(decoding: try take(count - 1), as: UTF8.self)
    }

    mutating func position() throws -> Position {
        let time = try time()
        return Position(createdAt: time, messageID: MessageID(try name()))
    }

    mutating func invertedPosition() throws -> Position {
        var inverted = RowBytes(bytes[offset...].map { ~$0 })
        return try inverted.position()
    }

    mutating func bound() throws -> Gap.Bound {
        switch try byte() {
        case 0: .beginning
        case 1: .position(try position())
        case 2: .end
        default: throw CacheRows.Unreadable(what: "a bound in \(bytes)")
        }
    }
}

extension LevelDB.Snapshot {
    /// Returns all rows in the order of their keys.
    func cacheRows() throws -> [CacheRow] {
        var rows: [CacheRow] = []
        // No key begins with the byte 0xFF.
        try scan(KeyRange.all) { (key, value) throws(StoreError) in
            rows.append(CacheRow(key: Array(key), value: Array(value)))
            return true
        }
        return rows
    }
}
