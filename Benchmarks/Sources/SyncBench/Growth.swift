import Collections
import EmbeddedServer
import Foundation
import Models
import Store
import Sync

/// Measures the same operations with more and more messages, channels and members, to show which of
/// them grow with the cache, and how fast.
@MainActor
func growth(upTo messageLimit: Int, in directory: URL) async throws -> [Row] {
    var rows: [Row] = []
    for count in sizes(upTo: messageLimit, from: 10_000) {
        rows += try await growth(messages: count, in: directory.appending(path: "m\(count)"))
    }
    for count in sizes(upTo: messageLimit / 100, from: 10) {
        rows += try await growth(channels: count, in: directory.appending(path: "c\(count)"))
    }
    for count in [1, 10, 100, 300] {
        rows += try await growth(members: count, in: directory.appending(path: "p\(count)"))
    }
    return rows
}

private func sizes(upTo limit: Int, from first: Int) -> [Int] {
    var sizes = [first]
    while let last = sizes.last, last * 10 <= limit { sizes.append(last * 10) }
    return sizes
}

/// Returns the median time of five calls.
@MainActor
private func median(_ body: @MainActor () async throws -> Void) async throws -> Duration {
    var times: [Duration] = []
    for _ in 0..<5 {
        let start = ContinuousClock.now
        try await body()
        times.append(ContinuousClock.now - start)
    }
    return times.sorted()[2]
}

/// Measures operations on one channel with many messages.
@MainActor
private func growth(messages count: Int, in directory: URL) async throws -> [Row] {
    func save(from start: Int, _ store: ChatStore) throws {
        try store.write { batch in
            for message in messages(10_000, in: "general", from: start) { try batch.save(message) }
        }
    }
    var store = try ChatStore(at: directory)
    for start in stride(from: 1, through: count, by: 10_000) { try save(from: start, store) }
    try store.write { try $0.cover("general", from: .beginning, through: .end) }
    store.close()

    var figures: [(String, Duration)] = []
    func measure(_ what: String, _ body: @MainActor () async throws -> Void) async throws {
        figures.append((what, try await median(body)))
    }
    try await measure("open and close the store") {
        try ChatStore(at: directory).close()
    }
    store = try ChatStore(at: directory)
    let engine = makeEngine(store, try EmbeddedServer.inMemory().client())
    try await measure("show the newest 40") {
        let collection = MessageCollection(of: "general", engine: engine)
        collection.start(.cacheOnly)
        precondition(collection.messages.count == 40)
        collection.dispose()
    }
    try await measure("show 40 around the middle") {
        let middle = messages(1, in: "general", from: count / 2)[0].createdAt
        let collection = MessageCollection(
            of: "general", startingPoint: .time(middle), engine: engine)
        collection.start(.cacheOnly)
        precondition(!collection.messages.isEmpty)
        collection.dispose()
    }
    try await measure("count") {
        let stored = try store.read { try $0.messageCount(in: "general") }
        precondition(stored >= count)
    }
    var next = count
    try await measure("store one message") {
        next += 1
        try store.write { try $0.save(messages(1, in: "general", from: next)[0]) }
    }
    let time = try await ContinuousClock().measure {
        try await engine.clearCachedMessages(in: ["general"])
    }
    figures.append(("clear", time))
    await engine.close()
    store.close()
    return figures.map { what, time in
        Row(what: "messages of a channel: \(what)", count: count, figure: time.short)
    }
}

/// Measures operations on many channels with ten messages each.
@MainActor
private func growth(channels count: Int, in directory: URL) async throws -> [Row] {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let urls = (0..<count).map { ChannelURL("channel-\($0)") }
    let server = try EmbeddedServer(at: directory.appending(path: "server"))
    for part in stride(from: 0, to: count, by: 1000) {
        try server.importMessages(
            urls[part..<min(part + 1000, count)].flatMap {
                messages(10, in: $0, prefix: $0.rawValue)
            },
            members: ["bob"])
    }
    let store = try ChatStore(at: directory.appending(path: "store"))
    let engine = makeEngine(store, server.client())
    var figures: [(String, Duration)] = []
    func measure(_ what: String, _ body: @MainActor () async throws -> Void) async throws {
        let start = ContinuousClock.now
        try await body()
        figures.append((what, ContinuousClock.now - start))
    }
    try await measure("connect for the first time") {
        try await engine.connect(as: Credentials("bob"))
        try await engine.caughtUp()
    }
    await engine.disconnect()
    try await measure("connect without a change") {
        try await engine.connect(as: Credentials("bob"))
        try await engine.caughtUp()
    }
    for url in urls {
        _ = try await engine.fetchMessages(in: url, at: .newest, older: 10, newer: 0)
    }
    await engine.disconnect()
    figures.append(
        (
            "show the first 20",
            try await median {
                let list = GroupChannelCollection(query: GroupChannelListQuery(), engine: engine)
                _ = list.start()
                list.dispose()
            }
        ))
    try await measure("shrink the cache to its minimum") {
        _ = try await engine.shrinkCache(to: 0)
    }
    try await measure("clear all messages") {
        try await engine.clearCachedMessages(in: urls)
    }
    await engine.close()
    store.close()
    return figures.map { what, time in
        Row(what: "channels: \(what)", count: count, figure: time.short)
    }
}

/// Measures operations on a channel with many members.
@MainActor
private func growth(members count: Int, in directory: URL) async throws -> [Row] {
    let store = try ChatStore(at: directory)
    var channel = GroupChannel(url: "general", name: "General", createdAt: 1)
    channel.myMemberState = .joined
    channel.members = (0..<count).map { number in
        var member = Member()
        member.userID = UserID("user-\(number)")
        member.nickname = "User \(number)"
        return member
    }
    for member in channel.members { channel.readReceipts[member.userID] = 1 }
    try store.write { try $0.save(channel) }
    var time = Int64(1)
    let receipt = try await median {
        for number in 0..<100 {
            time += 1
            channel.readReceipts[UserID("user-\(number % count)")] = Timestamp(milliseconds: time)
            try store.write { try $0.save(channel) }
        }
    }
    let reading = try await median {
        for _ in 0..<100 {
            let channel = try store.groupChannel("general")
            precondition(channel?.members.count == count)
        }
    }
    store.close()
    return [
        Row(
            what: "members of a channel: store a receipt", count: count,
            figure: (receipt / 100).short),
        Row(
            what: "members of a channel: read the members", count: count,
            figure: (reading / 100).short),
    ]
}
