import Models

struct Room {
    let id: String
    var isInvitation = false
    /// True if the user is not a member of the room to which another server has invited them.
    var isInvitationConfirmed = false
    /// True if the room was listed as an invitation, whose state another server may have invented,
    /// and its state has not been received since.
    var lacksState = false
    private var name: String?
    private var alias: String?
    private var avatarURL: String?
    private var createdAt: Timestamp?
    private var creator: UserID?
    private var creators: Set<UserID> = []
    private var roomType: String?
    private var isPublic = false
    private var topic: String?
    private(set) var encryption: String?
    private var own: EventContent.OwnContent?
    private var power: EventContent.PowerLevels?
    /// The room that replaced this one; empty if its ID is unknown.
    private var replacement: String?
    private var pinned: [String] = []
    /// The senders of messages, and the members whose names make up the room's name.
    private var people: [UserID: RoomMember] = [:]
    private var heroes: [String] = []
    private var joinedCount = 0
    private var invitedCount = 0
    private var unreadCount = 0
    private var highlightCount = 0
    private(set) var readAt: [String: Timestamp] = [:]
    /// The receipts for events of unknown times, by user.
    private(set) var openReceipts: [String: SyncReply.Receipt] = [:]
    var lastMessage: Message?
    var lastMessageIsStale = false

    private let memberLimit: Int

    init(_ id: String, memberLimit: Int = WireLimit.knownMembers) {
        self.id = id
        self.memberLimit = memberLimit
    }

    func isDirectInvitation(of user: String) -> Bool {
        isInvitation && people[UserID(user)]?.isDirect ?? false
    }

    /// True for a space, which groups rooms and has no messages.
    var isSpace: Bool { roomType == "m.space" }

    var isJoinedSpace: Bool { isSpace && !isInvitation }
}

// MARK: Applying events

extension Room {
    mutating func apply(_ changes: SyncReply.JoinedRoom, me: String) {
        isInvitation = false
        for event in changes.state + changes.timeline where event.stateKey != nil { apply(event) }
        heroes = changes.summary.heroes.map { Array($0.prefix(WireLimit.heroes)) } ?? heroes
        joinedCount = changes.summary.joinedCount ?? joinedCount
        invitedCount = changes.summary.invitedCount ?? invitedCount
        unreadCount = changes.unreadCount ?? unreadCount
        highlightCount = changes.highlightCount ?? highlightCount
        for receipt in changes.receipts where mayAdd(receipt.user, to: openReceipts, me) {
            openReceipts[receipt.user] = receipt
        }
    }

    mutating func resolve(
        _ receipts: [SyncReply.Receipt], _ readers: [(user: String, time: Timestamp)], me: String
    ) {
        for receipt in receipts where openReceipts[receipt.user] == receipt {
            openReceipts[receipt.user] = nil
        }
        for (user, time) in readers where mayAdd(user, to: readAt, me) {
            readAt[user] = max(time, readAt[user] ?? time)
        }
    }

    /// Another server can send receipts of any number of users.
    private func mayAdd<Value>(
        _ user: String, to receipts: [String: Value], _ me: String
    ) -> Bool {
        receipts.count < WireLimit.members || receipts[user] != nil || user == me
    }

    mutating func apply(_ newest: NewestRoom) {
        isInvitation = newest.isInvitation
        for event in newest.state + newest.timeline where event.stateKey != nil { apply(event) }
        heroes = Array(newest.heroes.prefix(WireLimit.heroes))
        joinedCount = newest.joinedCount ?? 0
        invitedCount = newest.invitedCount ?? 0
    }

