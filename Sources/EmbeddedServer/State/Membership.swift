import Models
import Store

struct Membership: Hashable {
    var state: MemberState
    var role: Role = .none
    var hidden: HiddenState = .unhidden
    var visibleFrom: LogSequence
    /// The last log entry that changed the user's own state.
    var lastSequence: LogSequence
    var readSequence: LogSequence
    var readAt: Timestamp?
    var deliveredAt: Timestamp?
    var joinedAt: Timestamp?
    var invitedAt: Timestamp?
    var inviter: UserID?
    var messageOffset: Timestamp?

    init(_ state: MemberState, role: Role = .none, from sequence: LogSequence) {
        self.state = state
        self.role = role
        (visibleFrom, lastSequence, readSequence) = (sequence, sequence, sequence)
    }

    /// On-disk format, DO NOT CHANGE.
    func write(to writer: inout ByteWriter) {
        writer.byte(1)
        writer.byte(UInt8(state.rawValue))
        writer.byte(UInt8(role.rawValue))
        writer.byte(UInt8(hidden.rawValue))
        writer.integer(visibleFrom)
        writer.integer(lastSequence)
        writer.integer(readSequence)
        for time in [readAt, deliveredAt, joinedAt, invitedAt, messageOffset] {
            writer.optionalTimestamp(time)
        }
        writer.text(inviter?.rawValue ?? "")
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        guard try reader.byte() == 1 else { throw reader.damage("version 1") }
        state = MemberState(rawValue: Int(try reader.byte()))
        role = Role(rawValue: Int(try reader.byte()))
        hidden = HiddenState(rawValue: Int(try reader.byte()))
        visibleFrom = try reader.integer()
        lastSequence = try reader.integer()
        readSequence = try reader.integer()
        readAt = try reader.optionalTimestamp()
        deliveredAt = try reader.optionalTimestamp()
        joinedAt = try reader.optionalTimestamp()
        invitedAt = try reader.optionalTimestamp()
        messageOffset = try reader.optionalTimestamp()
        let inviter = try reader.text()
        self.inviter = inviter.isEmpty ? nil : UserID(inviter)
    }
}

struct Unread: Hashable {
    var messages = 0
    var mentions = 0
}

struct CountedUnread {
    var readSequence: LogSequence
    var countedSequence: LogSequence
    var unread = Unread()
}

struct Restriction: Hashable {
    var end: Timestamp?
    var reason: String

    /// On-disk format, DO NOT CHANGE.
    func write(to writer: inout ByteWriter) {
        writer.optionalTimestamp(end)
        writer.text(reason)
    }

    init(end: Timestamp?, reason: String) {
        self.end = end
        self.reason = reason
    }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        end = try reader.optionalTimestamp()
        reason = try reader.text()
    }
}
