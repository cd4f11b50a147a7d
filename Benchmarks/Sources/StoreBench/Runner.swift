import CPeers
import Foundation
import Measuring

/// Measures all stores in one run.
///
/// In each round, a row is measured with every store, in an order that varies. A temporary
/// disturbance therefore affects all stores. A call must return the same result for every store.
final class Runner {
    private let directory: URL
    private let isQuick: Bool
    private let filter: (String) -> Bool
    private(set) var results: [Result] = []

    /// The name of the minimum cost of a durable write: appending to a file and syncing the file.
    static let appendName = "append, fdatasync"

    /// The time limit in nanoseconds for one store in one row.
    ///
    /// The first round is always completed.
    private var budget: Double { isQuick ? 0.3e9 : 3e9 }

    init(in directory: URL, isQuick: Bool, stores filter: @escaping (String) -> Bool) {
        self.directory = directory
        self.isQuick = isQuick
        self.filter = filter
    }

    private func types(_ size: Int) -> [any Engine.Type] {
        engineTypes.filter { $0.largestSize >= size && filter($0.name) }
    }

    private func directory(_ name: String, _ size: Int) -> URL {
        directory.appending(path: "\(size)-\(name.filter(\.isLetter))")
    }

    private func report(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }

    // MARK: Messages

    /// Measures all operations on messages, in stores with `size` messages.
    func measureMessages(_ size: Int) throws {
        let start = ContinuousClock.now
        let world = World(size: size)
        let types = types(size)
        try load(world, types)
        try probe(world, types.filter { !$0.onlyWrites })

        let stores = try types.map { try $0.init(at: directory($0.name, size)) }
        if size <= 10_000 { try compareRows(of: stores) }
        for row in Row.all(in: world) { try measure(row, size, stores) }
        try measureAfterDeletions(size, stores)
        for store in stores { try store.close() }
        for type in types { try FileManager.default.removeItem(at: directory(type.name, size)) }
        report("\(size) messages: \(Int(start.duration(to: .now).nanoseconds / 1e9)) s")
    }

    /// Loads the stores one after another.
    ///
    /// A small store is loaded several times.
    private func load(_ world: World, _ types: [any Engine.Type]) throws {
        let rounds = world.size <= 100_000 && !isQuick ? 3 : 1
        var rates: [String: [Double]] = [:]
        var closedRates = rates
        var batches = rates
        for round in 0..<rounds {
            for index in Dice.turns(types.count, round: round) {
                let type = types[index]
                if type.largestSize < .max && round > 0 { continue }
                let (times, closing) = try load(world, type)
                let count = Double(100 * times.count)
                let total = times.reduce(0, +)
                rates[type.name, default: []].append(count / (total / 1e9))
                closedRates[type.name, default: []].append(count / ((total + closing) / 1e9))
                batches[type.name, default: []] += times
            }
        }
        for type in types where !type.onlyReads {
            results.append(
                Result(world.size, Title.insert, type.name, rates[type.name]!, .perSecond))
            results.append(
                Result(
                    world.size, Title.stall, type.name,
                    [batches[type.name]!.max()!]))
            results.append(
                Result(
                    world.size, Title.insertClosed, type.name, closedRates[type.name]!, .perSecond))
        }
    }

