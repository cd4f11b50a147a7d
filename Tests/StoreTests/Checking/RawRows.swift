import Models

@testable import Store

// Reads and writes bytes on disk with code of the tests, and without the library's code.

extension String {
    /// The bytes that hexadecimal digits represent.
    ///
    /// Spaces are ignored.
    var hex: [UInt8] {
        let digits = filter { !$0.isWhitespace }
        var bytes: [UInt8] = []
        var rest = digits[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else {
                preconditionFailure("\(rest.prefix(2)) is no byte.")
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

extension Sequence where Element == UInt8 {
    /// The bytes as pairs of hexadecimal digits.
    var digits: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }
}

extension LevelDB.Snapshot {
    /// Returns all rows, ordered by key.
    func rows() throws -> [(key: [UInt8], value: [UInt8])] {
        var rows: [(key: [UInt8], value: [UInt8])] = []
        // No key begins with the byte 0xFF.
        try scan(KeyRange.all) { (key, value) throws(StoreError) in
            rows.append((Array(key), Array(value)))
            return true
        }
        return rows
    }
}

/// Reads values from the beginning of a byte array.
struct RawBytes {
    struct NotThere: Error {
        let what: String
    }

    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    mutating func take(_ count: Int) throws -> [UInt8] {
        guard rest.count >= count else { throw NotThere(what: "\(count) bytes") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func integer(_ size: Int) throws -> UInt64 {
        try take(size).reduce(0) { $0 * 256 + UInt64($1) }
    }

    mutating func channel() throws -> UInt32 { UInt32(try integer(4)) }

    mutating func time() throws -> Timestamp {
        // The sign bit is inverted, so that the least time is stored as zero.
        let value = try integer(8)
        let milliseconds =
            value >= 1 << 63 ? Int64(value - 1 << 63) : Int64(value) + Int64.min
        return Timestamp(milliseconds: milliseconds)
    }

    mutating func text(_ count: Int? = nil) throws -> String {
        let bytes = try take(count ?? rest.count)
        let text = String(decoding: bytes, as: UTF8.self)
        // If the bytes were not valid UTF-8, decoding has replaced some of them.
        guard text.utf8.elementsEqual(bytes) else {
            throw NotThere(what: "UTF-8 in \(bytes.digits)")
        }
        return text
    }

    mutating func name() throws -> String { try text(Int(try integer(2))) }

    mutating func position() throws -> Position {
        let time = try time()
        return Position(createdAt: time, messageID: MessageID(try name()))
    }

    /// Reads a position at the end of a key.
    ///
    /// All of its bits are inverted.
    mutating func invertedPosition() throws -> Position {
        var inverted = RawBytes(try take(rest.count).map { 255 - $0 })
        let position = try inverted.position()
        try inverted.end()
        return position
    }

    mutating func bound() throws -> Gap.Bound {
        switch try integer(1) {
        case 0: return .beginning
        case 1: return .position(try position())
        case 2: return .end
        default: throw NotThere(what: "a bound")
        }
    }

    mutating func optionalText() throws -> String? {
        let size = try integer(4)
        return size == 0 ? nil : try text(Int(size) - 1)
    }

    func end() throws {
        if !rest.isEmpty { throw NotThere(what: "the end, but \(rest.digits)") }
    }
}

/// The rows of the cache, by kind.
struct RawCache {
    struct State: Equatable {
        var count: Int64
        var access: UInt64
    }

    struct Channel {
        var messages: [Position: Message] = [:]
        var places: [MessageID: Timestamp] = [:]
        var requests: [RequestID: MessageID] = [:]
        var replies: [MessageID: Set<Position>] = [:]
        /// The positions by the name of the kind and the mentioned user.
        var kinds: [String: Set<Position>] = [:]
        var kindCoverage: [(bit: UInt64, lower: Gap.Bound, cursor: PageCursor?)] = []
        var group: GroupChannel?
        var open: OpenChannel?
        var gaps: [(upper: Gap.Bound, lower: Gap.Bound, cursor: PageCursor?, since: FeedPoint?)] =
            []
        var staleRanges: [(upper: Gap.Bound, lower: Gap.Bound, lossNumber: Int64)] = []
        var tombstones: [MessageID: (deletedAt: Timestamp, createdAt: Timestamp?)] = [:]
        var state: State?
    }

    var channels: [UInt32: Channel] = [:]
    var numbers: [ChannelURL: UInt32] = [:]
    var urls: [UInt32: ChannelURL] = [:]
    var users: [UserID: User] = [:]
    var tokens: [String: [UInt8]] = [:]
    var cleared: Set<UInt32> = []
    var nextNumber: UInt32?
    var generation: UInt64?
    var version: UInt32?
    var hasKinds = false
    var lists: [(order: UInt8, metaDataKey: String?, isWhole: Bool, numbers: [UInt32])] = []

    init(_ snapshot: LevelDB.Snapshot) throws {
        for (key, value) in try snapshot.rows() { try take(RawBytes(key), RawBytes(value)) }
    }

    private static func list(
        _ value: inout RawBytes
    ) throws -> (order: UInt8, metaDataKey: String?, isWhole: Bool, numbers: [UInt32]) {
        let order = try value.take(1)[0]
        let key = order == 0xFF ? nil : try value.optionalText()
        let isWhole = try value.take(1) == [1]
        let count = Int(try value.integer(2))
        return (order, key, isWhole, try (0..<count).map { _ in try value.channel() })
    }

    private mutating func take(_ key: RawBytes, _ value: RawBytes) throws {
        var key = key
        var value = value
        let letter = Character(Unicode.Scalar(try key.take(1)[0]))
        switch letter {
        case "n": numbers[ChannelURL(try key.text())] = try value.channel()
        case "u":
            users[UserID(try key.text())] = try User(serialized: try value.take(value.rest.count))
        case "t": tokens[try key.text()] = try value.take(value.rest.count)
        case "s":
            switch try key.take(1) {
            case [0x76]: version = try value.channel()
            case [0x6E]: nextNumber = try value.channel()
            case [0x67]: generation = try value.integer(8)
            case [0x6B]: hasKinds = try value.take(2) == [1, 1]
            case [0x6C]: while !value.rest.isEmpty { lists.append(try RawCache.list(&value)) }
            default: throw RawBytes.NotThere(what: "a row of the schema")
            }
        case "l": urls[try key.channel()] = ChannelURL(try value.text())
        case "z": cleared.insert(try key.channel())
        default:
            let number = try key.channel()
            try channels[number, default: Channel()].take(letter, &key, &value)
        }
        try key.end()
        try value.end()
    }
}

extension RawCache.Channel {
    fileprivate mutating func take(
        _ table: Character, _ key: inout RawBytes, _ value: inout RawBytes
    ) throws {
        func record<Value: Record>() throws -> Value {
            try Value(serialized: try value.take(value.rest.count))
        }
        switch table {
        case "m": messages[try key.invertedPosition()] = try record()
        case "i": places[MessageID(try key.text())] = try value.time()
        case "r": requests[RequestID(try key.text())] = MessageID(try value.text())
        case "p":
            let parent = MessageID(try key.name())
            replies[parent, default: []].insert(try key.invertedPosition())
        case "h":
            let names = [
                "image", "video", "audio", "voice", "otherFile", "link", "mention", "thread",
            ]
            let bit = Int(try key.integer(1))
            guard bit < names.count else { throw RawBytes.NotThere(what: "a kind") }
            let user = names[bit] == "mention" ? try key.name() : nil
            let kind = names[bit] + (user.map { $0.isEmpty ? " of all" : " of \($0)" } ?? "")
            kinds[kind, default: []].insert(try key.invertedPosition())
        case "e":
            kindCoverage.append(
                (
                    UInt64(try key.integer(1)), try value.bound(),
                    try value.optionalText().map { PageCursor($0) }
                ))
        case "c": group = try record()
        case "o": open = try record()
        case "g" where value.rest.isEmpty, "v" where value.rest.isEmpty:
            guard try key.bound() == .end else { throw RawBytes.NotThere(what: "a range") }
        case "g":
            gaps.append(
                (
                    try key.bound(), try value.bound(),
                    try value.optionalText().map { PageCursor($0) },
                    try value.optionalText().map {
                        FeedPoint(FeedCursor($0), number: Int64(bitPattern: try value.integer(8)))
                    }
                ))
        case "v":
            staleRanges.append(
                (
                    try key.bound(), try value.bound(),
                    Int64(bitPattern: try value.integer(8))
                ))
        case "x":
            let deletedAt = try value.time()
            tombstones[MessageID(try key.text())] = (
                deletedAt, value.rest.isEmpty ? nil : try value.time()
            )
        case "k":
            state = RawCache.State(
                count: Int64(bitPattern: try value.integer(8)), access: try value.integer(8))
        default: throw RawBytes.NotThere(what: "a table \(table)")
        }
    }
}

/// The rows of the outbox, by kind.
struct RawOutbox {
    var outboxItems: [ChannelURL: [(sequence: UInt64, item: OutboxItem)]] = [:]
    var requests: [RequestID: (url: ChannelURL, sequence: UInt64)] = [:]
    var drafts: [ChannelURL: String] = [:]
    var pins: Set<ChannelURL> = []
    var nextNumber: UInt64?
    var generation: UInt64?
    var version: UInt32?

    init(_ snapshot: LevelDB.Snapshot) throws {
        for row in try snapshot.rows() {
            var key = RawBytes(row.key)
            var value = RawBytes(row.value)
            switch try key.take(1) {
            case [0x64]: drafts[ChannelURL(try key.text())] = try value.text()
            case [0x70]: pins.insert(ChannelURL(try key.text()))
            case [0x71]:
                let url = ChannelURL(try key.name())
                let item = try OutboxItem(serialized: try value.take(value.rest.count))
                outboxItems[url, default: []].append((try key.integer(8), item))
            case [0x72]:
                let id = RequestID(try key.text())
                requests[id] = (ChannelURL(try value.name()), try value.integer(8))
            case [0x73]:
                switch try key.take(1) {
                case [0x76]: version = try value.channel()
                case [0x6E]: nextNumber = try value.integer(8)
                case [0x67]: generation = try value.integer(8)
                default: throw RawBytes.NotThere(what: "a row of the schema")
                }
            default: throw RawBytes.NotThere(what: "a table")
            }
            try key.end()
            try value.end()
        }
    }
}
