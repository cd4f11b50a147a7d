import Collections
import EmbeddedServer
import Foundation
import Measuring
import Models
import Store
import Sync

/// A new process that does the work of an app, and prints one figure of itself.
enum ProcessProbe: String, CaseIterable {
    /// The time from the first call of the package to the first 40 rows of a channel.
    case launch
    /// The same time when it is done again in this process, where the Swift runtime has prepared
    /// the types.
    case relaunch
    /// The private memory of an app that shows the first 40 messages of a channel.
    case app
    /// The private memory of an app that has opened its cache and shows nothing.
    case idle
    /// The private memory of an app that shows the list of channels and ten channels.
    case collections
    /// The private memory of a notification extension that leaves a message in the push inbox.
    case push
    /// The bytes that a client writes to its files for each received message.
    case received
    /// The bytes that a client writes to its files for each sent message.
    case sent
    /// The number of times that the threads of a connected client wake up in a minute without
    /// messages.
    case wakeups

    /// Does the work of the process, and prints the figure.
    @MainActor
    func run(in directory: URL, isEncrypted: Bool) async throws {
        let options = Self.options(in: directory, isEncrypted: isEncrypted)
        switch self {
        case .relaunch:
            let client = try await ChatClient.open(
                backend: try EmbeddedServer.inMemory().client(), options: options)
            let collection = try client.makeMessageCollection(of: Self.url(0))
            collection.start(.cacheOnly)
            await client.close()
            try await Self.launch.run(in: directory, isEncrypted: isEncrypted)
        case .launch, .app, .idle, .collections:
            let backend = try EmbeddedServer.inMemory().client()
            let start = ContinuousClock.now
            let client = try await ChatClient.open(backend: backend, options: options)
            var collections: [MessageCollection] = []
            if self != .idle {
                for number in 0..<(self == .collections ? 10 : 1) {
                    let collection = try client.makeMessageCollection(of: Self.url(number))
                    collection.start(.cacheOnly)
                    precondition(collection.messages.count == 40)
                    collections.append(collection)
                }
            }
            let time = ContinuousClock.now - start
            if self == .collections { _ = try client.makeGroupChannelCollection().start() }
            print(self == .launch ? time.seconds * 1e6 : Double(privateMemory))
            withExtendedLifetime(collections) {}
            await client.close()
        case .push:
            guard let inbox = try PushInbox(in: directory) else { fatalError("no inbox") }
            try inbox.leave(messages(1, in: Self.url(0), from: 1))
            print(privateMemory)
        case .received, .sent:
            print(try await writtenBytes(with: options))
        case .wakeups:
            let usual = try await wakeUpsInAMinute()
            let client = try await ChatClient.open(
                backend: try EmbeddedServer.inMemory().client(), options: options)
            _ = try await client.connect(as: Credentials("bob"))
            try await Task.sleep(for: .seconds(5))
            print(try await wakeUpsInAMinute() - usual)
            await client.close()
        }
    }

    /// Returns the bytes that a client writes for each of 2,000 messages that arrive or are sent
    /// one after the other, while the server keeps its data in memory.
    @MainActor
    private func writtenBytes(with options: ChatClientOptions) async throws -> Int {
        let count = 2000
        let server = try EmbeddedServer.inMemory()
        try server.importMessages(messages(100, in: Self.url(0)), members: ["bob"])
        let client = try await ChatClient.open(backend: server.client(), options: options)
        _ = try await client.connect(as: Credentials("bob"))
        let collection = try client.makeMessageCollection(of: Self.url(0))
        _ = try await collection.start().refreshed
        let changes = collection.allChanges()
        let before = writtenByteCount
        for number in 101...100 + count {
            let message = messages(1, in: Self.url(0), from: number)[0]
            let text = message.text
            if self == .received {
                try server.importMessages([message], isReported: true)
            } else {
                try await client.send(text, in: Self.url(0))
            }
            for await _ in changes
            where collection.messages.last?.text == text
                && collection.messages.last?.sendingStatus == .succeeded
            { break }
        }
        collection.dispose()
        await client.close()
        return (writtenByteCount - before) / count
    }

    static func url(_ number: Int) -> ChannelURL { ChannelURL("channel-\(number)") }

    static func options(in directory: URL, isEncrypted: Bool) -> ChatClientOptions {
        var options = ChatClientOptions(storage: .directory(directory))
        if isEncrypted { options.encryptionKey = EncryptionKey(0..<32) }
        options.sync.backgroundChannels = 0
        return options
    }

