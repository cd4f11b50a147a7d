import ScrollbackTesting
import Testing

@testable import Models

@Suite struct MessageTests {
    static let message = Message(id: "7", channelURL: "c", text: "hi", createdAt: 100)

    private func event(
        _ operation: ReactionEventAction, _ user: UserID, at time: Timestamp, key: String = "+1"
    ) -> ReactionEvent {
        ReactionEvent(operation, key, by: user, to: "7", in: "c", at: time)
    }

    /// Returns the users of each reaction, such as "+1: ann bo".
    private func picture(_ message: Message) -> String {
        message.reactions.map { reaction in
            "\(reaction.key): \(reaction.userIDs.map(\.rawValue).joined(separator: " "))"
        }.joined(separator: ", ")
    }

    private func apply(_ event: ReactionEvent, _ message: inout Message) -> Bool {
        message.apply(event)
    }

    private func apply(_ poll: Poll, _ message: inout Message) -> Bool { message.apply(poll) }

    private func apply(parent: Message, _ message: inout Message) -> Bool {
        message.apply(parent: parent)
    }

    // MARK: Reactions

    @Test func reactionsAreGivenAndTakenBack() {
        var message = Self.message
        message.apply(event(.add, "ann", at: 1))
        message.apply(event(.add, "bo", at: 2))
        message.apply(event(.add, "bo", at: 2))
        message.apply(event(.add, "cy", at: 3, key: "heart"))
        #expect(picture(message) == "+1: ann bo, heart: cy")
        message.apply(event(.delete, "ann", at: 4))
        #expect(picture(message) == "+1: bo, heart: cy")
    }

    @Test func anOlderReactionDoesNotUndoANewerOne() {
        var message = Self.message
        message.apply(event(.add, "ann", at: 5))
        #expect(apply(event(.delete, "ann", at: 4), &message) == false)
        #expect(picture(message) == "+1: ann")
        #expect(apply(event(.delete, "ann", at: 5), &message) == true)
        #expect(picture(message) == "")
    }

    @Test func olderEventDoesNotRestoreARemovedReaction() {
        var message = Self.message
        message.apply(event(.add, "ann", at: 5))
        message.apply(event(.delete, "ann", at: 9))
        #expect(message.reactions.isEmpty)
        #expect(apply(event(.add, "bo", at: 7), &message) == false)
        #expect(message.reactions.isEmpty)
        #expect(apply(event(.add, "bo", at: 10), &message) == true)
        #expect(picture(message) == "+1: bo")
    }

