import Models
import Testing

@testable import Store

/// Tests that index rows follow the same rules when they are written with a message and when they
/// are rebuilt.
@Suite struct IndexTests {
    private let directory: StoreDirectory

    init() throws { directory = try StoreDirectory() }

    /// Opens the store as if its log had lost commits.
    ///
    /// All indexes are then rebuilt.
    private func reindexed() throws -> ChatStore {
        try directory.writeToCache([(ByteWriter.key { $0.schemaKey(.distrusted) }, [])])
        let store = try directory.open()
        #expect(store.openingReport.isCoverageDropped)
        return store
    }

    @Test func requestRowRefersToTheNewestMessageAfterARebuild() throws {
        var store = try directory.open()
        try store.write { batch in
            try batch.save(Message("1", at: 1, request: "r"))
            try batch.save(Message("2", at: 2, request: "r"))
        }
        #expect(try store.message(requestID: "r", in: "general")?.messageID == "2")
        store.close()
        store = try reindexed()
        #expect(try store.message(requestID: "r", in: "general")?.messageID == "2")
    }

    @Test func tooLongRequestIDIsNotIndexedAfterARebuild() throws {
        let long = RequestID(String(repeating: "r", count: 70_000))
        var store = try directory.open()
        try store.write { try $0.save(Message("1", at: 1, request: long)) }
        #expect(try store.describedRequests() == 0)
        store.close()
        store = try reindexed()
        #expect(try store.message("1", in: "general") != nil)
        #expect(try store.describedRequests() == 0)
        #expect(try store.contradictions() == [])
    }
}

extension ChatStore {
    /// Returns the number of request ids in the index.
    fileprivate func describedRequests() throws -> Int {
        try describedRows(of: .cache, table: "request").count
    }
}
