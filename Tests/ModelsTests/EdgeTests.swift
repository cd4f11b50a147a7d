import Foundation
import Testing

@testable import Models

/// Tests values that look equal but are not, and unusual forms in which servers write values.
@Suite struct EdgeTests {
    private func decode<Root: Decodable>(_ json: String) throws -> Root {
        try JSONDecoder().decode(Root.self, from: Data(json.utf8))
    }

    // MARK: Names that look equal

    @Test func namesOfOtherBytesAreOtherNames() {
        let (one, two): (MessageID, MessageID) = ("\u{e9}", "e\u{301}")
        #expect(one != two)
        #expect(Set([one, two]).count == 2)
        expectStrictTotalOrder([one, two, "e", "f", "\u{301}"]) { $0 < $1 }
        #expect(UserID("\u{e9}") != UserID("e\u{301}"))
        #expect(ChannelURL("\u{e9}") != ChannelURL("e\u{301}"))
        #expect(RequestID("\u{e9}") != RequestID("e\u{301}"))
        expectStrictTotalOrder([one, two].map { Position(createdAt: 1, messageID: $0) }) { $0 < $1 }
    }

    @Test func channelsWhoseNamesLookTheSameHaveAnOrder() {
        let channels = [("e\u{301}", 1), ("f", 1), ("\u{e9}", 2)].enumerated().map { index, name in
            GroupChannel(
                url: ChannelURL("c\(index)"), name: name.0,
                createdAt: Timestamp(milliseconds: Int64(name.1)))
        }
        expectStrictTotalOrder(channels) {
            GroupChannelListOrder.channelNameAlphabetical.precedes($0, $1)
        }
    }

    @Test func prefixesAreComparedByBytes() {
        var query = GroupChannelListQuery()
        query.customTypeStartsWithFilter = "e"
        var channel = GroupChannel(url: "c", createdAt: 1)
        channel.customType = "e\u{301}x"
        #expect(query.belongsTo(channel))
        query = GroupChannelListQuery()
        query.channelNameContainsFilter = "👍"
        channel.name = "go 👍🏽"
        #expect(query.belongsTo(channel))
    }

    @Test func publicChannelWithoutMembershipIsInNoList() {
        var channel = GroupChannel(url: "c", createdAt: 1)
        channel.isPublic = true
        channel.isMember = false
        #expect(!GroupChannelListQuery().belongsTo(channel))
        channel.isMember = true
        #expect(GroupChannelListQuery().belongsTo(channel))
    }

    // MARK: Parsing JSON

    @Test func fileInTheMessageItselfIsDecodedLeniently() throws {
        let message: Message = try decode(
            #"{"type":"FILE","url":"u","size":"42","require_auth":"true","name":7,"thumbnails":[{"url":"t"}]}"#
        )
        #expect(message.file?.size == 42)
        #expect(message.file?.requiresAuth == true)
        #expect(message.file?.name == "7")
        #expect(message.file?.thumbnails.map(\.url) == ["t"])
        #expect(message.extra.isEmpty)
    }

