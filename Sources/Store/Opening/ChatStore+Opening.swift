public import Foundation
import Models

extension ChatStore {
    /// Opens the store in a directory, and creates it where there is none.
    ///
    /// - Parameters:
    ///   - directory: For one user of one application; see ``directory(in:applicationID:userID:hidesUser:)``.
    ///     Created if it is not there, for the owner alone; one that is there is left as it is.
    ///   - options: How the cache's files are kept.
    ///   - encryptionKey: What a new store is encrypted with, and what one that is encrypted is opened
    ///     with. By default it is not encrypted; ``reencrypt(at:from:to:progress:)`` changes that.
    ///   - migrationHandler: Is called on this thread when the files are of an older version, at the
    ///     beginning, now and then, and at the end.
    /// - Throws: ``StoreError``: `locked` if somebody has the directory open, `newerSchema` if a
    ///   newer version of this package wrote it, `wrongKey` if the key is not the store's, or one of the
    ///   two has none (in both cases nothing was touched), `corruption` if the files
    ///   cannot be read, `permission`, `noSpace`, `io`. The message of `corruption` begins with "the
    ///   cache" or "the outbox", and the path leads to it: ``rebuildCache(at:)`` is the way out of the
    ///   one, ``salvageOutbox(at:encryptionKey:)`` of the other.
    /// - Complexity: Some milliseconds; more where a migration is due, or a damaged log was found.
    public convenience init(
        at directory: URL, options: StoreOptions = StoreOptions(),
        encryptionKey: EncryptionKey? = nil,
        migrationHandler: (MigrationProgress) -> Void = { _ in }
    ) throws(StoreError) {
        precondition(
            directory.isFileURL, "ChatStore: \(directory) is not a file URL: use URL(filePath:).")
        try self.init(
            at: directory, options: options, environments: (.disk(), .disk()),
            encryptionKey: encryptionKey, migrationHandler: migrationHandler)
    }

