import Models

/// The number that identifies a channel in keys.
///
/// Numbers are never reused: clearing a channel assigns a new number, which hides the rows under
/// the old one.
typealias ChannelNumber = UInt32

/// The tables of the cache, by the letters with which their keys begin.
///
/// On-disk format, DO NOT CHANGE.
enum Table: UInt8, CaseIterable {
    /// `message 'm' channel ~position → Message`; newest first.
    case message = 0x6D
    /// `created 'i' channel messageID → timestamp`: the time at which the message was created.
    case creationTime = 0x69
    /// `request 'r' channel requestID → messageID`
    case request = 0x72
    /// `reply 'p' channel parentID ~position → nothing`
    case reply = 0x70
    /// `kind 'h' channel kind ~position → nothing`, or for a mention
    /// `'h' channel kind userID ~position → nothing`: a message of a kind; see ``KindKey``.
    case kind = 0x68
    /// `kind coverage 'e' channel kind → lower bound, cursor`; see ``KindCoverage``.
    case kindCoverage = 0x65
    /// `group channel 'c' channel → GroupChannel`
    case groupChannel = 0x63
    /// `open channel 'o' channel → OpenChannel`
    case openChannel = 0x6F
    /// `name 'n' channelURL → channel`
    case name = 0x6E
    /// `URL 'l' channel → channelURL`
    case url = 0x6C
    /// `gap 'g' channel upper → lower, backfill cursor, feed point before the gap`, or nothing if
    /// the newest history is known.
    case gap = 0x67
    /// `stale range 'v' channel upper → lower, number of the loss`, or nothing as above.
    case staleRange = 0x76
    /// `tombstone 'x' channel messageID → deleted at, position`
    case tombstone = 0x78
    /// `user 'u' userID → User`
    case user = 0x75
    /// `state 'k' channel → number of messages, last access`
    case state = 0x6B
    /// `token 't' scope → bytes`
    case token = 0x74
    /// `cleared 'z' channel → nothing`: a number that no channel has any longer, and whose rows
    /// have yet to be purged.
    ///
    /// After the first clearing, there is also a row for the number 0, which is never assigned.
    case cleared = 0x7A
    /// `schema 's' what → …`; see ``SchemaRow``.
    case schema = 0x73
    /// `unsegmented 'w' row → times and channels`: messages that are in no segment of the search
    /// index yet.
    case unsegmented = 0x77
    /// `segment 'a' segment → number of documents, newest time, oldest time, filter of terms`: a
    /// part of the search index, with the times of its documents.
    case segment = 0x61
    /// `documents 'd' segment row → times and channels`
    case documents = 0x64
    /// `terms 'f' segment last term, zero, last document → terms, documents, words`; see
    /// ``TermWriter``.
    case terms = 0x66
    /// `table 'b' name 0 → definition` and `'b' name 1 key → version, value`: a row of a
    /// ``StoreTable``.
    case appTable = 0x62

    /// The size of the beginning of most keys: the table's letter and the channel number.
    static let prefixSize = 1 + MemoryLayout<ChannelNumber>.size

    /// The tables with all data of a channel, under its number.
    static let ofChannels: [Table] = [
        .message, .creationTime, .request, .reply, .kind, .kindCoverage, .groupChannel,
        .openChannel, .gap, .staleRange, .tombstone, .state,
    ]

    /// The tables of the search index, which is rebuilt from the messages if their format changes.
    static let ofIndex: [Table] = [.unsegmented, .segment, .documents, .terms]
}

/// The rows about the database as a whole.
///
/// On-disk format, DO NOT CHANGE.
enum SchemaRow: UInt8 {
    /// `→ schema version` in four bytes.
    case version = 0x76
    /// `→ next channel number` in four bytes; in the outbox, the next sequence number in eight
    /// bytes.
    case nextNumber = 0x6E
    /// `→ first channels of lists`. See ``SavedLists``.
    case lists = 0x6C
    /// `→ format of the search index, last indexed message`. The row exists while the index is
    /// turned on; see ``IndexedPart``.
    case searchIndex = 0x69
    /// `→ format of the rows of kinds`; see ``KindKey``.
    case kindFormat = 0x6B
    /// `→ generation` in eight bytes: in the outbox, a number that each commit increases; in the
    /// cache, the greatest one that the cache has recorded. See ``ChatStore/recordGeneration(_:)``.
    case generation = 0x67
    /// In the outbox, `→ items lost by damage`. The row exists until the app acknowledges the loss;
    /// see ``OutboxLoss``.
    case loss = 0x78
}

