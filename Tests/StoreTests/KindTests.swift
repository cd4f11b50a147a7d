import Foundation
import Models
import Testing

@testable import Store

/// Tests the index of kinds; `StoreModelTests` compares its lists with a filter after every step.
@Suite struct KindTests {
    private func link(
        _ id: MessageID, at time: Timestamp, in url: ChannelURL = "a"
    ) -> Message {
        Message(id: id, channelURL: url, text: "www.\(id).de", createdAt: time)
    }

    @Test func pageIsReadWithoutVisitingOtherMessages() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            for number in 1...2_000 {
                let id = MessageID("\(number)")
                let time = Timestamp(milliseconds: Int64(number))
                try batch.save(
                    number % 400 == 0 ? link(id, at: time) : Message(id, at: time, in: "a"))
            }
        }
        // A message between the listed ones that cannot be decoded would throw if it were visited.
        let damage = Overlay()
        damage.put(
            { $0.messageKey(1, Position(createdAt: 1_999, messageID: "1999")) }, { $0.byte(0xFF) })
        try store.cache.write(damage, isDurable: false)
        try store.renewSnapshot(index: nil)
        #expect(try store.messages(of: .link, in: "a", limit: 2).ids == "2000 1600")
        #expect(try store.messages(of: .link, limit: 2).ids == "2000 1600")
        #expect(throws: StoreError.self) { try store.messages(in: "a", limit: 2) }
    }

    @Test func listOfFilesVisitsOnlyFiles() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            for number in 1...1_000 {
                let time = Timestamp(milliseconds: Int64(number))
                var message = Message(MessageID("\(number)"), at: time, in: "a")
                if number % 100 == 0 { message.type = .file }
                try batch.save(message)
            }
        }
        var params = MessageListParams()
        params.messageType = .file
        var visits = VisitLimit(10)
        let found = try store.messages(
            in: "a", from: .beginning, to: .end, isNewestFirst: true, limit: 9, matching: params,
            visiting: &visits)
        #expect(found.ids == "1000 900 800 700 600 500 400 300 200" && visits.stop == nil)
        #expect(
            try store.messages(in: "a", after: .time(850), limit: 1, matching: params).ids == "900")
        #expect(
            try store.messages(in: "a", before: .time(850), limit: 1, matching: params).ids == "800"
        )
        #expect(try store.messages(in: "a", matching: params).count == 10)
    }

    @Test func plainTextHasNoRow() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.save(Message("1", at: 1, in: "a"))
            try batch.removeMessage("1", in: "a")
            #expect(batch.rows.cache.rows(in: KeyRange(prefix: [Table.kind.rawValue])).isEmpty)
        }
    }

    // MARK: A cache of an earlier version

    /// Makes a store as an earlier version would have left it.
    private func removeIndex(of directory: StoreDirectory) throws {
        let cache = try LevelDB(at: directory.url.appending(path: "cache").path)
        let overlay = Overlay()
        try cache.snapshot().scan(KeyRange(prefix: [Table.kind.rawValue])) {
            (key, _) throws(StoreError) in
            overlay.remove { $0.raw(key) }
            return true
        }
        overlay.remove { $0.schemaKey(.kindIndex) }
        try cache.write(overlay, isDurable: false)
        cache.close()
    }

    @Test func cacheOfAnEarlierVersionIsIndexedStepByStep() throws {
        let directory = try StoreDirectory()
        var store = try directory.open()
        try store.write { batch in
            try batch.save(Message("7", at: 7, in: "gone"))
            for id in 1...5 {
                let url: ChannelURL = id > 3 ? "b" : "a"
                let time = Timestamp(milliseconds: Int64(id))
                try batch.save(link(MessageID("\(id)"), at: time, in: url))
            }
        }
        store.close()
        try removeIndex(of: directory)
        store = try directory.open()
        #expect(try store.view.cache.count(KeyRange(prefix: [Table.kind.rawValue])) == 0)
        // Until all messages are indexed, they are read themselves.
        #expect(try store.messages(of: .link, limit: 9).ids == "5 4 3 2 1")
        #expect(try store.indexKinds(atMost: 3))
        #expect(try store.view.cache.count(KeyRange(prefix: [Table.kind.rawValue])) == 2)
        // These changes concern messages on both sides of the point that was reached.
        try store.write { batch in
            try batch.save(link("0", at: 0, in: "a"))
            try batch.removeMessage("5", in: "b")
            try batch.save(Message("4", at: 4, in: "b"))
            try batch.save(Message("3", at: 3, in: "a"))
        }
        #expect(try store.messages(of: .link, limit: 9).ids == "2 1 0")
        store.close()
        store = try directory.open()
        while try store.indexKinds(atMost: 2) {}
        #expect(try store.view.cache.hasCompleteKindIndex())
        #expect(try store.indexKinds() == false)
        #expect(try store.messages(of: .link, limit: 9).ids == "2 1 0")
        #expect(try store.contradictions() == [])
    }

    @Test func clearedChannelIsNotIndexed() throws {
        let directory = try StoreDirectory()
        var store = try directory.open()
        try store.write { batch in
            for id in 1...2_000 {
                let time = Timestamp(milliseconds: Int64(id))
                try batch.save(link(MessageID("\(id)"), at: time))
            }
        }
        store.close()
        try removeIndex(of: directory)
        store = try directory.open()
        try store.write { try $0.clearMessages(in: "a") }
        while try store.indexKinds() {}
        try store.purgeCleared()
        #expect(try store.view.cache.count(KeyRange(prefix: [Table.kind.rawValue])) == 0)
        #expect(try store.messages(of: .link, limit: 9) == [])
        #expect(try store.contradictions() == [])
    }

    @Test func indexOfAnotherFormatIsBuiltAgain() throws {
        let directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { try $0.save(link("1", at: 1)) }
        store.close()
        let cache = try LevelDB(at: directory.url.appending(path: "cache").path)
        let overlay = Overlay()
        overlay.put({ $0.schemaKey(.kindIndex) }, IndexedPart(last: nil, format: 9).write)
        let stray = Position(createdAt: 9, messageID: "9")
        overlay.put { $0.kindKey(1, KindKey.all(of: .image, for: nil)[0], stray) }
        try cache.write(overlay, isDurable: false)
        cache.close()
        let again = try directory.open()
        #expect(try again.view.cache.count(KeyRange(prefix: [Table.kind.rawValue])) == 0)
        #expect(try again.messages(of: .link, limit: 9).ids == "1")
        #expect(try again.indexKinds() == false)
        #expect(try again.contradictions() == [])
    }
}
