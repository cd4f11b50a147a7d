import EmbeddedServer
package import Foundation
import Models
import Store
import Sync

/// Requires that each message is in the push inbox or in the store, and in the store in the end.
struct ReadingDrops: Performer {
    let directory: URL
    private static let texts = (1...6).map { "canary-\($0)" }

    func prepare() throws {
        let store = try ChatStore(at: directory)
        try store.write { try $0.save(Message("canary-0", at: 1)) }
        try store.makePushInbox()
        let box = try PushInbox(in: directory)
        for (index, text) in ReadingDrops.texts.enumerated() {
            try box?.leave([Message(text, at: Int64(index) + 2)])
        }
        store.close()
    }

    func run() async throws {
        let store = try ChatStore(at: directory)
        let engine = SyncEngine(store: store, backend: try EmbeddedServer.inMemory().client())
        try await engine.readPushInbox()
        await engine.close()
        store.close()
    }

    func problems() async throws -> [String] {
        var problems = Problems()
        let expected = ["canary-0"] + ReadingDrops.texts
        func texts() throws -> [String] {
            let store = try ChatStore(at: directory)
            defer { store.close() }
            let waiting = try store.pushNames().flatMap {
                try store.contents(ofPush: $0)?.messages ?? []
            }
            let texts = try store.texts
            return texts + waiting.map(\.text).filter { !texts.contains($0) }
        }
        let found = try texts()
        problems.expect(found == expected, "in the inbox or in the store: \(found)")
        try await run()
        let store = try ChatStore(at: directory)
        defer { store.close() }
        try problems.expect(try store.texts == expected, "received: \(store.texts)")
        problems.expect(try store.pushNames() == [], "the inbox is not empty")
        return problems.list
    }
}

/// Requires that the user's outbox items are kept.
///
/// The cache may have to be fetched again.
///
/// If the cache was removed only in part, opening it may report damage. In this case, the operation
/// is repeated.
struct Rebuilding: Performer {
    let directory: URL

    func prepare() throws {
        let store = try ChatStore(at: directory)
        try store.write { batch in
            try batch.save(Message("said", at: 1))
            try batch.cover("general", from: .beginning, through: .end)
            try batch.save(OutboxItem("written"))
        }
        store.close()
    }

    func run() throws { try ChatStore.removeCache(at: directory) }

    private func opened() throws -> ChatStore {
        do throws(StoreError) {
            return try ChatStore(at: directory)
        } catch {
            guard error.code == .corruption, error.message.hasPrefix("the cache") else {
                throw error
            }
            try run()
            return try ChatStore(at: directory)
        }
    }

    func problems() throws -> [String] {
        var problems = Problems()
        for _ in 0..<2 {
            let store = try opened()
            let (texts, gaps) = (try store.texts, try store.gaps(in: "general"))
            problems.expect(try store.pendingTexts == ["written"], "the outbox has changed")
            problems.expect(texts == ["said"] || !gaps.isEmpty || texts.isEmpty, "a false claim")
            store.close()
            try run()
        }
        return problems.list
    }
}

/// Requires that the next process finishes the migration with all outbox items, and that no files
/// of the old cache stay.
struct Migrating: Performer {
    let directory: URL

    func prepare() throws {
        let store = try ChatStore(
            at: directory, environments: (.disk(), .disk()), schema: StoreSchema(migrations: []))
        try store.write { batch in
            try batch.save(Message("said", at: 1))
            try batch.save(OutboxItem("written"))
            try batch.setDraft("draft", of: "general")
        }
        store.close()
    }

    func run() throws { try ChatStore(at: directory).close() }

    func problems() throws -> [String] {
        var problems = Problems()
        let store = try ChatStore(at: directory)
        let report = store.openingReport
        problems.expect(try store.pendingTexts == ["written"], "the outbox has changed")
        problems.expect(try store.draft(of: "general") == "draft", "the draft is missing")
        problems.expect(
            !report.isOutboxRebuilt && report.outboxLoss == nil && report.replacedCache == nil,
            "damage: \(report)")
        try problems.expect(try store.texts == [], "cached: \(store.texts)")
        store.close()
        let caches = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.contains("cache") }
        problems.expect(caches == ["cache-2"], "caches: \(caches)")
        return problems.list
    }
}