    mutating func apply(_ event: RoomEvent) {
        let content = event.content
        // Only memberships have a state key: an event with one does not change the room itself.
        guard event.type == "m.room.member" || event.stateKey?.isEmpty ?? true else { return }
        switch event.type {
        case "m.room.create":
            createdAt = event.time.milliseconds > 0 ? event.time : nil
            creator = UserID(event.sender)
            creators = Set((content.additionalCreators + [event.sender]).map { UserID($0) })
            if Int(content.roomVersion ?? "1").map({ $0 < 12 }) ?? true { creators = [] }
            roomType = content.roomType
        case "m.room.name": name = content.name
        case "m.room.canonical_alias": alias = content.alias
        case "m.room.avatar": avatarURL = content.url
        case "m.room.join_rules": isPublic = content.joinRule == "public"
        case "m.room.topic": topic = content.topic
        // An encrypted room stays encrypted.
        case "m.room.encryption": encryption = content.algorithm ?? encryption ?? "unknown"
        case "m.room.power_levels": power = content.power ?? EventContent.PowerLevels()
        case "m.room.tombstone": replacement = content.replacementRoom ?? ""
        case "m.room.pinned_events": pinned = content.pinned
        case "dev.scrollback": own = content.ownState
        case "m.room.member":
            let user = UserID(event.stateKey ?? "")
            if people.count < memberLimit || people[user] != nil {
                people[user] = RoomMember(event)
            }
        default: break
        }
    }
}

// MARK: People

extension Room {
    /// Returns the power level of a user; in a room of version 12, creators have the highest one.
    ///
    /// Without levels, the specification gives the creator 100.
    func power(of user: UserID) -> Int {
        if creators.contains(user) { return .max }
        return power.map { $0.users[user] ?? $0.usersDefault } ?? (user == creator ? 100 : 0)
    }

    /// Returns a message, in which a mention of all counts only if the sender may notify the room,
    /// as in Matrix's push rules.
    func message(_ event: RoomEvent, sender: Sender, me: UserID) -> Message {
        var message = Message(event, in: id, sender: sender, me: me)
        // The default of the specification counts also while the levels are unknown.
        let needed = power?.roomNotification ?? EventContent.PowerLevels.defaultRoomNotification
        if message.mentionType == .channel, power(of: UserID(event.sender)) < needed {
            message.mentionType = .users
        }
        return message
    }

    func role(of user: UserID) -> Role { power(of: user) >= 50 ? .operator : .none }

    /// True if only operators may send, also in a room that was replaced by a new version.
    var isFrozen: Bool { replacement != nil || (power?.eventsDefault ?? 0) >= 50 }

    func isMuted(_ user: UserID) -> Bool {
        !isFrozen && power(of: user) < power?.eventsDefault ?? 0
    }

    var members: [Member] {
        people.keys.sorted().compactMap { user in
            guard let person = people[user], let state = person.state else { return nil }
            var member = Member(person.user, state: state, role: role(of: user))
            member.isMuted = isMuted(user)
            if state == .joined { member.joinedAt = person.time }
            return member
        }
    }

    /// Derives the numbers of members from the state, unless the server has reported them.
    mutating func countUnknownMembers() {
        guard joinedCount + invitedCount == 0 else { return }
        joinedCount = people.values.count { $0.state == .joined }
        invitedCount = people.values.count { $0.state == .invited }
    }

    /// True if the server has not reported the members whose names make up the room's name.
    var lacksHeroes: Bool {
        !isInvitation && (name ?? "").isEmpty && (alias ?? "").isEmpty && heroes.isEmpty
            && joinedCount + invitedCount > 1
    }

    mutating func setHeroes(from state: [RoomEvent], me: String) {
        let others = state.filter { event in
            event.type == "m.room.member" && event.stateKey != me
                && ["join", "invite"].contains(event.content.membership)
        }.sorted { ($0.time, $0.id) < ($1.time, $1.id) }.prefix(5)
        for event in others { apply(event) }
        heroes = others.compactMap(\.stateKey)
    }