    @Test func newestReactionEventOfAKeyWins() throws {
        let events = [
            event(.add, "ann", at: 1), event(.add, "bo", at: 2), event(.delete, "ann", at: 3),
            event(.add, "cy", at: 4),
        ]
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            var message = Self.message
            // Events may arrive late or twice. An event has no effect if the message already has a
            // newer event of the same key.
            for event in (events + events).shuffled(using: &random) { message.apply(event) }
            let history = try #require(message.reactionHistory.first)
            #expect(history.updatedAt == 4)
            #expect(history.userIDs.contains("cy"))
            #expect(Set(history.userIDs).count == history.userIDs.count)
        }
    }

    @Test func countsOfLargeChannelsFollowTheEvents() {
        var message = Self.message
        var reaction = Reaction(key: "+1", userIDs: ["ann"], updatedAt: 1)
        reaction.totalCount = 90
        message.reactions = [reaction]
        message.apply(event(.add, "bo", at: 2))
        #expect(message.reactions.first?.count == 91)
        message.apply(event(.delete, "bo", at: 3))
        #expect(message.reactions.first?.count == 90)
    }

    @Test func eventsOfOtherMessagesAreIgnored() {
        var message = Self.message
        let other = ReactionEvent(.add, "+1", by: "ann", to: "8", in: "c", at: 1)
        #expect(apply(other, &message) == false)
        #expect(message == Self.message)
    }

    // MARK: Threads

    @Test func threadInfoIsReplacedByAnEquallyNewOne() {
        var message = Self.message
        func update(_ count: Int, at time: Timestamp) -> Bool {
            let info = ThreadInfo(replyCount: count, lastRepliedAt: time, updatedAt: time)
            return message.apply(
                ThreadInfoUpdateEvent(parentMessageID: "7", channelURL: "c", threadInfo: info))
        }
        #expect(update(2, at: 20))
        #expect(!update(1, at: 10))
        #expect(message.threadInfo?.replyCount == 2)
        #expect(update(3, at: 20))
        #expect(message.threadInfo?.replyCount == 3)
    }

    @Test func replyCopiesTheSummaryOfItsParent() {
        var reply = Message(
            id: "8", channelURL: "c", text: "yes", createdAt: 101, parentMessageID: "7")
        #expect(apply(parent: Self.message, &reply) == true)
        #expect(reply.parentMessageInfo?.text == "hi")
        #expect(reply.parentMessageInfo?.messageID == "7")
        var other = Self.message
        #expect(apply(parent: reply, &other) == false)
        #expect(other == Self.message)
    }

    @Test func pollIsReplacedUnlessOlder() {
        var message = Self.message
        var poll = Poll()
        poll.id = 1
        poll.updatedAt = 10
        #expect(apply(poll, &message) == false)
        message.poll = poll
        poll.voterCount = 5
        poll.updatedAt = 9
        #expect(apply(poll, &message) == false)
        poll.updatedAt = 11
        #expect(apply(poll, &message) == true)
        #expect(message.poll?.voterCount == 5)
    }

    // MARK: The message itself

    @Test func unsentMessageHasARequestIDAndNoPosition() {
        let unsent = Message(
            id: nil, channelURL: "c", requestID: "r", createdAt: 5, sendingStatus: .pending)
        #expect(unsent.messageID == nil && unsent.position == nil)
        #expect(unsent.sendingStatus == .pending)
        #expect(Self.message.sendingStatus == .succeeded)
        #expect(Self.message.position == Position(createdAt: 100, messageID: "7"))
        #expect(Message(id: nil, channelURL: "c", createdAt: 5).sendingStatus == .none)
    }

    @Test func failedMessageIsResendableUnlessTheErrorIsPermanent() {
        var message = Self.message
        message.errorCode = .ackTimeout
        message.sendingStatus = .failed
        #expect(!message.isResendable, "The message was sent.")
        message.messageID = nil
        for status in MessageSendingStatus.allCases {
            message.sendingStatus = status
            #expect(message.isResendable == (status == .failed || status == .canceled))
        }
        message.sendingStatus = .failed
        message.errorCode = .banned
        #expect(!message.isResendable)
        message.errorCode = nil
        #expect(!message.isResendable)
    }

    @Test func nestedRecordIsIndependentOfItsParent() {
        var message = Self.message
        message.sender = Sender(id: "ann", nickname: "Ann", role: .operator)
        var sender = message.sender
        sender?.nickname = "Other"
        #expect(message.sender?.nickname == "Ann")
        #expect(
            sender?.serialize() == Sender(id: "ann", nickname: "Other", role: .operator).serialize()
        )
        #expect(message.sender.map { User(person: $0) } == User(id: "ann", nickname: "Ann"))
    }

    @Test func peopleOfOneKindBecomeAnother() {
        var user = User(id: "ann", nickname: "Ann", profileURL: "p")
        user.metadata = ["k": "v"]
        user.isOnline = true
        let member = Member(user, state: .invited, role: .operator)
        #expect(member.metadata == ["k": "v"])
        #expect(member.state == .invited && member.role == .operator)
        #expect(User(person: member) == user)
        #expect(Sender(user, role: .operator).nickname == "Ann")
    }

    @Test func theHistoryBeginsAtTheLaterOffset() {
        var channel = GroupChannel(url: "c", createdAt: 1)
        #expect(channel.historyOffset == nil)
        channel.messageOffset = 50
        channel.messagePurgeOffset = 70
        #expect(channel.historyOffset == 70)
        channel.messageOffset = 90
        #expect(channel.historyOffset == 90)
    }

    @Test func furtherUsersOfReactionsAreCounted() {
        var message = Self.message
        for number in 0..<1_200 {
            #expect(apply(event(.add, UserID("u\(number)"), at: 1), &message))
        }
        #expect(apply(event(.add, "ann", at: 2, key: "-1"), &message))
        #expect(message.reactions.map(\.userIDs.count) == [1_000, 0])
        #expect(message.reactions.map(\.count) == [1_200, 1])
        #expect(apply(event(.delete, "u1199", at: 3), &message))
        #expect(apply(event(.delete, "u0", at: 3), &message))
        #expect(message.reactions.map(\.count) == [1_198, 1])
    }
}