/// The tables of the outbox.
///
/// On-disk format, DO NOT CHANGE.
enum OutboxTable: UInt8, CaseIterable {
    /// `item 'q' channelURL sequence → OutboxItem`
    case outboxItem = 0x71
    /// `request 'r' requestID → channelURL sequence`
    case request = 0x72
    /// `draft 'd' channelURL → draft` and `'d' channelURL FF messageID → draft`; see
    /// ``DraftPlace``.
    case draft = 0x64
    /// `pin 'p' channelURL → nothing`
    case pin = 0x70
    /// `table 'b' name 0 → definition` and `'b' name 1 key → version, value`: a row of a
    /// ``StoreTable``.
    case appTable = 0x62
    /// `schema 's' what → …`; see ``SchemaRow``.
    case schema = 0x73
}

// MARK: Keys of the cache

extension ByteWriter {
    @inline(__always)
    mutating func table(_ table: Table, _ channel: ChannelNumber) {
        byte(table.rawValue)
        integer(channel)
    }

    @inline(__always)
    mutating func messageKey(_ channel: ChannelNumber, _ position: Position) {
        table(.message, channel)
        descending { $0.position(position) }
    }

    @inline(__always)
    mutating func creationTimeKey(_ channel: ChannelNumber, _ id: MessageID) {
        table(.creationTime, channel)
        text(id.rawValue)
    }

    @inline(__always)
    mutating func requestKey(_ channel: ChannelNumber, _ id: RequestID) {
        table(.request, channel)
        text(id.rawValue)
    }

    mutating func replyKey(_ channel: ChannelNumber, _ parent: MessageID, _ position: Position) {
        repliesPrefix(channel, parent)
        descending { $0.position(position) }
    }

    mutating func repliesPrefix(_ channel: ChannelNumber, _ parent: MessageID) {
        table(.reply, channel)
        measured(parent.rawValue)
    }

    mutating func tombstoneKey(_ channel: ChannelNumber, _ id: MessageID) {
        table(.tombstone, channel)
        text(id.rawValue)
    }

    mutating func boundKey(_ table: Table, _ channel: ChannelNumber, _ upper: Gap.Bound) {
        self.table(table, channel)
        bound(upper)
    }

    mutating func nameKey(_ url: ChannelURL) {
        byte(Table.name.rawValue)
        text(url.rawValue)
    }

    mutating func userKey(_ id: UserID) {
        byte(Table.user.rawValue)
        text(id.rawValue)
    }

    mutating func tokenKey(_ scope: String) {
        byte(Table.token.rawValue)
        text(scope)
    }

    mutating func schemaKey(_ row: SchemaRow) {
        byte(Table.schema.rawValue)
        byte(row.rawValue)
    }

    /// Writes −∞, a position, or +∞, in this order.
    mutating func bound(_ bound: Gap.Bound) {
        switch bound {
        case .beginning: byte(0)
        case .position(let position):
            byte(1)
            self.position(position)
        case .end: byte(2)
        }
    }
}

extension ByteReader {
    mutating func bound() throws(Damage) -> Gap.Bound {
        let start = offset
        switch try byte() {
        case 0: return .beginning
        case 1: return .position(try position())
        case 2: return .end
        default: throw Damage(offset: start, expected: "a kind of bound")
        }
    }

    mutating func descendingPosition() throws(Damage) -> Position {
        try descending { (reader) throws(Damage) in try reader.position() }
    }

    static func position(ofMessageKey key: UnsafeRawBufferPointer) throws(Damage) -> Position {
        var reader = ByteReader(key.afterChannelNumber)
        let position = try reader.descendingPosition()
        try reader.end()
        return position
    }
}

extension KeyRange {
    /// The keys of a table of the cache.
    init(_ table: Table) { self.init(prefix: [table.rawValue]) }

    /// The keys of a table of the outbox.
    init(_ table: OutboxTable) { self.init(prefix: [table.rawValue]) }

    /// The keys with a number, which is that of a channel or of a segment of the search index.
    init(_ table: Table, _ number: UInt32) {
        self.init(prefix: ByteWriter.key { $0.table(table, number) })
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether this key of a segment that reaches the end of the history has no value, so
    /// that there is no such segment; see ``Batch/removeRow(_:_:)``.
    func isEmptyEnd(_ value: UnsafeRawBufferPointer) -> Bool {
        value.isEmpty && afterChannelNumber.elementsEqual([2])
    }

    /// The key without the table's letter and the channel number; empty if the key is shorter.
    @inline(__always)
    var afterChannelNumber: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: dropFirst(Table.prefixSize))
    }
}

// MARK: Keys of the outbox

extension ByteWriter {
    mutating func outboxItemPrefix(_ url: ChannelURL) {
        byte(OutboxTable.outboxItem.rawValue)
        measured(url.rawValue)
    }

    mutating func outboxItemKey(_ url: ChannelURL, _ sequence: UInt64) {
        outboxItemPrefix(url)
        integer(sequence)
    }

    mutating func pinKey(_ url: ChannelURL) {
        byte(OutboxTable.pin.rawValue)
        text(url.rawValue)
    }

    mutating func outboxItemRequestKey(_ id: RequestID) {
        byte(OutboxTable.request.rawValue)
        text(id.rawValue)
    }
}
