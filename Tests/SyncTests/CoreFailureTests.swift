import Models
import Store
import Testing

@testable import Sync

/// What the core notes of a store that fails.
@Suite struct CoreFailureTests {
    private func fail(_: Snapshot) throws(StoreError) {
        throw StoreError(.io, "it cannot be read", path: "")
    }

    @Test func aReadThatSucceedsClearsTheFailureOfAnother() throws {
        var core = SyncCore(try ChatStore.inMemory(), SyncOptions(), [])
        #expect(core.read(fail) == nil)
        #expect(core.state.failure?.code == .store)
        core.read { (_) throws(StoreError) in }
        #expect(core.state.failure == nil)
    }

    @Test func aReadThatSucceedsSaysNothingOfWrites() throws {
        var core = SyncCore(try ChatStore.inMemory(), SyncOptions(), [])
        core.write { (_) throws(StoreError) in throw StoreError(.io, "the disk is full", path: "") }
        core.read { (_) throws(StoreError) in }
        #expect(core.state.failure?.code == .store)
        core.write { (_) throws(StoreError) in }
        #expect(core.state.failure == nil)
    }
}
