import Dispatch
import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct ObservedChangesTests {
    private let store: ChatStore

    init() throws { store = try ChatStore.inMemory() }

    private func pictures(_ observation: ObservedChanges) -> [String] {
        observation.drain().map { "\($0.number) \($0.picture)" }
    }

    // MARK: Snapshots and their changes

    /// The texts of a channel's messages by id, from a snapshot and the changes that follow it.
    private struct Folded: Equatable {
        var texts: [MessageID: String] = [:]
        var number = 0

        init(_ reader: some StoreReader) throws {
            for message in try reader.messages(in: "general") { fold(.savedMessage(message)) }
        }

        mutating func fold(_ operation: Change.Operation) {
            switch operation {
            case .savedMessage(let message):
                if let id = message.messageID { texts[id] = message.text }
            case .removedMessage(let id, _, _): texts[id] = nil
            case .clearedMessages: texts = [:]
            default: break
            }
        }
    }

    @Test func replacementThatAppsShowAlikeIsStoredAndNotReported() throws {
        func reaction(_ key: String, _ users: [UserID], at time: Timestamp) -> Reaction {
            var reaction = Reaction()
            (reaction.key, reaction.userIDs, reaction.updatedAt) = (key, users, time)
            return reaction
        }
        var message = Message("a", at: 1)
        try store.write { try $0.save(message) }
        let (_, changes) = try store.observe(.channel("general"))
        let versions: [[Reaction]] = [
            [reaction("+", ["bob"], at: 1)], [reaction("+", ["bob"], at: 2)],
            [reaction("+", ["bob"], at: 2), reaction("-", [], at: 3)],
            [reaction("+", ["bob", "alice"], at: 2), reaction("-", [], at: 3)],
            [reaction("+", [], at: 4), reaction("-", [], at: 3)],
        ]
        for version in versions {
            message.reactionHistory = version
            try store.write { try $0.save(message) }
            #expect(try store.message("a", in: "general") == message)
        }
        #expect(changes.drain().map(\.picture).filter { !$0.isEmpty } == ["+a", "+a", "+a"])
    }

    @Test func snapshotAndChangesOfAnObservationAreContiguous() throws {
        let commits = 400
        try store.write { try $0.save(Message("0", at: 1)) }
        onThreads(5) { thread in
            do {
                if thread == 0 {
                    var random = SeededRandom(seed: 5)
                    for commit in 0..<commits {
                        try store.write { batch in
                            for _ in 0..<3 {
                                var message = Message(
                                    MessageID("\(random.number(below: 30))"), at: 1)
                                message.text = "\(commit)"
                                try batch.save(message)
                            }
                            if commit % 50 == 49 { try batch.clearMessages(in: "general") }
                            try batch.removeMessage(
                                MessageID("\(random.number(below: 30))"), in: "general")
                        }
                    }
                    return
                }
                // The other threads start many observations at different times, until all commits
                // are written.
                while true {
                    let (snapshot, changes) = try store.observe(.channel("general"))
                    var folded = try Folded(snapshot)
                    var number = snapshot.number
                    for _ in 0..<5 {
                        for change in changes.drain() {
                            #expect(change.number == number + 1)
                            number = change.number
                            for operation in change.operations { folded.fold(operation) }
                        }
                    }
                    let now = try store.snapshot()
                    for change in changes.drain() where change.number <= now.number {
                        #expect(change.number == number + 1)
                        number = change.number
                        for operation in change.operations { folded.fold(operation) }
                    }
                    // A commit is visible to readers shortly before observers are notified of it,
                    // so compare only if the change has arrived.
                    if number == now.number { #expect(try folded == Folded(now)) }
                    if now.number > commits { break }
                }
            } catch { Issue.record(error) }
        }
        #expect(try store.snapshot().number == commits + 1)
    }

    @Test func observationsStartedDuringWritesMissNoCommit() throws {
        let readers = Locked(2)
        onThreads(3) { thread in
            do {
                if thread == 0 {
                    while readers.withLock({ $0 }) > 0 {
                        try store.write { $0.emit(.connection(.online)) }
                    }
                    return
                }
                defer { readers.withLock { $0 -= 1 } }
                for _ in 0..<500 {
                    let (snapshot, changes) = try store.observe(.everything, limit: .max)
                    // The first change that is delivered belongs to the commit after the snapshot,
                    // and not to a later one.
                    var first: Int?
                    while first == nil {
                        first = changes.drain().first?.number
                        if first == nil { sched_yield() }
                    }
                    #expect(first == snapshot.number + 1)
                }
            } catch { Issue.record(error) }
        }
    }

    // MARK: Parts

    @Test func eachPartReceivesItsOwnChanges() throws {
        let (_, everything) = try store.observe(.everything)
        let (_, general) = try store.observe(.channel("general"))
        let (_, channels) = try store.observe(.channels)
        let (_, items) = try store.observe(.outboxItems)
        try store.write { batch in
            try batch.save(GroupChannel(url: "general", createdAt: 1))
            try batch.save(OpenChannel(url: "other", createdAt: 1))
            try batch.save(Message("a", at: 1))
            try batch.save(Message("b", at: 1, in: "other"))
        }
        try store.write { batch in
            try batch.save(OutboxItem("hi", request: "r"))
            try batch.save(OutboxItem("hi", request: "s", in: "other"))
            try batch.save(User(id: "ann"))
            try batch.markStale(StaleRange(in: "general", lossNumber: 1))
        }
        try store.write { batch in
            batch.emit(.typing([User(id: "ann")], in: "general"))
            batch.emit(.typing([], in: "other"))
            batch.emit(.uploadProgress("r", in: "general", bytes: 1, total: 2))
            batch.emit(.uploadProgress("s", in: "other", bytes: 2, total: 2))
            batch.emit(.connection(.online))
        }
        try store.write { batch in
            try batch.removeMessage("a", in: "general")
            try batch.clearMessages(in: "general")
            try batch.removeOutboxItem("r")
            try batch.removeChannel("other")
        }
        #expect(
            pictures(everything) == [
                "1 gap(-∞ +∞) group(general) gap(-∞ +∞) open(other) +a +b",
                "2 item(r) item(s) user(ann) stale(-∞ +∞)",
                "3 typing(ann) typing() upload(r 1/2) upload(s 2/2) connection(online)",
                "4 -a cleared(general) gap(-∞ +∞) noitem(r) removed(other)",
            ])
        #expect(
            pictures(general) == [
                "1 gap(-∞ +∞) group(general) +a", "2 item(r) stale(-∞ +∞)",
                "3 typing(ann) upload(r 1/2) connection(online)",
                "4 -a cleared(general) gap(-∞ +∞) noitem(r)",
            ])
        #expect(
            pictures(channels) == [
                "1 group(general) open(other)", "3 typing(ann) typing() connection(online)",
                "4 removed(other)",
            ])
        #expect(
            pictures(items) == [
                "2 item(r) item(s)", "3 upload(r 1/2) upload(s 2/2) connection(online)",
                "4 noitem(r)",
            ])
    }

    @Test func aChangeCarriesItsReason() throws {
        let (_, changes) = try store.observe(.everything)
        try store.write { batch in
            try batch.save(Message("a", at: 1), source: .eventMessageReceived)
            try batch.removeMessage("a", in: "general")
            batch.emit(.connection(.offline), source: .requestChannel)
        }
        let entries = changes.drain().flatMap(\.entries)
        #expect(entries.map(\.source) == [nil, .eventMessageReceived, nil, .requestChannel])
    }

    @Test func changesAreReportedInCommitOrder() throws {
        let (_, changes) = try store.observe(.everything)
        try store.write { $0.emit(.connection(.connecting)) }
        try store.write { batch in
            batch.emit(.connection(.online))
            try batch.save(Message("a", at: 1))
            batch.emit(.typing([], in: "general"))
        }
        #expect(
            pictures(changes) == [
                "1 connection(connecting)", "2 connection(online) gap(-∞ +∞) +a typing()",
            ])
    }

    @Test func emptyBatchHasNoNumber() throws {
        let (_, changes) = try store.observe(.everything)
        try store.write { try $0.save(Message("a", at: 1)) }
        let (_, nothing) = try store.commit { _ = try $0.message("a", in: "general") }
        #expect(nothing.isEmpty && nothing.number == 1)
        // A commit has a number even if it changes nothing that observers receive.
        let (_, silent) = try store.commit { $0.setToken([1], for: "feed") }
        #expect(silent.isEmpty && silent.number == 2)
        try store.write { try $0.removeMessage("a", in: "general") }
        #expect(pictures(changes) == ["1 gap(-∞ +∞) +a", "3 -a"])
        #expect(throws: CancellationError.self) {
            try store.write { batch in
                try batch.save(Message("b", at: 1))
                throw CancellationError()
            }
        }
        #expect(changes.drain().isEmpty)
    }

    // MARK: The limit

    @Test func unreadChangesAreReplacedByOneMissedChange() throws {
        let (_, changes) = try store.observe(.everything, limit: 3)
        try store.write { $0.emit(.connection(.connecting)) }
        try store.write { try $0.save(Message("a", at: 1)) }
        #expect(pictures(changes) == ["1 connection(connecting)", "2 gap(-∞ +∞) +a"])
        try store.write { try $0.save(Message("b", at: 1)) }
        try store.write { try $0.save(Message("c", at: 1)) }
        try store.write { try $0.save(Message("d", at: 1)) }
        try store.write { try $0.save(Message("e", at: 1)) }
        try store.write { try $0.save(Message("f", at: 1)) }
        #expect(pictures(changes) == ["6 missed", "7 +f"])
        try store.write { try $0.save(Message("g", at: 1)) }
        #expect(pictures(changes) == ["8 +g"])
        // This single commit has more operations than the limit.
        try store.write { batch in
            for id in 0..<4 { try batch.save(Message(MessageID("\(id)"), at: 1)) }
        }
        #expect(pictures(changes) == ["9 missed"])
    }

    @Test func limitOfZeroReportsMissedChanges() throws {
        let (_, changes) = try store.observe(.everything, limit: 0)
        #expect(changes.drain().isEmpty)
        try store.write { try $0.save(Message("a", at: 1)) }
        try store.write { try $0.save(Message("b", at: 1)) }
        #expect(pictures(changes) == ["2 missed"])
    }

    // MARK: The end

    @Test func observationEndsWhenItIsReleased() throws {
        weak var gone: ObservedChanges?
        do {
            let (_, changes) = try store.observe(.everything)
            gone = changes
            try store.write { try $0.save(Message("a", at: 1)) }
            #expect(changes.drain().count == 1)
        }
        #expect(gone == nil)
        try store.write { try $0.save(Message("b", at: 1)) }
    }

    @Test func observersAndSnapshotsDoNotRetainTheStore() throws {
        weak var gone: ChatStore?
        let snapshot: Snapshot
        let changes: ObservedChanges
        do {
            let store = try ChatStore.inMemory()
            gone = store
            (snapshot, changes) = try store.observe(.everything)
            try store.write { try $0.save(Message("a", at: 1)) }
        }
        #expect(gone == nil)
        #expect(try snapshot.messages(in: "general").isEmpty)
        #expect(pictures(changes) == ["1 gap(-∞ +∞) +a"])
    }

    @Test func changesBeforeTheEndAreStillDelivered() async throws {
        let (_, changes) = try store.observe(.everything)
        try store.write { try $0.save(Message("a", at: 1)) }
        changes.cancel()
        changes.cancel()
        try store.write { try $0.save(Message("b", at: 1)) }
        var seen: [String] = []
        for await change in changes { seen.append(change.picture) }
        #expect(seen == ["gap(-∞ +∞) +a"])
        #expect(changes.drain().isEmpty)
    }

    @Test func subscriberIsCalledOnceBeforeTheNextDrain() throws {
        let (_, changes) = try store.observe(.everything)
        let calls = Locked(0)
        let drain = { changes.drain { calls.withLock { $0 += 1 } }.map(\.picture) }
        func save(_ id: MessageID) throws { try store.write { try $0.save(Message(id, at: 1)) } }
        try save("a")
        #expect(drain() == ["gap(-∞ +∞) +a"])
        #expect(calls.withLock { $0 } == 0)
        try save("b")
        try save("c")
        #expect(calls.withLock { $0 } == 1)
        // This call reads the queued changes without a closure, so no closure is called for the
        // next change.
        #expect(changes.drain().map(\.picture) == ["+b", "+c"])
        try save("d")
        #expect(calls.withLock { $0 } == 1)
        #expect(drain() == ["+d"])
        changes.cancel()
        #expect(calls.withLock { $0 } == 2)
        #expect(drain() == [])
        changes.cancel()
        #expect(calls.withLock { $0 } == 2)
    }

    @Test func limitCountsAllUnreadChanges() async throws {
        let (_, changes) = try store.observe(.everything, limit: 4)
        try store.write { try $0.save(Message("a", at: 1)) }
        try store.write { try $0.save(Message("b", at: 1)) }
        for await change in changes {
            #expect(change.picture == "gap(-∞ +∞) +a")
            break
        }
        // One change is already queued. Three more fit, and a fourth exceeds the limit.
        for id: MessageID in ["c", "d", "e"] { try store.write { try $0.save(Message(id, at: 1)) } }
        for await change in changes {
            #expect(change.picture == "+b")
            break
        }
        try store.write { try $0.save(Message("f", at: 1)) }
        try store.write { try $0.save(Message("g", at: 1)) }
        #expect(pictures(changes) == ["7 missed"])
    }

    @Test func manyChangesAreTakenOneByOneInTheirOrder() async throws {
        let (_, changes) = try store.observe(.everything)
        for _ in 1...500 { try store.emit(.typing([], in: "general")) }
        var numbers: [Int] = []
        for await change in changes {
            numbers.append(change.number)
            if numbers.count == 300 { break }
        }
        #expect(numbers == Array(1...300))
        #expect(changes.drain().map(\.number) == Array(301...500))
    }

    /// The ways in which a waiting reader can end.
    enum Ending: CaseIterable {
        case cancel, close, release, taskCancellation
    }

    @Test(arguments: Ending.allCases)
    func suspendedReaderIsReleased(_ ending: Ending) async throws {
        var store: ChatStore? = try ChatStore.inMemory()
        let changes = try #require(try store?.observe(.everything).changes)
        try store?.write { try $0.save(Message("a", at: 1)) }
        // Report each change that was read. Then the test knows that the reader waits for the next
        // one.
        let (seen, report) = AsyncStream.makeStream(of: String.self)
        let reader = Task {
            for await change in changes { report.yield(change.picture) }
            report.yield("end")
        }
        var words = seen.makeAsyncIterator()
        #expect(await words.next() == "gap(-∞ +∞) +a")
        try store?.write { try $0.removeMessage("a", in: "general") }
        #expect(await words.next() == "-a")
        switch ending {
        case .cancel: changes.cancel()
        case .close: store?.close()
        case .release: store = nil
        case .taskCancellation: reader.cancel()
        }
        #expect(await words.next() == "end")
        await reader.value
    }

    @Test func canceledTaskDoesNotWait() async throws {
        let (_, changes) = try store.observe(.everything)
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        #expect(await reader.value == 0)
        // The task has ended, but the observation continues.
        try store.write { try $0.save(Message("a", at: 1)) }
        #expect(changes.drain().count == 1)
    }

    @Test func cancellationDuringANotificationDoesNotHang() async throws {
        for round in 0..<200 {
            let (_, changes) = try store.observe(.everything)
            async let end: Int = {
                var last = 0
                for await change in changes {
                    #expect(change.number > last)
                    last = change.number
                }
                return last
            }()
            async let write = store.write { $0.emit(.connection(.online)) }
            if round % 2 == 0 { await Task.yield() }
            changes.cancel()
            _ = try await write
            #expect(await end <= round + 1)
        }
    }

    // MARK: Within a reader

    @Test func storeCanBeUsedWhileAChangeIsHandled() async throws {
        let (_, changes) = try store.observe(.channel("general"))
        try store.write { try $0.save(Message("1", at: 1)) }
        var seen: [String] = []
        for await change in changes {
            seen.append(change.picture)
            guard change.number < 4 else {
                store.close()
                continue
            }
            let next = try store.observe(.everything)
            #expect(next.snapshot.number == change.number)
            try store.write { try $0.save(Message(MessageID("\(change.number + 1)"), at: 1)) }
            #expect(next.changes.drain().map(\.number) == [change.number + 1])
            #expect(try store.read { try $0.messageCount(in: "general") } == change.number + 1)
        }
        #expect(seen == ["gap(-∞ +∞) +1", "+2", "+3", "+4"])
        #expect(code { _ = try store.observe(.everything) } == .closed)
    }

    @Test func aBatchMayObserveAndReadItsStore() throws {
        var changes: ObservedChanges?
        try store.write { batch in
            try batch.save(Message("a", at: 1))
            changes = try store.observe(.everything).changes
            #expect(try store.messages(in: "general").isEmpty)
        }
        // The observation began before the commit, so it delivers the commit.
        #expect(changes.map(pictures) == ["1 gap(-∞ +∞) +a"])
    }

    // MARK: Closing

    @Test func closingDoesNotAffectRunningReads() throws {
        let directory = ScratchDirectory()
        var store: ChatStore? = try ChatStore(at: directory.url)
        try store?.write { batch in
            for id in 0..<500 {
                try batch.save(Message(MessageID("\(id)"), at: Timestamp(milliseconds: Int64(id))))
            }
            try batch.save(OutboxItem("hi", request: "r"))
        }
        var snapshot = try store?.snapshot()
        let (_, changes) = try #require(try store?.observe(.everything))
        // A store can be closed while a read is running.
        try store?.read { (inner) throws in
            store?.close()
            store?.close()
            #expect(try inner.messageCount(in: "general") == 500)
        }
        #expect(try snapshot?.messages(in: "general", limit: 2).ids == "499 498")
        #expect(try snapshot?.outboxItems().count == 1)
        #expect(try snapshot?.groupChannels().isEmpty == true)
        #expect(code { _ = try store?.snapshot() } == .closed)
        #expect(code { _ = try store?.messages(in: "general") } == .closed)
        #expect(code { _ = try store?.outboxItems() } == .closed)
        #expect(code { _ = try store?.groupChannelCount() } == .closed)
        #expect(code { try store?.write { try $0.save(Message("a", at: 1)) } } == .closed)
        #expect(code { _ = try store?.observe(.everything) } == .closed)
        #expect(code { try store?.purgeCleared() } == .closed)
        #expect(changes.drain().isEmpty)

        // Until the read and its snapshot end, the files are in use.
        #expect(code { _ = try ChatStore(at: directory.url) } == .locked)
        store = nil
        #expect(code { _ = try ChatStore(at: directory.url) } == .locked)
        #expect(try snapshot?.message("7", in: "general")?.text == "7")
        snapshot = nil
        let again = try ChatStore(at: directory.url)
        #expect(try again.messageCount(in: "general") == 500)
    }

    @Test func closingWaitsForTheWriteUnderWay() throws {
        let directory = ScratchDirectory()
        let store = try ChatStore(at: directory.url)
        let isWriting = DispatchSemaphore(value: 0)
        let results = Locked<[String]>([])
        onThreads(4) { thread in
            do {
                switch thread {
                case 0:
                    try store.write { batch in
                        for id in 0..<2_000 { try batch.save(Message(MessageID("\(id)"), at: 1)) }
                        for _ in 0..<3 { isWriting.signal() }
                        for id in 0..<2_000 {
                            try batch.save(Message(MessageID("x\(id)"), at: 2))
                        }
                        results.withLock { $0.append("written") }
                    }
                case 1:
                    isWriting.wait()
                    store.close()
                    results.withLock { $0.append("closed") }
                default:
                    isWriting.wait()
                    while true { _ = try store.messages(in: "general", limit: 50) }
                }
            } catch {
                #expect((error as? StoreError)?.code == .closed)
                results.withLock { $0.append("refused") }
            }
        }
        #expect(results.withLock { $0.sorted() } == ["closed", "refused", "refused", "written"])
        #expect(try ChatStore(at: directory.url).messageCount(in: "general") == 4_000)
    }

    // MARK: Misuse

    #if !canImport(Darwin) || os(macOS)
        @Test func nestedWriteTraps() async {
            await #expect(processExitsWith: .failure) {
                let store = try ChatStore.inMemory()
                try store.write { _ in try store.write { _ in } }
            }
        }

        @Test func closingWithinAWriteIsATrap() async {
            await #expect(processExitsWith: .failure) {
                let store = try ChatStore.inMemory()
                try store.write { _ in store.close() }
            }
        }

        @Test func purgingWithinAWriteIsATrap() async {
            await #expect(processExitsWith: .failure) {
                let store = try ChatStore.inMemory()
                try store.write { _ in try store.purgeCleared() }
            }
        }

        @Test func batchUsedAfterItsWriteTraps() async {
            await #expect(processExitsWith: .failure) {
                let store = try ChatStore.inMemory()
                var kept: Batch?
                try store.write { kept = $0 }
                _ = try kept?.messages(in: "general")
            }
        }

        @Test func savingInABatchThatIsKeptIsATrap() async {
            await #expect(processExitsWith: .failure) {
                let store = try ChatStore.inMemory()
                var kept: Batch?
                try store.write { kept = $0 }
                kept?.setToken([1], for: "feed")
            }
        }
    #endif
}
