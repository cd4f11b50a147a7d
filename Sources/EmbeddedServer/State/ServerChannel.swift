import Models
import Store

/// A group or open channel of the server, with all its members.
final class ServerChannel {
    let number: ChannelNumber
    let url: ChannelURL
    let isOpen: Bool
    /// A key that identifies the set of members of a distinct channel; empty for any other channel.
    let distinctKey: String

    /// The properties of a group channel that are the same for all users.
    var group = GroupChannel()
    var open = OpenChannel()
    var members: [UserID: Membership] = [:]
    var restrictions: [RestrictionType: [UserID: Restriction]] = [:]
    /// The lower bounds of the histories of users who have left the channel, which apply if these
    /// users join again.
    var offsets: [UserID: Timestamp] = [:]

    // MARK: Not stored

    /// The number of connections with which each user has entered the open channel.
    var participants: [UserID: Int] = [:]
    /// The users who are typing, in the order in which they started.
    var typing: [UserID] = []
    /// The time at which the server last reported that a user is typing.
    var typingReports: [UserID: Timestamp] = [:]
    /// The newest message that counts as a last message.
    var lastMessage: Lazy<Message> = .unknown
    /// An upper bound of the positions of all messages.
    ///
    /// The bound is the position of the newest message, or of a newer message that was deleted
    /// after the bound was looked up.
    var newest: Lazy<Position> = .unknown
    /// The newest log entry that concerns all members; `nil` until it is first needed.
    var lastSequence: LogSequence?
    /// The unread counts of the members whose counts were needed.
    var unread: [UserID: CountedUnread] = [:]
    /// The earliest time that a new message may have: the latest of the lower bounds of all users'
    /// histories.
    var floor: Timestamp = .distantPast

    init(_ number: ChannelNumber, _ group: GroupChannel, distinctKey: String = "") {
        self.number = number
        self.group = group
        self.distinctKey = distinctKey
        url = group.url
        isOpen = false
    }

    init(_ number: ChannelNumber, _ open: OpenChannel) {
        self.number = number
        self.open = open
        distinctKey = ""
        url = open.url
        isOpen = true
    }

    /// A value that is looked up when it is first needed.
    enum Lazy<Value> {
        case unknown
        case known(Value?)
    }
}

extension ServerChannel {
    /// On-disk format, DO NOT CHANGE.
    func write(to writer: inout ByteWriter) {
        writer.byte(isOpen ? 1 : 0)
        writer.measured(distinctKey)
        if isOpen { writer.record(open) } else { writer.record(group) }
    }

    convenience init(
        _ number: ChannelNumber, _ reader: inout ByteReader
    ) throws(ByteReader.Damage) {
        let isOpen = try reader.byte() != 0
        let key = try reader.measured()
        if isOpen {
            self.init(number, try reader.record("an open channel"))
        } else {
            self.init(number, try reader.record("a group channel"), distinctKey: key)
        }
    }

    var type: ChannelType { isOpen ? .open : .group }

    var isFrozen: Bool { isOpen ? open.isFrozen : group.isFrozen }

    func isOperator(_ userID: UserID) -> Bool {
        isOpen
            ? open.operators.contains { $0.userID == userID }
            : members[userID]?.role == .operator
    }

    /// Returns the restriction of a user at a time; `nil` if there is none.
    func restriction(
        _ type: RestrictionType, of userID: UserID, at time: Timestamp
    ) -> Restriction? {
        guard let restriction = restrictions[type]?[userID] else { return nil }
        return restriction.end.map { $0 <= time } ?? false ? nil : restriction
    }

    /// The IDs of the members in ascending order.
    var memberIDs: [UserID] { members.keys.sorted() }

    /// Returns a key that identifies a set of users.
    static func distinctKey(_ userIDs: Set<UserID>) -> String {
        userIDs.sorted().map { "\($0.rawValue.utf8.count):\($0.rawValue)" }.joined()
    }
}