    /// Opens a new store in memory, which leaves nothing behind, and so has no key.
    public static func inMemory(
        options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> ChatStore {
        try ChatStore(at: nil, options: options, environments: (.memory(), .memory()))
    }

    package convenience init(
        at directory: URL?, options: StoreOptions = StoreOptions(),
        environments: (cache: LevelDB.Environment, outbox: LevelDB.Environment),
        encryptionKey: EncryptionKey? = nil, schema: StoreSchema = .current,
        migrationHandler: (MigrationProgress) -> Void = { _ in }
    ) throws(StoreError) {
        let files = directory.map(StoreFiles.init)
        let found: Opened
        do throws(StoreError) {
            found = try ChatStore.opened(
                files, options, environments, encryptionKey, schema, migrationHandler)
        } catch {
            throw files.map { $0.named(error) } ?? error
        }
        try self.init(
            at: directory, cache: found.cache, outbox: found.outbox, next: found.next,
            report: found.report, keys: found.keys, outboxFiles: found.outboxFiles)
    }

    /// What a store is made of.
    private struct Opened {
        let cache: LevelDB
        let outbox: LevelDB
        let next: Batch.NextNumbers
        let report: OpeningReport
        let keys: DataKeys?
        let outboxFiles: OutboxFiles?
    }

    private static func opened(
        _ files: StoreFiles?, _ options: StoreOptions,
        _ environments: (cache: LevelDB.Environment, outbox: LevelDB.Environment),
        _ key: EncryptionKey?, _ schema: StoreSchema,
        _ migrationHandler: (MigrationProgress) -> Void
    ) throws(StoreError) -> Opened {
        let keys = try files?.prepare(for: schema, key)
        var environments = environments
        // The copies of files are in the environment of the outbox, but have keys of their own.
        let outboxFiles = files.map { files in
            let environment = keys.map { environments.outbox.sealed(by: $0, as: OutboxFiles.name) }
            return OutboxFiles(in: files, environment ?? environments.outbox)
        }
        if let keys {
            environments.cache = environments.cache.sealed(by: keys, as: StoreFiles.cacheName)
            environments.outbox = environments.outbox.sealed(by: keys, as: StoreFiles.outboxName)
        }
        var report = OpeningReport()
        report.isReencryptionUnfinished = keys?.isUnfinished ?? false
        let cache = try LevelDB.opened(
            at: files?.cache ?? "/cache", options, environments.cache, &report.cacheLogs
        ) { () throws(StoreError) in
            try files?.distrust.set()
        }
        let outbox = try LevelDB.opened(
            at: files?.outbox ?? "/outbox", .outbox, environments.outbox, &report.outboxLogs
        ) { () throws(StoreError) in
            try files?.keepDamagedOutbox()
            if let outbox = files?.outbox {
                try DatabaseFiles(outbox).bridgeDamage(in: environments.outbox)
            }
        }
        report.outboxCopy = try files?.outboxCopies().last
        try ChatStore.migrate(cache, outbox, to: schema, files, &report, migrationHandler)
        let isDistrusted = try files?.distrust.exists() ?? false
        if report.cacheDamage != nil || isDistrusted {
            try cache.distrust()
            try files?.distrust.remove()
        }
        report.isCoverageDropped = try cache.finishDistrusting()
        let isOutboxDistrusted = try files?.outboxDistrust.exists() ?? false
        if report.outboxDamage != nil || isOutboxDistrusted {
            let reindexing = try outbox.reindexDrafts()
            let loss = try OutboxLoss(
                of: report.outboxCopy, in: .disk(keys, as: StoreFiles.outboxName), outbox: outbox,
                reindexing, logs: report.outboxDamage)
            report.isOutboxReindexed = true
            report.outboxLoss = loss.isEmpty ? nil : loss
            try files?.outboxDistrust.remove()
        }
        let next = try Batch.NextNumbers(in: cache, outbox)
        return Opened(
            cache: cache, outbox: outbox, next: next, report: report, keys: keys,
            outboxFiles: outboxFiles)
    }

    private static func migrate(
        _ cache: LevelDB, _ outbox: LevelDB, to schema: StoreSchema, _ files: StoreFiles?,
        _ report: inout OpeningReport, _ handler: (MigrationProgress) -> Void
    ) throws(StoreError) {
        let versions = try schema.versions(of: cache, outbox)
        report.isNew = versions == (nil, nil)
        report.isCacheNew = versions.cache == nil
        let found = min(versions.cache ?? schema.version, versions.outbox ?? schema.version)
        try files?.setVersion(schema.version)
        if found < schema.version {
            report.migratedFrom = found
            let count = Double(schema.version - found)
            func tell(_ done: Double) {
                handler(
                    MigrationProgress(
                        fromVersion: found, toVersion: schema.version,
                        fractionCompleted: done / count))
            }
            tell(0)
            // Before the steps, so that no crash leaves it beside rows that a step has changed.
            try cache.removeSavedLists()
            for step in schema.migrations where step.version > found {
                let before = Double(step.version - 1 - found)
                try step.run(cache, outbox) { tell(before + $0) }
                // The outbox first: the lower of the two says what is still to be done.
                try outbox.setSchemaVersion(step.version)
                try cache.setSchemaVersion(step.version)
            }
            tell(count)
        }
        // A database whose files were lost is created anew beside the other. The outbox has its
        // version first: no crash leaves a cache that has one alone. Damage may have taken the version
        // of an outbox that has drafts.
        let isOutboxEmpty = try outbox.isEmpty()
        report.isOutboxLost = versions.cache != nil && versions.outbox == nil && isOutboxEmpty
        if versions.outbox == nil { try outbox.setSchemaVersion(schema.version) }
        if versions.cache == nil { try cache.setSchemaVersion(schema.version) }
    }
}

extension StoreFiles {
    /// An error of opening that says which of the databases is damaged, and so which way leads out.
    fileprivate func named(_ error: StoreError) -> StoreError {
        guard error.code == .corruption else { return error }
        let name: String
        switch error.path {
        case cache: name = "the cache"
        case outbox: name = "the outbox"
        default: return error
        }
        return StoreError(
            .corruption, "\(name): \(error.message)", path: error.path, cause: error.cause)
    }
}

extension StoreOptions {
    /// The outbox is small.
    fileprivate static var outbox: StoreOptions {
        var options = StoreOptions()
        options.writeBufferSize = 1 << 20
        options.blockCacheSize = 1 << 20
        return options
    }
}

extension LevelDB {
    /// Opens a database; where its log is damaged, without what cannot be read.
    ///
    /// - Parameters:
    ///   - path: The directory of the database.
    ///   - options: How the files are kept.
    ///   - environment: Where they are.
    ///   - logs: What was found in the logs.
    ///   - beforeSkipping: Is called before what is damaged is left out for good, and before the
    ///     disk forgets that it was.
    /// - Returns: The database, with all that can be read.
    /// - Throws: What opening throws, if not for a log; and what the closure throws.
    fileprivate static func opened(
        at path: String, _ options: StoreOptions, _ environment: Environment,
        _ logs: inout LogReport, beforeSkipping: () throws(StoreError) -> Void
    ) throws(StoreError) -> LevelDB {
        do throws(StoreError) {
            let database = try LevelDB(at: path, options: options, environment: environment)
            logs = database.takeLogReport()
            return database
        } catch {
            let report = LogReport(environment.takeLogReport())
            guard error.code == .corruption, report.isDamaged else { throw error }
            // The damage is in a log: the rest can be read.
            try beforeSkipping()
            let database = try LevelDB(
                at: path, options: options, environment: environment, skippingDamage: true)
            logs = database.takeLogReport()
            // Where damage is not seen twice, commits may be missing all the same.
            if !logs.isDamaged { logs = report }
            return database
        }
    }

    /// Whether there is no row.
    fileprivate func isEmpty() throws(StoreError) -> Bool {
        var isEmpty = true
        try snapshot().scan(.all) { (_, _) throws(StoreError) in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    func nextNumber<Value: FixedWidthInteger>() throws(StoreError) -> Value? {
        let rows = Rows(snapshot: try snapshot())
        return try rows.read(ByteWriter.key { $0.schemaKey(.nextNumber) }, as: "the next number") {
            (reader) throws(ByteReader.Damage) in
            let number: Value = try reader.integer()
            guard number <= .greatestGiven else {
                throw ByteReader.Damage(offset: 0, expected: "a number that comes next")
            }
            return number
        }
    }
}
