import Collections
import EmbeddedServer
import Foundation
import Measuring
import Models
import Store
import Sync

/// A new process that does the work of an app, and prints figures of itself.
enum ProcessProbe: String, CaseIterable {
    /// The time from the first call of the package to the first 40 rows of a channel, and the time
    /// from the start of the process to these rows.
    case launch
    /// The first of these times when it is done again in this process, where the Swift runtime has
    /// prepared the types.
    case relaunch
    /// The time from the start of a process until it has created an embedded server, as the others
    /// do before they open a client, and its private memory.
    case start
    /// The private memory of a connected app that shows the first 40 messages of a channel.
    case app
    /// The private memory of a connected app that shows nothing.
    case idle
    /// The private memory of a connected app that shows the list of channels and ten channels.
    case collections
    /// The private memory of a notification extension that leaves a message in the push inbox.
    case push
    /// The bytes that a client passes to `write`, and that it writes to the disk, for each received
    /// message.
    case received
    /// The same for each sent message.
    case sent
    /// The number of times that the threads of a connected client wake up in a minute without
    /// messages.
    case wakeups

    /// Does the work of the process, and prints the figures.
    @MainActor
    func run(_ work: ProbeWork) async throws {
        let figures =
            switch self {
            case .launch: try await Self.launchTimes(work, rounds: 1)
            case .relaunch: try await Self.launchTimes(work, rounds: 2)
            case .start: try Self.startFigures(work)
            case .idle: [try await Self.connectedMemory(work, showing: 0)]
            case .app: [try await Self.connectedMemory(work, showing: 1)]
            case .collections: [try await Self.connectedMemory(work, showing: 10, hasList: true)]
            case .push: [try Self.pushMemory(work)]
            case .received:
                try await Self.writtenBytes(work, count: work.count / 10) {
                    (server, _, message) in
                    try server.importMessages([message], isReported: true)
                }
            case .sent:
                try await Self.writtenBytes(work, count: work.count / 50) {
                    (_, client, message) in
                    try await client.send(message.text, in: message.channelURL)
                }
            case .wakeups: [try await Self.wakeUpsOfClient(work)]
            }
        print(figures.map { "\($0)" }.joined(separator: " "))
    }

    private static func url(_ number: Int) -> ChannelURL { ChannelURL("channel-\(number)") }

    /// Returns a server in memory, and a client that is connected to it and has cached all of its
    /// messages: a number of messages in one channel, and 100 in each of nine others.
    @MainActor
    static func fill(_ work: ProbeWork) async throws -> (EmbeddedServer, ChatClient) {
        let server = try EmbeddedServer.inMemory()
        for number in 0..<10 {
            try server.importMessages(
                messages(
                    number == 0 ? work.count : 100, in: url(number), prefix: "\(number)-"),
                members: ["bob"])
        }
        let client = try await ChatClient.open(backend: server.client(), options: work.options)
        try await client.connect(as: Credentials("bob"))
        try await client.engine.caughtUp()
        var params = MessageListParams()
        params.previousResultSize = 100
        for number in 0..<10 {
            let collection = try client.makeMessageCollection(of: url(number), params: params)
            _ = try await collection.start().refreshed
            while collection.hasPrevious { _ = try await collection.loadPrevious() }
            collection.dispose()
        }
        try await client.engine.caughtUp()
        let held = try client.engine.store.read { try $0.messageCount() }
        precondition(held == work.count + 900, "\(held) messages are held")
        return (server, client)
    }

    // MARK: Starting

    /// Returns the times of the last of a number of rounds.
    @MainActor
    private static func launchTimes(_ work: ProbeWork, rounds: Int) async throws -> [Double] {
        var times: [Double] = []
        for _ in 0..<rounds {
            let backend = try EmbeddedServer.inMemory().client()
            let start = ContinuousClock.now
            let client = try await ChatClient.open(backend: backend, options: work.options)
            let collection = try client.makeMessageCollection(of: url(0))
            collection.start(.cacheOnly)
            precondition(collection.messages.count == 40)
            times = [(ContinuousClock.now - start).seconds * 1e6, work.microsecondsSinceStart]
            await client.close()
        }
        return times
    }

    @MainActor
    private static func startFigures(_ work: ProbeWork) throws -> [Double] {
        let backend = try EmbeddedServer.inMemory().client()
        let figures = [work.microsecondsSinceStart, privateMemory]
        withExtendedLifetime(backend) {}
        return figures
    }