/// Requires that the next process has the whole old cache or an empty one, and all that the user
/// has written.
///
/// The store is encrypted if the directory contains a key file when the scenario begins.
struct ReplacingCache: Performer {
    let directory: URL
    private static let notes = StoreTable<String, String>("notes")
    private static let counts = StoreTable<String, Int>("counts", home: .cached)
    private static let texts = (1...30).map { "said-\($0)" }

    private func open() throws -> ChatStore {
        let isEncrypted = try KeyFile(in: directory.path).exists()
        return try ChatStore(at: directory, encryptionKey: isEncrypted ? .first : nil)
    }

    func prepare() throws {
        let store = try open()
        try store.write { batch in
            for (index, text) in Self.texts.enumerated() {
                try batch.save(Message(text, at: Int64(index)))
            }
            try batch.cover("general", from: .beginning, through: .end)
            try batch.save(OutboxItem("written"))
            try batch.setDraft("typed", of: "general")
            try batch.setKeptInCache(true, for: "general")
            try batch.setLabels(ChannelLabels(["work"]), of: "general")
            try batch.put("kept", for: "a", in: Self.notes)
            try batch.put(1, for: "a", in: Self.counts)
        }
        store.close()
    }

    func run() throws {
        let store = try open()
        let snapshot = try store.snapshot()
        // The second replacement also removes the cache that the first one has set aside. The first
        // one is set aside when the snapshot is released.
        try withExtendedLifetime(snapshot) { try replace(store) }
        try replace(store)
        try store.write { try $0.save(Message("later", at: 2)) }
        store.close()
    }

    private func replace(_ store: ChatStore) throws {
        let path = try currentCache(in: directory).path
        let reason = StoreError(.corruption, "the files are damaged", path: path)
        try store.replaceCache(reason: reason, at: 0, isRequested: true)
    }

    func problems() throws -> [String] {
        var problems = Problems()
        for _ in 0..<2 {
            let store = try open()
            let report = store.openingReport
            problems.expect(
                !report.isOutboxRebuilt && report.outboxLoss == nil, "the outbox: \(report)")
            try problems.expect(try store.check().isEmpty, "problems: \(store.check())")
            try expectAllOfTheUser(in: store, &problems)
            try expectWholeCache(in: store, &problems)
            let isOld = try currentCache(in: directory).lastPathComponent == "cache"
            problems.expect(
                try (store.replacedAt() == nil) == isOld, "the time of the replacement is missing")
            store.close()
            let caches = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0.contains("cache") }
            problems.expect(caches.count <= 2, "several replaced caches: \(caches)")
        }
        return problems.list
    }

    private func expectAllOfTheUser(in store: ChatStore, _ problems: inout Problems) throws {
        problems.expect(try store.pendingTexts == ["written"], "the outbox has changed")
        problems.expect(try store.draft(of: "general") == "typed", "the draft is missing")
        problems.expect(try store.isKeptInCache("general"), "the pin is missing")
        let labels = try store.labels(of: "general")
        problems.expect(labels == ChannelLabels(["work"]), "the label is missing")
        problems.expect(try store.value(for: "a", in: Self.notes) == "kept", "a row is missing")
    }

    private func expectWholeCache(in store: ChatStore, _ problems: inout Problems) throws {
        let (texts, gaps) = (try store.texts, try store.gaps(in: "general"))
        let count = try store.value(for: "a", in: Self.counts)
        let isOld = texts == Self.texts && gaps.isEmpty && count == 1
        let isNew = (texts == ["later"] || texts.isEmpty) && count == nil
        problems.expect(isOld || isNew && gaps == [Gap(in: "general")], "half a cache: \(texts)")
    }
}