    private var privateMemory: Int { processMemory("Private_Dirty", in: "smaps_rollup") }

    /// The bytes that this process has passed to `write`.
    private var writtenByteCount: Int { processValue("wchar", in: "io") }

    /// Returns how often threads of this process wake up in a minute.
    ///
    /// Without any work, they wake up about once per second, for a timer of libdispatch.
    private func wakeUpsInAMinute() async throws -> Int {
        let before = wakeUps()
        try await Task.sleep(for: .seconds(60))
        return wakeUps() - before
    }

    private func wakeUps() -> Int {
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #endif
        return usage.ru_nvcsw
    }
}

extension ProcessProbe {
    /// Measures new processes that open a cache with `count` messages in one channel.
    @MainActor
    static func rows(of count: Int, in directory: URL) async throws -> [Row] {
        let plain = directory.appending(path: "plain")
        let encrypted = directory.appending(path: "encrypted")
        let push = directory.appending(path: "push")
        try await prepare(plain, with: count, isEncrypted: false)
        try await prepare(encrypted, with: count, isEncrypted: true)
        try ChatStore(at: push).close()
        // A client creates this directory; see Docs/Format.md, "Push inbox".
        try FileManager.default.createDirectory(
            at: push.appending(path: "drops"), withIntermediateDirectories: true)

        var rows: [Row] = []
        let launches: [(ProcessProbe, String, isCold: Bool)] = [
            (launch, "in the system's memory", false), (launch, "from the disk", true),
            (relaunch, "opened again in the process", false),
        ]
        for (files, home) in [("plain", plain), ("encrypted", encrypted)] {
            for (probe, what, isCold) in launches {
                let times = try (0..<11).map { _ in
                    if isCold { forgetFiles(in: home) }
                    let time = try probe.ask(home, isEncrypted: home == encrypted)
                    return Duration.microseconds(time)
                }.sorted()
                rows.append(
                    Row(
                        what: "first 40 rows in a new process, \(files) files, \(what), "
                            + "median and worst",
                        count: count, figure: "\(times[5].short), \(times[10].short)"))
            }
        }
        let memory: [(ProcessProbe, String, URL)] = [
            (.idle, "private memory, with an open cache", plain),
            (.app, "…, with 40 messages of a channel", plain),
            (.collections, "…, with the list of channels and ten channels", plain),
            (.collections, "…, the same with encrypted files", encrypted),
            (.push, "private memory of a notification extension, after a push", push),
        ]
        for (probe, what, home) in memory {
            let sizes = try (0..<5).map { _ in try probe.ask(home, isEncrypted: home == encrypted) }
            let megabytes = String(format: "%.1f MB", sizes.sorted()[2] / 1e6)
            rows.append(Row(what: what, count: count, figure: megabytes))
        }
        for (probe, what) in [
            (received, "bytes written for each received message"),
            (sent, "bytes written for each sent message"),
            (wakeups, "wake-ups of an idle client in a minute"),
        ] {
            let figure = try probe.ask(
                directory.appending(path: probe.rawValue), isEncrypted: false)
            rows.append(Row(what: what, count: 1, figure: "\(Int(figure))"))
        }
        return rows
    }

    /// Fills the cache of a client with `count` messages in one channel and 100 in each of nine
    /// others.
    @MainActor
    private static func prepare(
        _ directory: URL, with count: Int, isEncrypted: Bool
    ) async throws {
        let server = try EmbeddedServer.inMemory()
        let client = try await ChatClient.open(
            backend: server.client(), options: options(in: directory, isEncrypted: isEncrypted))
        for number in 0..<10 {
            try server.importMessages(
                messages(
                    number == 0 ? count : 100, in: url(number), prefix: "\(number)-"),
                members: ["bob"])
        }
        _ = try await client.connect(as: Credentials("bob"))
        var params = MessageListParams()
        params.previousResultSize = 100
        for number in 0..<10 {
            let collection = try client.makeMessageCollection(of: url(number), params: params)
            _ = try await collection.start().refreshed
            while collection.hasPrevious { _ = try await collection.loadPrevious() }
            collection.dispose()
        }
        await client.close()
    }

    /// Returns the figure that a new process prints.
    private func ask(_ directory: URL, isEncrypted: Bool) throws -> Double {
        var arguments = ["--probe", rawValue, "--directory", directory.path]
        if isEncrypted { arguments.append("--encrypted") }
        let text = String(decoding: try outputOfThisProgram(arguments), as: UTF8.self)
        guard let figure = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            fatalError("The process has printed no figure: \(text)")
        }
        return figure
    }
}
