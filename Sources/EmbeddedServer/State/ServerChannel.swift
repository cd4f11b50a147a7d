import Models
import Store

final class ServerChannel {
    let number: ChannelNumber
    let url: ChannelURL
    let isOpen: Bool
    /// The key of a distinct channel's members; empty for other channels.
    let distinctKey: String

    /// The properties that are the same for all users.
    var group = GroupChannel()
    var open = OpenChannel()
    var members: [UserID: Membership] = [:]
    var restrictions: [RestrictionType: [UserID: Restriction]] = [:]
    /// The lower bounds of former members' histories, in case they join again.
    var offsets: [UserID: Timestamp] = [:]

    // MARK: Not stored

    /// The number of connections that have entered the open channel.
    var participants: [UserID: Int] = [:]
    /// The users who are typing, in the order of starting.
    var typing: [UserID] = []
    /// The times at which the server last reported that users are typing.
    var typingReports: [UserID: Timestamp] = [:]
    /// The newest message that counts as a last message.
    var lastMessage: Lazy<Message> = .unknown
    /// An upper bound of all positions; its message may have been deleted.
    var newest: Lazy<Position> = .unknown
    /// The newest log entry for all members; `nil` until it is needed.
    var lastSequence: LogSequence?
    /// The counted unread messages of members.
    var unread: [UserID: CountedUnread] = [:]
    /// The earliest time of a new message: the latest lower bound of a user's history.
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

    func restriction(
        _ type: RestrictionType, of userID: UserID, at time: Timestamp
    ) -> Restriction? {
        guard let restriction = restrictions[type]?[userID] else { return nil }
        return restriction.end.map { $0 <= time } ?? false ? nil : restriction
    }

    var memberIDs: [UserID] { members.keys.sorted() }

    static func distinctKey(_ userIDs: Set<UserID>) -> String {
        userIDs.sorted().map { "\($0.rawValue.utf8.count):\($0.rawValue)" }.joined()
    }
}