/// Returns the directory of the current cache of a store.
package func currentCache(in directory: URL) throws -> URL {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    let number = names.compactMap { $0.hasPrefix("cache-") ? Int($0.dropFirst(6)) : nil }.max()
    return directory.appending(path: number.map { "cache-\($0)" } ?? "cache")
}

/// Requires that the old or the new key opens the store, until the call has returned.
struct Reencrypting: Performer {
    let directory: URL

    func prepare() throws {
        let store = try ChatStore(at: directory, encryptionKey: .first)
        try store.write { batch in
            try batch.save(Message("said", at: 1))
            try batch.save(OutboxItem("written"))
        }
        store.close()
    }

    func run() throws { try ChatStore.reencrypt(at: directory, from: .first, to: .second) }

    func problems() throws -> [String] {
        var problems = Problems()
        func check(_ key: EncryptionKey) throws {
            let store = try ChatStore(at: directory, encryptionKey: key)
            try problems.expect(try store.texts == ["said"], "messages: \(store.texts)")
            try problems.expect(try store.pendingTexts == ["written"], "\(store.pendingTexts)")
            store.close()
        }
        let isDone = try !KeyFile(in: directory.path).isOpened(byOneOf: [.first])
        if !isDone { try check(.first) }
        try run()
        try check(.second)
        problems.expect(
            try !KeyFile(in: directory.path).isOpened(byOneOf: [.first]), "the old key opens it")
        return problems.list
    }
}

/// Requires that the file contains either the value that was saved last, or the one before it.
struct SavingFileCache: Performer {
    let directory: URL

    private func cache() throws -> FileCache {
        try FileCache(directory: directory.appending(path: "texts"))
    }

    func prepare() throws { try cache().save([Message("old", at: 1)], in: "general") }

    func run() throws {
        try cache().save([Message("new", at: 1), Message("newer", at: 2)], in: "general")
    }

    func problems() throws -> [String] {
        var problems = Problems()
        let found = try cache().load("general")
        let texts = found.records.map(\.text)
        problems.expect(found.damageCount == 0, "damaged: \(found.damage)")
        problems.expect(texts == ["old"] || texts == ["new", "newer"], "it has \(texts)")
        try run()
        problems.expect(try cache().load("general").records.count == 2, "it was not saved again")
        problems.expect(
            try readable([".new"], below: directory) == [], "an unfinished file is left")
        return problems.list
    }
}

/// Requires that the damaged files are kept, that the new outbox has two of the three items, and
/// that the loss of the third item is reported.
struct RebuildingOutbox: Performer {
    let directory: URL

    func prepare() throws {
        let store = try ChatStore(at: directory)
        for text in ["first", "second", "third"] {
            try store.write { try $0.save(OutboxItem(text)) }
        }
        store.close()
        let outbox = directory.appending(path: "outbox")
        for name in try FileManager.default.contentsOfDirectory(atPath: outbox.path) {
            let file = outbox.appending(path: name)
            guard var bytes = FileManager.default.contents(atPath: file.path),
                let place = bytes.range(of: Data("second".utf8))
            else { continue }
            bytes[place.lowerBound] ^= 1
            try bytes.write(to: file)
        }
        try FileManager.default.removeItem(at: outbox.appending(path: "CURRENT"))
    }

    func run() throws { try ChatStore(at: directory).close() }

    func problems() throws -> [String] {
        var problems = Problems()
        problems.expect(
            try readable(["first"], below: directory) != [], "nothing is left of the first item")
        let store = try ChatStore(at: directory)
        try problems.expect(
            try store.pendingTexts == ["first", "third"], "rebuilt: \(store.pendingTexts)")
        let report = store.openingReport
        problems.expect(report.outboxCopy != nil, "there is no copy")
        problems.expect(
            report.outboxLoss != nil, "reported: \(String(describing: report.outboxLoss))")
        store.close()
        return problems.list
    }
}
