import CScrollbackFaultEnvironment
import CScrollbackLevelDB
import Foundation
import ScrollbackTestSupport
import Testing

/// Tests reading damaged logs through the store's environment for LevelDB.
@Suite struct EnvironmentLogTests {
    /// Creates a database with one log that has a record for each row.
    ///
    /// `ends` contains the offset at which each record ends.
    private func oneLog(
        _ rows: [(String, String)] = [("a", "1"), ("b", "22"), ("c", "333")]
    ) throws -> (directory: ScratchDirectory, log: String, ends: [Int]) {
        let directory = try ScratchDirectory.made()
        let database = try TestDatabase(directory.database, writeBuffer: 1 << 20)
        let log = try #require(directory.logs.last)
        var ends = [0]
        for (key, value) in rows {
            try database.put(key, value)
            ends.append(try bytes(log).count)
        }
        database.close()
        return (directory, log, ends)
    }

    /// Creates a database with two logs of three rows each.
    ///
    /// No row is in a table yet.
    private func twoLogs() throws -> ScratchDirectory {
        let (directory, _, _) = try oneLog()
        let old = try directory.copy()
        let database = try TestDatabase(directory.database)
        for key in ["d", "e", "f"] { try database.put(key) }
        database.close()
        let newer = try #require(directory.logs.last)
        try write(try bytes(newer), old.database + newer.dropFirst(directory.database.count))
        return old
    }

    /// Opens a copy of a database after `change` has changed its files.
    ///
    /// Returns the keys and the report about the logs.
    private func opened(
        _ directory: ScratchDirectory, reusesLogs: Bool = false,
        _ change: (ScratchDirectory) throws -> Void = { _ in }
    ) throws -> (keys: String, report: LogReport) {
        let copy = try directory.copy()
        try change(copy)
        let environment = TestEnvironment()
        let database = try TestDatabase(copy.database, in: environment, reusesLogs: reusesLogs)
        let keys = database.keys.joined()
        // LevelDB may still write tables, so keep the directory until the database is closed.
        database.close()
        return withExtendedLifetime(copy) { (keys, environment.report) }
    }

    // MARK: One log

    @Test func newDatabaseAndIntactLogHaveNoDamage() throws {
        let environment = TestEnvironment()
        let directory = try ScratchDirectory.made()
        let database = try TestDatabase(directory.database, in: environment)
        #expect(environment.report.description == "0 logs, 0 batches")
        database.close()
        #expect(try opened(directory).report.description == "1 logs, 0 batches")
        let (keys, report) = try opened(try oneLog().directory)
        #expect(keys == "abc")
        #expect(report.description == "1 logs, 3 batches")
    }

    @Test func logReportIsReturnedOnce() throws {
        let (directory, _, _) = try oneLog()
        let environment = TestEnvironment()
        let database = try TestDatabase(directory.database, in: environment)
        #expect(environment.report.batches == 3)
        #expect(environment.report.description == "0 logs, 0 batches")
        withExtendedLifetime(database) {}
    }

    @Test func tornTailIsNotDamage() throws {
        let (directory, log, ends) = try oneLog()
        let whole = try bytes(log)
        for size in 0...whole.count {
            let (keys, report) = try opened(directory) { try write(whole.prefix(size), $0.logs[0]) }
            let batches = ends.count { $0 > 0 && $0 <= size }
            #expect(keys == String("abc".prefix(batches)))
            let tail = ends.contains(size) ? "" : ", torn tail"
            #expect(report.description == "1 logs, \(batches) batches\(tail)", "\(size) bytes")
        }
    }

