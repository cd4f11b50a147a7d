import Models
import Store

/// What the server knows of a user in a group channel.
struct Membership: Hashable {
    var state: MemberState
    var role: Role = .none
    var hidden: HiddenState = .unhidden
    /// From which entry of the log on the channel is the user's.
    var visibleFrom: LogSequence
    /// The last entry of the log that changed what is the user's alone.
    var lastSequence: LogSequence
    /// The newest entry that the user has read.
    var readSequence: LogSequence
    var readAt: Timestamp?
    var deliveredAt: Timestamp?
    var joinedAt: Timestamp?
    var invitedAt: Timestamp?
    var inviter: UserID?
    /// Before when the user has no history.
    var messageOffset: Timestamp?

    /// How much is unread; `nil` until somebody asks.
    ///
    /// Not stored.
    var unread: Unread?

    init(_ state: MemberState, role: Role = .none, from sequence: LogSequence) {
        self.state = state
        self.role = role
        (visibleFrom, lastSequence, readSequence) = (sequence, sequence, sequence)
    }

    /// DO NOT CHANGE: on people's disks.
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
        guard try reader.byte() == 1 else { throw reader.damage("a version that is known") }
        guard let state = MemberState(rawValue: Int(try reader.byte())),
            let role = Role(rawValue: Int(try reader.byte())),
            let hidden = HiddenState(rawValue: Int(try reader.byte()))
        else { throw reader.damage("a membership") }
        (self.state, self.role, self.hidden) = (state, role, hidden)
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

/// How much a user has not read.
struct Unread: Hashable {
    var messages = 0
    var mentions = 0

    static func += (left: inout Unread, right: Unread) {
        left.messages += right.messages
        left.mentions += right.mentions
    }

    static func -= (left: inout Unread, right: Unread) {
        left.messages -= right.messages
        left.mentions -= right.mentions
    }
}

/// That a user is muted in a channel, or banned from it.
struct Restriction: Hashable {
    /// When it ends; `nil` for never.
    var end: Timestamp?
    var reason: String

    /// DO NOT CHANGE: on people's disks.
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
