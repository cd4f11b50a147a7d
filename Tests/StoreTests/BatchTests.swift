import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Small tests for bugs that `StoreModelTests` found.
@Suite struct BatchTests {
    private func message(
        _ id: MessageID, at time: Timestamp = 1, requestID: RequestID? = nil
    ) -> Message {
        Message(id: id, channelURL: "c", requestID: requestID, createdAt: time)
    }

    @Test func batchReadsItsOwnCounts() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.save(message("1"))
            try batch.save(message("2"))
            #expect(try batch.messageCount(in: "c") == 2)
            #expect(try batch.messageCount() == 2)
            try batch.removeMessage("1", in: "c")
            #expect(try batch.messageCount(in: "c") == 1)
            try batch.setPinned(true, for: "c")
            #expect(try batch.isPinned("c"))
            try batch.save(Tombstone("9", in: "b", deletedAt: 1))
            try batch.recordAccess(to: "c")
            #expect(try batch.channelURLsByAccess() == ["b", "c"])
            // Pinning a channel does not give it a channel number.
            try batch.setPinned(true, for: "unknown")
            #expect(try batch.channelURLs().count == 2)
            try batch.clearMessages(in: "c")
            #expect(try batch.messageCount() == 0 && batch.isPinned("c"))
        }
        #expect(try store.messageCount() == 0 && store.isPinned("c"))
    }

    /// The cleared channel has more rows than one write purges.
    @Test func clearedChannelsAreInNoListOrCount() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.save(GroupChannel(url: "c", createdAt: 1))
            for id in 1...500 { try batch.save(message(MessageID(String(id)))) }
        }
        try store.write { batch in
            try batch.clearMessages(in: "c")
            #expect(try batch.groupChannels().map(\.url) == ["c"])
            #expect(try batch.groupChannelCount() == 1)
            #expect(try batch.messageCount() == 0)
        }
        #expect(try store.groupChannels().map(\.url) == ["c"])
        #expect(try store.groupChannelCount() == 1)
        #expect(try store.messageCount() == 0)
        try store.write { try $0.removeChannel("c") }
        #expect(try store.groupChannels().isEmpty && store.messageCount() == 0)
    }

    @Test func purgedDataIsRemovedFromDisk() throws {
        let directory = ScratchDirectory()
        func size() throws -> Int {
            let cache = directory.url.appending(path: "cache")
            return try FileManager.default.contentsOfDirectory(
                at: cache, includingPropertiesForKeys: [.fileSizeKey]
            ).reduce(0) { try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
        }
        let store = try ChatStore(at: directory.url)
        var random = SeededRandom(seed: 1)
        try store.write { batch in
            for id in 1...1_000 {
                let text = random.incompressibleText(words: 50)
                try batch.save(
                    Message(
                        id: MessageID(String(id)), channelURL: "c", text: text, createdAt: 1))
            }
        }
        try store.write { try $0.removeChannel("c") }
        #expect(try size() > 500_000)
        try store.purgeCleared()
        #expect(try size() < 50_000)
        // Besides the next channel number and the schema version, only the mark is left that says
        // that something was cleared.
        #expect(
            try store.view.version.cache.rows().map(\.key)
                == ["73 6e".hex, "73 76".hex, "7a 00 00 00 00".hex])
    }

    @Test func requestIDBelongsToTheMessageThatGotItLast() throws {
        let store = try ChatStore.inMemory()
        func holder() throws -> MessageID? {
            try store.message(requestID: "r", in: "c")?.messageID
        }
        try store.write { try $0.save(message("1", requestID: "r")) }
        #expect(try holder() == "1")
        try store.write { try $0.save(message("2", requestID: "r")) }
        #expect(try holder() == "2")
        // Saving message 1 again, which had the request id before, must not affect message 2.
        try store.write { try $0.save(message("1")) }
        #expect(try holder() == "2")
        try store.write { batch in
            try batch.save(message("3", requestID: "r"))
            try batch.save(message("2", at: 9, requestID: "r"))
            try batch.removeMessage("2", in: "c")
        }
        #expect(try holder() == "3")
        try store.write { try $0.removeMessages(in: "c") }
        #expect(try holder() == nil)
    }
}
