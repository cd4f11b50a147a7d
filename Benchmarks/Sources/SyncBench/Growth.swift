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
    var timings: [Timing] = []
    for count in sizes(upTo: messageLimit, from: 10_000) {
        timings += try await growth(messages: count, in: directory.appending(path: "m\(count)"))
    }
    for count in sizes(upTo: messageLimit / 100, from: 10) {
        timings += try await growth(channels: count, in: directory.appending(path: "c\(count)"))
    }
    for count in [1, 10, 100, 300] {
        timings += try await growth(members: count, in: directory.appending(path: "p\(count)"))
    }
    return timings.map { Row(what: $0.operation, count: $0.count, figure: $0.time.short) }
        + exponents(of: timings)
}

private func sizes(upTo limit: Int, from first: Int) -> [Int] {
    var sizes = [first]
    while let last = sizes.last, last * 10 <= limit { sizes.append(last * 10) }
    return sizes
}

private func checkIsEmpty(_ store: ChatStore) throws {
    let count = try store.read { try $0.messageCount() }
    precondition(count == 0, "\(count) messages are left")
}

// MARK: Messages

/// Measures operations on one channel with many messages, without a connection.
@MainActor
private func growth(messages count: Int, in directory: URL) async throws -> [Timing] {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let home = directory.appending(path: "home")
    let timings = Timings("messages of a channel", count)
    var client = try await openClient(home, EmbeddedServer.inMemory().client())
    try fill(try client.engine.store, with: count)
    guard let path = try client.engine.store.directory else { fatalError("no directory") }
    await client.close()

    try await timings.measure("clear", onCopiesOf: home, check: checkIsEmpty) { client in
        try await client.clearCachedMessages(in: ["general"])
    }
    try await timings.measure("open and close the store") { try ChatStore(at: path).close() }
    client = try await openClient(home, EmbeddedServer.inMemory().client())
    try await measureReads(of: client, count, timings)
    try await measureWrites(of: client, count, timings)
    await client.close()

    client = try await openClient(home, EmbeddedServer.inMemory().client(), isSearchIndexed: true)
    let store = try client.engine.store
    while try store.indexMessages() {}
    // A space ends a word, so that others which begin with it are not found.
    try await timings.measure("search a word of one message, with the index") {
        let page = try await client.search(MessageSearchParams("\(count / 2) "))
        precondition(page.messages.count == 1)
    }
    try await timings.measure("search a word of all messages, with the index") {
        let page = try await client.search(MessageSearchParams("fox "))
        precondition(page.messages.count == 20)
    }
    await client.close()
    return timings.all
}

private func fill(_ store: ChatStore, with count: Int) throws {
    var channel = GroupChannel(url: "general", name: "General", createdAt: 1)
    channel.myMemberState = .joined
    try store.write { try $0.save(channel) }
    for start in stride(from: 1, through: count, by: 10_000) {
        try store.write { batch in
            for message in messages(10_000, in: "general", from: start) { try batch.save(message) }
        }
    }
    try store.write { try $0.cover("general", from: .beginning, through: .end) }
}

/// Returns the id of a message that ``messages(_:in:from:prefix:)`` creates.
private func id(_ number: Int) -> MessageID { MessageID("\(1_000_000 + number)") }

@MainActor
private func measureReads(of client: ChatClient, _ count: Int, _ timings: Timings) async throws {
    try await timings.measure("show the newest 40") {
        let collection = try client.makeMessageCollection(of: "general")
        collection.start(.cacheOnly)
        precondition(collection.messages.count == 40)
        collection.dispose()
    }
    let middle = messages(1, in: "general", from: count / 2)[0].createdAt
    try await timings.measure("show 40 around the middle") {
        let collection = try client.makeMessageCollection(
            of: "general", startingPoint: .time(middle))
        collection.start(.cacheOnly)
        precondition(!collection.messages.isEmpty)
        collection.dispose()
    }
    let collection = try client.makeMessageCollection(of: "general")
    collection.start(.cacheOnly)
    try await timings.measure("load a page of 40 older messages") {
        let page = try await collection.loadPrevious()
        precondition(page.count == 40)
    }
    collection.dispose()
    let store = try client.engine.store
    try await timings.measure("count") {
        let stored = try store.read { try $0.messageCount(in: "general") }
        precondition(stored == count)
    }
    var number = 0
    try await timings.measure("find a message by its id", calls: 10) {
        number = (number + 7_654_321) % count
        let message = try await client.message(id(number + 1), in: "general")
        precondition(message != nil)
    }
}