    @Test func invalidFileFieldsAreKeptAsUnknownFields() throws {
        let wrong: Message = try decode(#"{"type":"FILE","url":"u","size":[1]}"#)
        #expect(wrong.file == nil)
        #expect(wrong.extra == ["url": "u", "size": [1]])
        let text: Message = try decode(#"{"type":"MESG","url":"u"}"#)
        #expect(text.file == nil)
        #expect(text.extra == ["url": "u"])
    }

    @Test func metaArraysOfScalarsAreReadAndOthersAreKept() throws {
        let message: Message = try decode(
            #"{"metaarray":{"k":[1,true],"l":"v"},"metaarray_key_order":["l","k","l"]}"#)
        #expect(
            message.metaArrays == [
                MetaArray(key: "l", values: ["v"]), MetaArray(key: "k", values: ["1", "true"]),
            ])
        let kept: Message = try decode(#"{"metaarray":{"k":[{}]}}"#)
        #expect(kept.metaArrays.isEmpty)
        #expect(kept.extra == ["metaarray": ["k": [[:]]]])
    }

    @Test(arguments: ["true", #""true""#, "1"])
    func hiddenMayBeWrittenInAnyWay(value: String) throws {
        let channel: GroupChannel = try decode(#"{"is_hidden":\#(value)}"#)
        #expect(channel.isHidden)
        #expect(channel.extra.isEmpty)
    }

    @Test func invalidHiddenFlagIsKeptAsAnUnknownField() throws {
        let channel: GroupChannel = try decode(#"{"is_hidden":"perhaps"}"#)
        #expect(!channel.isHidden)
        #expect(channel.extra == ["is_hidden": "perhaps"])
    }

    @Test func firstNameThatIsNotNullIsUsed() throws {
        for _ in 0..<20 {
            let event: ThreadInfoUpdateEvent = try decode(
                #"{"message_id":2,"target_message_id":1}"#)
            #expect(event.parentMessageID == "1")
        }
        let message: Message = try decode(#"{"request_id":null,"req_id":"r"}"#)
        #expect(message.requestID == "r")
    }

    @Test func nullsInListsAreOmitted() throws {
        let message: Message = try decode(#"{"mentioned_user_ids":[null,"a"]}"#)
        #expect(message.mentionedUserIDs == ["a"])
    }

    @Test func fieldTakesPrecedenceOverItsKeyInExtra() throws {
        var user = User(id: "ann", nickname: "new")
        user.extra = ["nickname": "old", "other": 1]
        let again: User = try decode(
            String(decoding: JSONEncoder().encode(user), as: UTF8.self))
        #expect(again.nickname == "new")
        #expect(again.extra == ["other": 1])
    }

    // MARK: Patches

    @Test(arguments: [
        #"{"type":"FILE","file":null,"url":"u"}"#,
        #"{"sorted_metaarray":[],"metaarray":{"k":["v"]}}"#,
    ])
    func patchWithANullAndAValueKeepsTheValue(json: String) throws {
        let patch: Patch<Message> = try decode(json)
        let again: Patch<Message> = try decode(
            String(decoding: JSONEncoder().encode(patch), as: UTF8.self))
        #expect(again == patch)
        var message = Message()
        again.apply(to: &message)
        #expect(message.file != nil || !message.metaArrays.isEmpty)
    }

    @Test func emptyMetaArraysInAPatchClear() throws {
        var message = Message()
        message.metaArrays = [MetaArray(key: "k")]
        (try decode(#"{"metaarray":{}}"#) as Patch<Message>).apply(to: &message)
        #expect(message.metaArrays.isEmpty)
    }

    @Test func patchWithOnlyIsHiddenKeepsTheWayOfHiding() throws {
        let patch: Patch<GroupChannel> = try decode(#"{"is_hidden":true}"#)
        var channel = GroupChannel(url: "c", createdAt: 1)
        channel.hiddenState = .hiddenPreventAutoUnhide
        patch.apply(to: &channel)
        #expect(channel.hiddenState == .hiddenPreventAutoUnhide)
        channel.hiddenState = .unhidden
        patch.apply(to: &channel)
        #expect(channel.hiddenState == .hiddenAllowAutoUnhide)
    }

    @Test func extraCanBePatchedKeyByKey() throws {
        var patch = Patch<Message>()
        patch.set(\.extra, to: ["a": 1])
        #expect(patch.contains(\.extra))
        var message = Message()
        message.extra = ["a": 0, "b": 2]
        patch.apply(to: &message)
        #expect(message.extra == ["a": 1, "b": 2])
        patch.set(\.extra, to: [:])
        patch.apply(to: &message)
        #expect(message.extra.isEmpty)
    }

    // MARK: Reactions of large channels

    @Test func removedReactionOfAnUnlistedUserIsSubtracted() {
        var reaction = Reaction(key: "+1", userIDs: ["ann"], updatedAt: 1)
        reaction.totalCount = 90
        var message = Message(id: "7", channelURL: "c", createdAt: 1)
        message.reactions = [reaction]
        let event = ReactionEvent(.delete, "+1", by: "bo", to: "7", in: "c", at: 2)
        message.apply(event)
        message.apply(event)
        #expect(message.reactions.first?.count == 89)
        #expect(message.reactions.first?.userIDs == ["ann"])
    }
}
