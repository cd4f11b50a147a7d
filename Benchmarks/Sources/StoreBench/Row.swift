import Foundation
import Measuring
import Models

/// A row of the tables: an operation, and how often it is measured.
struct Row {
    let title: String
    /// The number of calls that are prepared for each store in one round.
    let calls: Int
    /// The number of times that a call is repeated in one timing.
    ///
    /// It is greater than 1 if one call is too short for the clock.
    var repeats = 1
    /// The maximum number of rounds.
    var rounds = 10
    /// True if the operation changes the store.
    ///
    /// Then no call can be repeated.
    var changes = false
    /// True if the row also measures the stores that have `onlyWrites`.
    var isBlind = false
    /// Prepares a call.
    ///
    /// The arguments are the store, the number of the call over all rounds, and a source of random
    /// numbers.
    ///
    /// Returns `nil` if the store lacks the operation.
    let call: (any Engine, Int, inout Dice) throws -> Call?

    init(
        _ title: String, calls: Int, repeats: Int = 1, rounds: Int = 10, changes: Bool = false,
        isBlind: Bool = false,
        _ call: @escaping (any Engine, Int, inout Dice) throws -> Call?
    ) {
        self.title = title
        self.calls = calls
        self.repeats = repeats
        self.rounds = rounds
        self.changes = changes
        self.isBlind = isBlind
        self.call = call
    }
}

extension Row {
    static let pageSize = 30

    /// Returns the operations on messages, in the order of the tables.
    static func all(in world: World) -> [Row] {
        let perChannel = world.messagesPerChannel
        return [
            Row(Title.newestRaw, calls: 300, rounds: 30) { store, _, dice in
                store.rawPage(dice.roll(below: World.channelCount), before: nil, limit: pageSize)
            },
            Row(Title.newest, calls: 300, rounds: 30) { store, _, dice in
                store.page(dice.roll(below: World.channelCount), before: nil, limit: pageSize)
            },
            Row(Title.newestChecked, calls: 300, rounds: 30) { store, _, dice in
                store.checkedPage(dice.roll(below: World.channelCount), limit: pageSize)
            },
            Row(Title.randomRaw, calls: 300, rounds: 30) { store, _, dice in
                let channel = dice.roll(below: World.channelCount)
                let age = dice.roll(below: perChannel - pageSize - 1)
                return store.rawPage(
                    channel, before: World.time(channel, age: age), limit: pageSize)
            },
            Row(Title.random, calls: 300, rounds: 30) { store, _, dice in
                let channel = dice.roll(below: World.channelCount)
                let age = dice.roll(below: perChannel - pageSize - 1)
                return store.page(
                    channel, before: World.time(channel, age: age), limit: pageSize)
            },
            Row(Title.lastRead, calls: 300, rounds: 30) { store, _, dice in
                let channel = dice.roll(below: World.channelCount)
                // The last read message: 15 to 79 messages are unread.
                let age = 15 + dice.roll(below: 65)
                return store.screen(
                    channel, around: World.time(channel, age: age), each: pageSize / 2)
            },
            Row(Title.recentHit, calls: 500, rounds: 30) { store, _, dice in
                let channel = dice.roll(below: World.channelCount)
                // By Zipf's law: the n-th newest message is looked up 1/n times as often as the
                // newest one.
                let fraction = Double(dice.roll(below: 1 << 20)) / Double(1 << 20)
                let age = Int(pow(Double(perChannel), fraction)) - 1
                return store.lookup(World.id(channel, age: age), in: channel)
            },
            Row(Title.hit, calls: 500, rounds: 30) { store, _, dice in
                let channel = dice.roll(below: World.channelCount)
                let age = dice.roll(below: perChannel)
                return store.lookup(World.id(channel, age: age), in: channel)
            },
            Row(Title.miss, calls: 500, repeats: 4, rounds: 30) { store, _, dice in
                let channel = dice.roll(below: World.channelCount)
                // An id that no message has, between two existing ids in the order of ids.
                let id = World.id(channel, age: dice.roll(below: perChannel)).rawValue + "0"
                return store.lookup(MessageID(id), in: channel)
            },
            Row(Title.rawScan, calls: 1, rounds: 5) { store, _, _ in
                let channels = (0..<World.channelCount).compactMap {
                    store.rawPage($0, before: nil, limit: .max)
                }
                return channels.isEmpty ? nil : { try channels.reduce(0) { $0 + (try $1()) } }
            },
            Row(Title.scan, calls: 1, rounds: 5) { store, _, _ in
                // Read one channel after another, because each store keeps the messages of a
                // channel together.
                let channels = (0..<World.channelCount).map {
                    store.page($0, before: nil, limit: .max)
                }
                return { try channels.reduce(0) { $0 + (try $1()) } }
            },
            Row(Title.countChannel, calls: 50, repeats: 4) { store, _, dice in
                store.count(in: dice.roll(below: World.channelCount))
            },
            Row(Title.countAll, calls: 3, repeats: 8) { store, _, _ in store.count() },
            Row(Title.put, calls: 500, changes: true, isBlind: true) { store, index, _ in
                try store.put(world.new(index))
            },
            Row(Title.putAmong, calls: 200, changes: true) { store, index, _ in
                try store.put(world.amongOthers(index))
            },
            Row(Title.update, calls: 300, changes: true) { store, index, dice in
                let channel = dice.roll(below: World.channelCount)
                let age = dice.roll(below: perChannel / 2)
                return try store.put(world.loaded(channel, age: age).edited(index))
            },
            Row(Title.delete, calls: 50, changes: true) { store, index, _ in
                let age = perChannel / 2 + index / World.channelCount
                return try store.delete(
                    world.loaded(index % World.channelCount, age: age))
            },
            Row(Title.durablePut, calls: 10, rounds: 30, changes: true) { store, index, _ in
                try store.putDurably([world.new(index)])
            },
            Row(Title.durableBatch, calls: 3, rounds: 20, changes: true) { store, index, _ in
                try store.putDurably(
                    (0..<100).map { world.new(1_000_000 + index * 100 + $0) })
            },
        ]
    }

