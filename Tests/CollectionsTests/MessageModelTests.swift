import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests that views of a channel show the server's messages, under random changes and network
/// failures.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct MessageModelTests {
    @Test(arguments: Seeds.count(24, atNight: 700))
    func everyViewEqualsTheServersHistory(seed: Int) async throws {
        var random = SeededRandom(seed: seed)
        var options = SyncOptions.exact
        options.pageSize = 1 + random.number(below: 6)
        options.hugeGapThreshold = 4
        options.hugeGapPolicy = HugeGapPolicy.allCases.randomElement(using: &random)!
        let device = seed % 4 == 0 ? try TemporaryStore() : nil
        let story = try await Story(options, store: device?.store, seed: UInt64(seed))
        if seed % 3 > 0 {
            story.network.conditions = .withinContract(seed: UInt64(seed))
            // The device's clock does not advance, so the delay of throttled items would never end.
            story.network.update { $0.failures.throttled = 0 }
        }
        if seed % 3 == 2 { story.server.conditions.feedBatchSize = 3 }
        try await story.say("a b c d e")
        // If the network loses the request, the engine retries it.
        try? await story.connect()
        var views: [View] = []
        var schedule = Schedule()
        for _ in 0..<60 {
            let choice = random.number(below: 8)
            schedule.append("step \(choice), \(views.count) views", after: story.network.log)
            switch choice {
            case 0 where views.count < 8: views.append(story.randomView(&random))
            case 1 where !views.isEmpty:
                await views[random.number(below: views.count)].load(&random)
            case 2 where !views.isEmpty:
                await views[random.number(below: views.count)].collection.write(&random)
            case 3:
                await story.engine.disconnect()
                story.limitFeed(random.oneIn(2) ? random.number(below: 4) : nil)
            case 4: try? await story.connect()
            case 5 where random.oneIn(12):
                if random.oneIn(2) {
                    try await story.engine.clearCachedMessages(in: ["general"])
                } else {
                    try await story.engine.clearCachedData()
                }
            default: await story.change(&random)
            }
            for view in views { #expect(view.differences == []) }
        }
        story.network.conditions = .perfect
        await story.engine.disconnect()
        try await story.connect()
        try await story.waitUntilNotified()
        // Changes to a failed message stay pending until it is resent.
        for item in try story.store.read({ try $0.outboxItems(state: .failed) }) {
            try await story.resendFailedItem(item.requestID)
        }
        try await story.until { try $0.outboxItems(state: .pending).isEmpty }
        try await story.engine.caughtUp()

        let sent = try await story.alice.history()
        let counts = try story.store.read { try $0.groupChannels().map(\.unreadMessageCount) }
        #expect(
            await story.engine.state.unreadCount?.groupChannelUnreadMessageCount
                == counts.reduce(0, +))
        let trace = schedule.picture(with: story.network.log)
        for view in views { try await view.isComplete(sent, trace) }
        for view in views { view.collection.dispose() }
        await story.engine.close()

        // A list that contains no gap can be shown from the cache alone, also after a restart.
        let allParams = views.map(\.collection.params)
        let engine = story.restarted()
        for params in allParams {
            let view = View(
                MessageCollection(of: "general", params: params, userID: "bob", engine: engine))
            view.collection.start(.cacheOnly)
            while view.collection.hasPrevious { try await view.collection.loadPrevious() }
            let shown = view.collection.succeededMessages.map(\.text)
            #expect(shown == sent.shown(by: params), "\(trace)")
        }
        await engine.close()
        guard let device else { return }
        device.store.close()
        let shown = try FreshProcess.messages(in: device.directory, allParams)
        #expect(shown == allParams.map { sent.shown(by: $0) }, "\(trace)")
    }
}

/// The steps of a run, in the order of its calls of the network.
///
/// A seed alone does not replay a run, because the tasks of the engine and the lists run in any
/// order.
private struct Schedule {
    private var steps: [(callCount: Int, text: String)] = []

    mutating func append(_ text: String, after log: [String]) { steps.append((log.count, text)) }

    /// Returns a line for each step and each line of the network's log.
    func picture(with log: [String]) -> String {
        var lines: [String] = []
        var steps = steps[...]
        for (number, line) in log.enumerated() {
            while let step = steps.first, step.callCount <= number {
                lines.append(step.text)
                steps.removeFirst()
            }
            lines.append("    \(line)")
        }
        return (lines + steps.map(\.text)).joined(separator: "\n")
    }
}