    @Test func flippedByteIsDamageAndNotATornTail() throws {
        let (directory, log, ends) = try oneLog()
        let whole = try bytes(log)
        for index in whole.indices {
            var flipped = whole
            flipped[index] ^= 0xff
            let (_, report) = try opened(directory) { try write(flipped, $0.logs[0]) }
            // If the length of the last record is wrong, it looks like a torn record, because no
            // other record follows.
            let isLengthOfLast = (ends[2] + 4...ends[2] + 5).contains(index)
            #expect(report.damaged == 1 || isLengthOfLast, "byte \(index): \(report)")
            #expect(
                report.first == "\(URL(fileURLWithPath: log).lastPathComponent)" || isLengthOfLast)
        }
    }

    /// LevelDB as installed on Debian and other systems aborts at such numbers.
    @Test(arguments: [UInt64(1) << 55 + 1, UInt64(1) << 56, UInt64.max])
    func largestNextNumberIsDamage(number: UInt64) throws {
        let (directory, log, ends) = try oneLog()
        var forged = try bytes(log)
        let record = ends[2]
        forged.replaceSubrange(record + 7..<record + 15, with: littleEndian(number))
        let sum = scrollback_checksum(
            Array(forged[(record + 6)...]), forged.count - record - 6)
        forged.replaceSubrange(record..<record + 4, with: littleEndian(sum))
        let (keys, report) = try opened(directory) { try write(forged, $0.logs[0]) }
        // The whole block that contains the forged record is lost.
        #expect(keys == "")
        #expect(report.damaged == 1)
    }

    private func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }

    @Test(arguments: [1, 6, 7, 100, 32_768, 70_000])
    func zerosAreATornTailAtTheEndAndDamageBeforeARecord(count: Int) throws {
        let (directory, log, ends) = try oneLog()
        let whole = try bytes(log)
        let zeros = [UInt8](repeating: 0, count: count)
        let behind = try opened(directory) { try write(whole + zeros, $0.logs[0]) }
        #expect(behind.keys == "abc")
        #expect(behind.report.description == "1 logs, 3 batches, torn tail")

        // Move the last record into the next block.
        let gap = [UInt8](repeating: 0, count: 32_768 - ends[2])
        let before = try opened(directory) {
            try write(whole[..<ends[2]] + gap + whole[ends[2]...], $0.logs[0])
        }
        #expect(before.keys == "abc")
        #expect(before.report.description.hasPrefix("1 logs, 3 batches, 1 damaged"))
    }

    @Test func recordsAcrossBlocksAreRead() throws {
        let long = String(repeating: "x", count: 50_000)
        let rows = [("a", long), ("b", "1"), ("c", String(long.prefix(31_000))), ("d", long)]
        let (directory, log, ends) = try oneLog(rows)
        let whole = try bytes(log)
        #expect(try opened(directory).report.description == "1 logs, 4 batches")
        for size in stride(from: 0, to: whole.count, by: 1_009) {
            let (keys, report) = try opened(directory) { try write(whole.prefix(size), $0.logs[0]) }
            #expect(report.batches == keys.count)
            #expect(report.damaged == 0 && report.breaks == 0)
            #expect(report.hasTornTail == !ends.contains(size))
        }
        for index in stride(from: 0, to: whole.count, by: 1_009) {
            var flipped = whole
            flipped[index] ^= 1
            let (keys, report) = try opened(directory) { try write(flipped, $0.logs[0]) }
            #expect(report.batches == keys.count)
            #expect(report.damaged == 1, "byte \(index): \(report)")
            #expect(report.breaks == ("abcd".hasPrefix(keys) ? 0 : 1), "\(keys): \(report)")
        }
    }

    // MARK: Several logs

    @Test func consecutiveLogsAreRead() throws {
        let (keys, report) = try opened(try twoLogs())
        #expect(keys == "abcdef")
        #expect(report.description == "2 logs, 6 batches")
    }

    @Test func cutInAnOlderLogIsDetected() throws {
        let directory = try twoLogs()
        let whole = try bytes(directory.logs[0])
        for size in 0..<whole.count {
            let (keys, report) = try opened(directory) { try write(whole.prefix(size), $0.logs[0]) }
            #expect(keys.hasSuffix("def") && keys.count == report.batches)
            #expect(report.breaks == 1, "\(size) bytes: \(report)")
            #expect(!report.hasTornTail)
        }
    }

    @Test func missingLogIsDetected() throws {
        let directory = try twoLogs()
        let early = try opened(directory) { try FileManager.default.removeItem(atPath: $0.logs[0]) }
        #expect(early.keys == "def")
        #expect(early.report.damaged == 1 && early.report.breaks == 1)
        let only = try opened(try oneLog().directory) {
            try FileManager.default.removeItem(atPath: $0.logs[0])
        }
        #expect(only.keys == "")
        #expect(only.report.description == "0 logs, 0 batches, 1 damaged in 000003.log")
    }

    @Test func tornLogBeforeAnEmptyOneIsNotDamage() throws {
        let (directory, log, _) = try oneLog()
        let whole = try bytes(log)
        let (keys, report) = try opened(directory) {
            try write(whole.dropLast(), $0.logs[0])
            try write([], $0.database + "/000099.log")
        }
        #expect(keys == "ab")
        #expect(report.description == "2 logs, 2 batches, torn tail")
    }

    @Test func repeatedBatchesAreABreak() throws {
        let (directory, log, _) = try oneLog()
        let (keys, report) = try opened(directory) {
            try write(try bytes(log), $0.database + "/000099.log")
        }
        #expect(keys == "abc")
        #expect(report.description == "2 logs, 6 batches, 1 breaks in 000099.log")
    }

    @Test(arguments: [fault_env_fail_opens, fault_env_fail_reads], [false, true])
    func temporarilyUnreadableLogIsKept(
        fail: @Sendable (OpaquePointer, UnsafePointer<CChar>, Int32) -> Void, reusesLogs: Bool
    ) throws {
        let directory = try twoLogs()
        for log in directory.logs {
            let environment = TestEnvironment()
            fail(environment.faults, log, EIO)
            #expect {
                _ = try TestDatabase(directory.database, in: environment, reusesLogs: reusesLogs)
            } throws: { "\($0)".hasSuffix(" [errno \(EIO)]") }
        }
        let (keys, report) = try opened(directory, reusesLogs: reusesLogs)
        #expect(keys == "abcdef")
        #expect(report.batches == 6)
    }

    // MARK: Reused logs

    @Test func intactLogIsReused() throws {
        let (directory, _, _) = try oneLog()
        for round in 0..<3 {
            let environment = TestEnvironment()
            let database = try TestDatabase(directory.database, in: environment, reusesLogs: true)
            #expect(environment.report.description == "1 logs, \(3 + round) batches")
            try database.put("\(round)")
        }
        #expect(directory.logs.count == 1)
        #expect(!directory.names.contains { $0.hasSuffix(".ldb") })
        #expect(try opened(directory).keys == "012abc")
    }

    @Test func tornTailLosesNoLaterCommit() throws {
        let (directory, log, ends) = try oneLog()
        let whole = try bytes(log)
        for size in 0...whole.count {
            let copy = try directory.copy()
            try write(whole.prefix(size), copy.logs[0])
            let environment = TestEnvironment()
            try TestDatabase(copy.database, in: environment, reusesLogs: true).put("x")
            #expect(copy.logs.last!.hasSuffix("/000003.log") == ends.contains(size))

            let again = try TestDatabase(copy.database, in: environment, reusesLogs: true)
            let kept = "abc".prefix(ends.count { $0 > 0 && $0 <= size })
            #expect(again.keys.joined() == kept + "x", "\(size) bytes")
            #expect(environment.report.isClean)
        }
    }

    @Test func tornManifestLosesNoLaterCommit() throws {
        let (directory, _, _) = try oneLog()
        // Creating a table appends to the manifest.
        try TestDatabase(directory.database).close()
        let name = try #require(directory.names.first { $0.hasPrefix("MANIFEST-") })
        let whole = try bytes(directory.database + "/" + name)
        // The torn record is a header that announces 100 bytes, and only two of these bytes.
        let torn = whole + [1, 2, 3, 4, 100, 0, 1, 0, 0]
        let copy = try directory.copy()
        try write(torn, copy.database + "/" + name)
        let environment = TestEnvironment()
        for key in ["x", "y"] {
            let database = try TestDatabase(copy.database, in: environment, reusesLogs: true)
            try database.put(key, String(repeating: "x", count: 70_000))
            try database.put(key + key)
        }
        #expect(try opened(copy).keys == "abcxxxyyy")
    }

    // MARK: Checksums

    /// Returns a CRC-32C in the form in which LevelDB stores it.
    private func masked(_ checksum: UInt32) -> UInt32 {
        (checksum >> 15 | checksum << 17) &+ 0xa282_ead8
    }

    @Test func checksumsAreThoseOfTheStandard() {
        let vectors: [([UInt8], UInt32)] = [
            ([], 0),
            (Array("123456789".utf8), 0xe306_9283),
            (Array(repeating: 0, count: 32), 0x8a91_36aa),
            (Array(repeating: 0xff, count: 32), 0x62a8_ab43),
            (Array(0..<32), 0x46dd_794e),
            (Array((0..<32).reversed()), 0x113f_db5c),
        ]
        for (bytes, checksum) in vectors {
            #expect(scrollback_checksum(bytes, bytes.count) == masked(checksum))
            #expect(scrollback_checksum_by_table(bytes, bytes.count) == masked(checksum))
        }
    }

    @Test func checksumsOfAllLengthsAgreeWithTheDefinition() {
        let bytes = (0..<80).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
        for start in 0..<8 {
            for end in start..<bytes.count {
                let part = bytes[start..<end]
                var expected: UInt32 = .max
                for byte in part {
                    expected ^= UInt32(byte)
                    for _ in 0..<8 {
                        let isOdd = expected & 1 == 1
                        expected >>= 1
                        if isOdd { expected ^= 0x82f6_3b78 }
                    }
                }
                expected = ~expected
                for checksum in [scrollback_checksum, scrollback_checksum_by_table] {
                    let found = part.withUnsafeBytes { checksum($0.baseAddress!, $0.count) }
                    #expect(found == masked(expected))
                }
            }
        }
    }
}
