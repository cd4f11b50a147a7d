import Foundation
import Models
import Testing

@testable import Store

/// Tests numbers on disk that no version of the store writes.
@Suite struct NumberTests {
    /// Returns a store that has an impossible next number in a database.
    private func damaged(_ name: String) throws -> StoreDirectory {
        let directory = try StoreDirectory()
        try directory.open().close()
        let batch = Overlay()
        let number = [UInt8](repeating: 0xFF, count: name == "cache" ? 4 : 8)
        batch.put({ $0.schemaKey(.nextNumber) }, { $0.raw(number) })
        try LevelDB(at: directory.url.appending(path: name).path).write(batch, isDurable: true)
        return directory
    }

    @Test func nextChannelNumberOutOfRangeIsDamage() throws {
        let directory = try damaged("cache")
        let store = try directory.open()
        #expect(store.openingReport.replacedCache?.code == .corruption)
        #expect(try store.contradictions() == [])
    }

    @Test func outboxWithANextNumberOutOfRangeIsRebuilt() throws {
        let directory = try damaged("outbox")
        let store = try directory.open()
        #expect(store.openingReport.isOutboxRebuilt)
        #expect(try store.contradictions() == [])
    }
}
