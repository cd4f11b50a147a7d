import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

extension SyncEngine {
    /// Starts to disconnect.
    ///
    /// The engine disconnects before it runs any call that is made after this one.
    fileprivate func beginDisconnecting() -> Task<Void, Never> { Task { await disconnect() } }
}

/// Tests an engine whose store is suspended, which closes the files, and resumed.
@Suite(.timeLimit(.minutes(10))) struct EngineSuspendingTests {
    @Test func resumedEngineContinuesWhereItStopped() async throws {
        let temporary = try TemporaryStore()
        let story = try await Story.caching("a", store: temporary.store)
        let item = try await story.engine.send(NewMessage("mine"), in: "general")
        try await story.engine.suspend()
        // Another store can open the files.
        do {
            let other = try ChatStore(at: temporary.directory)
            #expect(try other.messages(in: "general").contains { $0.text == "a" })
            other.close()
        }
        try await story.say("b")
        await #expect(throws: SyncError.self) {
            try await story.engine.send(NewMessage("lost"), in: "general")
        }
        try await story.engine.resume()
        try await story.until { reader in
            let texts = try reader.messages(in: "general").map(\.text)
            return texts.contains("b") && texts.contains("mine")
        }
        #expect(try story.store.outboxItem(item.requestID!) == nil)
        try await story.end()
    }

    @Test(arguments: [true, false])
    func disconnectedClientStaysDisconnected(isSuspended: Bool) async throws {
        let story = try await Story()
        try await story.open()
        if isSuspended { try await story.engine.suspend() }
        await story.engine.disconnect()
        if !isSuspended { try await story.engine.suspend() }
        try await story.engine.resume()
        #expect(await story.engine.state.connection == .offline)
        try await story.connect()
        try await story.end()
    }

    /// Simulates that the user logs out while the app enters the background.
    @Test func disconnectDuringASuspensionIsKept() async throws {
        let story = try await Story()
        try await story.open()
        await story.close()
        let backend = SlowlyEndingBackend(base: story.network)
        let engine = try await story.relaunched(backend: backend)
        backend.sleeper.hold()
        let suspending = Task { try await engine.suspend() }
        await backend.sleeper.begun(1)
        let disconnecting = await engine.beginDisconnecting()
        _ = await engine.state
        backend.sleeper.stopHolding()
        await disconnecting.value
        try await suspending.value
        try await engine.resume()
        #expect(await engine.state.connection == .offline)
        await engine.close()
    }

    @Test func suspensionWaitsForTheReleaseOfASnapshot() async throws {
        let (story, temporary) = (try await Story(), try TemporaryStore())
        let held = Locked<Snapshot?>(try temporary.store.snapshot())
        let engine = SyncEngine(
            store: temporary.store, backend: story.network,
            sleep: { duration in
                // The pause between two attempts; other waits do not end.
                guard duration == .milliseconds(250) else {
                    return try await Task.sleep(for: duration)
                }
                held.withLock { $0 = nil }
            })
        try await engine.suspend()
        #expect(held.withLock { $0 == nil })
        try await engine.resume()
        await engine.close()
    }

    @Test func snapshotPreventsClosingTheFiles() async throws {
        let story = try await Story()
        try await story.open()
        do {
            let snapshot = try story.store.snapshot()
            let error = await #expect(throws: SyncError.self) { try await story.engine.suspend() }
            #expect((error?.cause as? StoreError)?.code == .busy)
            #expect(try snapshot.messageCount() == 0)
        }
        // The suspension did not close the files, and the interrupted work continues.
        try await story.engine.resume()
        try await story.end()
    }
}
