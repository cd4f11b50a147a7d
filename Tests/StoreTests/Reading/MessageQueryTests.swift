import Models
import Testing

@testable import Store

@Suite struct MessageQueryTests {
    /// A store with message a at time 10, b and c at 20, d at 30, and e at 40.
    let store: ChatStore

    init() throws {
        store = try ChatStore.inMemory()
        try store.write { batch in
            for message in [
                Message("d", at: 30), Message("a", at: 10), Message("c", at: 20),
                Message("e", at: 40), Message("b", at: 20),
            ] { try batch.save(message) }
        }
    }

    private func before(
        _ anchor: HistoryAnchor = .newest, inclusive: Bool = false, limit: Int? = nil
    ) throws -> String {
        try store.messages(in: "general", before: anchor, isInclusive: inclusive, limit: limit).ids
    }

    private func after(
        _ anchor: HistoryAnchor, inclusive: Bool = false, limit: Int? = nil
    ) throws -> String {
        try store.messages(in: "general", after: anchor, isInclusive: inclusive, limit: limit).ids
    }

    private func around(
        _ anchor: HistoryAnchor, _ change: (inout MessageListParams) -> Void = { _ in }
    ) throws -> String {
        var params = MessageListParams()
        change(&params)
        return try store.messages(in: "general", around: anchor, params: params).ids
    }

    // MARK: Pages

    @Test func aPageBeforeAPointIsNewestFirst() throws {
        #expect(try before() == "e d c b a")
        #expect(try before(limit: 2) == "e d")
        #expect(try before(.time(30)) == "c b a")
        #expect(try before(.time(30), inclusive: true) == "d c b a")
        #expect(try before(.time(25)) == "c b a")
        #expect(try before(.time(25), inclusive: true) == "c b a")
    }

    @Test func aPageAfterAPointIsOldestFirst() throws {
        #expect(try after(.oldest) == "a b c d e")
        #expect(try after(.oldest, limit: 2) == "a b")
        #expect(try after(.time(20)) == "d e")
        #expect(try after(.time(20), inclusive: true) == "b c d e")
        #expect(try after(.time(25)) == "d e")
    }

    @Test(arguments: [0, -1, Int.min])
    func limitBelowOneReturnsNothing(limit: Int) throws {
        #expect(try before(limit: limit) == "")
        #expect(try after(.oldest, limit: limit) == "")
        #expect(try around(.time(20)) { $0.previousResultSize = limit } == "b c d e")
        #expect(try around(.time(20)) { $0.nextResultSize = limit } == "a")
        #expect(try store.replies(to: "a", in: "general", limit: limit).isEmpty)
        #expect(try store.outboxItems(limit: limit).isEmpty)
    }

    @Test func limitAboveTheCountReturnsAll() throws {
        #expect(try before(limit: .max) == "e d c b a")
        #expect(try after(.oldest, limit: .max) == "a b c d e")
        #expect(try around(.time(20)) { $0.nextResultSize = .max } == "a b c d e")
    }

    @Test func anUnknownChannelHasNoMessages() throws {
        #expect(try store.messages(in: "nowhere").isEmpty)
        #expect(try store.messages(in: "nowhere", after: .oldest).isEmpty)
        #expect(try store.message("a", in: "nowhere") == nil)
        #expect(try store.message(requestID: "r", in: "nowhere") == nil)
        #expect(try store.replies(to: "a", in: "nowhere").isEmpty)
        #expect(try store.messageCount(in: "nowhere") == 0)
        #expect(try store.messages(in: "").isEmpty)
        // Reading an unknown channel does not create it.
        #expect(try store.channelURLs() == ["general"])
    }

    // MARK: Around a point

