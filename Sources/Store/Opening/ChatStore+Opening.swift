public import Foundation
package import Models

extension ChatStore {
    /// Opens the store in a directory, and creates the store if it does not exist.
    ///
    /// - Parameters:
    ///   - directory: A directory for one user of one app; see
    ///     ``directory(in:applicationID:userID:hidesUser:)``. A new directory is accessible only to
    ///     its owner; an existing one keeps its permissions.
    ///   - options: The options of the cache's files.
    ///   - encryptionKey: The key of the store. To encrypt or decrypt an existing store, call
    ///     ``reencrypt(at:from:to:progress:)``.
    ///   - migrationHandler: A closure that is called on this thread at the beginning of a
    ///     migration of older files, from time to time, and at the end. The cache is not migrated,
    ///     but replaced by an empty one.
    /// - Throws: ``StoreError``. With these codes, nothing was changed: `locked` if the store is
    ///   already open; `newerSchema` if a newer version of this package wrote the files; `wrongKey`
    ///   if the key is wrong, missing for an encrypted store, or given for an unencrypted one.
    ///   Other codes: `corruption` if the version file or the key file is damaged, or if the cache
    ///   was replaced less than an hour ago for the same reason; `permission`, `noSpace` or `io`.
    ///   Other damage is no error: see ``OpeningReport/replacedCache`` and
    ///   ``OpeningReport/outboxLoss``.
    /// - Complexity: Some milliseconds, and O(*n*) in the rows of the outbox, all of which are
    ///   read. A migration or a repair takes longer.
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

