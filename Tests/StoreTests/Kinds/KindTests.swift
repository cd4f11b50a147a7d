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

    // MARK: A cache of another version

    @Test(arguments: [true, false]) func cacheOfAnotherFormatIsReplaced(isEarlier: Bool) throws {
        let directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { batch in
            try batch.save(link("1", at: 1))
            try batch.setDraft("typed", of: "a")
        }
        store.close()
        let cache = try LevelDB(at: directory.url.appending(path: "cache").path)
        let overlay = Overlay()
        if isEarlier {
            overlay.remove { $0.schemaKey(.kindFormat) }
        } else {
            overlay.put({ $0.schemaKey(.kindFormat) }, { $0.byte(9) })
        }
        try cache.write(overlay, isDurable: false)
        cache.close()
        let again = try directory.open()
        #expect(again.openingReport.isCacheNew && again.openingReport.replacedCache == nil)
        #expect(try again.messageCount() == 0)
        #expect(try again.draft(of: "a") == "typed")
        try again.write { try $0.save(link("1", at: 1)) }
        #expect(try again.messages(of: .link, limit: 9).ids == "1")
        again.close()
        #expect(try !directory.open().openingReport.isCacheNew)
    }
}
