import Foundation
import Models
import Testing

@testable import Store

/// Tests drafts, which are the texts that the user is writing in channels.
///
/// They are stored in the outbox database.
@Suite struct DraftTests {
    @Test(arguments: FileForm.allCases)
    func draftIsKeptUntilItIsReplacedOrRemoved(_ form: FileForm) throws {
        let directory = try StoreDirectory(form)
        var store = try directory.open()
        #expect(try store.draft(of: "a") == nil && store.drafts().isEmpty)
        try store.write { batch in
            try batch.setDraft("one", of: "a")
            #expect(try batch.draft(of: "a") == "one")
            try batch.setDraft("two 👋", of: "b")
        }
        try store.write { try $0.setDraft("three", of: "a") }
        store.close()
        store = try directory.open()
        #expect(try store.drafts() == ["a": "three", "b": "two 👋"])
        try store.write { try $0.setDraft("", of: "a") }
        #expect(try store.draft(of: "a") == nil && store.draft(of: "b") == "two 👋")
        store.close()
    }

    @Test func draftOutlivesItsChannelAndTheCache() throws {
        let directory = try StoreDirectory()
        var store = try directory.open()
        try store.write { batch in
            try batch.save(GroupChannel(url: "a", createdAt: 1))
            try batch.setDraft("text", of: "a")
        }
        try store.write { try $0.clearMessages(in: "a") }
        try store.write { try $0.removeChannel("a") }
        #expect(try store.draft(of: "a") == "text")
        try store.clearCachedData()
        #expect(try store.draft(of: "a") == "text")
        store.close()
        try ChatStore.removeCache(at: directory.url)
        store = try directory.open()
        #expect(try store.draft(of: "a") == "text")
        try store.write { try $0.removeDrafts() }
        #expect(try store.drafts().isEmpty)
    }

    @Test func observersOfAChannelAndOfTheListReceiveDrafts() throws {
        let store = try ChatStore.inMemory()
        let channel = try store.observe(.channel("a")).1
        let other = try store.observe(.channel("b")).1
        let list = try store.observe(.channels).1
        let outbox = try store.observe(.outboxItems).1
        try store.write { try $0.setDraft("one", of: "a") }
        try store.write { try $0.setDraft("one", of: "a") }
        try store.write { try $0.setDraft("", of: "a") }
        try store.write { try $0.setDraft("", of: "a") }
        #expect(channel.drain().map(\.picture) == ["draft(a one)", "draft(a )"])
        #expect(list.drain().map(\.picture) == ["draft(a one)", "draft(a )"])
        #expect(other.drain().isEmpty && outbox.drain().isEmpty)
    }

    @Test func draftNeedsAChannelWhoseURLFits() throws {
        let store = try ChatStore.inMemory()
        for url in ["", ChannelURL(String(repeating: "a", count: 65_536))] {
            #expect(code { try store.write { try $0.setDraft("text", of: url) } } == .invalid)
        }
    }

    // MARK: Damage

    @Test func draftThatCannotBeDecodedIsReportedAndReplaced() throws {
        let directory = try StoreDirectory()
        var store = try directory.open()
        try store.write { try $0.setDraft("text", of: "a") }
        store.close()
        let database = try LevelDB(at: directory.url.appending(path: "outbox").path)
        let batch = Overlay()
        batch.put({ $0.draftKey("a") }, { $0.raw([0xFF]) })
        try database.write(batch, isDurable: true)
        database.close()
        store = try directory.open()
        #expect(code { _ = try store.draft(of: "a") } == .corruption)
        #expect(try store.drafts().isEmpty)
        #expect(try store.check().map(\.kind) == [.unreadable])
        try store.write { try $0.setDraft("new", of: "a") }
        #expect(try store.draft(of: "a") == "new" && store.check().isEmpty)
        store.close()
    }

    @Test func rebuiltOutboxKeepsDrafts() throws {
        let directory = try StoreDirectory()
        var store = try directory.open()
        try store.write { batch in
            try batch.setDraft("text", of: "a")
            try batch.save(
                OutboxItem(
                    Message(id: nil, channelURL: "a", text: "b", createdAt: 5), requestID: "p"))
        }
        store.close()
        let manifest = try #require(try directory.files("outbox", "CURRENT").first)
        try Data("none".utf8).write(to: manifest)
        store = try directory.open()
        #expect(store.openingReport.isOutboxRebuilt)
        #expect(try store.draft(of: "a") == "text" && store.outboxItemCount() == 1)
        store.close()
    }

    /// On-disk format, do not change the bytes.
    @Test func draftHasTheBytesOfTheFormatPage() throws {
        let directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { try $0.setDraft("See you", of: "general") }
        store.close()
        let rows = try SchemaFixture.rows(of: directory)
        #expect(rows.contains("6467656e6572616c → 53656520796f75"))
    }
}
