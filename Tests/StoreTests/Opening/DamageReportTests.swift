import Foundation
import Models
import ScrollbackCrashWriter
import Testing

@testable import Store

/// Tests the report about a damaged store that an app can submit.
@Suite struct DamageReportTests {
    private let directory: StoreDirectory

    init() throws {
        directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { batch in
            try batch.save(GroupChannel(url: "canary-channel", createdAt: 1))
            try batch.save(User(id: "canary-user"))
            for number in 1...3 {
                try batch.save(
                    Message(
                        id: MessageID("canary-\(number)"), channelURL: "canary-channel",
                        text: "canary-text", createdAt: Timestamp(milliseconds: Int64(number))))
            }
        }
        let item = Message(
            id: nil, channelURL: "canary-channel", text: "canary-item", createdAt: 4)
        try store.write { try $0.save(OutboxItem(item, requestID: "canary-request")) }
        try store.makePushInbox()
        store.close()
    }

    @Test func intactStoreHasNoDamage() throws {
        let store = try directory.open()
        let report = try store.damageReport()
        #expect(!report.isDamaged && report.unreadableRows == [:] && report.searchFailures == [])
        #expect(report.schemaVersion == 2 && !report.isEncrypted)
        #expect(try report.cacheByteCount == store.cachedDataSize() && report.cacheByteCount > 0)
        #expect(try report.outboxByteCount == store.outboxDataSize())
        store.close()
        #expect(code { _ = try store.damageReport() } == .closed)
    }

    @Test func undecodableRowsAreCountedWithoutTheirContents() throws {
        let damaged = try directory.open().read { snapshot in
            try snapshot.describedRows(of: .cache).filter { row in
                row.table == "message" && row.key.last != UInt8(ascii: "1") || row.table == "user"
            }
        }
        try directory.writeToCache(damaged.prefix(3).map { ($0.key, [0x0A, 0xFF]) })
        let drops = directory.url.appending(path: "drops")
        try Data("canary\n".utf8).write(
            to: drops.appending(path: "0000000000000001-0000000000000000.drop"))
        let store = try directory.open()
        let report = try store.damageReport()
        #expect(report.isDamaged)
        #expect(report.unreadableRows.values.reduce(0, +) == 3)
        #expect(Set(report.unreadableRows.keys).isSubset(of: ["message", "user"]))
        #expect(report.damagedPushLines == ["header": 1])

        let json = try JSONEncoder().encode(report)
        #expect(!String(decoding: json, as: UTF8.self).contains("canary"))
        #expect(!String(decoding: json, as: UTF8.self).contains(directory.url.lastPathComponent))
        #expect(try JSONDecoder().decode(DamageReport.self, from: json) == report)
    }

    @Test func damageReportNamesAReplacedCache() throws {
        let log = try #require(try directory.files("cache", ".log").last)
        var bytes = try Data(contentsOf: log)
        bytes[bytes.startIndex + 20] ^= 0x04
        try bytes.write(to: log)
        let store = try directory.open()
        let report = try store.damageReport()
        #expect(report.isDamaged && report.isCacheReplaced)
    }

    @Test func reportOfAStoreThatCannotBeOpenedHasTheReason() {
        let report = DamageReport(
            failure: StoreError(.corruption, "canary", path: "/canary"))
        #expect(report.isDamaged && report.openingFailure == "corruption")
        let locked = DamageReport(failure: StoreError(.locked, "canary", path: "/canary"))
        #expect(!locked.isDamaged && locked.openingFailure == "locked")
    }
}