    /// Opens a new store in memory, without files or a key.
    public static func inMemory(
        options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> ChatStore {
        try ChatStore(at: nil, options: options, environments: (.memory(), .memory()))
    }

    package convenience init(
        at directory: URL?, options: StoreOptions = StoreOptions(),
        environments: (cache: LevelDB.Environment, outbox: LevelDB.Environment) = (
            .disk(), .disk()
        ),
        encryptionKey: EncryptionKey? = nil, allowsPlainFiles: Bool = true,
        schema: StoreSchema = .current,
        now: Timestamp = Timestamp(Date()),
        migrationHandler: (MigrationProgress) -> Void = { _ in }
    ) throws(StoreError) {
        let files = directory.map {
            StoreFiles(directory: $0, allowsPlainFiles: allowsPlainFiles)
        }
        let found: Opened
        do throws(StoreError) {
            found = try ChatStore.openedOrRecovered(files, encryptionKey, at: now) {
                () throws(StoreError) in
                try ChatStore.opened(
                    files, options, environments: environments, key: encryptionKey, schema: schema,
                    at: now, migrationHandler)
            }
            try files?.caches.setReplacedAside()
        } catch {
            throw files.map { $0.named(error) } ?? error
        }
        try self.init(
            at: directory, cache: found.cache, outbox: found.outbox, next: found.next,
            report: found.report, keys: found.keys, outboxFiles: found.outboxFiles,
            downloads: found.downloads, isSearchIndexed: options.isSearchIndexed)
    }

    private struct Opened {
        let cache: LevelDB
        let outbox: LevelDB
        let next: Batch.NextNumbers
        var report: OpeningReport
        let keys: DataKeys?
        let outboxFiles: OutboxFiles?
        let downloads: DownloadedFiles?
    }

    private static func openedOrRecovered(
        _ files: StoreFiles?, _ key: EncryptionKey?, at now: Timestamp,
        _ open: () throws(StoreError) -> Opened
    ) throws(StoreError) -> Opened {
        var isOutboxRebuilt = false
        var reason: StoreError?
        while true {
            do throws(StoreError) {
                var found = try open()
                found.report.isOutboxRebuilt = isOutboxRebuilt
                found.report.replacedCache = reason
                return found
            } catch {
                if let files, !isOutboxRebuilt, files.isOutboxDamage(error) {
                    try files.rebuildOutbox(key)
                    isOutboxRebuilt = true
                } else if let files, reason == nil, files.mustReplaceCache(after: error) {
                    try files.replaceCache(reason: error, at: now)
                    reason = error
                } else {
                    throw error
                }
            }
        }
    }

    private static func opened(
        _ files: StoreFiles?, _ options: StoreOptions,
        environments: (cache: LevelDB.Environment, outbox: LevelDB.Environment),
        key: EncryptionKey?, schema: StoreSchema, at now: Timestamp,
        _ migrationHandler: (MigrationProgress) -> Void
    ) throws(StoreError) -> Opened {
        let keys = try files?.prepare(for: schema, key)
        var environments = environments
        // Copies of outgoing files use the outbox's environment, but encryption keys of their own.
        let outboxFiles = files.map { files in
            let environment = keys.map { environments.outbox.sealed(by: $0, as: OutboxFiles.name) }
            return OutboxFiles(in: files, environment ?? environments.outbox)
        }
        let downloads = files.map { files in
            let environment = keys.map {
                environments.cache.sealed(by: $0, as: DownloadedFiles.name)
            }
            return DownloadedFiles(in: files, environment ?? environments.cache, keys)
        }
        if let keys, let files {
            environments.cache = environments.cache.sealed(by: keys, as: files.cacheDatabase)
            environments.outbox = environments.outbox.sealed(by: keys, as: StoreFiles.outboxName)
        }
        var report = OpeningReport()
        report.isReencryptionUnfinished = keys?.isUnfinished ?? false
        var cache = try LevelDB(
            at: files?.cache ?? "/cache", options: options, environment: environments.cache)
        report.cacheLogs = cache.takeLogReport()
        let outbox = try LevelDB.opened(
            at: files?.outbox ?? "/outbox", .outbox, environments.outbox, &report.outboxLogs,
            skipsDamage: keys == nil
        ) { () throws(StoreError) in
            try files?.keepDamagedOutbox()
            if let outbox = files?.outbox {
                try DatabaseFiles(outbox).bridgeDamage(in: environments.outbox)
            }
        }
        report.outboxCopy = try files?.outboxCopies().last
        let isOutboxNew = try outbox.schemaVersion() == nil
        try ChatStore.migrate(
            &cache, outbox, to: schema, of: files, at: now, report: &report, migrationHandler)
        try cache.turnIndex(isOn: options.isSearchIndexed)
        try ChatStore.checkItems(
            of: outbox, isNew: isOutboxNew, recorded: try cache.generation(), files, keys, &report)
        report.outboxLoss = try outbox.outboxLoss()
        let next = try Batch.NextNumbers(in: cache, outbox)
        return Opened(
            cache: cache, outbox: outbox, next: next, report: report, keys: keys,
            outboxFiles: outboxFiles, downloads: downloads)
    }

    /// Rebuilds the index of the outbox after damage, and makes pending items fail if the outbox is
    /// older than recorded, or has lost records.
    private static func checkItems(
        of outbox: LevelDB, isNew: Bool, recorded: UInt64, _ files: StoreFiles?, _ keys: DataKeys?,
        _ report: inout OpeningReport
    ) throws(StoreError) {
        let isOutboxDistrusted = try files?.outboxDistrust.exists() ?? false
        if report.outboxDamage != nil || isOutboxDistrusted {
            let (copy, logs) = (report.outboxCopy, report.outboxDamage)
            try outbox.reindexOutboxItems { (reindexing, before) throws(StoreError) in
                let name = copy.map { URL(filePath: $0).lastPathComponent } ?? ""
                // Search a copy only once: its items may have been sent since.
                let isNewCopy = name != before?.copyName
                var loss = try OutboxLoss(
                    of: isNewCopy ? copy : nil, in: .disk(keys, as: StoreFiles.outboxName),
                    reindexing,
                    logs: isNewCopy ? logs : nil)
                loss.copyName = name
                return loss
            }
            report.isOutboxReindexed = true
        }
        // The mark alone shows no damage: another program may have created it.
        let isDamageReported =
            report.outboxDamage != nil || isOutboxDistrusted && report.outboxCopy != nil
        // In an encrypted store, an attacker may have damaged records, to undo a cancellation.
        try outbox.failOutdatedItems(
            recorded: recorded, hasLostRecords: keys != nil && isDamageReported,
            isReported: isNew || isDamageReported)
        if report.isOutboxReindexed { try files?.outboxDistrust.remove() }
    }

    private static func migrate(
        _ cache: inout LevelDB, _ outbox: LevelDB, to schema: StoreSchema, of files: StoreFiles?,
        at now: Timestamp, report: inout OpeningReport, _ handler: (MigrationProgress) -> Void
    ) throws(StoreError) {
        let versions = try schema.versions(of: cache, outbox)
        let hasReplaced = try files?.caches.replaced().isEmpty == false
        // The outbox's version is written before this file.
        let fileVersion = try files?.storedVersion()
        report.isNew = versions == (nil, nil) && !hasReplaced && fileVersion == nil
        if report.isNew { try outbox.setSchemaVersion(schema.version) }
        var cacheVersion = versions.cache
        let found = min(cacheVersion ?? schema.version, versions.outbox ?? schema.version)
        if fileVersion != schema.version { try files?.setVersion(schema.version) }
        if found < schema.version {
            report.migratedFrom = found
            // If damage has removed the outbox's version, assume that of the cache.
            let steps = schema.migrations.filter { $0.version > versions.outbox ?? found }
            func reportProgress(_ done: Double) {
                handler(
                    MigrationProgress(
                        fromVersion: found, toVersion: schema.version,
                        fractionCompleted: done / Double(max(steps.count, 1))))
            }
            reportProgress(0)
            for (index, step) in steps.enumerated() {
                try step.run(outbox) { reportProgress(Double(index) + $0) }
                try outbox.setSchemaVersion(step.version)
            }
            reportProgress(Double(max(steps.count, 1)))
        }
        // Replace the cache last: until then, the next opening finds its version.
        let isOther = try cache.hasOtherIndexFormats()
        if let files, let old = cacheVersion, old < schema.version || isOther {
            cache = try files.replaced(cache, ofVersion: old, at: now)
            cacheVersion = nil
        }
        report.isCacheNew = cacheVersion == nil
        // A database without a version is new, or its files were lost. A new store writes the
        // outbox's version first: if the outbox alone has none, it was lost, or, if it contains
        // items, only its version row.
        // Reading all rows finds damaged blocks.
        let isOutboxEmpty = try Rows(snapshot: try outbox.snapshot()).count(.all) == 0
        if versions.outbox == nil, !report.isNew {
            var loss: OutboxLoss?
            if isOutboxEmpty {
                loss = OutboxLoss()
                loss?.isWholeOutbox = true
            }
            try outbox.setSchemaVersion(schema.version, loss)
        }
        if cacheVersion == nil {
            try cache.setKindFormat()
            try cache.setSchemaVersion(schema.version, replacedAt: report.isNew ? nil : now)
        }
    }
}

extension StoreFiles {
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
    fileprivate static var outbox: StoreOptions {
        var options = StoreOptions()
        options.writeBufferByteCount = 1 << 20
        options.blockCacheByteCount = 1 << 20
        return options
    }
}

extension LevelDB {
    /// `beforeSkipping` is called before unreadable parts of logs are permanently discarded.
    ///
    /// The damage of an encrypted outbox is not skipped: an attacker could remove the evidence of
    /// it before the pending items have failed. Instead, the outbox is rebuilt.
    fileprivate static func opened(
        at path: String, _ options: StoreOptions, _ environment: Environment,
        _ logs: inout LogReport, skipsDamage: Bool, beforeSkipping: () throws(StoreError) -> Void
    ) throws(StoreError) -> LevelDB {
        do throws(StoreError) {
            let database = try LevelDB(at: path, options: options, environment: environment)
            logs = database.takeLogReport()
            return database
        } catch {
            let report = LogReport(environment.takeLogReport())
            guard error.code == .corruption, report.isDamaged, skipsDamage else { throw error }
            try beforeSkipping()
            let database = try LevelDB(
                at: path, options: options, environment: environment, skippingDamage: true)
            logs = database.takeLogReport()
            // The second opening may report no damage, although commits are missing.
            if !logs.isDamaged { logs = report }
            return database
        }
    }

    func nextNumber<Value: FixedWidthInteger>() throws(StoreError) -> Value? {
        let rows = Rows(snapshot: try snapshot())
        return try rows.read(ByteWriter.key { $0.schemaKey(.nextNumber) }, as: "the next number") {
            (reader) throws(ByteReader.Damage) in
            let number: Value = try reader.integer()
            guard number <= .maximumAssigned else {
                throw ByteReader.Damage(offset: 0, expected: "a number to assign")
            }
            return number
        }
    }
}
