import Collections
import EmbeddedServer
import Foundation
import Models
import Store
import Sync

/// Measures the time until the first messages and channels are shown, from a cache that was closed
/// regularly.
@MainActor
func coldStart(_ messageCount: Int, _ channelCount: Int, in directory: URL) async throws -> [Row] {
    try await coldStart(
        messageCount, channelCount, isListed: true, in: directory.appending(path: "listed"))
        + coldStart(
            messageCount, channelCount, isListed: false, in: directory.appending(path: "unlisted")
        ).suffix(2)
}

@MainActor
private func coldStart(
    _ messageCount: Int, _ channelCount: Int, isListed: Bool, in directory: URL
) async throws -> [Row] {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let closed = directory.appending(path: "closed")
    do {
        let store = try ChatStore(at: closed)
        try store.write { batch in
            for number in 0..<channelCount {
                let url = ChannelURL("channel-\(number)")
                var channel = GroupChannel(
                    url: url, name: "Channel \(number)",
                    createdAt: Timestamp(milliseconds: 1_600_000_000_000 + Int64(number)))
                channel.myMemberState = .joined
                channel.lastMessage = messages(1, in: url, from: number + 1)[0]
                try batch.save(channel)
            }
        }
        for start in stride(from: 0, to: messageCount, by: 10_000) {
            try store.write { batch in
                for message in messages(min(10_000, messageCount), in: "channel-0", from: start + 1)
                {
                    try batch.save(message)
                }
                try batch.cover("channel-0", from: .beginning, through: .end)
            }
        }
        // If the list was requested before, closing the cache saves the start of the list.
        if isListed { _ = try store.groupChannels(matching: GroupChannelListQuery(), limit: 20) }
        store.close()
    }
    let clock = ContinuousClock()
    var times: [String: [Duration]] = [:]
    for _ in 0..<21 {
        var path = closed
        if !isListed {
            // Closing the store saves the start of the list, so each round uses a new copy.
            path = directory.appending(path: "copy")
            try FileManager.default.copyItem(at: closed, to: path)
        }
        defer { if !isListed { try? FileManager.default.removeItem(at: path) } }
        let start = clock.now
        let store = try ChatStore(at: path)
        let opened = clock.now
        let engine = makeEngine(store, try EmbeddedServer.inMemory().client())
        let collection = MessageCollection(of: "channel-0", engine: engine)
        collection.start(.cacheOnly)
        precondition(collection.messages.count == 40)
        let shown = clock.now
        let query = GroupChannelListQuery()
        let channels = GroupChannelCollection(query: query, engine: engine)
        let listed = FirstPage()
        channels.delegate = listed
        let listing = clock.now
        // The device is not connected, so this loads cached rows and throws an error.
        _ = try? await channels.loadMore()
        guard let listedAt = listed.shownAt else { fatalError("20 channels were never shown.") }
        times["opening", default: []].append(opened - start)
        times["messages", default: []].append(shown - opened)
        times["channels", default: []].append(listedAt - listing)
        collection.dispose()
        channels.dispose()
        await engine.close()
        store.close()
    }
    func row(_ what: String, _ key: String, _ count: Int) -> [Row] {
        let sorted = times[key, default: []].sorted()
        return [
            Row(what: what + ", median", count: count, figure: sorted[sorted.count / 2].short),
            Row(what: "…, worst", count: count, figure: sorted[sorted.count - 1].short),
        ]
    }
    return row("opening a store after a clean close", "opening", messageCount)
        + row("the first 40 cached messages, from there", "messages", messageCount)
        + row(
            isListed
                ? "the first 20 cached channels, from there" : "…, where no list is saved",
            "channels",
            channelCount)
}

/// Records when a collection showed its first page of 20 channels.
@MainActor
private final class FirstPage: GroupChannelCollectionDelegate {
    private(set) var shownAt: ContinuousClock.Instant?

    func channelCollection(
        _ collection: GroupChannelCollection, didChange change: CollectionChange<GroupChannel>
    ) {
        if shownAt == nil, collection.channels.count == 20 { shownAt = .now }
    }

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        addedChannels channels: [GroupChannel]
    ) {}

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        updatedChannels channels: [GroupChannel]
    ) {}

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        deletedChannelURLs channelURLs: [ChannelURL]
    ) {}
}

/// Records when notifications about messages were received.
@MainActor
final class Watch: MessageCollectionDelegate {
    /// The expected message, as the collection has shown it first, and the time.
    private(set) var message: Message?
    private(set) var last = ContinuousClock.now
    private var text = ""
    private var continuation: CheckedContinuation<Void, Never>?

    /// Expects a message with the given text.
    func expect(_ text: String) { (self.text, message) = (text, nil) }

    /// Waits for the notification of the expected message, which may have been received already.
    func heard() async {
        guard message == nil else { return }
        await withCheckedContinuation { continuation = $0 }
    }

