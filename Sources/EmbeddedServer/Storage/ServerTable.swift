import Models
import Store

/// The number of a channel in keys, never reused.
typealias ChannelNumber = UInt32

/// The number of a log entry: from 1, increasing within an epoch.
typealias LogSequence = UInt64

/// The tables of the server, by the letter with which their keys start.
///
/// If other fields follow a name in a key, the name has a length prefix of two bytes. A position
/// consists of a timestamp and a name with such a prefix. All fields are encoded in ascending
/// order. On-disk format, DO NOT CHANGE.
enum ServerTable: UInt8, CaseIterable {
    /// `message 'm' channel position → Message`
    case message = 0x6D
    /// `location 'i' messageID → channel timestamp sequence state`; the row is kept when the
    /// message is deleted.
    case location = 0x69
    /// `deleted message 'd' channel position → sequence` of the log entry of its arrival
    case deletedMessage = 0x64
    /// `request 'r' userID requestID → messageID`; the row is kept forever.
    case request = 0x72
    /// `reply 'p' parentID position → userID of the author of the reply`
    case reply = 0x70
    /// `log 'l' sequence → entry`; see ``LogEntry``.
    case log = 0x6C
    /// `channel log 'k' channel sequence → entry`: the same entries, by channel.
    case channelLog = 0x6B
    /// `removal 'y' userID sequence → channelURL`: the channels that a user has lost.
    case removal = 0x79
    /// `channel 'c' channel → kind distinct-key record`
    case channel = 0x63
    /// `member 'g' channel userID → membership`; see ``Membership``.
    case member = 0x67
    /// `restriction 'b' channel type userID → end reason`
    case restriction = 0x62
    /// `offset 'o' channel userID → timestamp`: the lower bound of the history of a user who has
    /// left the channel.
    case offset = 0x6F
    /// `user 'u' userID → account`; see ``Account``.
    case user = 0x75
    /// `file 'f' number → bytes`
    case file = 0x66
    /// `block 'w' userID blockedID → nothing`
    case block = 0x77
    /// `poll 'q' number → Poll`
    case poll = 0x71
    /// `vote 'v' poll userID → option*`
    case vote = 0x76
    /// `report 'e' number → report`; see ``FiledReport``.
    case report = 0x65
    /// `counters 's' → …`; see ``ServerCounters``.
    case counters = 0x73
}

// MARK: Keys

extension ByteWriter {
    mutating func table(_ table: ServerTable) { byte(table.rawValue) }

    mutating func prefix(_ table: ServerTable, of channel: ChannelNumber) {
        self.table(table)
        integer(channel)
    }

    mutating func message(_ channel: ChannelNumber, _ position: Position) {
        prefix(.message, of: channel)
        self.position(position)
    }

    mutating func deletedMessage(_ channel: ChannelNumber, _ position: Position) {
        prefix(.deletedMessage, of: channel)
        self.position(position)
    }

    mutating func location(_ id: MessageID) {
        table(.location)
        text(id.rawValue)
    }

    mutating func request(_ userID: UserID, _ id: RequestID) {
        table(.request)
        measured(userID.rawValue)
        text(id.rawValue)
    }

    mutating func replyPrefix(_ parentID: MessageID) {
        table(.reply)
        measured(parentID.rawValue)
    }

    mutating func reply(_ parentID: MessageID, _ position: Position) {
        replyPrefix(parentID)
        self.position(position)
    }

    mutating func log(_ sequence: LogSequence) {
        table(.log)
        integer(sequence)
    }

    mutating func channelLog(_ channel: ChannelNumber, _ sequence: LogSequence) {
        prefix(.channelLog, of: channel)
        integer(sequence)
    }

    mutating func removal(_ userID: UserID, _ sequence: LogSequence) {
        table(.removal)
        measured(userID.rawValue)
        integer(sequence)
    }

    mutating func channel(_ channel: ChannelNumber) {
        prefix(.channel, of: channel)
    }

    mutating func member(_ channel: ChannelNumber, _ userID: UserID) {
        prefix(.member, of: channel)
        text(userID.rawValue)
    }

    mutating func restriction(
        _ channel: ChannelNumber, _ type: RestrictionType, _ userID: UserID
    ) {
        prefix(.restriction, of: channel)
        byte(type == .muted ? 0 : 1)
        text(userID.rawValue)
    }

    mutating func offset(_ channel: ChannelNumber, _ userID: UserID) {
        prefix(.offset, of: channel)
        text(userID.rawValue)
    }

    mutating func user(_ userID: UserID) {
        table(.user)
        text(userID.rawValue)
    }

    mutating func block(_ userID: UserID, _ blockedID: UserID) {
        table(.block)
        measured(userID.rawValue)
        text(blockedID.rawValue)
    }

    mutating func poll(_ id: Int64) {
        table(.poll)
        integer(UInt64(bitPattern: id))
    }

    mutating func vote(_ id: Int64, _ userID: UserID) {
        table(.vote)
        integer(UInt64(bitPattern: id))
        text(userID.rawValue)
    }

    mutating func report(_ number: UInt64) {
        table(.report)
        integer(number)
    }

    mutating func file(_ number: UInt64) {
        table(.file)
        integer(number)
    }
}

extension UnsafeRawBufferPointer {
    func dropping(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[Swift.min(count, self.count)...])
    }
}
