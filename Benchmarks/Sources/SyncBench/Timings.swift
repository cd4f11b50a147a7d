import Collections
import EmbeddedServer
import Foundation
import Store
import Sync

/// The median time of an operation.
struct Timing {
    let operation: String
    let count: Int
    let time: Duration
}

/// The timings of operations on one amount of data.
@MainActor
final class Timings {
    private let subject: String
    private let count: Int
    private(set) var all: [Timing] = []

    init(_ subject: String, _ count: Int) { (self.subject, self.count) = (subject, count) }

    /// Measures an operation several times, each time after preparations that are not measured.
    ///
    /// A sample is the average of a number of calls.
    func measure(
        _ what: String, samples: Int = 21, calls: Int = 1,
        after prepare: @MainActor () async throws -> Void = {},
        _ body: @MainActor () async throws -> Void
    ) async throws {
        var times: [Duration] = []
        for _ in 0..<samples {
            try await prepare()
            let start = ContinuousClock.now
            for _ in 0..<calls { try await body() }
            times.append((ContinuousClock.now - start) / calls)
        }
        add(what, times)
    }

    /// Measures an operation on three copies of a client's files, and checks the store afterwards.
    func measure(
        _ what: String, onCopiesOf home: URL, check: @MainActor (ChatStore) throws -> Void,
        _ body: @MainActor (ChatClient) async throws -> Void
    ) async throws {
        var times: [Duration] = []
        for _ in 0..<3 {
            let copy = home.appendingPathExtension("copy")
            try FileManager.default.copyItem(at: home, to: copy)
            defer { try? FileManager.default.removeItem(at: copy) }
            // Otherwise, the system writes the copy during the measurement.
            sync()
            let client = try await openClient(copy, EmbeddedServer.inMemory().client())
            let start = ContinuousClock.now
            try await body(client)
            times.append(ContinuousClock.now - start)
            try check(try client.engine.store)
            await client.close()
        }
        add(what, times)
    }

    func add(_ what: String, _ times: [Duration]) {
        let time = times.sorted()[times.count / 2]
        all.append(Timing(operation: "\(subject): \(what)", count: count, time: time))
    }
}

/// Returns rows with the exponent by which each operation grows from its second largest size to the
/// largest one: 1 if its time is proportional to the size.
func exponents(of timings: [Timing]) -> [Row] {
    var operations: [String] = []
    for timing in timings where !operations.contains(timing.operation) {
        operations.append(timing.operation)
    }
    return operations.compactMap { operation in
        let largest = timings.filter { $0.operation == operation }.suffix(2)
        guard let small = largest.first, let large = largest.last, small.count < large.count else {
            return nil
        }
        let exponent =
            log(large.time / small.time) / log(Double(large.count) / Double(small.count))
        return Row(
            what: "\(operation), growth exponent from \(small.count)", count: large.count,
            figure: String(format: "%.2f", exponent))
    }
}

/// Opens a client whose cache has no maximum size.
@MainActor
func openClient(
    _ home: URL, _ backend: any Backend, isSearchIndexed: Bool = false
) async throws -> ChatClient {
    var options = ChatClientOptions(storage: .directory(home))
    options.store.isSearchIndexed = isSearchIndexed
    options.cacheLimits.maximumByteCount = .max
    let client = ChatClient(backend: backend, options: options)
    try await client.open(as: "bob")
    return client
}
