import CScrollbackFaultEnvironment
import CScrollbackLevelDB
import Foundation
import Models
import ScrollbackTestSupport
import Testing

/// Returns the message of the error that a closure throws.
private func failure(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "no error"
    } catch { return "\(error)" }
}

/// A value that fills LevelDB's smallest write buffer.
private let bufferful = String(repeating: "x", count: 70_000)

@Suite struct EnvironmentTests {
    private let directory: ScratchDirectory
    private let environment = TestEnvironment()
    private var path: String { directory.database }

    init() throws { directory = try .made() }

    private func open(reusesLogs: Bool = false) throws -> TestDatabase {
        try TestDatabase(path, in: environment, reusesLogs: reusesLogs)
    }

    // MARK: Files

    @Test func filesArePrivateAndThereIsNoInfoLog() throws {
        let database = try open()
        try database.put("a", bufferful)
        try database.put("b", bufferful)
        database.close()
        try open(reusesLogs: true).close()
        let modes = try directory.names.map { name -> String in
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            return String(attributes[.posixPermissions] as! Int, radix: 8)
        }
        #expect(Set(modes) == ["600"])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        #expect(directory.names.contains { $0.hasSuffix(".ldb") })
        #expect(!directory.names.contains("LOG"))
    }

    // MARK: Errors

    @Test func errorEndsWithTheErrorNumber() throws {
        let database = try open()
        fault_env_fail_once(environment.faults, 1, ENOSPC)
        #expect(failure { try database.put("a") }.hasSuffix(" [errno \(ENOSPC)]"))
        database.close()

        fault_env_fail_opens(environment.faults, "CURRENT", EACCES)
        #expect(failure { _ = try open() }.hasSuffix("Permission denied [errno \(EACCES)]"))

        try write([], path + "-file")
        let below = failure { _ = try TestDatabase(path + "-file/db", in: environment) }
        #expect(below.hasPrefix("IO error: ") && below.hasSuffix(" [errno \(ENOTDIR)]"))
        try FileManager.default.removeItem(atPath: path + "-file")
    }

    @Test func openDatabaseIsLocked() throws {
        let database = try open()
        try database.put("a")
        let other = TestEnvironment()
        #expect(failure { _ = try TestDatabase(path, in: other) }.hasSuffix(" [locked]"))
        // The failed attempt does not affect the environment that has the database open.
        #expect(failure { _ = try open() }.hasSuffix(" [locked]"))
        #expect(environment.rollBack() == EBUSY)
        try database.put("b")
        #expect(database.keys == ["a", "b"])
    }

