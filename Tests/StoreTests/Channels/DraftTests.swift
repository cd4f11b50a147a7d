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

    @Test(arguments: FileForm.allCases)
    func threadsOfAChannelHaveDraftsOfTheirOwn(_ form: FileForm) throws {
        let directory = try StoreDirectory(form)
        var store = try directory.open()
        let list = try store.observe(.channels).1
        try store.write { batch in
            try batch.setDraft("channel", of: "a")
            try batch.setDraft(Draft("thread", replyingTo: "9"), of: "a", inThreadOf: "1")
            try batch.setDraft(Draft("", replyingTo: "8"), of: "ab")
            try batch.setDraft("other", of: "a", inThreadOf: "")
        }
        try store.write { try $0.setDraft(Draft("channel", replyingTo: "7"), of: "a") }
        try store.write { try $0.setDraft("", of: "a", inThreadOf: "") }
        #expect(
            list.drain().map(\.picture) == [
                "draft(a channel) draft(a/1 thread to 9) draft(ab  to 8) draft(a/ other)",
                "draft(a channel to 7)", "draft(a/ )",
            ])
        store.close()
        store = try directory.open()
        #expect(
            try store.drafts() == [
                "a": Draft("channel", replyingTo: "7"), "ab": Draft("", replyingTo: "8"),
            ])
        #expect(
            try store.draft(of: "a", inThreadOf: "1") == Draft("thread", replyingTo: "9"))
        #expect(try store.draft(of: "a", inThreadOf: "") == nil)
        #expect(try store.draft(of: "ab", inThreadOf: "1") == nil)
        #expect(try store.check() == [])
        let shown = try store.describedRows(of: .outbox, table: "draft").map { "\($0)" }
        #expect(shown.contains { $0.contains("thread 1") && $0.contains("reply to 9: thread") })
        try store.write { try $0.removeDrafts() }
        #expect(try store.draft(of: "a", inThreadOf: "1") == nil && store.drafts().isEmpty)
        store.close()
    }

    // MARK: Damage

    @Test func draftThatCannotBeDecodedIsReportedAndReplaced() throws {
        let directory = try StoreDirectory()
        var store = try directory.open()
        try store.write { try $0.setDraft("text", of: "a") }
        store.close()
        let database = try LevelDB(at: directory.url.appending(path: "outbox").path)
        let batch = Overlay()
        batch.put({ $0.raw(DraftPlace("a").key) }, { $0.raw([0xFF]) })
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
        try store.write {
            try $0.setDraft(Draft("No", replyingTo: "2"), of: "c", inThreadOf: "1")
        }
        store.close()
        let rows = try SchemaFixture.rows(of: directory)
        #expect(rows.contains("6467656e6572616c → 53656520796f75"))
        #expect(rows.contains("6463ff31 → ff32ff4e6f"))
    }
}
