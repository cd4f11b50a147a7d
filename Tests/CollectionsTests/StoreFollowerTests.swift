import Models
import Store
import Sync
import Testing

@testable import Collections

@MainActor
@Suite(.timeLimit(.minutes(10))) struct StoreFollowerTests {
    private let store: ChatStore
    private let taken = Taken()

    /// The numbers of the delivered changes.
    @MainActor private final class Taken {
        private(set) var numbers: [Int] = []
        let waiting = Waiting()

        func append(_ number: Int) {
            numbers.append(number)
            waiting.recordChange()
        }
    }

    init() throws { store = try ChatStore.inMemory() }

    private nonisolated func write(_ text: String = "") throws {
        try store.write { batch in
            try batch.save(GroupChannel(url: "general", name: text, createdAt: 1))
        }
    }

    private func follow() throws -> StoreFollower {
        let taken = taken
        return try StoreFollower(.everything, of: store) { taken.append($0.number) }
    }

    /// Waits until `count` changes have been delivered.
    ///
    /// Then it lets the main actor run, in case more changes arrive.
    private func wait(for count: Int) async {
        let taken = taken
        await taken.waiting.until { taken.numbers.count >= count }
        for _ in 0..<20 { await Task.yield() }
    }

    @Test func changesOfManyThreadsAreDeliveredOnceInOrder() async throws {
        let follower = try follow()
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<50 { try write("\(writer) \(number)") }
                }
            }
            try await group.waitForAll()
        }
        await wait(for: 200)
        #expect(taken.numbers == Array(1...200))
        follower.stop()
    }

    @Test func changeCommittedDuringDeliveryIsDeliveredNext() async throws {
        let taken = taken
        var follower: StoreFollower?
        follower = try StoreFollower(.everything, of: store) { change in
            if change.number < 4 { #expect(throws: Never.self) { try write("\(change.number)") } }
            // `processQueued` must not deliver the queued changes before the current one.
            follower?.processQueued()
            taken.append(change.number)
        }
        try write()
        await wait(for: 4)
        #expect(taken.numbers == [1, 2, 3, 4])
        follower?.stop()
    }

    @Test func queuedChangesAreProcessed() async throws {
        let follower = try follow()
        try write("a")
        try write("b")
        follower.processQueued()
        #expect(taken.numbers == [1, 2])
        try write("c")
        await wait(for: 3)
        #expect(taken.numbers == [1, 2, 3])
        follower.stop()
    }

    @Test func stoppedFollowerReceivesNoMoreChanges() async throws {
        var follower: StoreFollower?
        let taken = taken
        follower = try StoreFollower(.everything, of: store) { change in
            taken.append(change.number)
            follower?.stop()
        }
        try write("a")
        try write("b")
        await wait(for: 1)
        try write("c")
        await wait(for: 1)
        #expect(taken.numbers == [1])
        follower?.processQueued()
        #expect(taken.numbers == [1])
    }

    @Test func releasedFollowerReceivesNoMoreChanges() async throws {
        var follower: StoreFollower? = try follow()
        weak let observed = follower
        try write("a")
        await wait(for: 1)
        follower = nil
        try write("b")
        await wait(for: 1)
        #expect(observed == nil)
        #expect(taken.numbers == [1])
    }

    @Test func changesBeforeCloseAreStillDelivered() async throws {
        let follower = try follow()
        try write("a")
        store.close()
        await wait(for: 1)
        #expect(taken.numbers == [1])
        #expect(throws: SyncError.self) { try follower.read { _ in } }
        follower.stop()
    }
}
