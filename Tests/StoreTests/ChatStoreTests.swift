import Models
import ScrollbackTestSupport
import Testing

@testable import Store

@Suite struct ChatStoreTests {
    func message(_ id: MessageID, at time: Timestamp, in url: ChannelURL = "general") -> Message {
        Message(id: id, channelURL: url, text: "m\(id)", createdAt: time)
    }

    @Test func writtenRecordsAreRead() throws {
        let store = try ChatStore.inMemory()
        let (_, change) = try store.commit { batch in
            for id in 1...5 {
                try batch.save(
                    message(MessageID(String(id)), at: Timestamp(milliseconds: Int64(id * 10))))
            }
        }
        #expect(change.number == 1)
        #expect(change.operations.first == .savedGap(Gap(in: "general")))
        #expect(try store.messages(in: "general", limit: 2).map(\.messageID) == ["5", "4"])
        #expect(
            try store.messages(in: "general", before: .time(40)).map(\.messageID) == [
                "3", "2", "1",
            ])
        #expect(
            try store.messages(in: "general", before: .time(40), isInclusive: true).map(\.messageID)
                == ["4", "3", "2", "1"])
        #expect(try store.messages(in: "general", after: .time(40)).map(\.messageID) == ["5"])
        #expect(
            try store.messages(in: "general", after: .time(40), isInclusive: true).map(\.messageID)
                == ["4", "5"])
        #expect(
            try store.messages(in: "general", after: .oldest, limit: 1).map(\.messageID) == ["1"])
        #expect(try store.message("3", in: "general")?.text == "m3")
        #expect(try store.messageCount(in: "general") == 5)
    }

    @Test func storeOnDiskKeepsItsData() throws {
        let directory = ScratchDirectory()
        do {
            let store = try ChatStore(at: directory.url)
            #expect(store.openingReport.isNew)
            try store.write { try $0.save(message("1", at: 1)) }
            try store.write {
                try $0.save(
                    OutboxItem(
                        Message(id: nil, channelURL: "general", text: "hi", createdAt: 5),
                        requestID: "r1"))
            }
            store.close()
        }
        let store = try ChatStore(at: directory.url)
        #expect(!store.openingReport.isNew)
        #expect(try store.message("1", in: "general")?.text == "m1")
        #expect(try store.outboxItems(in: "general").map(\.requestID) == ["r1"])
    }

    /// A reader that returns a later commit at each read.
    struct Restless: StoreReader {
        let store: ChatStore

        var view: StoreView {
            get throws(StoreError) {
                let view = try store.view
                do {
                    try store.write { try $0.save(ChatStoreTests().message("1", at: 9)) }
                } catch {
                    throw StoreError(.io, "\(error)", path: "")
                }
                return view
            }
        }
    }

    @Test func bothSidesOfAnAnchorAreReadFromOneCommit() throws {
        let store = try ChatStore.inMemory()
        try store.write { try $0.save(message("1", at: 1)) }
        var params = MessageListParams()
        params.previousResultSize = 5
        params.nextResultSize = 5
        let found = try Restless(store: store).messages(
            in: "general", around: .time(5), params: params)
        #expect(found.map(\.createdAt) == [1])
    }
}