    @Test func failedSecondOpeningKeepsTheLock() async throws {
        let database = try open()
        #expect(failure { _ = try TestDatabase(path, in: TestEnvironment()) }.contains("locked"))
        await #expect(processExitsWith: .success) { [path = path as String] in
            let error = failure { _ = try TestDatabase(path, in: TestEnvironment()) }
            exit(error.hasSuffix(" [locked]") ? 0 : 1)
        }
        database.close()
    }

    @Test func missingAndCorruptedFilesKeepTheirPaths() throws {
        let missing = failure { _ = try TestDatabase(path + "/missing/db", in: environment) }
        #expect(missing.hasPrefix("NotFound: ") && !missing.contains("["))
        try open().close()
        try write("nowhere".utf8, path + "/CURRENT")
        #expect(failure { _ = try open() } == "Corruption: CURRENT file does not end with newline")
    }

    // MARK: Logs are synced when they are closed

    /// Fills a log, so that LevelDB begins the next one.
    ///
    /// Then cuts the power. No table can be written in the meantime.
    private func powerCutAfterALogSwitch(ignoringLaterSyncs: Bool = false) throws -> Int32 {
        let database = try TestDatabase(path, in: environment)
        fault_env_fail_creates(environment.faults, ".ldb", ENOSPC)
        try database.put("a", isSynced: true)
        if ignoringLaterSyncs { fault_env_ignore_syncs(environment.faults, true) }
        try database.put("b", bufferful)
        try database.put("c")
        fault_env_freeze(environment.faults)
        database.close()
        return fault_env_lose_unsynced(environment.faults, fault_env_old_logs)
    }

    @Test func closedLogSurvivesAPowerFailure() throws {
        #expect(try powerCutAfterALogSwitch() == 0)
        let environment = TestEnvironment()
        #expect(try TestDatabase(path, in: environment).keys == ["a", "b", "c"])
        #expect(environment.report.description == "2 logs, 3 batches")
    }

    @Test func batchLostBeforeALaterOneIsDetected() throws {
        // The power cut loses the end of the old log, as without a sync before the next log.
        #expect(try powerCutAfterALogSwitch(ignoringLaterSyncs: true) == 1)
        let environment = TestEnvironment()
        #expect(try TestDatabase(path, in: environment).keys == ["a", "c"])
        let report = environment.report
        #expect(report.description == "2 logs, 2 batches, 1 breaks in 000004.log")
    }

    @Test func completelyLostLogIsDetected() throws {
        fault_env_ignore_syncs(environment.faults, true)
        #expect(try powerCutAfterALogSwitch() == 1)
        let environment = TestEnvironment()
        #expect(try TestDatabase(path, in: environment).keys == ["c"])
        #expect(
            environment.report.description == "1 logs, 1 batches, 1 breaks, 1 damaged in 000003.log"
        )
    }

    @Test func writesFailAfterALogCouldNotBeSynced() throws {
        let database = try open()
        try database.put("a", bufferful)
        fault_env_fail_creates(environment.faults, ".ldb", EIO)
        fault_env_fail_syncs(environment.faults, ".log", EIO)
        #expect(failure { try database.put("b") }.hasSuffix(" [errno \(EIO)]"))
        fault_env_heal(environment.faults)
        #expect(failure { try database.put("c") }.hasSuffix(" [errno \(EIO)]"))
        database.close()
        #expect(environment.rollBack() == 0)
        let again = try open()
        try again.put("d")
        #expect(again.keys == ["a", "d"])
        #expect(environment.report.isClean)
    }

    @Test func writeAppendsTwiceAndSyncsOnRequest() throws {
        let database = try open()
        let before = fault_env_counted(environment.faults)
        for key in ["a", "b", "c"] { try database.put(key) }
        try database.put("d", isSynced: true)
        let after = fault_env_counted(environment.faults)
        #expect(after.appends - before.appends == 8)
        // A write has 23 bytes: 7 of the header, 12 of the sequence and the count, 1 of the type, 2
        // of the key, and 1 of the value.
        #expect(after.appended_bytes - before.appended_bytes == 4 * 23)
        #expect(after.syncs - before.syncs == 1)
        #expect(after.opened_files == before.opened_files)
    }

    // MARK: A failed write can be rolled back

    @Test(arguments: 1...5, [false, true])
    func failedWriteIsGoneAfterRollBack(change: UInt64, tears: Bool) throws {
        let database = try open()
        try database.put("a", "kept")
        fault_env_tear_appends(environment.faults, tears)
        // This write makes four changes: header, payload, flush and sync. A failure of the fifth
        // change is after it.
        fault_env_fail_after(environment.faults, change, ENOSPC)
        let isFailing = change < 5
        #expect(
            failure { try database.put("b", "lost", isSynced: true) }.hasSuffix("[errno \(ENOSPC)]")
                == isFailing)
        fault_env_heal(environment.faults)
        #expect((failure { try database.put("c") } != "no error") == isFailing)
        database.close()
        #expect(environment.rollBack() == 0)
        #expect(environment.rollBack() == 0)

        let again = try open()
        #expect(again.keys == (isFailing ? ["a"] : ["a", "b", "c"]))
        try again.put("d")
        again.close()
        let keys = try open().keys
        #expect(keys == (isFailing ? ["a", "d"] : ["a", "b", "c", "d"]))
        #expect(environment.report.isClean)
    }

    @Test func rollBackWorksInAReusedLog() throws {
        try open().put("a")
        let database = try open(reusesLogs: true)
        fault_env_fail_once(environment.faults, 3, EIO)
        #expect(failure { try database.put("b") } != "no error")
        database.close()
        #expect(environment.rollBack() == 0)
        let again = try open(reusesLogs: true)
        try again.put("c")
        #expect(environment.report.description == "1 logs, 1 batches")
        again.close()
        #expect(directory.logs.count == 1)
        #expect(try open(reusesLogs: true).keys == ["a", "c"])
        #expect(environment.report.description == "1 logs, 2 batches")
    }

    @Test func rollBackKeepsLaterWritesOfAnotherOpening() throws {
        let database = try open()
        try database.put("a")
        fault_env_fail_once(environment.faults, 1, EIO)
        #expect(failure { try database.put("b") } != "no error")
        database.close()
        let other = TestEnvironment()
        try TestDatabase(path, in: other, reusesLogs: true).put("c", "longer than what failed")
        #expect(environment.rollBack() == 0)
        #expect(try TestDatabase(path, in: other).keys == ["a", "c"])
    }

    @Test func rollBackWaitsUntilTheDatabaseIsClosed() throws {
        let database = try open()
        try database.put("a")
        fault_env_fail_once(environment.faults, 1, EIO)
        #expect(failure { try database.put("b") } != "no error")
        database.close()
        let other = try TestDatabase(path, in: TestEnvironment())
        #expect(environment.rollBack() == EBUSY)
        other.close()
        #expect(environment.rollBack() == 0)
        #expect(try open().keys == ["a"])
    }
}
