import Crypto
import Foundation
import Models
import ScrollbackTestSupport
import Testing

@testable import Store

/// Tests the downloaded files that are kept in unencrypted and in encrypted stores.
@Suite struct DownloadedFilesTests {
    /// An open store.
    private final class Fixture {
        let directory: StoreDirectory
        let store: ChatStore
        let files: DownloadedFiles
        var limits = DownloadLimits()

        init(_ form: FileForm) throws {
            directory = try StoreDirectory(form)
            store = try directory.open()
            files = try #require(store.downloads)
        }

        deinit { store.close() }

        func keep(_ url: String, _ bytes: Data, at time: Timestamp = 1) throws {
            files.begin(url)
            defer { files.end(url) }
            try files.keep(bytes, of: url, within: limits, at: time)
        }

        func read(_ url: String, at time: Timestamp = 1) -> Data? {
            files.bytes(of: url, within: limits, at: time)
        }

        func path(_ url: String) -> URL {
            directory.url.appending(path: "downloads/\(files.name(of: url))")
        }

        func exists(_ url: String) -> Bool {
            FileManager.default.fileExists(atPath: path(url).path)
        }

        /// The kept ones of some URLs.
        func kept(_ urls: [String]) -> [String] { urls.filter(exists) }
    }

    private static func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8($0 % 251) }) }

    // MARK: Keeping and reading

    @Test(arguments: [0, 1, 31, 4064, 4065, 200_001], FileForm.allCases)
    func keptBytesAreReadAgain(count: Int, form: FileForm) throws {
        let fixture = try Fixture(form)
        #expect(fixture.read("a://b") == nil)
        try fixture.keep("a://b", Self.bytes(count))
        #expect(fixture.read("a://b") == Self.bytes(count))
        #expect(fixture.read("a://c") == nil)
        try fixture.keep("a://b", Data([7]))
        #expect(fixture.read("a://b") == Data([7]))
        fixture.store.close()
        #expect(fixture.read("a://b") == nil)
        let again = try fixture.directory.open()
        let read = again.downloads?.bytes(of: "a://b", within: DownloadLimits(), at: 2)
        #expect(read == Data([7]))
        again.close()
    }

    @Test func storeInMemoryKeepsNothing() throws {
        #expect(try ChatStore.inMemory().downloads == nil)
    }

    @Test func onlyURLsOfAServerAreKept() {
        for url in ["", "/etc/passwd", "~/picture", "file:///etc/passwd", "FILE:/x"] {
            #expect(FileInfo(url: url).downloadKey == nil)
        }
        for url in ["mxc://example.org/1", "https://example.org/a", "1234"] {
            #expect(FileInfo(url: url).downloadKey == "0 \n\(url)")
        }
        #expect(FileInfo(url: "a", size: 1).downloadKey == "1 \na")
    }

    @Test func nameInAnEncryptedStoreCannotBeTested() throws {
        let hash = SHA256.hash(data: Data("a://b".utf8)).prefix(16)
        let plain = try Fixture(.plain)
        #expect(plain.files.name(of: "a://b") == CopyName.make(hash))
        let first = try Fixture(.encrypted)
        let second = try Fixture(.encrypted)
        let names = [plain, first, second].map { $0.files.name(of: "a://b") }
        #expect(Set(names).count == 3 && names.allSatisfy(CopyName.isValid))
        try first.keep("a://b", Data(String(repeating: "canary ", count: 2000).utf8))
        #expect(try Data(contentsOf: first.path("a://b")).range(of: Data("canary".utf8)) == nil)
    }

    @Test func bytesOfADownloadedFileNeverChange() throws {
        let fixture = try Fixture(.plain)
        let key = try #require(FileInfo(url: "embedded://files/1", size: 5).downloadKey)
        try fixture.keep(key, Data("Hello".utf8))
        let bytes = try Data(contentsOf: fixture.path(key))
        let block = "```\n\(fixture.files.name(of: key))\n\(bytes.hexadecimal)\n```"
        #expect(try Repository.text(of: "Docs/Format.md").contains(block), "\(block)")
    }

    @Test(arguments: FileForm.allCases) func filesBelongToTheirOwnerAlone(form: FileForm) throws {
        let fixture = try Fixture(form)
        try fixture.keep("a", Data([1]))
        func mode(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }
        #expect(try mode(fixture.path("a")) == 0o600)
        #expect(try mode(fixture.directory.url.appending(path: "downloads")) == 0o700)
    }

    // MARK: Limits

    @Test(arguments: FileForm.allCases) func leastRecentlyUsedFileIsRemovedFirst(
        form: FileForm
    ) throws {
        let fixture = try Fixture(form)
        try fixture.keep("a", Self.bytes(5000), at: 1_000)
        let size = try Data(contentsOf: fixture.path("a")).count
        fixture.limits.totalByteCount = 3 * size
        try fixture.keep("b", Self.bytes(5000), at: 2_000)
        try fixture.keep("c", Self.bytes(5000), at: 3_000)
        #expect(fixture.kept(["a", "b", "c"]) == ["a", "b", "c"])
        #expect(fixture.read("a", at: 4_000) != nil)
        try fixture.keep("d", Self.bytes(5000), at: 5_000)
        #expect(fixture.kept(["a", "b", "c", "d"]) == ["a", "c", "d"])
        fixture.limits.totalByteCount = size
        try fixture.keep("e", Self.bytes(5000), at: 6_000)
        #expect(fixture.kept(["a", "b", "c", "d", "e"]) == ["e"])
        fixture.limits.totalByteCount = size - 1
        try fixture.keep("f", Self.bytes(5000), at: 7_000)
        #expect(fixture.kept(["e", "f"]) == ["e"])
    }

    /// The sum of the sizes of sparse files would overflow.
    @Test(arguments: [2000, Int.max]) func sparseFilesDoNotRemoveTheLimit(limit: Int) throws {
        let fixture = try Fixture(.encrypted)
        fixture.limits.totalByteCount = limit
        let urls = (1...3).map { "a://\($0)" }
        for url in urls.prefix(2) {
            try fixture.keep(url, Self.bytes(1))
            try #require(truncate(fixture.path(url).path, off_t.max) == 0)
        }
        fixture.store.close()
        let store = try fixture.directory.open()
        defer { store.close() }
        let files = try #require(store.downloads)
        for url in urls.suffix(1) + ["a://4"] {
            files.begin(url)
            defer { files.end(url) }
            try files.keep(Self.bytes(400), of: url, within: fixture.limits, at: 2)
        }
        #expect(fixture.kept(urls) == (limit == .max ? urls : ["a://3"]))
    }

    @Test func fileAboveItsLimitIsNotKept() throws {
        let fixture = try Fixture(.plain)
        fixture.limits.fileByteCount = 10
        try fixture.keep("a", Self.bytes(10))
        try fixture.keep("b", Self.bytes(11))
        #expect(fixture.kept(["a", "b"]) == ["a"])
        fixture.limits.fileByteCount = 9
        #expect(fixture.read("a") == nil && !fixture.exists("a"))
    }

    @Test(arguments: [Timestamp.distantPast, -1, .distantFuture])
    func anyTimeOfTheClockIsAccepted(time: Timestamp) throws {
        let fixture = try Fixture(.plain)
        fixture.limits.totalByteCount = 100
        for url in ["a", "b", "c"] {
            try fixture.keep(url, Self.bytes(30), at: time)
            #expect(fixture.read(url, at: time) != nil)
        }
    }

    /// A killed process has left a part of a file.
    @Test func unfinishedFileIsRemovedByTheNextWrite() throws {
        let fixture = try Fixture(.plain)
        let new = fixture.directory.url.appending(path: "downloads/new")
        try FileManager.default.createDirectory(at: new, withIntermediateDirectories: true)
        let rest = new.appending(path: fixture.files.name(of: "a"))
        try Self.bytes(1000).write(to: rest)
        fixture.limits.totalByteCount = 200
        try fixture.keep("b", Self.bytes(100))
        #expect(!FileManager.default.fileExists(atPath: rest.path))
        #expect(fixture.kept(["a", "b"]) == ["b"])
    }

    // MARK: Damage

    @Test(arguments: OutboxFilesTests.Damage.allCases, FileForm.allCases)
    func damagedFileIsRemoved(damage: OutboxFilesTests.Damage, form: FileForm) throws {
        let fixture = try Fixture(form)
        try fixture.keep("a", Self.bytes(9000))
        let whole = try Data(contentsOf: fixture.path("a"))
        for place in Array(stride(from: 0, to: whole.count, by: 97)) + [whole.count - 1] {
            guard let damaged = damage.apply(to: whole, at: place) else {
                try FileManager.default.removeItem(at: fixture.path("a"))
                #expect(fixture.read("a") == nil)
                return
            }
            try damaged.write(to: fixture.path("a"))
            #expect(fixture.read("a") == nil && !fixture.exists("a"), "\(damage) at \(place)")
        }
        try fixture.keep("a", Self.bytes(9000))
        #expect(fixture.read("a") == Self.bytes(9000))
    }

    @Test(arguments: FileForm.allCases) func exchangedFilesAreRemoved(form: FileForm) throws {
        let fixture = try Fixture(form)
        try fixture.keep("a", Self.bytes(100))
        try fixture.keep("b", Self.bytes(200))
        let first = try Data(contentsOf: fixture.path("a"))
        let second = try Data(contentsOf: fixture.path("b"))
        try first.write(to: fixture.path("b"))
        try second.write(to: fixture.path("a"))
        #expect(fixture.read("a") == nil && fixture.read("b") == nil)
        #expect(fixture.kept(["a", "b"]) == [])
    }

    @Test func plainFileInAnEncryptedStoreIsRemoved() throws {
        let plain = try Fixture(.plain)
        let sealed = try Fixture(.encrypted)
        try plain.keep("a", Self.bytes(100))
        try sealed.keep("a", Self.bytes(100))
        try Data(contentsOf: plain.path("a")).write(to: sealed.path("a"))
        #expect(sealed.read("a") == nil && !sealed.exists("a"))
    }

    // MARK: Planted entries

    enum Planted: CaseIterable, Sendable {
        case link, directory, pipe
    }

    @Test(arguments: Planted.allCases, FileForm.allCases)
    func plantedEntryIsReplacedAndNotFollowed(planted: Planted, form: FileForm) throws {
        let elsewhere = try ScratchDirectory.made(in: ScratchDirectory.memory)
        let target = elsewhere.url.appending(path: "notes.txt")
        let fixture = try Fixture(form)
        func plant(_ url: URL, _ target: URL) throws {
            try? FileManager.default.removeItem(at: url)  // It may not exist.
            switch planted {
            case .link:
                try FileManager.default.createSymbolicLink(at: url, withDestinationURL: target)
            case .directory:
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            case .pipe: #expect(mkfifo(url.path, 0o600) == 0)
            }
        }
        try fixture.keep("a", Self.bytes(100))
        try Data(contentsOf: fixture.path("a")).write(to: target)
        let before = try Data(contentsOf: target)

        try plant(fixture.path("a"), target)
        #expect(fixture.read("a") == nil)
        try plant(fixture.path("a"), target)
        try fixture.keep("a", Self.bytes(100))
        #expect(fixture.read("a") == Self.bytes(100))

        for name in ["downloads/new", "downloads"] {
            let url = fixture.directory.url.appending(path: name)
            try plant(url, elsewhere.url)
            if name == "downloads" { #expect(fixture.read("a") == nil) }
            try fixture.keep("a", Self.bytes(100))
            #expect(fixture.read("a") == Self.bytes(100))
            try plant(url, elsewhere.url)
            fixture.files.remove(["a"])
            try fixture.files.removeAll()
        }
        #expect(elsewhere.contents == ["notes.txt"])
        #expect(try Data(contentsOf: target) == before)
    }

    // MARK: Removing

    @Test func removalDuringADownloadPreventsThatItsFileIsKept() throws {
        let fixture = try Fixture(.plain)
        for key in ["a", "b"] { fixture.files.begin(key) }
        fixture.files.remove(["a", "other"])
        for key in ["a", "b"] {
            try fixture.files.keep(Data([1]), of: key, within: DownloadLimits(), at: 1)
        }
        #expect(fixture.kept(["a", "b"]) == ["b"])
        try fixture.files.removeAll()
        try fixture.files.keep(Data([1]), of: "b", within: DownloadLimits(), at: 1)
        #expect(!fixture.exists("b"))
        for key in ["a", "b"] { fixture.files.end(key) }
        try fixture.keep("a", Data([1]))
        try fixture.keep("b", Data([2]))
        fixture.files.remove(["a", "", "/"])
        #expect(fixture.kept(["a", "b"]) == ["b"])
        try fixture.files.removeAll()
        #expect(fixture.kept(["a", "b"]) == [])
    }

    @Test func closedStoreCreatesNoDirectory() throws {
        let fixture = try Fixture(.plain)
        fixture.store.close()
        try fixture.keep("a", Data([1]))
        let path = fixture.directory.url.appending(path: "downloads").path
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: FileForm.allCases) func reencryptionAndRemovalOfTheCacheRemoveTheFiles(
        form: FileForm
    ) throws {
        let removals: [(StoreDirectory) throws -> Void] = [
            { try ChatStore.reencrypt(at: $0.url, from: form.key, to: EncryptionKey()) },
            { try ChatStore.removeCachedData(at: $0.url) },
        ]
        for removes in removals {
            let fixture = try Fixture(form)
            try fixture.keep("a", Data([1]))
            fixture.store.close()
            try removes(fixture.directory)
            let path = fixture.directory.url.appending(path: "downloads").path
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func clearingAStoreRemovesTheFiles() throws {
        let fixture = try Fixture(.plain)
        try fixture.keep("a", Data([1]))
        try fixture.store.clearCachedData()
        #expect(!fixture.exists("a"))
    }
}
