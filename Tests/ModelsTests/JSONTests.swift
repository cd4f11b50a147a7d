import Foundation
import Testing

@testable import Models

@Suite struct JSONTests {
    private func decode<Root: Record>(_ json: String) throws -> Root {
        try JSONDecoder().decode(Root.self, from: Data(json.utf8))
    }

    private func decode<Root: Record>(_: Root.Type, _ json: String) throws -> Root {
        try decode(json)
    }

    @Test func messageOfARESTServerIsReadCompletely() throws {
        let message: Message = try decode(
            """
            {"type":"MESG","message_id":7001,"req_id":"r-1","channel_url":"c-1","channel_type":"group",
             "message":"hi","data":"","custom_type":"","created_at":1700000000123,"updated_at":0,
             "user":{"user_id":"u1","nickname":"Ann","profile_url":"","role":"operator",
                     "is_blocked_by_me":false,"is_active":true,"metadata":{}},
             "mention_type":"users","mentioned_users":[],
             "reactions":[{"key":"+1","user_ids":["u2"],"updated_at":1700000000456}],
             "sorted_metaarray":[{"key":"k","value":["v1","v2"]}],"parent_message_id":0,
             "thread_info":{"reply_count":1,"most_replies":[{"user_id":"u2","nickname":"Bo","profile_url":""}],
                            "last_replied_at":1700000000999,"updated_at":1700000000999},
             "is_reply_to_channel":false,"silent":false,"is_op_msg":true,
             "translations":{},"previous_message_id":7000}
            """)
        var expected = Message(
            id: "7001", channelURL: "c-1", requestID: "r-1",
            sender: Sender(id: "u1", nickname: "Ann", role: .operator), text: "hi",
            createdAt: 1_700_000_000_123)
        expected.reactions = [Reaction(key: "+1", userIDs: ["u2"], updatedAt: 1_700_000_000_456)]
        expected.metaArrays = [MetaArray(key: "k", values: ["v1", "v2"])]
        expected.threadInfo = ThreadInfo(
            replyCount: 1, mostRepliedUsers: [User(id: "u2", nickname: "Bo")],
            lastRepliedAt: 1_700_000_000_999, updatedAt: 1_700_000_000_999)
        expected.isOperatorMessage = true
        expected.sender?.extra = ["is_blocked_by_me": false]
        expected.extra = ["previous_message_id": 7000]
        #expect(message == expected)
    }

    @Test func numbersAndTruthValuesMayBeWrittenAsOtherThings() throws {
        let channel: GroupChannel = try decode(
            """
            {"channel_url":"c","member_count":"3","joined_member_count":2.0,"is_muted":"true",
             "is_public":1,"freeze":"false","unread_message_count":true,"name":42,
             "user_last_read":"1700000000000.5"}
            """)
        #expect(channel.memberCount == 3)
        #expect(channel.joinedMemberCount == 2)
        #expect(channel.isCurrentUserMuted && channel.isPublic && !channel.isFrozen)
        #expect(channel.unreadMessageCount == 1)
        #expect(channel.name == "42")
        #expect(channel.myLastRead == 1_700_000_000_000)
    }