    private func name(for me: String) -> String {
        if let name, !name.isEmpty { return name }
        if let alias, !alias.isEmpty { return alias }
        let names = heroes.filter { $0 != me }.map { people[UserID($0)]?.name ?? $0 }
        let others = max(joinedCount + invitedCount - 1, names.count) - names.count
        guard others > 0 else {
            return names.count < 2
                ? names.first ?? ""
                : "\(names.dropLast().joined(separator: ", ")) and \(names.last!)"
        }
        return names.isEmpty ? "" : "\(names.joined(separator: ", ")) and \(others) more"
    }
}

/// The parts of a membership that a room needs: any member may add long texts to the event.
private struct RoomMember {
    let user: User
    let sender: String
    let state: MemberState?
    let time: Timestamp
    let isDirect: Bool
    let reason: String?

    init(_ event: RoomEvent) {
        user = event.user
        sender = event.sender
        state = MemberState(membership: event.content)
        time = event.time
        isDirect = event.content.isDirect ?? false
        reason = event.content.reason.flatMap { $0.utf8.count > WireLimit.name ? nil : $0 }
    }

    var name: String? { user.nickname.isEmpty ? nil : user.nickname }
}

extension MemberState {
    init?(membership content: EventContent) {
        switch content.membership {
        case "join": self = .joined
        case "invite": self = .invited
        case "knock": self = .requested
        default: return nil
        }
    }
}

extension RoomEvent {
    var user: User {
        User(
            id: UserID(stateKey ?? ""), nickname: content.displayName ?? "",
            profileURL: content.avatarURL ?? "")
    }
}

// MARK: As a channel

enum MetadataKey {
    static let topic = "topic"
    static let encryption = "encryption"
    static let replacement = "replacement_room"
    static let reason = "invitation_reason"

    static let all = [topic, encryption, replacement, reason]
}

extension Room {
    func channel(for me: String, isDirect: Bool) -> GroupChannel {
        var channel = GroupChannel(
            url: ChannelURL(id), name: name(for: me), createdAt: createdAt ?? 0)
        channel.coverURL = avatarURL ?? ""
        channel.data = own?.data ?? ""
        channel.customType = own?.customType ?? ""
        channel.metadata = own?.metadata ?? [:]
        channel.metadata[MetadataKey.topic] = topic.flatMap { $0.isEmpty ? nil : $0 }
        channel.metadata[MetadataKey.encryption] = encryption
        channel.metadata[MetadataKey.replacement] = replacement.flatMap { $0.isEmpty ? nil : $0 }
        channel.isPublic = isPublic
        channel.isDistinct = isDirect
        channel.isFrozen = isFrozen
        channel.members = Array(members.prefix(WireLimit.members))
        channel.pinnedMessageIDs = pinned.prefix(WireLimit.events).map { MessageID($0) }
        guard !isInvitation else {
            channel.myMemberState = .invited
            let invitation = people[UserID(me)]
            channel.inviter = invitation.flatMap {
                people[UserID($0.sender)]?.user ?? User(id: UserID($0.sender))
            }
            channel.metadata[MetadataKey.reason] = invitation?.reason
            if (name ?? "").isEmpty, (alias ?? "").isEmpty {
                channel.name = channel.inviter?.nickname ?? ""
            }
            channel.invitedAt = (invitation?.time).flatMap { $0.milliseconds > 0 ? $0 : nil }
            return channel
        }
        channel.memberCount = joinedCount + invitedCount
        channel.joinedMemberCount = joinedCount
        channel.myMemberState = .joined
        channel.isMember = true
        channel.joinedAt = people[UserID(me)]?.time
        channel.myRole = role(of: UserID(me))
        channel.isCurrentUserMuted = isMuted(UserID(me))
        channel.unreadMessageCount = unreadCount
        channel.unreadMentionCount = highlightCount
        channel.readReceipts = Dictionary(
            uniqueKeysWithValues: readAt.map { (UserID($0.key), $0.value) })
        channel.myLastRead = readAt[me]
        channel.lastMessage = lastMessage
        return channel
    }
}