extension [Message] {
    /// Returns the texts of the messages that a list with these params shows.
    ///
    /// This is the naive implementation to compare with.
    fileprivate func shown(by params: MessageListParams) -> [String] {
        let shown = filter(params.belongsTo).map(\.text)
        return params.isReversed ? shown.reversed() : shown
    }
}

extension View {
    /// Loads the whole history, and compares it with the server's messages.
    fileprivate func isComplete(_ sent: [Message], _ trace: String) async throws {
        while collection.hasPrevious {
            try await waitingForOthers {
                try await insert { try await collection.loadPrevious() }
            }
        }
        while collection.hasNext {
            try await waitingForOthers { try await insert { try await collection.loadNext() } }
        }
        while let gap = collection.items.compactMap(\.gap).first {
            try await waitingForOthers { try await collection.fill(gap) }
        }
        try await isUpToDate()
        #expect(
            collection.succeededMessages.map(\.text) == sent.shown(by: collection.params),
            "\(collection.params)\n\(trace)")
        #expect(items == collection.items, "\(trace)")
        #expect(differences == [], "\(trace)")
    }

    /// Loads a page in a random way.
    ///
    /// Without a connection, the load fails if the page is not cached.
    fileprivate func load(_ random: inout SeededRandom) async {
        switch random.number(below: 5) {
        case 0, 1: try? await insert { try await collection.loadPrevious() }
        case 2: try? await insert { try await collection.loadNext() }
        case 3:
            if let gap = collection.items.compactMap(\.gap).first {
                _ = try? await collection.fill(gap)
            }
        default:
            let time = collection.messages.randomElement(using: &random)?.createdAt
            await restart(at: time.map { .time($0) } ?? .latest)
        }
    }

    /// Calls `load`, and repeats the call while the collection is still loading another page.
    private func waitingForOthers(_ load: () async throws -> Void) async throws {
        while true {
            do {
                return try await load()
            } catch let error as SyncError where error.code == .queryInProgress {
                await Task.yield()
            }
        }
    }
}

extension MessageCollection {
    /// Sends, edits or deletes a message, or reacts to one, as the user of the view.
    fileprivate func write(_ random: inout SeededRandom) async {
        let own = messages.filter { $0.sender?.userID == "bob" }.randomElement(using: &random)
        let any = messages.randomElement(using: &random)
        switch random.number(below: 5) {
        case 0, 1:
            var params = NewMessage("bob \(random.number(below: 1000))")
            if random.oneIn(4) { params.parentMessageID = any?.messageID }
            _ = try? await send(params)
        case 2:
            var update = UserMessageUpdateParams()
            update.text = "edited \(random.number(below: 1000))"
            if random.oneIn(2) { update.customType = random.oneIn(2) ? "x" : "" }
            if let own { _ = try? await self.update(own, with: .text(update)) }
        case 3: if let own { _ = try? await delete(own) }
        default: if let any { _ = try? await addReaction("+1", to: any) }
        }
    }
}

extension Story {
    /// Resends an item, unless the engine has sent or removed it in the meantime.
    fileprivate func resendFailedItem(_ id: RequestID) async throws {
        do throws(SyncError) {
            try await engine.resend(id)
        } catch {
            if error.code != .notFound { throw error }
        }
    }

    @MainActor
    fileprivate func randomView(_ random: inout SeededRandom) -> View {
        var params = MessageListParams.sized(
            1 + random.number(below: 5), 1 + random.number(below: 5))
        params.isReversed = random.oneIn(3)
        if random.oneIn(4) { params.customTypes = [""] }
        if random.oneIn(4) { params.senderUserIDs = [random.oneIn(2) ? "bob" : "alice"] }
        let point: StartingPoint =
            random.oneIn(2)
            ? .latest : .time(Timestamp(milliseconds: 1000 + Int64(random.number(below: 30_000))))
        let view = view(at: point, params)
        view.start(InitPolicy.allCases.randomElement(using: &random)!)
        return view
    }

    /// Changes the channel as another user.
    fileprivate func change(_ random: inout SeededRandom) async {
        let page = try? await alice.messages(in: "general", at: .newest, older: 12, newer: 0)
        let own = page?.messages.filter { $0.sender?.userID == "alice" }
            .randomElement(using: &random)
        switch random.number(below: 6) {
        case 0: if let own { try? await edit(own, to: "alice \(random.number(below: 1000))") }
        case 1: if let own { _ = try? await delete(own) }
        case 2: if let own { try? await react("+1", to: own) }
        default:
            _ = try? await say(
                (0...random.number(below: 4)).map { "m\($0)" }.joined(separator: " "))
        }
    }
}