    // MARK: Memory

    private static var privateMemory: Double {
        Double(processMemory("Private_Dirty", in: "smaps_rollup"))
    }

    /// Returns the memory of a client that has caught up, and shows some channels.
    @MainActor
    private static func connectedMemory(
        _ work: ProbeWork, showing count: Int, hasList: Bool = false
    ) async throws -> Double {
        let epoch = ServerEpoch(rawValue: try String(contentsOf: work.epochFile, encoding: .utf8))
        let backend = QuietBackend(try EmbeddedServer.inMemory().client(), epoch: epoch)
        let client = try await ChatClient.open(backend: backend, options: work.options)
        try await client.connect(as: Credentials("bob"))
        try await client.engine.caughtUp()
        var collections: [MessageCollection] = []
        for number in 0..<count {
            let collection = try client.makeMessageCollection(of: url(number))
            let messages = try await collection.start().refreshed
            precondition(messages.count == 40)
            collections.append(collection)
        }
        var list: GroupChannelCollection?
        if hasList {
            list = try client.makeGroupChannelCollection()
            let channels = try await list?.start().refreshed
            precondition(channels?.count == 10)
        }
        let memory = privateMemory
        withExtendedLifetime((collections, list)) {}
        await client.close()
        return memory
    }

    private static func pushMemory(_ work: ProbeWork) throws -> Double {
        guard let inbox = try PushInbox(in: work.directory) else { fatalError("no inbox") }
        try inbox.leave(messages(1, in: url(0), from: 1))
        return privateMemory
    }

    // MARK: Written bytes

    /// Returns the bytes that a client passes to `write`, and that it writes to the disk, for each
    /// of `count` messages that arrive or are sent one after the other.
    ///
    /// The server has its data in memory. The client's cache has messages before, so that LevelDB
    /// compacts tables.
    @MainActor
    private static func writtenBytes(
        _ work: ProbeWork, count: Int,
        _ send: @MainActor (EmbeddedServer, ChatClient, Message) async throws -> Void
    ) async throws -> [Double] {
        let (server, client) = try await fill(work)
        let collection = try client.makeMessageCollection(of: url(0))
        _ = try await collection.start().refreshed
        let changes = collection.allChanges()
        let before = try await settledByteCounts()
        for number in work.count + 1...work.count + count {
            let message = messages(1, in: url(0), from: number, prefix: "0-")[0]
            try await send(server, client, message)
            for await _ in changes {
                let last = collection.items.last?.message
                if last?.text == message.text, last?.sendingStatus == .succeeded { break }
            }
        }
        let after = try await settledByteCounts()
        collection.dispose()
        await client.close()
        return zip(after, before).map { Double($0 - $1) / Double(count) }
    }

    /// Returns the bytes that this process has passed to `write`, and those that it has written to
    /// the disk, once LevelDB has not compacted any table for a second.
    private static func settledByteCounts() async throws -> [Int] {
        var last: [Int] = []
        for _ in 0..<60 {
            let counts = ["wchar", "write_bytes"].map { processValue($0, in: "io") }
            // Each second, libdispatch passes some bytes to `write`.
            if !last.isEmpty, zip(counts, last).allSatisfy({ $0 - $1 < 1000 }) { return counts }
            last = counts
            try await Task.sleep(for: .seconds(1))
        }
        fatalError("The client still writes after a minute.")
    }

    // MARK: Wake-ups

    /// Returns how much more often threads wake up in a minute if a client is connected.
    ///
    /// Without any work, they wake up about once per second, for a timer of libdispatch.
    @MainActor
    private static func wakeUpsOfClient(_ work: ProbeWork) async throws -> Double {
        let usual = try await wakeUpsInAMinute()
        let (server, client) = try await fill(work)
        try await Task.sleep(for: .seconds(5))
        let count = try await wakeUpsInAMinute()
        withExtendedLifetime(server) {}
        await client.close()
        return Double(count - usual)
    }

    private static func wakeUpsInAMinute() async throws -> Int {
        let before = wakeUps
        try await Task.sleep(for: .seconds(60))
        return wakeUps - before
    }

    private static var wakeUps: Int {
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #endif
        return usage.ru_nvcsw
    }
}
