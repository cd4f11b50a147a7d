import Foundation
import Models
import Store

/// Measures the cost of encryption with an unencrypted and an encrypted store in turn.
func encryption(of count: Int, in directory: URL) throws -> [Row] {
    let places = ["plain", "encrypted"].map { directory.appending(path: $0) }
    let key = EncryptionKey()
    func open(cacheSize: Int) throws -> [ChatStore] {
        var options = StoreOptions()
        options.blockCacheByteCount = cacheSize
        return try places.enumerated().map { index, place in
            try ChatStore(at: place, options: options, encryptionKey: index == 0 ? nil : key)
        }
    }
    let batch = 100
    let inserts = try inTurns(
        with: open(cacheSize: 8 << 20), rounds: count / batch
    ) { store, round in
        let page = messages(batch, in: "general", from: round * batch + 1)
        return try ContinuousClock().measure {
            try store.write { for message in page { try $0.save(message) } }
        }
    }

    var random = SystemRandomNumberGenerator()
    let times = (0..<1_000).map { _ in
        let number = Int64.random(in: 100..<Int64(count), using: &random)
        return Timestamp(milliseconds: 1_700_000_000_000 + number * 1_000)
    }
    func page(_ store: ChatStore, _ time: Timestamp) throws -> Duration {
        try ContinuousClock().measure {
            let page = try store.messages(in: "general", before: .time(time), limit: 40)
            precondition(page.count == 40, "\(page.count) messages")
        }
    }
    // LevelDB has no block cache here. It reads each block from a file, which is in the system's
    // page cache.
    let cold = try inTurns(with: open(cacheSize: 0), rounds: times.count) {
        try page($0, times[$1])
    }
    let lookups = try inTurns(with: open(cacheSize: 0), rounds: times.count) { store, round in
        let number = (times[round].milliseconds - 1_700_000_000_000) / 1_000
        let id = MessageID(String(1_000_000 + number))
        return try ContinuousClock().measure {
            let message = try store.message(id, in: "general")
            precondition(message != nil, "there is no \(id)")
        }
    }
    let warm = try inTurns(with: open(cacheSize: 8 << 20), rounds: times.count) { store, _ in
        try page(store, times[0])
    }
    let sums = inserts.map { $0.reduce(.zero, +).seconds }
    let rates = sums.map { "\(Int(Double(count) / $0)) messages/s" }
    return [
        row("messages put, \(batch) in a batch", count, rates, sums),
        row("a page of 40, from the files", times.count, cold),
        row("a message by its id, from the files", times.count, lookups),
        row("a page of 40, from LevelDB's cache", times.count, warm),
    ]
}

/// Measures each store in each round, returns the times, and closes the stores.
private func inTurns(
    with stores: [ChatStore], rounds: Int, _ body: (ChatStore, Int) throws -> Duration
) throws -> [[Duration]] {
    var times: [[Duration]] = stores.map { _ in [] }
    for round in 0..<rounds {
        for turn in stores.indices {
            // The store that is measured first changes in each round.
            let index = (turn + round) % stores.count
            times[index].append(try body(stores[index], round))
        }
    }
    for store in stores { store.close() }
    return times
}

private func row(_ what: String, _ count: Int, _ times: [[Duration]]) -> Row {
    let medians = times.map { $0.sorted()[$0.count / 2] }
    return row(what, count, medians.map(\.short), medians.map(\.seconds))
}

private func row(_ what: String, _ count: Int, _ figures: [String], _ seconds: [Double]) -> Row {
    let ratio = String(format: "%.2f", seconds[1] / seconds[0])
    return Row(
        what: what, count: count,
        figure: "\(figures[0]) plain, \(figures[1]) encrypted, × \(ratio)")
}
