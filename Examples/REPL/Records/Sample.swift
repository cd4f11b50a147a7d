import Scrollback

/// Records to try the prompt with: alice and bob, in the channel `general`.
enum Sample {
    /// A filled record of the types that one meets first, an empty one of all others.
    static func of(_ type: RecordType) -> any Record {
        all.first { Swift.type(of: $0) == type.type } ?? type.type.init()
    }

    private static let all: [any Record] = [
        alice, bob, message, groupChannel, openChannel, query,
        Reaction(key: "+1", userIDs: ["bob"], updatedAt: 1_700_000_060_000),
    ]

    private static let alice: User = {
        var user = User(
            id: "alice", nickname: "Alice", profileURL: "https://example.com/alice.png")
        user.isOnline = true
        user.preferredLanguages = ["en", "de"]
        user.metadata = ["city": "Berlin"]
        return user
    }()

    private static let bob: Member = {
        var member = Member(User(id: "bob", nickname: "Bob"), role: .operator)
        member.joinedAt = 1_690_000_000_000
        member.readAt = 1_700_000_050_000
        return member
    }()

    private static let message: Message = {
        var message = Message(
            id: 42, channelURL: "general", requestID: "r-1",
            sender: Sender(id: "alice", nickname: "Alice"), text: "Hello @bob",
            createdAt: 1_700_000_000_000, updatedAt: 1_700_000_030_000)
        message.mentionedUserIDs = ["bob"]
        message.reactionHistory = [
            Reaction(key: "+1", userIDs: ["bob"], updatedAt: 1_700_000_060_000)
        ]
        message.metaArrays = [MetaArray(key: "labels", values: ["greeting"])]
        message.threadInfo = ThreadInfo(
            replyCount: 1, mostRepliedUsers: [User(id: "bob", nickname: "Bob")],
            lastRepliedAt: 1_700_000_070_000, updatedAt: 1_700_000_070_000)
        message.extra = ["not_known_yet": ["kept": true]]
        return message
    }()

    private static let groupChannel: GroupChannel = {
        var channel = GroupChannel(
            url: "general", name: "General", createdAt: 1_690_000_000_000)
        channel.customType = "team"
        channel.metadata = ["topic": "anything"]
        channel.members = [Member(User(id: "alice", nickname: "Alice")), bob]
        channel.memberCount = 2
        channel.joinedMemberCount = 2
        channel.unreadMessageCount = 1
        channel.lastMessage = Message(
            id: 42, channelURL: "general", sender: Sender(id: "alice", nickname: "Alice"),
            text: "Hello @bob", createdAt: 1_700_000_000_000)
        channel.readReceipts = ["alice": 1_700_000_000_000, "bob": 1_700_000_050_000]
        return channel
    }()

    private static let openChannel: OpenChannel = {
        var channel = OpenChannel(url: "lobby", name: "Lobby", createdAt: 1_690_000_000_000)
        channel.participantCount = 17
        channel.operators = [User(id: "bob", nickname: "Bob")]
        return channel
    }()

    private static let query: GroupChannelListQuery = {
        var query = GroupChannelListQuery()
        query.limit = 50
        query.order = .latestLastMessage
        query.includesEmptyChannel = false
        query.customTypesFilter = ["team"]
        query.userIDsIncludeFilter = ["bob"]
        return query
    }()
}
