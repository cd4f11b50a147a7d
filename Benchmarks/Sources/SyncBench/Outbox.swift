import Collections
import EmbeddedServer
import Foundation
import Models
import Store
import Sync

/// Compares the time of `send` with that of a durable write of the same outbox item.
///
/// The calls alternate, so that the state of the disk affects both.
func sends(_ count: Int, in directory: URL) async throws -> [Row] {
    let store = try ChatStore(at: directory.appending(path: "store"))
    let plain = try ChatStore(at: directory.appending(path: "plain"))
    let server = try EmbeddedServer(at: directory.appending(path: "server"))
    let engine = makeEngine(store, server.client())
    let clock = ContinuousClock()
    var puts: [Duration] = []
    var sends: [Duration] = []
    for number in 0..<count {
        let item = outboxItem(number)
        puts.append(try clock.measure { try plain.write { try $0.save(item) } })
        let params = NewMessage(item.message?.text ?? "")
        let start = clock.now
        try await engine.send(params, in: "general")
        sends.append(clock.now - start)
    }
    await engine.close()
    puts.sort()
    sends.sort()
    let (put, send) = (puts[count / 2], sends[count / 2])
    return [
        Row(what: "an item, put durably, median", count: count, figure: put.short),
        Row(
            what: "a message, sent, until the call returns, median", count: count,
            figure: "\(send.short), \(String(format: "%.2f", send / put)) times a put"),
    ]
}

/// Measures the time from the call of `send` until a list shows the pending message on the main
/// actor.
///
/// The device is connected, and each message is delivered before the next one is sent.
@MainActor
func shownSends(_ count: Int, in directory: URL) async throws -> [Row] {
    let conversation = try await Conversation(in: directory)
    let engine = conversation.engine
    let collection = MessageCollection(of: "general", engine: engine)
    let watch = Watch()
    collection.delegate = watch
    _ = try await collection.start().refreshed
    var times: [Duration] = []
    for number in 0..<count {
        let params = NewMessage(outboxItem(number).message?.text ?? "")
        watch.expect(params.text)
        let start = ContinuousClock.now
        let message = try await engine.send(params, in: "general")
        await watch.heard()
        precondition(watch.message?.sendingStatus == .pending)
        times.append(watch.last - start)
        _ = try await engine.deliveryResult(of: message.requestID ?? "", in: "general")
    }
    collection.dispose()
    await engine.close()
    return rows("a message, sent, until a list shows it as pending", times)
}

/// Measures a long queue of messages in one channel.
///
/// The messages are written offline, and then sent.
func queue(of count: Int, in directory: URL) async throws -> [Row] {
    let server = try EmbeddedServer(at: directory.appending(path: "server"))
    try server.importMessages(messages(10, in: "general"), members: ["bob"])
    let store = try ChatStore(at: directory.appending(path: "store"))
    for start in stride(from: 0, to: count, by: 1000) {
        try store.write { batch in
            for number in start..<min(start + 1000, count) { try batch.save(outboxItem(number)) }
        }
    }
    let (_, changes) = try store.observe(.outboxItems)
    let iterator = ChangeIterator(changes)
    let engine = makeEngine(store, server.client())
    let clock = ContinuousClock()
    var times: [Duration] = []
    times.reserveCapacity(count)
    let start = clock.now
    try await engine.connect(as: Credentials("bob"))
    var heads: [Duration] = []
    while times.count < count {
        for operation in await iterator.next().operations {
            guard case .removedOutboxItem = operation else { continue }
            times.append(clock.now - start)
            // LevelDB has to skip the items that were already removed to read the first item.
            // Measure that near the beginning and near the end.
            guard [count / 10, count - 10].contains(times.count) else { continue }
            heads.append(
                try clock.measure { _ = try store.outboxItems(in: "general", limit: 1) })
        }
    }
    await engine.close()
    let held = try store.read { try $0.messageCount(in: "general") }
    precondition(held >= count, "\(held) of \(count) messages are held")
    let tenth = count / 10
    // The time of the first item is left out, because it includes the wait for the connection.
    let first = (times[tenth - 1] - times[0]) / (tenth - 1)
    let last = (times[count - 1] - times[count - tenth]) / (tenth - 1)
    return [
        Row(
            what: "items of one channel, sent, each of the first tenth", count: count,
            figure: first.short),
        Row(
            what: "…, each of the last tenth", count: count,
            figure: "\(last.short), \(String(format: "%.2f", last / first)) times the first"),
        Row(
            what: "the first item of that queue, read, after a tenth, and at the end",
            count: count, figure: heads.map(\.short).joined(separator: ", ")),
    ]
}

private func outboxItem(_ number: Int) -> OutboxItem {
    var message = Message()
    message.channelURL = "general"
    message.createdAt = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
    message.text =
        "\(number): the quick brown fox jumps over the lazy dog, and then it does so again, and again."
    return OutboxItem(message, requestID: RequestID("item-\(number)"))
}