    /// The operations on a channel whose 500 newest messages were deleted.
    static var pagesAfterDeletions: [Row] {
        [
            Row(Title.afterDeletionsRaw, calls: 300) { store, _, _ in
                store.rawPage(World.channelCount, before: nil, limit: pageSize)
            },
            Row(Title.afterDeletions, calls: 300) { store, _, _ in
                store.page(World.channelCount, before: nil, limit: pageSize)
            },
        ]
    }

    /// The number of updates of the channel list before the list's first channels are read.
    static let touches = 10_000

    static var channelLists: [Row] {
        [
            Row(Title.top20, calls: 50) { store, _, _ in store.channels(limit: 20) },
            Row(Title.top40, calls: 50) { store, _, _ in store.channels(limit: 40) },
            Row(Title.allChannels, calls: 1) { store, _, _ in store.channels(limit: nil) },
        ]
    }
}

/// The titles of the rows.
enum Title {
    static let insert = "insert, batches of 100"
    static let stall = "the slowest of these batches"
    /// Closing a store on LevelDB interrupts a compaction; the rest is not part of the rate.
    static let insertClosed = "insert, until closed (LevelDB compacts the rest later)"
    static let newestRaw = "newest page of 30, raw"
    static let newest = "newest page of 30, decoded"
    static let newestChecked = "…, and whether it is complete"
    static let randomRaw = "random page of 30, raw"
    static let random = "random page of 30, decoded"
    static let lastRead = "30 messages around the last read one, decoded"
    static let recentHit = "lookup of a stored id, of new messages more often"
    static let hit = "lookup of a stored id"
    static let miss = "lookup of an unknown id"
    static let rawScan = "scan of all, raw"
    static let scan = "scan of all, decoded"
    static let countChannel = "count of a channel (kept by Scrollback, counted by SQLite)"
    static let countAll = "count of all (kept by Scrollback, counted by SQLite)"
    static let put = "put one"
    static let putAmong = "put one, with an id between existing ones"
    static let update = "update one"
    static let delete = "delete one"
    static let durablePut = "put one durably"
    static let durableBatch = "put 100 durably"
    static let afterDeletionsRaw = "newest page after 500 deletions, raw"
    static let afterDeletions = "newest page after 500 deletions, decoded"
    static let touch = "touch a channel"
    static let top20 = "top 20 after 10,000 touches"
    static let top40 = "top 40 after 10,000 touches"
    static let allChannels = "list of 10,000 channels"
    static let openLoaded = "open, after the load"
    static let open = "open, after a clean close"
    static let coldOpen = "open, cold"
    static let coldPage = "first page, cold"
    static let coldBoth = "open and first page, cold"
    static let memory = "private memory while reading all"
    static let firstMemory = "private memory after a cold open and the first page"
    static let disk = "disk, for each message"
}
