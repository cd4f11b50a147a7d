import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Compares random histories of a small store with `WorldModel`.
///
/// A failing history is shortened for as long as it still fails, and is reported with its seed.
@Suite struct StoreModelTests {
    /// A batch, and what happens around it.
    struct Step {
        var operations: [WorldOperation]
        /// True if the batch's closure throws after the operations.
        var fails = false
        /// The numbers of the operations before which the batch is read.
        var readsBefore: Set<Int> = []
        var keepsSnapshot = false
        var purges = false
        var reopens = false
    }

    static func history(_ seed: Int, steps: Int) -> [Step] {
        var random = SeededRandom(seed: seed)
        return (0..<steps).map { _ in
            // Some batches are large enough for the hash table of an overlay.
            let count = random.oneIn(5) ? 30 : Int.random(in: 0...4, using: &random)
            var step = Step(operations: (0..<count).map { _ in .any(&random) })
            step.fails = random.oneIn(8)
            step.readsBefore = Set((0...count).filter { _ in random.oneIn(max(3, count / 2)) })
            step.keepsSnapshot = random.oneIn(4)
            step.purges = random.oneIn(10)
            step.reopens = random.oneIn(6)
            return step
        }
    }

    private struct Undo: Error {}

    /// A store, and its expected contents.
    private final class World {
        let directory: URL?
        var store: ChatStore
        var model = WorldModel()
        var everything: (folded: FoldedWorld, changes: ObservedChanges)
        var channel: (folded: FoldedWorld, changes: ObservedChanges)
        var snapshots: [(snapshot: Snapshot, model: WorldModel)] = []
        var random: SeededRandom

        init(at directory: URL?, seed: Int) throws {
            self.directory = directory
            random = SeededRandom(seed: seed)
            store = try directory.map { try ChatStore(at: $0) } ?? ChatStore.inMemory()
            everything = (FoldedWorld(), try store.observe(.everything).changes)
            channel = (FoldedWorld(), try store.observe(.channel("a")).changes)
        }

        func reopen() throws {
            guard let directory else { return }
            snapshots = []
            store.close()
            store = try ChatStore(at: directory)
            // After the store is opened, its changes are numbered from 1 again.
            everything.folded.number = 0
            channel.folded.number = 0
            everything.changes = try store.observe(.everything).changes
            channel.changes = try store.observe(.channel("a")).changes
        }
    }

    private static func run(_ history: [Step], seed: Int, at directory: URL?) throws {
        let world = try World(at: directory, seed: seed)
        defer { world.store.close() }
        for step in history {
            try write(step, world)
            if step.purges { try world.store.purgeCleared() }
            try check(world, hasPurged: step.purges)
            if step.keepsSnapshot {
                world.snapshots.append((try world.store.snapshot(), world.model))
            }
            // A snapshot is read again after later steps.
            if let kept = world.snapshots.randomElement(using: &world.random) {
                try kept.model.check(kept.snapshot, &world.random)
            }
            if world.snapshots.count > 3 { world.snapshots.removeFirst() }
            if step.reopens {
                try world.reopen()
                try check(world, hasPurged: false)
            }
        }
    }

    private static func write(_ step: Step, _ world: World) throws {
        var model = world.model
        do {
            try world.store.write { batch in
                for (index, operation) in step.operations.enumerated() {
                    if step.readsBefore.contains(index) { try model.check(batch, &world.random) }
                    let isValid = operation.apply(to: &model)
                    if try operation.apply(to: batch) != isValid {
                        throw WorldModel.Difference(
                            description: "\(operation) is \(isValid ? "valid" : "invalid")")
                    }
                }
                if step.readsBefore.contains(step.operations.count) {
                    try model.check(batch, &world.random)
                }
                if step.fails { throw Undo() }
            }
            world.model = model
        } catch is Undo {
            // A batch that throws does not change the model.
        }
    }

