import Foundation
import Models
import TestSupport
import Testing

@testable import Sync

/// Copies of files, whose names stand in drafts on the disk.
@Suite struct OutboxFilesTests {
    @Test(arguments: ["../victim", "..", ".", "", "/etc/passwd", "sub/victim", "a\u{0}b", "é"])
    func aNameThatIsNoneOfOursLeadsNowhere(name: String) throws {
        let directory = ScratchDirectory()
        defer { directory.remove() }
        let root = directory.url
        let sub = root.appending(path: "store/files/sub")
        try FileManager.default.createDirectory(at: sub, withIntermediateDirectories: true)
        for place in ["store/victim", "store/files/sub/victim"] {
            try Data("kept".utf8).write(to: root.appending(path: place))
        }
        let before = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted()
        let files = OutboxFiles(besides: root.appending(path: "store"))
        #expect(files.path(of: name) == nil)
        files.remove([name])
        #expect(try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted() == before)
    }

    @Test func theNameOfACopyLeadsToIt() throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let root = directory.url
        let original = root.appending(path: "original")
        try Data("bytes".utf8).write(to: original)
        let files = OutboxFiles(besides: root)
        let name = try files.copy(original.path, for: RequestID("../r-1"), at: 0)
        let path = try #require(files.path(of: name))
        #expect(FileManager.default.contents(atPath: path) == Data("bytes".utf8))
        files.remove([name])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// A name on the disk has 255 bytes at the most; a request id may have as many as anybody likes.
    @Test(arguments: [1, 97, 98, 99, 100, 300, 65_535])
    func copiesOfDifferentDraftsAreDifferentFiles(length: Int) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID())")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let files = OutboxFiles(besides: root)
        let rest = String(repeating: "x", count: length - 1)
        let ids = ["a" + rest, "b" + rest, rest + "a", rest + "b"].map { RequestID($0) }
        var names: [String: String] = [:]
        for id in Set(ids) {
            for index in [0, 1, 10] {
                let original = root.appending(path: "original")
                let text = "\(index) of \(id)"
                try Data(text.utf8).write(to: original)
                names[try files.copy(original.path, for: id, at: index)] = text
            }
        }
        #expect(names.count == 3 * Set(ids).count)
        for (name, text) in names {
            let path = try #require(files.path(of: name))
            #expect(FileManager.default.contents(atPath: path) == Data(text.utf8))
        }
    }
}