@MainActor
private func measureWrites(of client: ChatClient, _ count: Int, _ timings: Timings) async throws {
    let store = try client.engine.store
    var next = count
    try await timings.measure("store one message") {
        next += 1
        try store.write { try $0.save(messages(1, in: "general", from: next)[0]) }
    }
    var removed = count / 3
    try await timings.measure("remove a message from the cache") {
        removed += 1
        let isRemoved = try store.write { try $0.removeMessage(id(removed), in: "general") }
        precondition(isRemoved)
    }
    var deleted = count / 4
    try await timings.measure("delete a message, until it is in the outbox") {
        deleted += 1
        try await client.delete(.sent(id(deleted)), in: "general")
    }
    let collection = try client.makeMessageCollection(of: "general")
    let watch = Watch()
    collection.delegate = watch
    collection.start(.cacheOnly)
    var sent = 0
    try await timings.measure("send a message, until it is shown as pending") {
        sent += 1
        watch.expect("sent \(sent)")
        try await client.send("sent \(sent)", in: "general")
        await watch.heard()
        precondition(watch.message?.sendingStatus == .pending)
    }
    collection.dispose()
}

// MARK: Channels

/// Measures operations on many channels with ten messages each.
@MainActor
private func growth(channels count: Int, in directory: URL) async throws -> [Timing] {
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
    let home = directory.appending(path: "home")
    let timings = Timings("channels", count)
    try await measureConnecting(to: server, urls, home, timings)

    let client = try await openClient(home, EmbeddedServer.inMemory().client())
    try await timings.measure("show the first 20") {
        let list = try client.makeGroupChannelCollection()
        list.start()
        // The store sorts the channels on another thread when they are listed for the first time.
        while list.channels.count < min(20, count) { await Task.yield() }
        list.dispose()
    }
    let path = try client.engine.store.directory
    await client.close()
    guard let path else { fatalError("no directory") }
    try await measureCounting(of: path, timings)

    try await timings.measure("clear all messages", onCopiesOf: home, check: checkIsEmpty) {
        client in
        try await client.clearCachedMessages(in: urls)
    }
    try await timings.measure(
        "shrink the cache to its minimum", onCopiesOf: home, check: checkIsEmpty
    ) { client in
        try await client.shrinkCache(to: 0)
    }
    return timings.all
}

/// Connects, and leaves a cache with the messages of all channels.
@MainActor
private func measureConnecting(
    to server: EmbeddedServer, _ urls: [ChannelURL], _ home: URL, _ timings: Timings
) async throws {
    func connect(_ client: ChatClient) async throws {
        try await client.connect(as: Credentials("bob"))
        try await client.engine.caughtUp()
    }
    var times: [Duration] = []
    for _ in 0..<3 {
        try? FileManager.default.removeItem(at: home)
        let client = try await openClient(home, server.client())
        times.append(try await ContinuousClock().measure { try await connect(client) })
        await client.close()
    }
    timings.add("connect for the first time", times)

    let client = try await openClient(home, server.client())
    try await connect(client)
    for url in urls {
        _ = try await client.engine.fetchMessages(in: url, at: .newest, older: 10, newer: 0)
    }
    func disconnect() async { await client.disconnect() }
    try await timings.measure("connect without a change", samples: 3, after: disconnect) {
        try await connect(client)
    }
    var number = 10
    func missMessages() async throws {
        await client.disconnect()
        number += 1
        try server.importMessages(
            urls.flatMap { messages(1, in: $0, from: number, prefix: $0.rawValue) },
            isReported: true)
    }
    try await timings.measure(
        "catch up after a day with one message in each", samples: 3, after: missMessages
    ) {
        try await connect(client)
    }
    let stored = try client.engine.store.read { try $0.messageCount() }
    precondition(stored == urls.count * number, "\(stored) messages are held")
    await client.close()
}

/// Measures counting the unread messages, which an engine does once.
@MainActor
private func measureCounting(of path: URL, _ timings: Timings) async throws {
    let store = try ChatStore(at: path)
    var times: [Duration] = []
    for _ in 0..<3 {
        let engine = SyncEngine(store: store, backend: try EmbeddedServer.inMemory().client())
        let start = ContinuousClock.now
        let unread = await engine.state.unreadCount
        times.append(ContinuousClock.now - start)
        precondition(unread.map { $0.groupChannelUnreadMessageCount > 0 } ?? false)
        await engine.close()
    }
    timings.add("count the unread messages", times)
    store.close()
}

// MARK: Members

/// Measures operations on a channel with many members.
@MainActor
private func growth(members count: Int, in directory: URL) async throws -> [Timing] {
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
    let timings = Timings("members of a channel", count)
    var time = Int64(1)
    try await timings.measure("store a receipt", samples: 5, calls: 100) {
        time += 1
        let userID = UserID("user-\(Int(time) % count)")
        channel.readReceipts[userID] = Timestamp(milliseconds: time)
        try store.write { try $0.save(channel) }
    }
    try await timings.measure("read the members", samples: 5, calls: 100) {
        let channel = try store.groupChannel("general")
        precondition(channel?.members.count == count)
    }
    store.close()
    return timings.all
}
