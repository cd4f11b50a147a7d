import Foundation
import Models
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Testing

@testable import Sync

/// Tests the core's state after failures of the store.
@Suite struct CoreFailureTests {
    private func fail(_: Snapshot) throws(StoreError) {
        throw StoreError(.io, "it cannot be read", path: "")
    }

    @Test func successfulReadClearsTheReadFailure() throws {
        var core = SyncCore(try ChatStore.inMemory(), SyncOptions(), [])
        #expect(core.read(fail) == nil)
        #expect(core.state.failure?.code == .store)
        core.read { (_) throws(StoreError) in }
        #expect(core.state.failure == nil)
    }

    // MARK: A store that cannot be read

    /// Returns a core whose feed has started, and the requests that the core has made since then.
    private func live(
        _ store: ChatStore, _ options: SyncOptions = SyncOptions()
    ) throws -> (SyncCore, calls: [Int: any BackendCall]) {
        var core = SyncCore(store, options, [])
        var calls: [Int: any BackendCall] = [:]
        func record(_ actions: [SyncCore.Action]) {
            for case .call(let request, let number) in actions { calls[number] = request }
        }
        record(core.step(.connect(Credentials("bob"), ticket: 1)))
        let session = BackendSession(user: User(id: "bob"), epoch: "1")
        record(core.step(.answer(.success(session), call: try #require(calls.keys.max()))))
        let batch = FeedBatch(events: [], cursor: "1", epoch: "1", isLive: true)
        record(core.step(.answer(.success(batch), call: try #require(calls.keys.max()))))
        record(core.step(.show("general", ShownRange(from: .beginning), viewer: 1)))
        return (core, calls)
    }

    private func waits(_ actions: [SyncCore.Action]) -> [SyncCore.Wait] {
        actions.compactMap { if case .wait(let wait, _, _) = $0 { wait } else { nil } }
    }

    @Test func unreadableOutboxIsReported() throws {
        let store = try ChatStore.inMemory()
        var core = SyncCore(store, SyncOptions(), [])
        store.close()
        #expect(throws: SyncError.self) { try core.loadOutbox() }
        #expect(core.state.failure?.code == .closed)
    }

    @Test func connectFailsIfTheStoreCannotBeRead() throws {
        let store = try ChatStore.inMemory()
        store.close()
        var core = SyncCore(store, SyncOptions(), [])
        let actions = core.step(.connect(Credentials("bob"), ticket: 1))
        #expect(
            actions.contains {
                if case .fail(_, ticket: 1) = $0 { true } else { false }
            })
        #expect(!core.connector.isOn && core.connector.phase == .off)
    }

    // MARK: Requests that are given up

    @Test func afterTheLastAttemptTheBackendIsDisconnected() throws {
        var (core, _) = try live(try ChatStore.inMemory())
        let actions = core.step(.gaveUp(.feed(generation: core.connector.generation)))
        #expect(actions.contains { if case .disconnect = $0 { true } else { false } })
    }

    @Test func waitForALostChannelEnds() throws {
        var (core, calls) = try live(try ChatStore.inMemory())
        let page = try #require(calls.first { $0.value.channel == "general" })
        let wait = SyncCore.Wait.backfill("general", generation: core.connector.generation)
        let failed = CallResult.failure(BackendError(.serverFailure, "oh"))
        #expect(waits(core.step(.answer(failed, call: page.key))) == [wait])
        let feed = try #require(calls.first { ($0.value as? CoreCall.Feed)?.since == "1" })
        let batch = FeedBatch(
            events: [.channelRemoved("general", ChannelRemoval(.left))], cursor: "2", epoch: "1",
            isLive: true)
        let actions = core.step(.answer(.success(batch), call: feed.key))
        #expect(
            actions.contains {
                if case .cancelWait(let canceled) = $0 { canceled == wait } else { false }
            })
    }

    @Test func channelThatWaitsLeavesItsPlaceToShownAndAwaitedOnes() throws {
        var options = SyncOptions()
        options.parallelRequests = 1
        var (core, calls) = try live(try ChatStore.inMemory(), options)
        func requested(_ input: SyncCore.Input) -> [ChannelURL?] {
            core.step(input).compactMap { action in
                if case .call(let request, _) = action { request.channel } else { nil }
            }
        }
        let page = try #require(calls.first { $0.value.channel == "general" }).key
        #expect(requested(.show("shown", ShownRange(from: .beginning), viewer: 2)) == [])
        let late = CallResult.failure(BackendError(.unanswered, "late"))
        #expect(requested(.answer(late, call: page)) == ["shown"])
    }

    /// Someone changes the channel all the time.
    @Test func callerOfAChannelWithVoidAnswersReceivesAnError() throws {
        var (core, calls) = try live(try ChatStore.inMemory())
        var actions = core.step(.awaitCaughtUp("general", ticket: 9))
        for count in 1...5 {
            #expect(!actions.contains { if case .fail(_, ticket: 9) = $0 { true } else { false } })
            let number = try #require(
                calls.filter { $0.value.channel == "general" }.keys.max())
            core.flights.void("general")
            let page = CallResult.success(MessagePage(messages: [], older: nil, newer: nil))
            actions = core.step(.answer(page, call: number))
            for case .call(let request, let number) in actions { calls[number] = request }
            #expect(count == 5 || actions.contains { if case .call = $0 { true } else { false } })
        }
        #expect(
            actions.contains {
                if case .fail(let error, ticket: 9) = $0 { error.code == .stalled } else { false }
            })
    }

    @Test func failedWriteIsFollowedByAnAttemptToReopenTheFiles() throws {
        var (core, _) = try live(try ChatStore.inMemory())
        core.write { (_) throws(StoreError) in throw StoreError(.noSpace, "it is full", path: "") }
        #expect(waits(core.step(.changed)) == [.store])
        #expect(waits(core.step(.changed)).isEmpty)
        #expect(waits(core.step(.waited(.store))).isEmpty)
        #expect(core.state.failure == nil)
    }

    @Test func damagedFilesAreNotReopened() throws {
        var (core, _) = try live(try ChatStore.inMemory())
        core.write { (_) throws(StoreError) in
            throw StoreError(.corruption, "it is damaged", path: "")
        }
        #expect(waits(core.step(.changed)).isEmpty)
    }

    // MARK: A failure of one of the two databases

    private func code(of core: SyncCore) -> StoreError.Code? {
        (core.state.failure?.cause as? StoreError)?.code
    }

    /// Returns a live core of which one database has failed, and cannot be reopened because of a
    /// snapshot.
    private func failed(
        _ disk: KeyPath<FailingDisks, FailingDisk>, in directory: ScratchDirectory
    ) throws -> (SyncCore, FailingDisks, Snapshot) {
        let disks = FailingDisks()
        var (core, _) = try live(try disks.open(directory.url))
        let snapshot = try core.store.snapshot()
        disks[keyPath: disk].fail(at: 1, with: ENOSPC, once: false)
        core.write { (ingest) throws(StoreError) in
            ingest.batch.setLastEpoch("2")
            try ingest.batch.save(
                OutboxItem(.send, requestID: "a", channelURL: "general", createdAt: 1))
        }
        #expect(core.state.failure?.code == .store)
        return (core, disks, snapshot)
    }

    @Test func writeThatDoesNotChangeTheOutboxKeepsItsFailure() throws {
        let directory = ScratchDirectory()
        var (core, disks, snapshot) = try failed(\.outbox, in: directory)
        core.write { (_) throws(StoreError) in }
        core.write { (ingest) throws(StoreError) in ingest.batch.setLastEpoch("3") }
        #expect(code(of: core) == .noSpace)
        // The cache can be written, so it can catch up.
        #expect(core.lastFailure == nil)
        #expect(waits(core.step(.changed)) == [.store])
        #expect(waits(core.step(.waited(.store))) == [.store])
        #expect(code(of: core) == .busy)
        withExtendedLifetime(snapshot) {}
        (snapshot, _) = (try ChatStore.inMemory().snapshot(), disks.heal())
        #expect(waits(core.step(.waited(.store))).isEmpty)
        #expect(core.state.failure == nil)
        core.store.close()
    }

    @Test func itemThatCanBeWrittenKeepsTheFailureOfTheCache() throws {
        let directory = ScratchDirectory()
        var (core, disks, snapshot) = try failed(\.cache, in: directory)
        try core.enqueue(OutboxItem(.send, requestID: "b", channelURL: "general", createdAt: 1))
        #expect(code(of: core) == .noSpace)
        // Events of the feed may be missing from the cache, so the engine has not caught up.
        #expect(core.lastFailure != nil)
        withExtendedLifetime((snapshot, disks)) {}
        core.store.close()
    }

    @Test func successfulReadKeepsTheWriteFailure() throws {
        var core = SyncCore(try ChatStore.inMemory(), SyncOptions(), [])
        core.write { (_) throws(StoreError) in throw StoreError(.io, "the disk is full", path: "") }
        core.read { (_) throws(StoreError) in }
        #expect(core.state.failure?.code == .store)
        core.write { (_) throws(StoreError) in }
        #expect(core.state.failure == nil)
    }
}
