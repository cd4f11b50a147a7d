import Models
import ScrollbackTesting
import Testing

@testable import Store

@Suite struct SearchTests {
    private func message(
        _ id: MessageID, at time: Timestamp, in url: ChannelURL = "general", _ text: String,
        by sender: UserID? = nil
    ) -> Message {
        var message = Message(id, at: time, in: url, by: sender)
        message.text = text
        return message
    }

    private func store(_ messages: [Message], isIndexed: Bool = true) throws -> ChatStore {
        var options = StoreOptions()
        options.isSearchIndexed = isIndexed
        let store = try ChatStore.inMemory(options: options)
        try store.write { batch in
            for message in messages { try batch.save(message) }
        }
        return store
    }

    private func find(
        _ text: String, in store: some StoreReader, limit: Int = 100,
        _ change: (inout MessageSearchParams) -> Void = { _ in }
    ) throws -> String {
        var params = MessageSearchParams(text)
        change(&params)
        return try store.searchMessages(params, limit: limit).map(\.message).ids
    }

    @Test(arguments: [false, true])
    func resultsOfAllChannelsAreNewestFirst(isIndexed: Bool) throws {
        let store = try store(
            [
                message("a", at: 10, "an umbrella"), message("b", at: 30, in: "ship", "umbrellas"),
                message("c", at: 20, "Umbrella!"), message("d", at: 20, in: "ship", "umbrella"),
                message("e", at: 40, "rain"),
            ], isIndexed: isIndexed)
        #expect(try find("umbrella", in: store) == "b d c a")
        #expect(try find("umbrella ", in: store) == "d c a")
        #expect(try find("umbrella", in: store) { $0.channelURLs = ["ship", "unknown"] } == "b d")
        #expect(try find("umbrella", in: store) { $0.channelURLs = ["unknown"] } == "")
        #expect(try find("umbrella", in: store, limit: 2) == "b d")
        #expect(try find("umbrella", in: store, limit: 0) == "")
        #expect(try find("", in: store) == "")
    }

    /// People leave out diacritics, type signs that belong to a name, and parts of Korean words.
    @Test(arguments: [false, true]) func textIsFoundAsPeopleTypeIt(isIndexed: Bool) throws {
        let store = try store(
            [
                message("a", at: 1, "I write C++ and C#."), message("b", at: 2, "C is older"),
                message("c", at: 3, "Łukasz, C++11"), message("d", at: 4, "한국어를 배워요"),
                message("e", at: 5, "a+b#c"),
            ], isIndexed: isIndexed)
        let expected = [
            "C++": "c a", "C# ": "a", "C ": "e c b a", "c+": "c a", "C++11": "c", "a+b ": "e",
            "lukasz": "c", "ŁUKASZ": "c", "국어": "d", "한국어를 ": "d", "ㅎ": "d", "한구": "d",
            "국한": "", "F#": "",
        ]
        for (text, ids) in expected { #expect(try find(text, in: store) == ids, "\(text)") }
    }

    @Test(arguments: [false, true]) func filtersRestrictTheResults(isIndexed: Bool) throws {
        var messages = [
            message("a", at: 10, "umbrella", by: "ann"),
            message("b", at: 20, "umbrella", by: "bob"),
            message("c", at: 30, "umbrella", by: "ann"),
        ]
        messages[1].customType = "offer"
        messages[2].parentMessageID = "a"
        let store = try store(messages, isIndexed: isIndexed)
        #expect(try find("umbrella", in: store) == "c b a")
        #expect(try find("umbrella", in: store) { $0.senderUserIDs = ["ann"] } == "c a")
        #expect(try find("umbrella", in: store) { $0.customTypes = ["offer"] } == "b")
        #expect(try find("umbrella", in: store) { $0.messageType = .file } == "")
        #expect(try find("umbrella", in: store) { $0.since = 20 } == "c b")
        #expect(try find("umbrella", in: store) { $0.until = 20 } == "a")
        #expect(
            try find("umbrella", in: store) {
                ($0.since, $0.until) = (20, 20)
            } == "")
        let least = Timestamp(milliseconds: .min)
        #expect(try find("umbrella", in: store) { $0.until = least } == "")
        #expect(try find("umbrella", in: store) { $0.since = least } == "c b a")
    }

    @Test func betterMatchesComeFirstByRelevance() throws {
        let store = try store([
            message("a", at: 10, "umbrella"), message("b", at: 20, "an umbrella in the kitchen"),
            message("c", at: 30, "umbrellas"), message("d", at: 40, "umbrella"),
        ])
        func find(after cursor: SearchCursor?, limit: Int) throws -> [FoundMessage] {
            var params = MessageSearchParams("umbrella")
            params.order = .relevance
            return try store.searchMessages(params, after: cursor, limit: limit)
        }
        let first = try find(after: nil, limit: 2)
        #expect(first.map(\.message).ids == "d a")
        try store.write { try $0.removeMessage("a", in: "general") }
        #expect(try find(after: first.last?.cursor, limit: 3).map(\.message).ids == "b c")
    }

