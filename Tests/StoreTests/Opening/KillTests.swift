import Foundation
import Models
import ScrollbackCrashWriter
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Kills a process that writes to a store, again and again.
///
/// The files must contain everything that the process has promised.
@Suite(.serialized, .timeLimit(.minutes(10))) struct KillTests {
    /// The number of processes that write to the same directory and are killed, one after another.
    private static let rounds = 3

    private static let seeds = Seeds.count(10, atNight: 170)

    @Test(arguments: seeds, FileForm.allCases)
    func sentItemsSurviveTheProcess(seed: Int, files: FileForm) throws {
        let directory = try StoreDirectory(files)
        let expected = try ExpectedStore(Steps(seed: seed))
        var random = SeededRandom(seed: seed)
        var done = 0
        for _ in 0..<KillTests.rounds {
            // The process prints a line before it opens the store, and another line after that.
            let lines = Int.random(in: 1...60, using: &random)
            let process = try WritingProcess(in: directory, seed: seed, from: done + 1)
            process.readLines(lines)
            let promises = try process.kill().compactMap { Promise($0) }
            let last = promises.last?.step ?? done
            #expect(promises.map(\.step) == Array((done + 1)..<(last + 1)))
            done = try check(directory, expected, promises, last)
        }
    }

    @Test func directoryOpenInAnotherProcessIsLocked() throws {
        let directory = try StoreDirectory()
        let process = try WritingProcess(in: directory, seed: 1, from: 1)
        process.readLines(12)
        let error = #expect(throws: StoreError.self) { try directory.open() }
        #expect(error?.code == .locked)
        #expect(error?.path.hasPrefix(directory.url.path) == true)
        try process.kill()
        #expect(try CachePicture(directory.open()).step ?? 0 >= 8)
    }

    /// Checks the store.
    ///
    /// Returns the last step that both of the store's databases contain.
    private func check(
        _ directory: StoreDirectory, _ expected: ExpectedStore, _ promises: [Promise], _ last: Int
    ) throws -> Int {
        let store = try directory.open()
        let report = store.openingReport
        #expect(report.replacedCache == nil && report.outboxDamage == nil, "\(report)")
        #expect(try store.contradictions() == [])

        // The step that was interrupted may be in the store or not. It may also be in the cache and
        // not in the outbox, because it is written to the cache first.
        let cache = try CachePicture(store)
        let outbox = try store.outboxPicture()
        let hasCache = try cache == expected.cache(after: last)
        let hasNextCache = try cache == expected.cache(after: last + 1)
        #expect(hasCache || hasNextCache, "after \(last): \(cache)")
        let hasOutbox = try outbox == expected.outbox(after: last)
        let hasNextOutbox = try outbox == expected.outbox(after: last + 1)
        #expect(hasOutbox || hasNextOutbox, "after \(last): \(outbox)")
        if !hasOutbox { #expect(hasNextCache, "the outbox is ahead of the cache at \(last)") }

        // The printed promises must hold, independently of what the steps are known to write.
        var items: [RequestID: Bool] = [:]
        for promise in promises {
            if let id = promise.outboxItem { items[id] = true }
            if let id = promise.removed { items[id] = false }
        }
        let underWay = expected.steps.kind(last + 1)
        for (id, isThere) in items where underWay.outboxItem != id {
            #expect(try (store.outboxItem(id) != nil) == isThere, "outbox item \(id)")
        }
        if let token = promises.last(where: \.isCache)?.step { #expect(cache.step ?? 0 >= token) }

        // Write the interrupted step again, and continue.
        try expected.steps.write(last + 1, to: store)
        #expect(try CachePicture(store) == expected.cache(after: last + 1))
        #expect(try store.outboxPicture() == expected.outbox(after: last + 1))
        return last + 1
    }
}

/// A line that the writing process printed.
private struct Promise {
    let step: Int
    let isCache: Bool
    let outboxItem: RequestID?
    let removed: RequestID?

    /// Parses a line such as "17 cache removed r-12".
    init?(_ line: Substring) {
        let words = line.split(separator: " ").map(String.init)
        guard let step = words.first.flatMap(Int.init) else { return nil }
        func word(behind name: String) -> RequestID? {
            guard let index = words.firstIndex(of: name) else { return nil }
            return RequestID(words[index + 1])
        }
        self.step = step
        isCache = words.contains("cache")
        outboxItem = word(behind: "item")
        removed = word(behind: "removed")
    }
}

extension Steps.Kind {
    fileprivate var outboxItem: RequestID? {
        switch self {
        case .outboxItem(let id), .editOfOutboxItem(let id), .removalOfOutboxItem(let id),
            .acknowledgement(let id):
            id
        case .page, .removal, .clearing: nil
        }
    }
}
