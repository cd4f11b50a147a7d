import Models
import Sync

extension BackendConformance {
    static let searchChecks: [ConformanceCheck] = [
        ConformanceCheck(
            "search.words", "search for one word and for two", needs: .messageSearch
        ) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let one = try await scene.channel(alice, bob)
            let two = try await scene.channel(alice, bob)
            let (ship, storm) = (scene.newWord(), scene.newWord())
            let alone = try await alice.send(ship, in: one)
            let both = try await alice.send("\(storm), said the \(ship)", in: two)
            _ = try await alice.send("Nothing", in: one)
            let other = try await alice.send("A \(storm)!", in: one)
            for (text, expected) in [
                (ship, [alone, both]), (storm, [both, other]), ("\(ship) \(storm)", [both]),
                (scene.newWord(), []),
            ] {
                for device in [alice, bob] {
                    let found = try await device.search(text)
                    try expectEqual(
                        found.ids.sorted(), expected.ids.sorted(), "the messages for \"\(text)\"")
                    try expectEqual(
                        found.map(\.text).sorted(), expected.map(\.text).sorted(),
                        "the texts of the found messages")
                }
            }
        },
        ConformanceCheck(
            "search.order", "search for a word in two channels", needs: .messageSearch
        ) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let urls = [
                try await scene.channel(alice, bob), try await scene.channel(alice, bob),
            ]
            let word = scene.newWord()
            for number in 0..<6 {
                _ = try await alice.send("\(word) \(number)", in: urls[number % 2])
            }
            let times = try await bob.search(word).map(\.createdAt)
            try expectEqual(times, times.sorted(by: >), "the times of the found messages")
        },
        ConformanceCheck(
            "search.pages", "search in pages, and send and delete messages between them",
            needs: .messageSearch
        ) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let urls = [
                try await scene.channel(alice, bob), try await scene.channel(alice, bob),
            ]
            let word = scene.newWord()
            var sent: [Message] = []
            for number in 0..<7 {
                sent.append(try await alice.send("\(word) \(number)", in: urls[number % 2]))
            }
            for step in [1, 2, 3, 7] {
                try expectEqual(
                    try await bob.search(word, by: step).ids.sorted(), sent.ids.sorted(),
                    "the messages in pages of \(step)")
            }
            var new: Message?
            let found = try await bob.search(word, by: 3) { page in
                guard new == nil, let last = page.last else { return }
                // The next page continues at the place of a message that is gone.
                try await alice.delete(last)
                new = try await alice.send("\(word) again", in: last.channelURL)
            }
            // A server with several clocks may find the new message.
            try expectEqual(
                found.ids.filter { $0 != new?.messageID?.rawValue }.sorted(), sent.ids.sorted(),
                "the messages while others are sent")
        },
        ConformanceCheck(
            "search.current", "search for the words of edited and deleted messages",
            needs: .messageSearch
        ) { scene in
            let (alice, bob, url) = try await scene.pair()
            let (before, after) = (scene.newWord(), scene.newWord())
            let edited = try await alice.send(before, in: url)
            let deleted = try await alice.send(before, in: url)
            try expectEqual(
                try await bob.search(before).ids.sorted(), [edited, deleted].ids.sorted(),
                "the messages before the changes")
            try await alice.edit(edited, after)
            try await alice.delete(deleted)
            try expectEqual(try await bob.search(before).ids, [], "the messages for the old text")
            let found = try await bob.search(after)
            try expectEqual(found.ids, [edited].ids, "the messages for the new text")
            try expectEqual(found.map(\.text), [after], "the new text")
            let both = scene.newWord()
            let kept = try await alice.send("\(both) 1", in: url)
            try await alice.edit(kept, "\(both) 2")
            try await alice.edit(kept, "\(both) 3")
            try expectEqual(
                try await bob.search(both).map(\.text), ["\(both) 3"],
                "the texts of a message that had the word before and after its edits")
        },
        ConformanceCheck(
            "search.private", "search for the words of a channel of others", needs: .messageSearch
        ) { scene in
            let (alice, bob, carol) = try await scene.trio()
            let url = try await scene.channel(alice, bob)
            let word = scene.newWord()
            let message = try await alice.send("\(word) in secret", in: url)
            try expectEqual(
                try await bob.search(word).ids, [message].ids, "the messages of a member")
            for urls in [[], [url]] as [Set<ChannelURL>] {
                var params = MessageSearchParams(word)
                params.channelURLs = urls
                var found: [Message] = []
                do {
                    found = try await carol.search(params)
                } catch let error as BackendError
                    where [.notFound, .refused].contains(error.code)
                {}
                try expectEqual(found.ids, [], "the messages of a user who is not a member")
            }
        },
        ConformanceCheck(
            "mentions.pages", "list the mentions of a user in two channels", needs: .mentionList
        ) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let urls = [
                try await scene.channel(alice, bob), try await scene.channel(alice, bob),
            ]
            var sent: [Message] = []
            for number in 0..<7 {
                let url = urls[number % 2]
                var params = NewMessage("\(number)")
                params.mentionedUserIDs = [bob.userID]
                sent.append(try await alice.send(params, in: url))
                _ = try await alice.send("between", in: url)
            }
            try await alice.delete(sent.remove(at: 3))
            for limit in [1, 4, 20] {
                let found = try await allPages(of: "the list of mentions", "mentions.pages") {
                    try await bob.backend.perform(ListMentions(after: $0, limit: limit))
                }.filter { urls.contains($0.channelURL) }
                try expectEqual(
                    found.ids.sorted(), sent.ids.sorted(), "the mentions in pages of \(limit)")
                let times = found.map(\.createdAt)
                try expectEqual(times, times.sorted(by: >), "the times in pages of \(limit)")
            }
        },
    ]
}

extension Device {
    /// Returns the results of a search; the closure receives each page before the next one is
    /// requested.
    func search(
        _ text: String, by limit: Int = 20, _ body: ([Message]) async throws -> Void = { _ in }
    ) async throws -> [Message] {
        try await search(MessageSearchParams(text), by: limit, body)
    }

    func search(
        _ params: MessageSearchParams, by limit: Int = 20,
        _ body: ([Message]) async throws -> Void = { _ in }
    ) async throws -> [Message] {
        try await allPages(of: "a search", "search.pages") { cursor in
            let page = try await backend.perform(
                SearchMessages(matching: params, after: cursor, limit: limit))
            try expect(page.elements.count <= limit, "a page has more than \(limit) messages")
            if page.next != nil { try await body(page.elements) }
            return page
        }
    }
}

extension Scene {
    /// A new word of consonants: servers divide words at digits in different ways, and could remove
    /// an ending.
    fileprivate func newWord() -> String {
        let letters = Array("bcdfghjklmnpqrtv".utf8)
        let id = subject.makeRequestID().rawValue.utf8.suffix(12)
        return String(
            decoding: id.flatMap { [letters[Int($0 >> 4)], letters[Int($0 & 15)]] },
            as: UTF8.self)
    }
}
