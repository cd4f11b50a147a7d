import Models
import Store

/// A channel that the server has, group or open, with all its members.
final class ServerChannel {
    let number: ChannelNumber
    let url: ChannelURL
    let isOpen: Bool
    /// Names the users who share it, if the same users are always given the same channel.
    let distinctKey: String

    /// What a group channel says of itself, to whomever.
    var group = GroupChannel()
    /// What an open channel says of itself.
    var open = OpenChannel()
    var members: [UserID: Membership] = [:]
    var restrictions: [RestrictionType: [UserID: Restriction]] = [:]
    /// Where the histories begin of users who have left, if they should come back.
    var offsets: [UserID: Timestamp] = [:]

    // MARK: Not stored

    /// How many connections of each user have entered an open channel.
    var participants: [UserID: Int] = [:]
    /// Who is typing, in the order they began.
    var typing: [UserID] = []
    /// What all members are told of it, until it changes.
    var shared: GroupChannel?
    /// When the first of the mutes ends that ``shared`` tells of; `nil` if none does by itself.
    var sharedEnd: Timestamp?
    /// The newest message that counts as one; unknown until somebody asks.
    var lastMessage: Lazy<Message> = .unknown
    /// A position that no message is above; unknown until somebody asks.
    ///
    /// It is the newest one's, or that of one that was deleted since it was found out.
    var newest: Lazy<Position> = .unknown
    /// The newest entry of the log that concerns all; unknown until somebody asks.
    var lastSequence: LogSequence?
    /// Before when no message may be created any more: somebody's history begins there.
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

    /// What is found out when it is first needed.
    enum Lazy<Value> {
        case unknown
        case known(Value?)
    }
}

extension ServerChannel {
    /// DO NOT CHANGE: on people's disks.
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

    /// Whether a user moderates it.
    func isOperator(_ userID: UserID) -> Bool {
        isOpen
            ? open.operators.contains { $0.userID == userID }
            : members[userID]?.role == .operator
    }

    /// How a user is restricted at a time; `nil` if they are not.
    func restriction(
        _ type: RestrictionType, of userID: UserID, at time: Timestamp
    ) -> Restriction? {
        guard let restriction = restrictions[type]?[userID] else { return nil }
        return restriction.end.map { $0 <= time } ?? false ? nil : restriction
    }

    /// When the next mute ends by itself; `nil` if none does.
    func nextEndOfMute(after time: Timestamp) -> Timestamp? {
        restrictions[.muted]?.values.compactMap(\.end).filter { $0 > time }.min()
    }

    /// The members' ids, in their order.
    var memberIDs: [UserID] { members.keys.sorted() }

    /// The name of a set of users.
    static func distinctKey(_ userIDs: Set<UserID>) -> String {
        userIDs.sorted().map { "\($0.rawValue.utf8.count):\($0.rawValue)" }.joined()
    }
}