    @Test func invalidValueIsAnErrorWithItsKey() {
        #expect { try decode(Message.self, #"{"user":{"is_active":"maybe"}}"#) } throws: { error in
            guard case DecodingError.typeMismatch(_, let context) = error else { return false }
            return context.codingPath.map(\.stringValue) == ["user", "is_active"]
        }
        #expect(throws: DecodingError.self) { try decode(Message.self, #"{"created_at":{}}"#) }
        #expect(throws: DecodingError.self) { try decode(Message.self, "[]") }
    }

    @Test func unknownKeysAreKeptInBothForms() throws {
        let json = #"{"message":"hi","later":{"a":[1,2.5,null,true,"x"]},"other":null}"#
        let message: Message = try decode(json)
        #expect(message.extra == ["later": ["a": [1, 2.5, nil, true, "x"]], "other": nil])
        let again = try Message(serialized: message.serialize())
        #expect(again.extra == message.extra)
        let written = try JSONEncoder().encode(again)
        #expect(try JSONDecoder().decode(Message.self, from: written) == message)
        #expect(
            String(decoding: written, as: UTF8.self).contains(
                #""later":{"a":[1,2.5,null,true,"x"]}"#))
    }

    @Test func nullIsTreatedAsMissing() throws {
        #expect(
            try decode(
                #"{"message":null,"user":null,"reactions":null,"created_at":null,"poll":null}"#)
                == Message())
        let user: User = try decode(#"{"metadata":{"a":"1","b":null}}"#)
        #expect(user.metadata == ["a": "1"])
    }

    @Test func firstNameOfAFieldTakesPrecedence() throws {
        #expect(try decode(Message.self, #"{"ts":5}"#).createdAt == 5)
        #expect(try decode(Message.self, #"{"ts":5,"created_at":6}"#).createdAt == 6)
        #expect(try decode(User.self, #"{"name":"a","nickname":"b"}"#).nickname == "b")
    }

    @Test func enumerationsAreReadByNameOrNumber() throws {
        #expect(try decode(Message.self, #"{"type":"ADMM"}"#).type == .admin)
        #expect(try decode(Message.self, #"{"type":"file"}"#).type == .file)
        #expect(try decode(Message.self, #"{"type":2}"#).type == .admin)
        #expect(try decode(Message.self, #"{"type":"LATER"}"#).type.rawValue == -1)
        #expect(try decode(Message.self, #"{"type":99}"#).type.rawValue == 99)
    }

    @Test func fileIsReadFromTheMessageOrFromAnObject() throws {
        let file = FileInfo(url: "https://x/1", name: "a.png", mimeType: nil, size: 10)
        let flat: Message = try decode(
            #"{"type":"FILE","url":"https://x/1","name":"a.png","size":10}"#)
        #expect(flat.file == file)
        #expect(flat.extra.isEmpty)
        let nested: Message = try decode(
            #"{"type":"FILE","file":{"url":"https://x/1","file_name":"a.png","size":10}}"#)
        #expect(nested == flat)
    }

    @Test func metaArraysMayBeAnObjectWithAnOrderOfItsKeys() throws {
        let message: Message = try decode(
            #"{"metaarray":{"a":["1"],"c":[],"b":["2","3"]},"metaarray_key_order":["b","a","gone"]}"#
        )
        #expect(
            message.metaArrays == [
                MetaArray(key: "b", values: ["2", "3"]), MetaArray(key: "a", values: ["1"]),
                MetaArray(key: "c"),
            ])
        #expect(message.extra.isEmpty)
    }

    @Test func timesOfChannelsMayBeInSeconds() throws {
        #expect(
            try decode(GroupChannel.self, #"{"created_at":1700000000}"#).createdAt
                == 1_700_000_000_000)
        #expect(
            try decode(OpenChannel.self, #"{"created_at":1700000000123}"#).createdAt
                == 1_700_000_000_123)
        #expect(try decode(GroupChannel.self, #"{"created_at":0}"#).createdAt == 0)
    }

    @Test func isHiddenAloneMeansUntilTheNextMessage() throws {
        #expect(
            try decode(GroupChannel.self, #"{"is_hidden":true}"#).hiddenState
                == .hiddenAllowAutoUnhide)
        #expect(try decode(GroupChannel.self, #"{"is_hidden":false}"#) == GroupChannel())
        let told: GroupChannel = try decode(
            #"{"is_hidden":true,"hidden_state":"hidden_prevent_auto_unhide"}"#)
        #expect(told.hiddenState == .hiddenPreventAutoUnhide)
        #expect(told.extra.isEmpty)
    }

    @Test func messageOfAServerHasTheStatusSucceeded() throws {
        #expect(try decode(Message.self, #"{"message_id":5}"#).sendingStatus == .succeeded)
        #expect(try decode(Message.self, #"{"message_id":0}"#) == Message())
        #expect(try decode(Message.self, #"{"req_id":"r"}"#).sendingStatus == .none)
        #expect(
            try decode(Message.self, #"{"message_id":5,"sending_status":"canceled"}"#)
                .sendingStatus
                == .canceled)
    }

    @Test func openGraphKeysHaveColons() throws {
        let message: Message = try decode(
            #"{"og_tag":{"og:title":"T","og:url":"u","og:image":{"url":"i","width":"20"}}}"#)
        #expect(message.linkPreview?.title == "T")
        #expect(message.linkPreview?.defaultImage?.width == 20)
        #expect(
            String(decoding: try JSONEncoder().encode(message), as: UTF8.self).contains(
                #""og:title":"T""#))
    }

    @Test func jsonValuesHaveTheirTypes() {
        let value: JSONValue = ["a": [1, 2.5, "x", nil, true]]
        #expect(value["a"] == [1, 2.5, "x", nil, true])
        #expect(value["b"] == nil)
        #expect(value["a"]?["b"] == nil)
        #expect(("x" as JSONValue).string == "x")
        #expect(value.string == nil)
        #expect(value.depth == 3)
        #expect((7 as JSONValue).depth == 1)
    }
}
