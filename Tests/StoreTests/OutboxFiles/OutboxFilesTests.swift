import Foundation
import Models
import ScrollbackCrashWriter
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import Testing

@testable import Store

/// Tests the copies of outgoing files, in unencrypted and in encrypted stores.
@Suite struct OutboxFilesTests {
    /// A store with one outbox item, which has a copy of a file.
    private final class Fixture {
        let directory: StoreDirectory
        let original: URL
        let store: ChatStore
        let files: OutboxFiles
        let copy: FileCopy

        init(_ form: FileForm, _ bytes: Data) throws {
            directory = try StoreDirectory(form)
            original = ScratchDirectory.memory.appending(path: "original-\(UUID().uuidString)")
            try bytes.write(to: original)
            store = try directory.open()
            files = try #require(store.outboxFiles)
            copy = try files.add(original.path)
        }

        deinit {
            store.close()
            try? FileManager.default.removeItem(at: original)  // A test may have removed the file.
        }

        var path: URL { directory.url.appending(path: "files/\(copy.name)") }

        func read() throws -> Data { try Data(OutboxFilesTests.read(copy, files)) }
    }

    private static func read(_ copy: FileCopy, _ files: OutboxFiles) throws -> [UInt8] {
        let reader = try files.reader(of: copy)
        var bytes: [UInt8] = []
        while let piece = try reader.next(upTo: 1000) { bytes += piece }
        return bytes
    }