    /// Loads a new store in pages of 100 messages.
    ///
    /// As in a sync, the newest messages of each channel are loaded first.
    ///
    /// - Returns: The times of the batches, and the time of closing the store, when SQLite moves
    ///   its log to the database. LevelDB stops a running compaction instead, and repeats it after
    ///   the next opening. After the time limit, the other messages are loaded in a faster way, which
    ///   is not timed.
    private func load(
        _ world: World, _ type: any Engine.Type
    ) throws -> (batches: [Double], closing: Double) {
        let directory = directory(type.name, world.size)
        try? FileManager.default.removeItem(at: directory)
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true)
        let store = try type.init(at: directory)
        var times: [Double] = []
        var total = 0.0
        for page in 0..<world.messagesPerChannel / 100 {
            for channel in 0..<World.channelCount {
                let items = (0..<100).map { world.loaded(channel, age: page * 100 + $0) }
                if total > budget, try store.load(items) { continue }
                let time = try time(try store.insert(items)).nanoseconds
                times.append(time)
                total += time
            }
        }
        try store.coverEverything()
        let closing = try time {
            try store.close()
            return 1
        }
        return (times, closing.nanoseconds)
    }

    private func time(_ call: Call, repeats: Int = 1) throws -> (nanoseconds: Double, result: Int) {
        var result = 0
        let start = ContinuousClock.now
        for _ in 0..<repeats { result = try call() }
        return (start.duration(to: .now).nanoseconds / Double(repeats), result)
    }

    /// Measures opening the stores, reading the first page, and the memory, in new processes.
    ///
    /// Also measures the size on disk.
    private func probe(_ world: World, _ types: [any Engine.Type]) throws {
        var loaded: [String: [Double]] = [:]
        var clean = loaded
        var coldOpen = loaded
        var coldPage = loaded
        var coldBoth = loaded
        var memory = loaded
        var firstMemory = loaded
        for type in types {
            let directory = directory(type.name, world.size)
            loaded[type.name] = [try Probe.ask(type.name, directory, world.size).open]
        }
        for round in 0..<(isQuick ? 2 : 7) {
            for index in Dice.turns(types.count, round: round) {
                let name = types[index].name
                let directory = directory(name, world.size)
                let warm = try Probe.ask(name, directory, world.size)
                clean[name, default: []].append(warm.open)
                let cold = try Probe.ask(name, directory, world.size, isCold: true)
                coldOpen[name, default: []].append(cold.open)
                coldPage[name, default: []].append(cold.firstPage)
                coldBoth[name, default: []].append(cold.open + cold.firstPage)
                firstMemory[name, default: []].append(cold.memory)
            }
        }
        for type in types where type.largestSize == .max {
            let directory = directory(type.name, world.size)
            memory[type.name] = [
                try Probe.ask(type.name, directory, world.size, readsAll: true).memory
            ]
        }
        for type in types {
            let name = type.name
            let disk = bytes(in: directory(name, world.size)) / Double(world.size)
            results += [
                Result(world.size, Title.openLoaded, name, loaded[name]!),
                Result(world.size, Title.open, name, clean[name]!),
                Result(world.size, Title.coldOpen, name, coldOpen[name]!),
                Result(world.size, Title.coldPage, name, coldPage[name]!),
                Result(world.size, Title.coldBoth, name, coldBoth[name]!),
                Result(world.size, Title.firstMemory, name, firstMemory[name]!, .bytes),
                Result(world.size, Title.disk, name, [disk], .bytes),
            ]
            if let memory = memory[name] {
                results.append(Result(world.size, Title.memory, name, memory, .bytes))
            }
        }
    }

    /// Checks that the C code writes the same rows to LevelDB as Scrollback's store.
    private func compareRows(of stores: [any Engine]) throws {
        guard let ours = stores.lazy.compactMap({ $0 as? ScrollbackEngine }).first,
            let theirs = stores.lazy.compactMap({ $0 as? LevelDBEngine }).first
        else { return }
        // The tables of messages, positions, request ids and counters.
        let tables = Array("mirk".utf8)
        let (our, their) = (try ours.rows(of: tables), theirs.rows(of: tables))
        precondition(our == their, "LevelDB from C has other rows than Scrollback.")
    }

    /// A store that is measured in a row.
    private struct Subject {
        let name: String
        let call: (Int, inout Dice) throws -> Call?
    }

    /// Measures a row with every store that has the operation.
    private func measure(_ row: Row, _ size: Int, _ stores: [any Engine]) throws {
        let subjects = stores.filter {
            (row.isBlind || !type(of: $0).onlyWrites) && !(row.changes && type(of: $0).onlyReads)
        }.map { store in
            Subject(name: store.name) { try row.call(store, $0, &$1) }
        }
        guard row.title == Title.durablePut else { return try measure(row, size, subjects) }
        let file = peer_file_open(directory.appending(path: "append-\(size)").path)
        defer { peer_file_close(file) }
        let append = Subject(name: Runner.appendName) { index, _ in
            let bytes = World(size: size).new(index).outboxItem.serializedBytes
            return {
                bytes.withUnsafeBytes { peer_file_append(file, $0.baseAddress!, $0.count) }
                return 1
            }
        }
        try measure(row, size, subjects + [append])
    }

    private func measure(_ row: Row, _ size: Int, _ stores: [Subject]) throws {
        var times = [[Double]](repeating: [], count: stores.count)
        for round in 0..<(isQuick ? min(2, row.rounds) : row.rounds) {
            var expected: [Int]?
            for index in Dice.turns(stores.count, round: round) {
                if times[index].reduce(0, +) * Double(row.repeats) > budget { continue }
                var dice = Dice(round)
                var calls: [Call] = []
                for call in 0..<row.calls {
                    let number = round * row.calls + call
                    if let call = try stores[index].call(number, &dice) { calls.append(call) }
                }
                if calls.isEmpty { continue }
                // The first call is not timed: after another store's calls, it includes the cost of
                // cache misses.
                if !row.changes { _ = try calls[0]() }
                var returned: [Int] = []
                for call in calls {
                    let (time, result) = try time(call, repeats: row.repeats)
                    times[index].append(time)
                    returned.append(result)
                }
                precondition(
                    expected ?? returned == returned,
                    "\(row.title): \(stores[index].name) returned something else.")
                expected = returned
            }
        }
        for index in stores.indices where !times[index].isEmpty {
            results.append(Result(size, row.title, stores[index].name, times[index]))
        }
    }

    /// Deletes the 500 newest messages of a channel one by one, and measures reading the channel.
    private func measureAfterDeletions(_ size: Int, _ stores: [any Engine]) throws {
        let stores = stores.filter { !type(of: $0).onlyWrites && !type(of: $0).onlyReads }
        for store in stores {
            for page in 0..<10 {
                let items = (0..<100).map { World.extra(age: page * 100 + $0) }
                if try !store.load(items) { _ = try store.insert(items)() }
            }
            for age in 0..<500 { _ = try store.delete(World.extra(age: age))() }
        }
        for row in Row.pagesAfterDeletions { try measure(row, size, stores) }
    }

    // MARK: Channels

    /// Measures the channel list.
    func measureChannels() throws {
        let types = types(0).filter { !$0.onlyWrites && !$0.onlyReads }
        let stores = try types.map { type in
            let directory = directory("channels" + type.name, 0)
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            return try type.init(at: directory)
        }
        let all = (0..<ChannelItem.count).map { ChannelItem($0) }
        for store in stores {
            _ = try store.put(all)()
            _ = try store.channels(limit: 20)()
        }
        try measureTouches(all, stores)
        for row in Row.channelLists { try measure(row, 0, stores) }
        for store in stores { try store.close() }
        for type in types {
            try FileManager.default.removeItem(at: directory("channels" + type.name, 0))
        }
    }

    /// Moves random channels to the top of the list.
    ///
    /// The channels are the same for each store.
    private func measureTouches(_ all: [ChannelItem], _ stores: [any Engine]) throws {
        var times = [[Double]](repeating: [], count: stores.count)
        var channels = all
        var dice = Dice(0)
        for round in 0..<10 {
            let items = (0..<Row.touches / 10).map { index in
                let number = dice.roll(below: channels.count)
                channels[number] = channels[number].touched(round * Row.touches / 10 + index)
                return channels[number]
            }
            for index in Dice.turns(stores.count, round: round) {
                for (number, item) in items.enumerated() {
                    if times[index].reduce(0, +) > budget {
                        // After the time limit, write the other updates without timing them, so
                        // that all stores have the same channels.
                        _ = try stores[index].put(Array(items[number...]))()
                        break
                    }
                    times[index].append(try time(try stores[index].put([item])).nanoseconds)
                }
            }
        }
        for index in stores.indices {
            results.append(Result(0, Title.touch, stores[index].name, times[index]))
        }
    }
}