    @Test(arguments: [false, true])
    func pagesByRelevanceContainNoMessagesThatArrivedAfterTheFirstPage(isIndexed: Bool) throws {
        let store = try store(
            (0..<1000).map {
                message("\($0)", at: Timestamp(milliseconds: Int64($0)), "umbrella \($0)")
            },
            isIndexed: isIndexed)
        var params = MessageSearchParams("umbrella")
        params.order = .relevance
        let first = try store.searchMessages(params, limit: 400)
        // A search ranks only the newest matches. These new matches are as many as it ranks. The
        // cursor has a time limit, without which the next pages would no longer rank the matches of
        // the first page.
        try store.write { batch in
            for number in 1000..<2000 {
                try batch.save(
                    message(
                        "\(number)", at: Timestamp(milliseconds: Int64(number)),
                        "an umbrella \(number)"))
            }
        }
        let second = try store.searchMessages(params, after: first.last?.cursor, limit: 400)
        let third = try store.searchMessages(params, after: second.last?.cursor, limit: 400)
        let found = (first + second + third).map { Int($0.message.messageID?.rawValue ?? "") ?? -1 }
        #expect(found.sorted() == Array(0..<1000))
    }

    @Test(arguments: [false, true])
    func anEditedMessageIsFoundByItsNewTextOnlyAndARemovedOneIsNotFound(isIndexed: Bool) throws {
        let store = try store(
            [message("a", at: 10, "umbrella"), message("b", at: 20, "umbrella")],
            isIndexed: isIndexed)
        let before = try store.snapshot()
        try store.write { batch in
            try batch.save(message("a", at: 10, "kitchen"))
            #expect(try find("kitchen", in: batch) == "a")
            try batch.removeMessage("b", in: "general")
        }
        #expect(try find("umbrella", in: store) == "")
        #expect(try find("kitchen", in: store) == "a")
        #expect(try find("umbrella", in: before) == "b a")
        try store.write { try $0.clearMessages(in: "general") }
        #expect(try find("kitchen", in: store) == "")
    }

    @Test(arguments: [false, true])
    func pagesNeitherRepeatNorSkipWhileMessagesComeAndGo(isIndexed: Bool) throws {
        let store = try store(
            (1...6).map { message("\($0)", at: Timestamp(milliseconds: $0), "umbrella") },
            isIndexed: isIndexed)
        let params = MessageSearchParams("umbrella")
        let first = try store.searchMessages(params, limit: 2)
        #expect(first.map(\.message).ids == "6 5")
        try store.write { batch in
            try batch.save(message("7", at: 7, "umbrella"))
            // The next page continues correctly, although the last message of this page is removed.
            try batch.removeMessage("5", in: "general")
            try batch.removeMessage("3", in: "general")
        }
        let next = try store.searchMessages(params, after: first.last?.cursor, limit: 2)
        #expect(next.map(\.message).ids == "4 2")
        let last = try store.searchMessages(params, after: next.last?.cursor, limit: 2)
        #expect(last.map(\.message).ids == "1")
    }

    @Test(arguments: [false, true]) func aDamagedMessageIsReported(isIndexed: Bool) throws {
        let store = try store([message("a", at: 10, "umbrella")], isIndexed: isIndexed)
        let key = ByteWriter.key {
            $0.messageKey(1, Position(createdAt: 10, messageID: "a"))
        }
        let overlay = Overlay()
        overlay.put({ $0.raw(key) }, { $0.raw([0xFF]) })
        try store.cache.write(overlay, isDurable: false)
        try store.write { try $0.save(User(id: "x")) }
        #expect(code { _ = try find("umbrella", in: store) } == .corruption)
    }

    /// A sender from another homeserver can give all of its messages the same time.
    @Test(arguments: [false, true])
    func aPageReadsNoMoreOfTheMessagesWithOneTimeThanItReturns(isIndexed: Bool) throws {
        let ids = ["a", "b", "c", "d", "e"] as [MessageID]
        let store = try store(
            ids.map { message($0, at: 10, "umbrella") }
                + ids.map { message("\($0)2", at: 10, in: "ship", "umbrella") },
            isIndexed: isIndexed)
        var pages: [String] = []
        var cursor: SearchCursor?
        repeat {
            let page = try store.searchMessages(
                MessageSearchParams("umbrella"), after: cursor, limit: 3)
            pages.append(page.map(\.message).ids)
            cursor = page.last?.cursor
        } while cursor != nil
        #expect(pages == ["e2 d2 c2", "b2 a2 e", "d c b", "a", ""])

        let overlay = Overlay()
        overlay.put(
            { $0.messageKey(1, Position(createdAt: 10, messageID: "b")) }, { $0.raw([0xFF]) })
        try store.cache.write(overlay, isDurable: false)
        try store.write { try $0.save(User(id: "x")) }
        let page = try store.searchMessages(MessageSearchParams("umbrella"), limit: 3)
        #expect(page.map(\.message).ids == "e2 d2 c2")
    }

    @Test func aLongQueryHasItsFirstWords() throws {
        let store = try store([message("a", at: 10, "umbrella")])
        #expect(try find(String(repeating: "umbrella ", count: 10_000), in: store) == "a")
        #expect(try find(String(repeating: "umbrella", count: 10_000), in: store) == "")
        #expect(try find(String(repeating: "\"", count: 10_000) + "umbr", in: store) == "a")
        #expect(try find("\u{0}\u{7}umbrella\u{1B}[0m", in: store) == "")
        #expect(try find("\u{0}\u{7}umbrella\u{1B}", in: store) == "a")
    }
}