    @Test func messageAtTheAnchorCountsAsNext() throws {
        #expect(try around(.time(20)) { $0.previousResultSize = 5 } == "a b c d e")
        #expect(try around(.time(20)) { $0.nextResultSize = 1 } == "a b")
        #expect(try around(.time(20)) { $0.isInclusive = false } == "a d e")
        #expect(
            try around(.position(Position(createdAt: 20, messageID: "c"))) {
                $0.previousResultSize = 1
                $0.nextResultSize = 2
            } == "b c d")
    }

    // MARK: The ends of time

    @Test func timesReachFromTheLeastToTheGreatest() throws {
        try store.write { batch in
            try batch.save(Message("min", at: .distantPast, in: "ends"))
            try batch.save(Message("neg", at: -1, in: "ends"))
            try batch.save(Message("nul", at: 0, in: "ends"))
            try batch.save(Message("max", at: .distantFuture, in: "ends"))
        }
        func before(_ anchor: HistoryAnchor, _ isInclusive: Bool) throws -> String {
            try store.messages(in: "ends", before: anchor, isInclusive: isInclusive).ids
        }
        func after(_ anchor: HistoryAnchor, _ isInclusive: Bool) throws -> String {
            try store.messages(in: "ends", after: anchor, isInclusive: isInclusive).ids
        }
        let (least, greatest) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(try before(.newest, false) == "max nul neg min")
        #expect(try before(.time(greatest), false) == "nul neg min")
        #expect(try before(.time(greatest), true) == "max nul neg min")
        #expect(try before(.time(least), false) == "")
        #expect(try before(.time(least), true) == "min")
        #expect(try after(.time(least), false) == "neg nul max")
        #expect(try after(.time(least), true) == "min neg nul max")
        #expect(try after(.time(greatest), false) == "")
        #expect(try after(.time(greatest), true) == "max")
        #expect(try after(.time(-1), false) == "nul max")
        #expect(
            try store.message("min", in: "ends")?.createdAt == Timestamp(milliseconds: .min))
        // A read must end with the last row of the channel, and must not continue with the rows of
        // another channel.
        #expect(try store.messages(in: "general").ids == "e d c b a")
    }

    // MARK: Filters

    @Test func filtersIncludeTheMessagesOfTheList() throws {
        var file = Message("f", at: 50, by: "ann")
        file.type = .file
        var admin = Message("g", at: 60)
        admin.type = .admin
        var special = Message("h", at: 70, by: "bo")
        special.customType = "special"
        let reply = Message("i", at: 80, by: "bo", to: "a")
        var shown = Message("j", at: 90, by: "cy", to: "a")
        shown.isReplyToChannel = true
        try store.write { batch in
            for message in [file, admin, special, reply, shown] { try batch.save(message) }
        }
        func list(_ change: (inout MessageListParams) -> Void) throws -> String {
            var params = MessageListParams()
            params.replyType = .all
            change(&params)
            return try store.messages(in: "general", matching: params).ids
        }
        #expect(try list { _ in } == "j i h g f e d c b a")
        #expect(try list { $0.messageType = .file } == "f")
        #expect(try list { $0.messageType = .admin } == "g")
        #expect(try list { $0.messageType = .text } == "j i h e d c b a")
        #expect(try list { $0.customTypes = ["special", "other"] } == "h")
        #expect(try list { $0.senderUserIDs = ["bo", "cy"] } == "j i h")
        #expect(try list { $0.replyType = .none } == "h g f e d c b a")
        #expect(try list { $0.replyType = .onlyReplyToChannel } == "j h g f e d c b a")
        // The limit counts only the messages that match the filter.
        var bo = MessageListParams()
        bo.senderUserIDs = ["bo"]
        bo.replyType = .all
        #expect(try store.messages(in: "general", limit: 1, matching: bo).ids == "i")
        #expect(
            try store.messages(in: "general", after: .oldest, limit: 1, matching: bo).ids == "h")
    }

    // MARK: Removing

    @Test func removedMessageIsInNoQuery() throws {
        try store.write { try $0.save(Message("r", at: 50, request: "q", to: "a")) }
        let (_, change) = try store.commit { (batch) throws in
            #expect(try batch.removeMessage("r", in: "general"))
            #expect(try !batch.removeMessage("r", in: "general"))
            #expect(try !batch.removeMessage("a", in: "nowhere"))
        }
        #expect(change.picture == "-r")
        #expect(try before() == "e d c b a")
        #expect(try store.message("r", in: "general") == nil)
        #expect(try store.message(requestID: "q", in: "general") == nil)
        #expect(try store.replies(to: "a", in: "general").isEmpty)
        #expect(try store.messageCount(in: "general") == 5)
    }

    @Test func rangeIsRemovedIncludingItsBounds() throws {
        let b = Gap.Bound.position(Position(createdAt: 20, messageID: "b"))
        let d = Gap.Bound.position(Position(createdAt: 30, messageID: "d"))
        try store.write { (batch) throws in
            #expect(try batch.removeMessages(in: "general", from: d, through: b) == 0)
        }
        try store.write { (batch) throws in
            #expect(try batch.removeMessages(in: "general", from: b, through: d) == 3)
        }
        #expect(try before() == "e a")
        try store.write { (batch) throws in
            #expect(try batch.removeMessages(in: "general", through: b) == 1)
        }
        #expect(try before() == "e")
        try store.write { (batch) throws in #expect(try batch.removeMessages(in: "general") == 1) }
        #expect(try before() == "")
        #expect(try store.messageCount(in: "general") == 0)
    }

    // MARK: Messages that cannot be stored

    @Test func emptyNameIsInvalid() throws {
        try store.write { batch in
            #expect(code { try batch.save(Message("", at: 1)) } == .invalid)
            #expect(code { try batch.save(Message("m", at: 1, in: "")) } == .invalid)
            #expect(code { try batch.save(GroupChannel(url: "", createdAt: 1)) } == .invalid)
            #expect(code { try batch.save(OpenChannel(url: "", createdAt: 1)) } == .invalid)
            #expect(code { try batch.save(OutboxItem("hi", request: "")) } == .invalid)
            #expect(code { try batch.save(OutboxItem("hi", request: "r", in: "")) } == .invalid)
            var moved = OutboxItem("hi", request: "r", in: "here")
            moved.message?.channelURL = "elsewhere"
            #expect(code { try batch.save(moved) } == .invalid)
            #expect(code { try batch.save(User(id: "")) } == .invalid)
            #expect(code { try batch.recordAccess(to: "") } == .invalid)
            #expect(code { try batch.setKeptInCache(true, for: "") } == .invalid)
        }
        #expect(try store.snapshot().number == 1)
    }

    @Test func unsentMessageIsInvalid() throws {
        let unsent = Message(
            id: nil, channelURL: "general", requestID: "r", createdAt: 1, sendingStatus: .pending)
        let error = #expect(throws: StoreError.self) { try store.write { try $0.save(unsent) } }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains("item") == true)
    }

    @Test func namesAreLimitedToALengthOfTwoBytes() throws {
        let longest = String(repeating: "x", count: 65_535)
        let tooLong = longest + "y"
        try store.write { batch in
            try batch.save(Message(MessageID(longest), at: 1, in: ChannelURL(longest)))
            try batch.save(
                Message("reply", at: 2, in: ChannelURL(longest), to: MessageID(longest)))
            try batch.save(OutboxItem("hi", request: RequestID(longest), in: ChannelURL(longest)))
        }
        #expect(try store.messages(in: ChannelURL(longest)).count == 2)
        #expect(try store.replies(to: MessageID(longest), in: ChannelURL(longest)).ids == "reply")
        #expect(try store.outboxItems(in: ChannelURL(longest)).count == 1)

        let before = try store.snapshot().number
        try store.write { batch in
            #expect(code { try batch.save(Message(MessageID(tooLong), at: 1)) } == .invalid)
            #expect(
                code { try batch.save(Message("m", at: 1, in: ChannelURL(tooLong))) } == .invalid)
            #expect(
                code { try batch.save(Message("m", at: 1, to: MessageID(tooLong))) } == .invalid)
            #expect(
                code { try batch.save(GroupChannel(url: ChannelURL(tooLong), createdAt: 1)) }
                    == .invalid)
            #expect(
                code { try batch.save(OutboxItem("hi", request: RequestID(tooLong))) } == .invalid)
            #expect(
                code { try batch.save(OutboxItem("hi", request: "r", in: ChannelURL(tooLong))) }
                    == .invalid)
        }
        // The batch that threw an error has written nothing.
        #expect(try store.snapshot().number == before)
        // A lookup of the message returns `nil` and does not throw.
        #expect(try store.message(MessageID(tooLong), in: "general") == nil)
        #expect(try store.messages(in: ChannelURL(tooLong)).isEmpty)
        #expect(try store.replies(to: MessageID(tooLong), in: ChannelURL(longest)).isEmpty)
        #expect(try store.outboxItems(in: ChannelURL(tooLong)).isEmpty)
    }

    @Test func tooLongRequestIDIsNotIndexed() throws {
        // Another client chose the request id. Therefore the message is stored, even if its request
        // id is too long for the index.
        let request = RequestID(String(repeating: "r", count: 70_000))
        try store.write { try $0.save(Message("m", at: 1, request: request)) }
        #expect(try store.message("m", in: "general")?.requestID == request)
        #expect(try store.message(requestID: request, in: "general") == nil)
        try store.write { try $0.save(Message("m", at: 1, request: "short")) }
        #expect(try store.message(requestID: "short", in: "general")?.messageID == "m")
    }
}
