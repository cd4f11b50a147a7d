import Foundation
import Models
import ScrollbackCrashWriter
import ScrollbackTesting
import Testing

@testable import Store

/// Tests full disks, read-only disks, and paths that are not directories.
@Suite struct DiskTests {
    private func message(_ number: Int, size: Int = 10_000) -> Message {
        // Random digits, which cannot be compressed.
        var random = SeededRandom(seed: number)
        let text = (0..<size / 10).map { _ in String(random.next() % 9_999_999_999) }.joined()
        return Message(
            id: MessageID("\(number)"), channelURL: "general", text: text,
            createdAt: Timestamp(milliseconds: Int64(number)))
    }

    private func outboxItem(_ number: Int) -> OutboxItem {
        var message = message(number)
        message.messageID = nil
        return OutboxItem(message, requestID: RequestID("r-\(number)"))
    }

    // MARK: No space

    @Test(.enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"))
    func fullDiskFailsWritesButNotReads() throws {
        let disk = try SmallDisk()
        let directory = try StoreDirectory(in: disk.url)
        let store = try directory.open()
        try disk.fill(leaving: 512 << 10)
        var saved: [MessageID] = []
        let (_, observation) = try store.observe(.everything)
        var failure: StoreError?
        while failure == nil {
            let message = message(saved.count)
            do {
                try store.write { try $0.save(message) }
                saved.append(try #require(message.messageID))
            } catch let error as StoreError {
                failure = error
            }
        }
        #expect(failure?.code == .noSpace)
        #expect(failure?.path == directory.url.appending(path: "cache").path)
        #expect(observation.drain().count == saved.count)
        for _ in 1...3 {
            #expect(try store.messages(in: "general").compactMap(\.messageID) == saved.reversed())
            let error = #expect(throws: StoreError.self) {
                try store.write { try $0.save(message(saved.count)) }
            }
            #expect(error?.code == .noSpace)
        }
        #expect(observation.drain() == [])
        // If the last page of the outbox's log has free space, the item can still be stored.
        // Otherwise, the call must throw.
        let isOutboxItemSaved = (try? store.write { try $0.save(outboxItem(1)) }) != nil
        #expect(try (store.outboxItem("r-1") != nil) == isOutboxItemSaved)

        try disk.free()
        try store.write { try $0.save(message(saved.count)) }
        saved.append(MessageID("\(saved.count)"))
        #expect(try store.messages(in: "general").compactMap(\.messageID) == saved.reversed())
        store.close()
        let again = try directory.open()
        #expect(again.openingReport.replacedCache == nil && again.openingReport.outboxDamage == nil)
        #expect(try again.messages(in: "general").compactMap(\.messageID) == saved.reversed())
        #expect(try (again.outboxItem("r-1") != nil) == isOutboxItemSaved)
        #expect(try again.contradictions() == [])
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"))
    func outboxItemThatDoesNotFitIsNotStored() throws {
        let disk = try SmallDisk()
        let directory = try StoreDirectory(in: disk.url)
        let store = try directory.open()
        try disk.fill(leaving: 128 << 10)
        var saved: [RequestID] = []
        while true {
            let item = outboxItem(saved.count)
            do {
                try store.write { try $0.save(item) }
                saved.append(item.requestID)
            } catch let error as StoreError {
                #expect(error.code == .noSpace)
                #expect(error.path == directory.url.appending(path: "outbox").path)
                break
            }
        }
        #expect(try store.outboxItems().map(\.requestID) == saved)
        // A removal appends to the log, too, so it fails.
        let error = #expect(throws: StoreError.self) {
            for id in saved { try store.write { try $0.removeOutboxItem(id) } }
        }
        #expect(error?.code == .noSpace)
        saved = try store.outboxItems().map(\.requestID)
        store.close()
        #expect(try saved == DiskTests.reopened(directory, disk).outboxItems().map(\.requestID))
    }

    /// Opens a store on a full disk, which may fail, and then again after space was freed.
    private static func reopened(
        _ directory: StoreDirectory, _ disk: SmallDisk
    ) throws -> ChatStore {
        do throws(StoreError) {
            try directory.open().close()
        } catch {
            #expect(error.code == .noSpace)
        }
        try disk.free()
        return try directory.open()
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"))
    func storeIsCreatedAfterAFailureOnAFullDisk() throws {
        for left in stride(from: 0, through: 256 << 10, by: 4 << 10) {
            let disk = try SmallDisk()
            let directory = try StoreDirectory(in: disk.url)
            let place = directory.url.appending(path: "parent/store")
            try disk.fill(leaving: left)
            do throws(StoreError) {
                try ChatStore(at: place).close()
            } catch {
                #expect(error.code == .noSpace, "\(left): \(error)")
                #expect(error.path.hasPrefix(place.path))
            }
            try disk.free()
            let store = try ChatStore(at: place)
            #expect(!store.openingReport.isOutboxLost)
            try store.write { try $0.save(message(1)) }
            #expect(try store.contradictions() == [])
        }
    }

    // MARK: No permission

    @Test(.enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"))
    func readOnlyDiskIsAPermissionError() throws {
        let disk = try SmallDisk()
        let directory = try StoreDirectory(in: disk.url)
        try directory.open().write { try $0.save(outboxItem(1)) }
        try disk.setReadOnly(true)
        for place in [directory.url, directory.url.appending(path: "new")] {
            let error = #expect(throws: StoreError.self) { try ChatStore(at: place) }
            #expect(error?.code == .permission, "\(String(describing: error))")
            #expect(error?.path.hasPrefix(place.path) == true)
        }
        try disk.setReadOnly(false)
        #expect(try directory.open().outboxItems().map(\.requestID) == ["r-1"])
    }

    @Test func onlyTheOwnerCanAccessTheFiles() throws {
        let directory = try StoreDirectory()
        let place = directory.url.appending(path: "parents/are made/store")
        let old = umask(0)
        defer { umask(old) }
        for _ in 1...2 {
            let store = try ChatStore(at: place, options: Steps.smallFiles)
            for number in 1...40 { try Steps(seed: 1).write(number, to: store) }
        }
        let parents = directory.url.appending(path: "parents")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: parents.path)
        #expect(paths.contains { $0.hasSuffix(".ldb") } && paths.contains { $0.hasSuffix(".log") })
        for path in ["."] + paths {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: parents.appending(path: path).path)
            let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
            let mode = attributes[.posixPermissions] as? Int ?? 0
            #expect(mode == (isDirectory ? 0o700 : 0o600), "\(path) has \(String(mode, radix: 8))")
        }
    }

    // MARK: Invalid paths

    @Test func aFileInPlaceOfADirectoryIsAnError() throws {
        let directory = try StoreDirectory()
        let file = directory.url.appending(path: "file")
        try Data("not ours".utf8).write(to: file)
        for place in [file, file.appending(path: "store")] {
            let error = #expect(throws: StoreError.self) { try ChatStore(at: place) }
            #expect(error?.code == .io)
            #expect(error?.path == place.path)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "not ours")
    }
}

/// A disk with two megabytes, in memory.
private final class SmallDisk: Sendable {
    let url: URL
    private let filler: URL

    /// True if this machine can mount such a disk.
    static let isAvailable = (try? SmallDisk()) != nil

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)")
        filler = url.appending(path: "filler")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        guard SmallDisk.mount(url.path, 0) == 0 else {
            try FileManager.default.removeItem(at: url)
            throw CocoaError(.fileWriteNoPermission)
        }
    }

    deinit {
        #if os(Linux)
            _ = umount2(url.path, Int32(MNT_DETACH))
            // This fails if the disk is still mounted.
            try? FileManager.default.removeItem(at: url)
        #endif
    }

    private static func mount(_ path: String, _ flags: UInt) -> Int32 {
        #if os(Linux)
            return Glibc.mount("tmpfs", path, "tmpfs", flags, "size=2m")
        #else
            return -1
        #endif
    }

    func setReadOnly(_ isReadOnly: Bool) throws {
        #if os(Linux)
            let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
            try #require(SmallDisk.mount(url.path, flags) == 0, "errno \(errno)")
        #endif
    }

    /// Fills the disk, except for `left` bytes.
    func fill(leaving left: Int) throws {
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: url.path)
        let free = try #require(attributes[.systemFreeSize] as? Int)
        try Data(count: max(0, free - left)).write(to: filler)
    }

    func free() throws { try FileManager.default.removeItem(at: filler) }
}