    func messageCollection(
        _ collection: MessageCollection, didChange change: CollectionChange<MessageItem>
    ) {
        guard message == nil,
            let shown = change.insertions.first(where: { $0.element.message?.text == text })
        else { return }
        last = .now
        message = shown.element.message
        continuation?.resume()
        continuation = nil
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [Message]
    ) {}

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [Message]
    ) {}

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [Message]
    ) {}

    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext, updatedChannel: GroupChannel
    ) {}

    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL
    ) {}

    func messageCollectionDidDetectHugeGap(_ collection: MessageCollection) {}

    func messageCollection(
        _ collection: MessageCollection, didReceive event: MessageCollectionEvent
    ) {}
}

/// Measures the time from the server's acceptance of a message until a collection's delegate is
/// notified.
///
/// After each message, waking the same threads without a message is measured.
@MainActor
func delegate(_ count: Int, in directory: URL) async throws -> [Row] {
    let conversation = try await Conversation(in: directory)
    let collection = MessageCollection(of: "general", engine: conversation.engine)
    let watch = Watch()
    collection.delegate = watch
    _ = try await collection.start().refreshed
    let relay = Relay()
    var times: [Duration] = []
    var wakes: [Duration] = []
    for number in 0..<count {
        // `conversation.send` runs on another thread. No task waits for it yet, so the message
        // wakes only the feed.
        watch.expect("\(number)")
        async let sent: Void = conversation.send(number)
        await watch.heard()
        if let message = watch.message {
            times.append(watch.last - conversation.clock.acceptance(of: message))
        }
        try await sent
        wakes.append(await relay.pass(number))
    }
    collection.dispose()
    await conversation.engine.close()
    return rows("a live message, from the server's acceptance to a delegate", times)
        + rows("waking the threads on its way, and nothing else", wakes)
}

/// Measures loading older pages at increasing distances from the newest message.
@MainActor
func pagingBack(_ pages: Int, in directory: URL) async throws -> [Row] {
    let store = try ChatStore(at: directory.appending(path: "store"))
    try store.write { batch in
        for message in messages(pages * 40 + 40, in: "general") { try batch.save(message) }
        try batch.cover("general", from: .beginning, through: .end)
    }
    let engine = makeEngine(store, try EmbeddedServer.inMemory().client())
    let collection = MessageCollection(of: "general", engine: engine)
    collection.start(.cacheOnly)
    var times: [Duration] = []
    for _ in 0..<pages {
        times.append(
            try await ContinuousClock().measure { _ = try await collection.loadPrevious() })
    }
    precondition(collection.messages.count == pages * 40 + 40)
    collection.dispose()
    await engine.close()
    let tenth = pages / 10
    let first = times.prefix(tenth).sorted()[tenth / 2]
    let last = times.suffix(tenth).sorted()[tenth / 2]
    return [
        Row(
            what: "a page of 40 older messages, among the first ten", count: pages,
            figure: first.short),
        Row(what: "…, among the last ten", count: pages, figure: last.short),
        Row(what: "…, the longest of all", count: pages, figure: (times.max() ?? .zero).short),
    ]
}

/// Measures the time from the commit of a live message until the delegate of a list with 10,000
/// messages is notified.
///
/// One list has free capacity. The other is full, so that the oldest row must be removed.
@MainActor
func fold(_ count: Int, in directory: URL) async throws -> [Row] {
    try await fold(count, "a list of 10,000", room: count, in: directory.appending(path: "open"))
        + fold(count, "one that is full", room: 0, in: directory.appending(path: "full"))
}

@MainActor
private func fold(
    _ count: Int, _ list: String, room: Int, in directory: URL
) async throws -> [Row] {
    let store = try ChatStore(at: directory)
    let held = 10_000
    try store.write { batch in
        for message in messages(held, in: "general") { try batch.save(message) }
        try batch.cover("general", from: .beginning, through: .end)
    }
    let engine = makeEngine(store, try EmbeddedServer.inMemory().client())
    var params = MessageListParams()
    params.previousResultSize = held
    let collection = MessageCollection(
        of: "general", params: params, capacity: held + room, engine: engine)
    // The rest of a long window is read on another thread.
    _ = try await collection.start(.cacheOnly).refreshed
    precondition(collection.messages.count == held)
    let watch = Watch()
    collection.delegate = watch
    var times: [Duration] = []
    for number in 0..<count {
        var message = messages(1, in: "general", from: held + number + 1)[0]
        message.text = "\(number)"
        watch.expect(message.text)
        try store.write { try $0.save(message) }
        let written = ContinuousClock.now
        await watch.heard()
        times.append(watch.last - written)
    }
    collection.dispose()
    await engine.close()
    return rows("a message into \(list), from its commit to a delegate", times)
}
