import Models
import Store

/// An entry of the server's log: an event with the IDs of messages, channels and users.
///
/// It contains no messages: the feed reports current versions.
struct LogEntry: Hashable {
    /// The server's time, never earlier than that of the previous entry.
    var time: Timestamp
    var channel: ChannelNumber
    /// The user whom the entry concerns; `nil` for all users of the channel.
    var only: UserID?
    var event: Event

    enum Event: Hashable {
        case received(Receipt)
        case updated(Position)
        case deleted(MessageID)
        case reacted(Position, ReactionEvent)
        case threadChanged(Position)
        case read(UserID, Timestamp)
        case delivered(UserID, Timestamp)
        case changed(ChannelPart, Cause)
        case gained(Cause)
        case lost(ChannelURL, ChannelRemoval.Cause, by: UserID?, reason: String)
        /// Messages between two times, both inclusive, were added, changed or removed without
        /// entries.
        case historyChanged(from: Timestamp, through: Timestamp)
        case purged(UserID, [MessageID])
        /// No event: the number separates older cursors from newer ones.
        case mark
    }

    struct Receipt: Hashable {
        var position: Position
        var sender: UserID?
        var countsAsUnread = true
        var mentionsAll = false
        var mentions: [UserID] = []
    }

    struct Cause: Hashable {
        var source: CollectionEventSource
        var users: [UserID] = []
        var actor: UserID?
        var reason = ""
    }
}

/// A part of a channel that has changed.
///
/// On-disk format, DO NOT CHANGE.
enum ChannelPart: UInt8 {
    /// The name, cover image, data and metadata, and whether the channel is frozen.
    case profile = 0
    case members = 1
    /// The properties of a single user.
    case mine = 2
    case pins = 3
}

// MARK: Bytes

extension LogEntry {
    /// On-disk format, DO NOT CHANGE.
    private enum Kind: UInt8 {
        case mark = 0
        case received = 1
        case updated, deleted, reacted, threadChanged, read, delivered, changed, gained, lost
        case historyChanged
        case purged
    }

    // `kind time channel only …`
    func write(to writer: inout ByteWriter) {
        writer.byte(kind.rawValue)
        writer.timestamp(time)
        writer.integer(channel)
        writer.measured(only?.rawValue ?? "")
        switch event {
        case .mark: break
        case .received(let receipt):
            writer.position(receipt.position)
            writer.measured(receipt.sender?.rawValue ?? "")
            writer.byte((receipt.countsAsUnread ? 1 : 0) | (receipt.mentionsAll ? 2 : 0))
            for userID in receipt.mentions { writer.measured(userID.rawValue) }
        case .updated(let position), .threadChanged(let position): writer.position(position)
        case .deleted(let id): writer.text(id.rawValue)
        case .reacted(let position, let event):
            writer.position(position)
            event.withSerializedBytes { writer.raw($0) }
        case .read(let userID, let at), .delivered(let userID, let at):
            writer.timestamp(at)
            writer.text(userID.rawValue)
        case .changed(let part, let cause):
            writer.byte(part.rawValue)
            cause.write(to: &writer)
        case .gained(let cause): cause.write(to: &writer)
        case .lost(let url, let cause, by: let actor, let reason):
            writer.byte(cause.rawByte)
            writer.measured(url.rawValue)
            writer.measured(actor?.rawValue ?? "")
            writer.text(reason)
        case .historyChanged(let from, let through):
            writer.timestamp(from)
            writer.timestamp(through)
        case .purged(let userID, let ids):
            writer.measured(userID.rawValue)
            for id in ids { writer.measured(id.rawValue) }
        }
    }

    private var kind: Kind {
        switch event {
        case .mark: .mark
        case .received: .received
        case .updated: .updated
        case .deleted: .deleted
        case .reacted: .reacted
        case .threadChanged: .threadChanged
        case .read: .read
        case .delivered: .delivered
        case .changed: .changed
        case .gained: .gained
        case .lost: .lost
        case .historyChanged: .historyChanged
        case .purged: .purged
        }
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        let kind = Kind(rawValue: try reader.byte())
        time = try reader.timestamp()
        channel = try reader.integer()
        only = try reader.optionalName().map { UserID($0) }
        switch kind {
        case .mark: event = .mark
        case .received: event = .received(try Receipt(&reader))
        case .updated: event = .updated(try reader.position())
        case .deleted: event = .deleted(MessageID(try reader.text()))
        case .reacted:
            let position = try reader.position()
            event = .reacted(position, try reader.record("a reaction"))
        case .threadChanged: event = .threadChanged(try reader.position())
        case .read:
            let at = try reader.timestamp()
            event = .read(UserID(try reader.text()), at)
        case .delivered:
            let at = try reader.timestamp()
            event = .delivered(UserID(try reader.text()), at)
        case .changed:
            guard let part = ChannelPart(rawValue: try reader.byte()) else {
                throw reader.damage("a part of a channel")
            }
            event = .changed(part, try Cause(&reader))
        case .gained: event = .gained(try Cause(&reader))
        case .lost:
            guard let cause = ChannelRemoval.Cause(rawByte: try reader.byte()) else {
                throw reader.damage("a cause")
            }
            let url = ChannelURL(try reader.measured())
            let actor = try reader.optionalName().map { UserID($0) }
            event = .lost(url, cause, by: actor, reason: try reader.text())
        case .historyChanged:
            let from = try reader.timestamp()
            event = .historyChanged(from: from, through: try reader.timestamp())
        case .purged:
            let userID = UserID(try reader.measured())
            var ids: [MessageID] = []
            while !reader.isAtEnd { ids.append(MessageID(try reader.measured())) }
            event = .purged(userID, ids)
        case nil: throw reader.damage("a kind of entry")
        }
    }
}

extension LogEntry.Receipt {
    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        position = try reader.position()
        sender = try reader.optionalName().map { UserID($0) }
        let flags = try reader.byte()
        countsAsUnread = flags & 1 != 0
        mentionsAll = flags & 2 != 0
        while !reader.isAtEnd { mentions.append(UserID(try reader.measured())) }
    }

    func mentions(_ userID: UserID) -> Bool { mentionsAll || mentions.contains(userID) }
}

extension LogEntry.Cause {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.integer(UInt16(source.rawValue))
        writer.measured(actor?.rawValue ?? "")
        writer.measured(reason)
        for userID in users { writer.measured(userID.rawValue) }
    }

    fileprivate init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        source = CollectionEventSource(rawValue: Int(try reader.integer(UInt16.self)))
        actor = try reader.optionalName().map { UserID($0) }
        reason = try reader.measured()
        while !reader.isAtEnd { users.append(UserID(try reader.measured())) }
    }
}

extension ChannelRemoval.Cause {
    /// On-disk format, DO NOT CHANGE.
    fileprivate var rawByte: UInt8 {
        switch self {
        case .unknown: 0
        case .deleted: 1
        case .left: 2
        case .banned: 3
        case .removed: 4
        }
    }

    fileprivate init?(rawByte: UInt8) {
        guard let removal = Self.allCases.first(where: { $0.rawByte == rawByte }) else {
            return nil
        }
        self = removal
    }
}
