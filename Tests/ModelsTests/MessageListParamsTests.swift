import Testing

@testable import Models

@Suite struct MessageListParamsTests {
    /// Messages with every combination of the properties that a list can filter.
    static let messages: [Message] = {
        var messages: [Message] = []
        for type in MessageType.knownValues {
            for sender: UserID? in [nil, "ann", "bo"] {
                for customType in ["", "x", "y"] {
                    for (parent, isShown) in [
                        (nil, false), ("1", false), ("1", true), ("2", false),
                    ] {
                        var message = Message(
                            type: type, id: MessageID("\(10 + messages.count)"), channelURL: "c",
                            sender: sender.map { Sender(id: $0) }, customType: customType,
                            createdAt: 1, parentMessageID: parent.map { MessageID($0) })
                        message.isReplyToChannel = isShown
                        messages.append(message)
                    }
                }
            }
        }
        return messages
    }()

    private func passes(_ filter: MessageTypeFilter, _ message: Message) -> Bool {
        filter == .all || "\(filter)" == "\(message.type)"
    }

    private func passes(_ type: ReplyType, _ message: Message) -> Bool {
        if message.parentMessageID == nil || type == .all { return true }
        return type == .onlyReplyToChannel && message.isReplyToChannel
    }

    @Test(arguments: MessageTypeFilter.allCases, ReplyType.allCases)
    func listContainsMessagesThatPassAllFilters(_ type: MessageTypeFilter, _ replies: ReplyType) {
        for customTypes in [[], ["x"], ["x", "y"]] {
            for senders: [UserID] in [[], ["ann"], ["ann", "bo"]] {
                var params = MessageListParams()
                params.messageType = type
                params.replyType = replies
                params.customTypes = customTypes
                params.senderUserIDs = senders
                let expected = Self.messages.filter { message in
                    passes(type, message) && passes(replies, message)
                        && (customTypes.isEmpty || customTypes.contains(message.customType))
                        && (senders.isEmpty || senders.contains(message.sender?.userID ?? "nobody"))
                }
                #expect(Self.messages.filter(params.belongsTo) == expected)
                #expect(!expected.isEmpty && expected.count <= Self.messages.count)
            }
        }
    }

    @Test(arguments: MessageTypeFilter.allCases)
    func threadContainsTheRepliesToItsParent(_ type: MessageTypeFilter) {
        var params = ThreadedMessageListParams()
        params.messageType = type
        params.customTypes = ["x"]
        params.senderUserIDs = ["bo"]
        let listed = Self.messages.filter { params.belongsTo($0, parentMessageID: "1") }
        #expect(
            listed
                == Self.messages.filter {
                    $0.parentMessageID == "1" && passes(type, $0) && $0.customType == "x"
                        && $0.sender?.userID == "bo"
                })
        #expect(!listed.isEmpty)
    }

    @Test func changelogReportsTheRepliesOfItsList() {
        var list = MessageListParams()
        list.replyType = .onlyReplyToChannel
        let params = MessageChangelogParams(list)
        for message in Self.messages {
            #expect(params.belongsTo(message) == passes(.onlyReplyToChannel, message))
        }
    }

    @Test func paramsStartWithTheDefaultsOfTheField() {
        let params = MessageListParams()
        #expect(params.previousResultSize == 40 && params.nextResultSize == 40)
        #expect(params.isInclusive && !params.isReversed)
        #expect(params.replyType == .onlyReplyToChannel && params.messageType == .all)
        let query = GroupChannelListQuery()
        #expect(query.limit == 20 && query.order == .latestLastMessage)
        #expect(query.includesEmptyChannel && query.includesFrozenChannel)
        #expect(query.hiddenStateFilter == .unhiddenOnly && query.queryType == .and)
    }
}
