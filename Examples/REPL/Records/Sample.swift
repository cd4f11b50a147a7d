import Foundation
import Scrollback

/// Examples of all types of records: alice and bob in the channel `general`.
enum Sample {
    /// Returns a hand-written sample or, if there is none, a record with a value in every field.
    static func of(_ type: RecordType) throws -> any Record {
        try written.first { Swift.type(of: $0) == type.type }
            ?? type.record(json: String(try json(of: type, within: [])))
    }

    /// Returns a record with a value in every field, except for fields whose type is the record's
    /// own type or an enclosing type.
    private static func json(of type: RecordType, within outer: [String]) throws -> JSONValue {
        var entries: [String: JSONValue] = [:]
        for field in type.type.schema.fieldDescriptions where field.number != RecordType.extraNumber
        {
            let words = field.type.split(separator: " ")
            var element = words.last.map(String.init) ?? ""
            if field.type.hasPrefix("map<") { element.removeLast() }
            var values = scalars(field, element)
            if let nested = try? RecordType(named: element) {
                guard !outer.contains(element), element != type.name else { continue }
                values = [try json(of: nested, within: outer + [type.name])]
            }
            let candidates = values.map { value -> JSONValue in
                if words.first == "repeated" { return .array([value]) }
                return field.type.hasPrefix("map<") ? .object(["key": value]) : value
            }
            // Choose a value that is not the default, because a default is not encoded.
            let isWritten = try candidates.first { value in
                let json = try String(JSONValue.object([field.name: value]))
                return try !type.record(json: json).serializedBytes.isEmpty
            }
            entries[field.name] = isWritten ?? candidates[0]
        }
        return .object(entries)
    }

    /// Returns candidates for the value of a field that is not a record.
    private static func scalars(
        _ field: Schema.FieldDescription, _ element: String
    ) -> [JSONValue] {
        if let last = field.cases.last { return [.string(last)] }
        let name = field.name
        switch element {
        case "bool": return [true, false]
        case "int64":
            let isTime = ["_at", "_ts", "_read", "ts", "time"].contains { name.hasSuffix($0) }
            return [isTime ? 1_700_000_000_000 : 1]
        case "double": return [0.5]
        case "bytes": return [.string("YWJj")]
        default:
            let ids: [String: JSONValue] = [
                "user_id": "alice", "user_ids": "alice", "channel_url": "general",
                "message_id": "42", "request_id": "r-1", "nickname": "Alice",
                "message": "Hello", "url": "https://example.com/a.png",
            ]
            return [ids[name] ?? .string("example \(name.replacing("_", with: " "))")]
        }
    }

    private static let written: [any Record] = [
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
            id: "42", channelURL: "general", requestID: "r-1",
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
            id: "42", channelURL: "general", sender: Sender(id: "alice", nickname: "Alice"),
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
        query.order = .chronological
        query.includesEmptyChannel = false
        query.customTypesFilter = ["team"]
        query.userIDsIncludeFilter = ["bob"]
        return query
    }()
}

extension String {
    fileprivate init(_ json: JSONValue) throws {
        self.init(decoding: try JSONEncoder().encode(json), as: UTF8.self)
    }
}
