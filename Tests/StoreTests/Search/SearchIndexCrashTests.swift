import Foundation
import Models
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import Testing

@testable import Store

/// Tests the search index after a crash, a power failure or a full disk at any write.
///
/// The index must agree with the messages, and the next opening must complete it.
@Suite(.timeLimit(.minutes(10))) struct SearchIndexCrashTests {
    private static let queries = ["umbr", "umbrella ", "rain -umbrella", "\"the rain\"", "edited"]

    private func open(
        _ directory: StoreDirectory, _ environment: LevelDB.Environment = .disk(),
        isIndexed: Bool = true
    ) throws(StoreError) -> ChatStore {
        try ChatStore(
            at: directory.url, options: .searchIndexed(isIndexed),
            environments: (environment, environment), encryptionKey: directory.files.key)
    }

    private func message(_ id: Int, _ text: String = "the rain and an umbrella") -> Message {
        var message = Message(
            MessageID("\(id)"), at: Timestamp(milliseconds: Int64(id)), in: id % 3 == 0 ? "b" : "a")
        message.text = "\(text) \(id)"
        return message
    }

    private func save(
        _ ids: Range<Int>, _ text: String = "the rain and an umbrella", in store: ChatStore
    ) throws {
        try store.write { batch in for id in ids { try batch.save(message(id, text)) } }
    }

    /// Makes writes of every kind that changes the index.
    ///
    /// These are indexing stored messages, writing and merging segments, saving new messages,
    /// editing and removing messages, and removing the index.
    private func use(_ store: ChatStore) throws {
        while try store.indexMessages(atMost: 16) {}
        for start in stride(from: 100, to: 500, by: 40) { try save(start..<start + 40, in: store) }
        for id in 500..<504 { try save(id..<id + 1, in: store) }
        try save(120..<124, "edited", in: store)
        try store.write { batch in
            try batch.removeMessage("125", in: "a")
            try batch.clearMessages(in: "b")
        }
        try save(600..<640, in: store)
        try store.rebuildSearchIndex()
        while try store.indexMessages(atMost: 200) {}
    }

    private func expectAgreement(_ store: ChatStore, _ comment: Comment) throws {
        #expect(try store.check() == [], comment)
        let messages = try ["a", "b"].flatMap { try store.messages(in: $0, before: .newest) }
        for text in SearchIndexCrashTests.queries {
            let query = SearchQuery(text)
            let expected = messages.filter { query.hits(in: $0) != nil }
                .sorted { $0.createdAt > $1.createdAt }
            let found = try store.searchMessages(MessageSearchParams(text), limit: 1_000)
            #expect(found.map(\.message) == expected, comment)
        }
        #expect(store.cacheDamage == nil, comment)
    }

    @Test(arguments: Interruption.allCases, FileForm.allCases)
    func theIndexAgreesWithTheMessagesWhereverItsWritesAreCut(
        _ end: Interruption, _ form: FileForm
    ) throws {
        var cuts = 0
        for change in Seeds.sample(of: 1..<Int.max, every: 7) {
            let directory = try StoreDirectory(form)
            let plain = try open(directory, isIndexed: false)
            try save(0..<40, in: plain)
            plain.close()
            let disk = FailingDisk()
            switch end {
            case .kill, .powerCut: disk.cutPower(at: change)
            case .failure: disk.fail(at: change, with: ENOSPC, once: false, tearing: true)
            }
            // For a killed process, the results of its calls are not checked.
            if let store = try? open(directory, disk.environment) {
                try? use(store)
                store.close()
            }
            let isOver = disk.changes < change
            if end == .powerCut { try disk.loseUnsynced(in: directory.url) }
            let store = try open(directory)
            try expectAgreement(store, "cut at \(change)")
            while try store.indexMessages() {}
            try expectAgreement(store, "cut at \(change), indexed")
            #expect(try store.searchIndexStatus()?.fractionCompleted == 1)
            store.close()
            if isOver { break }
            cuts += 1
        }
        #expect(cuts > (Seeds.isNight ? 30 : 5))
    }

    @Test func anEncryptedStoreContainsNoWordInItsFiles() throws {
        for form in FileForm.allCases {
            let directory = try StoreDirectory(form)
            let store = try open(directory)
            try store.write { batch in
                for id in 0..<200 { try batch.save(message(id, "canaryword")) }
            }
            try save(200..<210, "canaryword", in: store)
            while try store.indexMessages() {}
            #expect(try store.searchIndexStatus()?.segmentCount ?? 0 > 0)
            store.close()
            let files = try FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
            let found = files.filter { file in
                let path = directory.url.appending(path: file).path
                let bytes = FileManager.default.contents(atPath: path) ?? Data()
                return bytes.range(of: Data("canaryword".utf8)) != nil
            }
            #expect(found.isEmpty == (form != .plain), "\(found)")
        }
    }
}
