import Models
import Testing

@testable import Store

/// What ``StoreModelTests`` found, in the fewest words.
@Suite struct BatchTests {
    private func message(
        _ id: MessageID, at time: Timestamp = 1, requestID: RequestID? = nil
    ) -> Message {
        Message(id: id, channelURL: "c", requestID: requestID, createdAt: time)
    }

    @Test func aBatchSeesWhatItCounts() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.save(message("1"))
            try batch.save(message("2"))
            #expect(try batch.messageCount(in: "c") == 2)
            #expect(try batch.messageCount() == 2)
            try batch.removeMessage("1", in: "c")
            #expect(try batch.messageCount(in: "c") == 1)
            try batch.setPinned(true, "c")
            #expect(try batch.isPinned("c"))
            try batch.noteAccess(to: "c")
            try batch.setPinned(false, "b")
            #expect(try batch.channelURLsByAccess() == ["b", "c"])
        }
        #expect(try store.messageCount() == 1 && store.isPinned("c"))
    }
}
