import Models
import Sync

// Conversions of the server's values into Scrollback's.

extension TeamChatServer.Point {
    /// Creates the point next to which the server returns posts; `nil` for the newest post.
    init?(_ point: PagePoint) {
        switch point {
        case .newest: return nil
        case .message(let id): self = .id(Int(id.rawValue) ?? 0)
        case .time(let time): self = .time(time)
        }
    }
}

extension Message {
    init(_ post: TeamChatServer.Post) {
        self.init(
            id: MessageID("\(post.id)"), channelURL: ChannelURL(post.room),
            requestID: RequestID(post.requestID), sender: Sender(id: UserID(post.author)),
            text: post.text, data: post.data, customType: post.kind, createdAt: post.time,
            updatedAt: post.editedAt)
        metaArrays = post.arrays
    }
}

extension GroupChannel {
    init(_ room: TeamChatServer.Room, _ me: UserID) {
        self.init(url: ChannelURL(room.id), name: room.name, createdAt: room.createdAt)
        members = room.members.map { Member(User(id: UserID($0))) }
        memberCount = room.members.count
        joinedMemberCount = room.members.count
        myMemberState = .joined
        myRole = room.members.first == me.rawValue ? .operator : .none
        lastMessage = room.lastPost.map(Message.init)
    }
}

extension FeedEvent {
    /// Creates the event with all values of a channel.
    init(_ channel: GroupChannel) {
        var patch = Patch<GroupChannel>()
        patch.set(\.name, to: channel.name)
        patch.set(\.createdAt, to: channel.createdAt)
        patch.set(\.members, to: channel.members)
        patch.set(\.memberCount, to: channel.memberCount)
        patch.set(\.joinedMemberCount, to: channel.joinedMemberCount)
        patch.set(\.myMemberState, to: channel.myMemberState)
        patch.set(\.myRole, to: channel.myRole)
        patch.set(\.lastMessage, to: channel.lastMessage)
        self = .channel(ChannelUpdate(channel.url, patch))
    }

    /// Creates the event of a log entry.
    ///
    /// Returns `nil` if the post was deleted since: a later entry reports that.
    init?(_ entry: TeamChatServer.Entry, _ answer: TeamChatServer.Answer, _ me: UserID) {
        let url = ChannelURL(entry.room)
        switch entry.change {
        case .posted(let id):
            guard let post = answer.posts[id] else { return nil }
            self = .messageReceived(Message(post))
        case .edited(let id):
            guard let post = answer.posts[id] else { return nil }
            self = .messageUpdated(Message(post))
        case .deleted(let id, let time):
            self = .messageDeleted(MessageID("\(id)"), in: url, at: time)
        case .room:
            guard let room = answer.rooms[entry.room], room.members.contains(me.rawValue) else {
                self = .channelRemoved(url, ChannelRemoval(.unknown))
                return
            }
            self.init(GroupChannel(room, me))
        }
    }
}

extension TeamChatServer.Answer {
    /// A truncation for each room with omitted posts.
    var truncations: [FeedEvent] {
        truncatedRooms.map { .truncation(in: ChannelURL($0)) }
    }
}

extension MessageChangelog {
    init(_ answer: TeamChatServer.Answer, next: String) {
        self.init()
        updated = answer.posts.values.map(Message.init)
        deleted = answer.entries.compactMap { entry in
            guard case .deleted(let id, let time) = entry.change else { return nil }
            var deleted = DeletedMessage()
            deleted.messageID = MessageID("\(id)")
            deleted.deletedAt = time
            return deleted
        }
        hasMore = answer.hasMore
        self.next = next
    }
}

extension GroupChannelChangelog {
    init(_ answer: TeamChatServer.Answer, _ me: UserID, next: String) {
        self.init()
        let mine = answer.rooms.values.filter { $0.members.contains(me.rawValue) }
        updated = mine.map { GroupChannel($0, me) }
        deletedURLs = answer.rooms.values.filter { !$0.members.contains(me.rawValue) }
            .map { ChannelURL($0.id) }
        hasMore = answer.hasMore
        self.next = next
    }
}

extension BackendError {
    /// Converts a failure of the server.
    init(_ error: any Error) {
        switch error as? TeamChatServer.Failure {
        case .signedOut: self.init(.notConnected, "the session is over")
        case .unknownUser: self.init(.sessionRevoked, "the server does not know the user")
        case .noRoom: self.init(.notFound, "no such room", detail: .channelNotFound)
        case .noPost: self.init(.notFound, "no such post", detail: .messageNotFound)
        case .forbidden: self.init(.refused, "not yours", detail: .notOwnerOfMessage)
        case .tooOld: self.init(.expired, "the log does not go back that far")
        case nil: self.init(.serverFailure, "\(error)")
        }
    }
}
