import Models
import Testing

@testable import Store

@Suite struct ReplyTests {
    /// Creates a store with message p, its replies r1 by ann and r2 by bob, and message q, a reply
    /// to r1.
    private func store() throws -> ChatStore {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.save(Message("p", at: 10))
            try batch.save(Message("r1", at: 20, by: "ann", to: "p"))
            try batch.save(Message("r2", at: 30, by: "bob", to: "p"))
            try batch.save(Message("q", at: 40, by: "ann", to: "r1"))
        }
        return store
    }

    @Test func emptyParamsIncludeAllReplies() throws {
        let store = try store()
        let params = ThreadedMessageListParams()
        #expect(try store.replies(to: "p", in: "general", matching: params).ids == "r2 r1")
        #expect(
            try store.replies(to: "p", in: "general", after: .oldest, matching: params).ids
                == "r1 r2")
    }

    @Test func limitCountsMatchingReplies() throws {
        let store = try store()
        var ann = ThreadedMessageListParams()
        ann.senderUserIDs = ["ann"]
        #expect(try store.replies(to: "p", in: "general", limit: 1, matching: ann).ids == "r1")
        #expect(
            try store.replies(to: "p", in: "general", after: .oldest, limit: 1, matching: ann).ids
                == "r1")
        #expect(try store.replies(to: "r1", in: "general", matching: ann).ids == "q")
    }
}