    private static func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8($0 % 251) }) }

    private static func names(_ directory: StoreDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: directory.url.appending(path: "files").path)
    }

    // MARK: Copying and reading

    @Test(arguments: [0, 1, 999, 4095, 4096, 4097, 8192, 65_536, 200_001], FileForm.allCases)
    func copyHasTheBytesOfTheFile(count: Int, form: FileForm) throws {
        let bytes = Self.bytes(count)
        let fixture = try Fixture(form, bytes)
        try FileManager.default.removeItem(at: fixture.original)
        #expect(try fixture.read() == bytes)
        #expect(fixture.copy.size == count && fixture.copy.sha256?.count == 32)
        // A second reader begins at the start of the copy.
        #expect(try fixture.read() == bytes)
    }

    @Test(arguments: FileForm.allCases) func copyBelongsToItsOwnerAlone(form: FileForm) throws {
        let fixture = try Fixture(form, Self.bytes(10))
        func mode(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }
        #expect(try mode(fixture.path) == 0o600)
        #expect(try mode(fixture.path.deletingLastPathComponent()) == 0o700)
    }

    @Test func encryptedCopyShowsNothing() throws {
        let bytes = Data(String(repeating: "canary ", count: 2_000).utf8)
        let fixture = try Fixture(.encrypted, bytes)
        let found = try Data(contentsOf: fixture.path)
        #expect(found.range(of: Data("canary".utf8)) == nil)
        // An encrypted copy has a header, and a tag for each page.
        #expect(found.count == 64 + bytes.count + 16 * ((bytes.count + 4095) / 4096))
        // Another copy of the same file has other bytes and another name.
        let other = try fixture.files.add(fixture.original.path)
        #expect(other.name != fixture.copy.name && other.sha256 == fixture.copy.sha256)
        let again = try Data(
            contentsOf: fixture.directory.url.appending(path: "files/\(other.name)"))
        #expect(zip(again.dropFirst(12), found.dropFirst(12)).count { $0 == $1 } < 200)
    }

    @Test func linkIsFollowed() throws {
        let fixture = try Fixture(.plain, Self.bytes(10))
        let link = fixture.original.appendingPathExtension("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: fixture.original)
        defer { try? FileManager.default.removeItem(at: link) }
        #expect(try Self.read(fixture.files.add(link.path), fixture.files).count == 10)
    }

    @Test func fileThatCannotBeReadLeavesNoCopy() throws {
        let fixture = try Fixture(.plain, Self.bytes(10))
        for path in ["/nowhere", fixture.directory.url.path] {
            let error = #expect(throws: StoreError.self) { try fixture.files.add(path) }
            #expect(error?.path == path)
        }
        #expect(try Self.names(fixture.directory) == [fixture.copy.name])
    }

    @Test func storeInMemoryHasNoCopies() throws {
        #expect(try ChatStore.inMemory().outboxFiles == nil)
    }

    // MARK: Damage

    enum Damage: CaseIterable, Sendable {
        case flipped, cut, emptied, extended, missing, replaced, zeroed

        /// Returns the bytes with damage at an offset, or `nil` if this kind of damage is not
        /// possible there.
        func apply(to bytes: Data, at place: Int) -> Data? {
            var bytes = bytes
            switch self {
            case .flipped: bytes[place] ^= 1 << UInt8(place % 8)
            case .cut: bytes = bytes.prefix(place)
            case .emptied: bytes = Data()
            case .extended: bytes += Data([UInt8(place % 256)])
            case .missing: return nil
            case .replaced: bytes = Data(repeating: 7, count: bytes.count)
            case .zeroed: bytes[place] = bytes[place] == 0 ? 1 : 0
            }
            return bytes
        }
    }

    @Test(arguments: Damage.allCases, FileForm.allCases)
    func damagedCopyIsNeverReadToItsEnd(damage: Damage, form: FileForm) throws {
        let count = 9_000
        let fixture = try Fixture(form, Self.bytes(count))
        let whole = try Data(contentsOf: fixture.path)
        for place in Array(stride(from: 0, to: whole.count, by: 97)) + [whole.count - 1] {
            if let damaged = damage.apply(to: whole, at: place) {
                try damaged.write(to: fixture.path)
            } else {
                try FileManager.default.removeItem(at: fixture.path)
            }
            var read = 0
            let error = #expect(throws: StoreError.self, "at \(place)") {
                let reader = try fixture.files.reader(of: fixture.copy)
                while let piece = try reader.next(upTo: 1000) { read += piece.count }
            }
            #expect(error?.code == .corruption, "at \(place)")
            #expect(read < count, "at \(place)")
            try whole.write(to: fixture.path)
        }
        #expect(try fixture.read() == Self.bytes(count))
    }

    /// Both files have the same size, so the size alone does not distinguish them.
    @Test(arguments: FileForm.allCases)
    func copyOfAnotherItemIsRejected(form: FileForm) throws {
        let fixture = try Fixture(form, Self.bytes(5_000))
        try Data(Self.bytes(5_000).reversed()).write(to: fixture.original)
        let other = try fixture.files.add(fixture.original.path)
        let path = fixture.directory.url.appending(path: "files/\(other.name)")
        let (one, two) = (try Data(contentsOf: fixture.path), try Data(contentsOf: path))
        try two.write(to: fixture.path)
        try one.write(to: path)
        for copy in [fixture.copy, other] {
            let error = #expect(throws: StoreError.self) { try Self.read(copy, fixture.files) }
            #expect(error?.code == .corruption)
        }
    }

    @Test(arguments: ["../VERSION", "..", ".", "", "/etc/passwd", "a\u{0}b", "é.copy", ".copy"])
    func invalidCopyNameIsNotFound(name: String) throws {
        let fixture = try Fixture(.plain, Self.bytes(10))
        var copy = fixture.copy
        copy.name = name
        let before = try fixture.directory.contents().keys.sorted()
        fixture.files.remove([copy])
        #expect(try fixture.directory.contents().keys.sorted() == before)
        let error = #expect(throws: StoreError.self) { try fixture.files.reader(of: copy) }
        #expect(error?.code == .corruption)
    }

    // MARK: Crashes

    @Test(arguments: FileForm.allCases)
    func copyIsOnTheDiskWhenTheCallReturns(form: FileForm) throws {
        let original = ScratchDirectory.memory.appending(path: "original-\(UUID().uuidString)")
        try Self.bytes(70_000).write(to: original)
        defer { try? FileManager.default.removeItem(at: original) }
        var isOver = false
        for change in 1... {
            if isOver { break }
            let directory = try StoreDirectory(form)
            let disks = FailingDisks()
            let store = try disks.open(directory.url, Steps.smallFiles, key: form.key)
            let files = try #require(store.outboxFiles)
            let start = disks.outbox.changes
            disks.outbox.cutPower(at: change)
            let copy = try files.add(original.path)
            isOver = disks.outbox.changes - start < change
            store.close()
            try disks.outbox.loseUnsynced(in: directory.url)
            guard isOver else { continue }
            // In this case, the power was cut after the call had returned.
            let again = try directory.open()
            let read = try Self.read(copy, #require(again.outboxFiles))
            #expect(Data(read) == Self.bytes(70_000))
            again.close()
        }
    }

    @Test(arguments: FileForm.allCases)
    func fullDiskLeavesNoCopy(form: FileForm) throws {
        let original = ScratchDirectory.memory.appending(path: "original-\(UUID().uuidString)")
        try Self.bytes(70_000).write(to: original)
        defer { try? FileManager.default.removeItem(at: original) }
        for change in 1...5 {
            let directory = try StoreDirectory(form)
            let disks = FailingDisks()
            let store = try disks.open(directory.url, Steps.smallFiles, key: form.key)
            let files = try #require(store.outboxFiles)
            disks.outbox.fail(at: change, with: ENOSPC, once: true)
            let error = #expect(throws: StoreError.self) { try files.add(original.path) }
            #expect(error?.code == .noSpace)
            #expect(try Self.names(directory) == [])
            disks.heal()
            #expect(try Self.read(files.add(original.path), files).count == 70_000)
            store.close()
        }
    }

    @Test(arguments: FileForm.allCases) func orphansAreRemoved(form: FileForm) throws {
        let fixture = try Fixture(form, Self.bytes(10))
        _ = try fixture.files.add(fixture.original.path)
        try Data().write(to: fixture.path.appendingPathExtension("resealed"))
        fixture.files.removeAll(but: [fixture.copy])
        #expect(try Self.names(fixture.directory) == [fixture.copy.name])
        #expect(try fixture.read().count == 10)
    }

    /// While the damaged outbox is kept, an item in it may still be salvaged, and any copy may
    /// belong to that item.
    @Test func nothingIsRemovedWhileADamagedOutboxIsKept() throws {
        let fixture = try Fixture(.plain, Self.bytes(10))
        let kept = fixture.directory.url.appending(path: "outbox-damaged-1")
        try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: false)
        fixture.files.removeAll(but: [])
        #expect(try fixture.read().count == 10)
        try FileManager.default.removeItem(at: kept)
        fixture.files.removeAll(but: [])
        #expect(try Self.names(fixture.directory) == [])
    }

    // MARK: Other keys

    @Test(arguments: EncryptionTests.Change.allCases)
    func copyIsReencryptedWithItsStore(change: EncryptionTests.Change) throws {
        let bytes = Data(String(repeating: "canary ", count: 2_000).utf8)
        let fixture = try Fixture(change.files, bytes)
        // A copy that belongs to no item, as after a crash, is encrypted again, too.
        let orphan = try fixture.files.add(fixture.original.path)
        fixture.store.close()
        let before = try Data(contentsOf: fixture.path)
        let new = change.new(EncryptionKey())
        try ChatStore.reencrypt(at: fixture.directory.url, from: change.files.key, to: new)
        #expect(try Data(contentsOf: fixture.path) != before)
        for path in try fixture.directory.contents() where new != nil {
            #expect(path.value.range(of: Data("canary".utf8)) == nil, "\(path.key)")
        }
        let store = try ChatStore(at: fixture.directory.url, encryptionKey: new)
        let files = try #require(store.outboxFiles)
        for copy in [fixture.copy, orphan] { #expect(try Data(Self.read(copy, files)) == bytes) }
        store.close()
    }

    @Test(arguments: EncryptionTests.Change.allCases)
    func copyIsReadableAfterAnInterruptedReencryption(change: EncryptionTests.Change) throws {
        let bytes = Self.bytes(9_000)
        let fixture = try Fixture(change.files, bytes)
        fixture.store.close()
        let new = change.new(EncryptionKey())
        var isOver = false
        for number in 1... {
            if isOver { break }
            let directory = try StoreDirectory(of: fixture.directory)
            let disk = FailingDisk()
            disk.fail(at: number, with: EIO, once: false, tearing: number % 2 == 0)
            do {
                try ChatStore.reencrypt(
                    at: directory.url, from: change.files.key, to: new, on: disk.environment)
                isOver = true
            } catch {
                #expect(error.code == .io)
            }
            for key in isOver ? [new] : [change.files.key, new].compactMap(\.self) {
                guard let store = try? ChatStore(at: directory.url, encryptionKey: key) else {
                    // The interruption came before the new key was stored, so only the old key
                    // opens the store.
                    continue
                }
                let read = try Self.read(fixture.copy, #require(store.outboxFiles))
                #expect(Data(read) == bytes, "\(number)")
                store.close()
            }
        }
    }

    /// Tests that damage to a copy is still found after the copy was encrypted again.
    @Test func damageIsFoundAfterReencryption() throws {
        let fixture = try Fixture(.encrypted, Self.bytes(9_000))
        fixture.store.close()
        var bytes = try Data(contentsOf: fixture.path)
        bytes[5_000] ^= 1
        try bytes.write(to: fixture.path)
        try ChatStore.reencrypt(at: fixture.directory.url, from: Steps.key, to: Steps.key)
        let store = try fixture.directory.open()
        let error = #expect(throws: StoreError.self) {
            try Self.read(fixture.copy, #require(store.outboxFiles))
        }
        #expect(error?.code == .corruption)
        store.close()
    }
}