    private static func check(_ world: World, hasPurged: Bool) throws {
        if let damage = world.store.cacheDamage { throw damage }
        try world.model.check(world.store, &world.random)
        let committed = try world.store.view.committed
        try world.model.check(RawCache(committed.cache), hasPurged: hasPurged)
        try world.model.check(RawOutbox(committed.outbox))
        for change in world.everything.changes.drain() { try world.everything.folded.fold(change) }
        for change in world.channel.changes.drain() { try world.channel.folded.fold(change) }
        try world.everything.folded.check(world.model, WorldOperation.urls)
        try world.channel.folded.check(world.model, ["a"])
    }

    /// Returns the reason why a history fails, or `nil` if it passes.
    private static func failure(_ history: [Step], seed: Int, isOnDisk: Bool) -> String? {
        let directory = isOnDisk ? ScratchDirectory() : nil
        defer { directory?.remove() }
        do {
            try run(history, seed: seed, at: directory?.url)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Removes the steps without which a history still fails.
    private static func shrunk(_ history: [Step], seed: Int, isOnDisk: Bool) -> [Step] {
        var history = history
        var tries = 300
        func fails(_ shorter: [Step]) -> Bool {
            tries -= 1
            return tries > 0 && failure(shorter, seed: seed, isOnDisk: isOnDisk) != nil
        }
        for index in history.indices.reversed() {
            var shorter = history
            shorter.remove(at: index)
            if fails(shorter) { history = shorter }
        }
        for index in history.indices {
            for place in history[index].operations.indices.reversed() {
                var shorter = history
                shorter[index].operations.remove(at: place)
                if fails(shorter) { history = shorter }
            }
        }
        return history
    }

    private func expectAgreement(_ seed: Int, steps: Int, isOnDisk: Bool) {
        let history = Self.history(seed, steps: steps)
        guard Self.failure(history, seed: seed, isOnDisk: isOnDisk) != nil else { return }
        let shrunk = Self.shrunk(history, seed: seed, isOnDisk: isOnDisk)
        let reason = Self.failure(shrunk, seed: seed, isOnDisk: isOnDisk) ?? "nothing any more"
        let story = shrunk.map { step in
            "  batch\(step.fails ? " that fails" : "")"
                + step.operations.map { "\n    \($0)" }.joined()
                + (step.readsBefore.isEmpty ? "" : "\n  read before \(step.readsBefore.sorted())")
                + (step.purges ? "\n  purge" : "") + (step.reopens ? "\n  reopen" : "")
        }
        Issue.record("seed \(seed): \(reason)\n\(story.joined(separator: "\n"))")
    }

    @Test(arguments: Seeds.few)
    func everyHistoryInMemoryAgreesWithTheModel(seed: Int) {
        expectAgreement(seed, steps: 15, isOnDisk: false)
    }

    @Test(arguments: Seeds.count(6, atNight: 200))
    func everyHistoryOnDiskAgreesWithTheModel(seed: Int) {
        expectAgreement(10_000 + seed, steps: 15, isOnDisk: true)
    }
}

/// The contents of the store, as an observer derives them from the changes.
private struct FoldedWorld {
    var messages: [ChannelURL: [MessageID: Message]] = [:]
    var groups: [ChannelURL: GroupChannel] = [:]
    var opens: [ChannelURL: OpenChannel] = [:]
    var gaps: [ChannelURL: [Gap.Bound: Gap]] = [:]
    var staleRanges: [ChannelURL: [Gap.Bound: StaleRange]] = [:]
    var kindCoverage: [ChannelURL: [MessageKinds: KindCoverage]] = [:]
    var users: [UserID: User] = [:]
    var items: [RequestID: OutboxItem] = [:]
    var number = 0

    mutating func fold(_ change: Change) throws {
        if change.number <= number {
            throw WorldModel.Difference(description: "change \(change.number) after \(number)")
        }
        number = change.number
        for operation in change.operations { try fold(operation) }
    }

    private mutating func fold(_ operation: Change.Operation) throws {
        func expect(_ condition: Bool) throws {
            if !condition { throw WorldModel.Difference(description: "told: \(operation)") }
        }
        switch operation {
        case .savedMessage(let message):
            if let id = message.messageID {
                messages[message.channelURL, default: [:]][id] = message
            }
        case .removedMessage(let id, let position, let url):
            try expect(messages[url]?.removeValue(forKey: id)?.position == position)
        case .removedMessages(let url, let first, let last):
            messages[url] = messages[url]?.filter { _, message in
                guard let position = message.position else { return true }
                return .position(position) < first || last < .position(position)
            }
        case .clearedMessages(let url):
            messages[url] = nil
            gaps[url] = nil
            staleRanges[url] = nil
            kindCoverage[url] = nil
        case .savedGroupChannel(let channel):
            groups[channel.url] = channel
            opens[channel.url] = nil
        case .savedOpenChannel(let channel):
            opens[channel.url] = channel
            groups[channel.url] = nil
        case .removedChannel(let url):
            messages[url] = nil
            groups[url] = nil
            opens[url] = nil
            gaps[url] = nil
            staleRanges[url] = nil
            kindCoverage[url] = nil
        case .savedGap(let gap): gaps[gap.channelURL, default: [:]][gap.upper] = gap
        case .removedGap(let gap):
            try expect(gaps[gap.channelURL]?.removeValue(forKey: gap.upper) == gap)
        case .savedStaleRange(let range):
            staleRanges[range.channelURL, default: [:]][range.upper] = range
        case .removedStaleRange(let range):
            try expect(staleRanges[range.channelURL]?.removeValue(forKey: range.upper) == range)
        case .savedKindCoverage(let coverage):
            kindCoverage[coverage.channelURL, default: [:]][coverage.kind] = coverage
        case .removedKindCoverage(let coverage):
            let old = kindCoverage[coverage.channelURL]?.removeValue(forKey: coverage.kind)
            try expect(old == coverage)
        case .savedUser(let user): users[user.userID] = user
        case .removedUser(let id): try expect(users.removeValue(forKey: id) != nil)
        case .clearedCachedData:
            (messages, groups, opens) = ([:], [:], [:])
            (gaps, staleRanges, users, kindCoverage) = ([:], [:], [:], [:])
        case .savedOutboxItem(let item): items[item.requestID] = item
        case .removedOutboxItem(let item):
            try expect(items.removeValue(forKey: item.requestID) == item)
        case .savedDraft, .savedLabels, .changedRow, .ephemeral, .missed, .replacedCache:
            try expect(false)
        }
    }

    func check(_ model: WorldModel, _ urls: [ChannelURL]) throws {
        func expect(_ condition: Bool, _ what: String) throws {
            if !condition { throw WorldModel.Difference(description: "what was told of \(what)") }
        }
        for url in urls {
            let channel = model.channels[url]
            try expect(messages[url] ?? [:] == channel?.messages ?? [:], "messages of \(url)")
            try expect(groups[url] == channel?.group, "group channel \(url)")
            try expect(opens[url] == channel?.open, "open channel \(url)")
            if channel != nil {
                let sorted = (gaps[url] ?? [:]).values.sorted { $0.upper < $1.upper }
                try expect(sorted == model.gaps(url), "gaps of \(url)")
            }
            let sorted = (staleRanges[url] ?? [:]).values.sorted { $0.upper < $1.upper }
            try expect(sorted == model.staleRanges(url), "stale ranges of \(url)")
            let covered = (kindCoverage[url] ?? [:]).map { ($0.key.rawValue, $0.value) }
            try expect(
                Dictionary(uniqueKeysWithValues: covered) == channel?.kindCoverage ?? [:],
                "kinds covered in \(url)")
            try expect(
                items.values.filter { $0.channelURL == url }.count
                    == model.outboxItems.filter { $0.channelURL == url }.count, "items of \(url)")
        }
        for item in model.outboxItems where urls.contains(item.channelURL) {
            try expect(items[item.requestID] == item, "outbox item \(item.requestID)")
        }
        if urls.count > 1 { try expect(users == model.users, "users") }
    }
}
