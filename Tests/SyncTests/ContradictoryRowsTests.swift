import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Sync
import Testing

@testable import Store

/// Tests that a device with contradictory rows continues, and finally has the server's state.
@Suite(.timeLimit(.minutes(10))) struct ContradictoryRowsTests {
    /// The kind of the contradictory rows.
    enum Damage: CaseIterable {
        case gaps, staleRanges
    }

    private func write(_ damage: Damage, _ positions: [Position], to batch: Overlay) {
        let bounds = positions.map(Gap.Bound.position)
        func put<Value: HistoryRange>(_ range: Value) {
            batch.put({ $0.boundKey(Value.table, 1, range.upper) }, range.writeValue)
        }
        switch damage {
        case .gaps:
            put(Gap(in: "general", from: bounds[0], to: bounds[3]))
            put(Gap(in: "general", from: bounds[1], to: bounds[4]))
        case .staleRanges:
            put(StaleRange(in: "general", from: bounds[0], to: bounds[3], lossNumber: 1))
            put(StaleRange(in: "general", from: bounds[1], to: bounds[4], lossNumber: 1))
        }
    }

    @Test(arguments: Damage.allCases)
    func contradictoryRowsDoNotBlockAnExpiredCursor(damage: Damage) async throws {
        let directory = try ScratchDirectory.made()
        let place = directory.url.appending(path: "store")
        var store = try ChatStore(at: place)
        let story = try await Story(.exact, store: store)
        let messages = try await story.say("a b c d e f")
        try await story.open()
        await story.engine.close()
        store.close()
        let database = try LevelDB(at: place.appending(path: "cache").path)
        let batch = Overlay()
        write(damage, messages.compactMap(\.position), to: batch)
        try database.write(batch, isDurable: true)
        database.close()

        store = try ChatStore(at: place)
        #expect(try store.check() != [])
        try story.server.expireCursors()
        let engine = story.restarted(store: store)
        await engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.say("g")
        try await engine.connect(as: Credentials("bob"))
        try await engine.caughtUp("general")
        #expect(
            try store.messages(in: "general").map(\.text).joined(separator: " ")
                == "g f e d c b a")
        #expect(try store.check() == [])
        await engine.close()
        store.close()
        directory.remove()
    }
}
