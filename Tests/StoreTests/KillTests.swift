import Foundation
import Models
import ScrollbackCrashWriter
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Repeatedly kills a writing process.
///
/// Everything that it has promised must be in the files.
@Suite(.serialized, .timeLimit(.minutes(10))) struct KillTests {
    /// The number of processes that are killed over one directory.
    private static let rounds = 3

    private static let seeds = Seeds.count(10, atNight: 170)

    @Test(arguments: seeds, FileForm.allCases)
    func sentItemsSurviveTheProcess(seed: Int, files: FileForm) throws {
        let directory = try StoreDirectory(files)
        let expected = try ExpectedStore(Steps(seed: seed))
        var random = SeededRandom(seed: seed)
        var done = 0
        for _ in 0..<KillTests.rounds {
            // The first line reports that the process is about to open the store, the second that
            // it has opened it.
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

    /// Returns the last step that is in the store, in both of its databases.
    private func check(
        _ directory: StoreDirectory, _ expected: ExpectedStore, _ promises: [Promise], _ last: Int
    ) throws -> Int {
        let store = try directory.open()
        let report = store.openingReport
        #expect(report.cacheDamage == nil && report.outboxDamage == nil, "\(report)")
        #expect(try store.contradictions() == [])

        // The interrupted step may be missing or stored, its part in the cache first.
        let cache = try CachePicture(store)
        let outbox = try store.outboxPicture()
        let hasCache = try cache == expected.cache(after: last)
        let hasNextCache = try cache == expected.cache(after: last + 1)
        #expect(hasCache || hasNextCache, "after \(last): \(cache)")
        let hasOutbox = try outbox == expected.outbox(after: last)
        let hasNextOutbox = try outbox == expected.outbox(after: last + 1)
        #expect(hasOutbox || hasNextOutbox, "after \(last): \(outbox)")
        if !hasOutbox { #expect(hasNextCache, "the outbox is ahead of the cache at \(last)") }

        // Read the printed lines without knowledge of the steps.
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

        // Continue with the interrupted step.
        try expected.steps.write(last + 1, to: store)
        #expect(try CachePicture(store) == expected.cache(after: last + 1))
        #expect(try store.outboxPicture() == expected.outbox(after: last + 1))
        return last + 1
    }
}

/// A line that the writing process has printed.
private struct Promise {
    let step: Int
    let isCache: Bool
    let outboxItem: RequestID?
    let removed: RequestID?

    /// Reads a line such as "17 cache removed r-12".
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
