import Foundation
import ScrollbackTestSupport
import Testing

@testable import Store

@Suite struct DiskFileTests {
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "/dev/full is missing"))
    func fullDiskHasItsOwnErrorCode() throws {
        let error = #expect(throws: StoreError.self) {
            try DiskFile("/dev/full", O_WRONLY, "open the file").write([1])
        }
        #expect(error?.code == .noSpace)
        #expect(error?.path == "/dev/full")
    }

    @Test func missingDirectoryHasNoNames() throws {
        #expect(try DiskFile.names(in: "/there/is/none") == [])
        let file = try DiskFile(reading: "/there/is/none")
        let isThere = file != nil
        #expect(!isThere)
        let names = try DiskFile.names(in: "/")
        #expect(names.contains("dev") && !names.contains(".") && !names.contains(".."))
    }

    // MARK: Removing

    @Test func directoryOfAnyDepthIsRemoved() throws {
        let place = try ScratchDirectory.made()
        let path = place.url.appending(path: "deep").path
        try DiskFile.createDirectory(path)
        try Data("x".utf8).write(to: place.url.appending(path: "outside"))
        var current = open(path, O_RDONLY | O_DIRECTORY)
        // The path becomes longer than the system permits. One name is not in UTF-8.
        for depth in 0..<3000 {
            let name: [CChar] = depth == 1000 ? [0x64, -1, 0] : [0x64, 0]
            #expect(mkdirat(current, name, 0o700) == 0)
            #expect(symlinkat("../outside", current, "link") == 0)
            let next = openat(current, name, O_RDONLY | O_DIRECTORY)
            close(current)
            current = next
        }
        close(current)
        try DiskFile.removeAll(at: path)
        #expect(try DiskFile.names(in: place.url.path) == ["outside"])
    }

    /// The other name may be outside of the directory.
    @Test func fileWithTwoNamesKeepsItsPermissions() throws {
        let place = try ScratchDirectory.made()
        let outside = place.url.appending(path: "outside").path
        #expect(FileManager.default.createFile(atPath: outside, contents: nil))
        #expect(chmod(outside, 0o444) == 0)
        let lock = place.url.appending(path: "lock").path
        #expect(link(outside, lock) == 0)
        // Only the administrator can open the file for writing.
        try? DiskFile.alone(lock) { () throws(StoreError) in }
        var status = stat()
        #expect(stat(outside, &status) == 0 && status.st_mode & 0o777 == 0o444)
    }

    // MARK: Writing

    /// Simulates the results of successive writes.
    ///
    /// After the given results, the disk has no space left.
    private func handed(_ bytes: [UInt8], _ answers: [Answer]) -> (error: Int32, taken: [UInt8]) {
        var answers = answers[...]
        var taken: [UInt8] = []
        let error = bytes.withBytes { bytes in
            DiskFile.hand(bytes) { rest in
                switch answers.popFirst() ?? .takes(0) {
                case .takes(let count):
                    taken += rest.prefix(count)
                    // This must not matter: errno is only valid after a failure.
                    errno = 0
                    return min(count, rest.count)
                case .fails(let error):
                    errno = error
                    return -1
                }
            }
        }
        return (error, taken)
    }

    private enum Answer {
        case takes(Int)
        case fails(Int32)
    }

    @Test func partialWriteIsContinued() {
        let bytes = [UInt8](0..<100)
        #expect(handed(bytes, [.takes(1), .takes(98), .takes(1)]) == (0, bytes))
        #expect(handed(bytes, [.takes(7), .fails(EINTR), .fails(EINTR), .takes(93)]) == (0, bytes))
        #expect(handed([], []) == (0, []))
    }

    @Test func writeOfZeroBytesMeansAFullDisk() {
        let bytes = [UInt8](0..<100)
        #expect(handed(bytes, [.takes(64), .takes(0)]) == (ENOSPC, Array(0..<64)))
        #expect(handed(bytes, [.takes(3), .fails(EIO)]) == (EIO, Array(0..<3)))
    }

    @Test func replacingAFileLeavesNoTemporaryFile() throws {
        let directory = try StoreDirectory()
        let path = directory.url.appending(path: "file").path
        try DiskFile.replace(path, by: [1])
        // A file that an earlier process left when it crashed.
        try Data("half".utf8).write(to: URL(filePath: path + ".new"))
        try DiskFile.replace(path, by: [2])
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([2]))
        #expect(try Set(DiskFile.names(in: directory.url.path)) == ["file"])
        // A directory is in the way, so the new file cannot be moved into place. It must be
        // removed.
        try FileManager.default.createDirectory(
            atPath: path + "s", withIntermediateDirectories: false)
        try DiskFile.replace(path + "s/inside", by: [])
        let error = #expect(throws: StoreError.self) { try DiskFile.replace(path + "s", by: [3]) }
        #expect(error?.path == path + "s")
        #expect(try Set(DiskFile.names(in: directory.url.path)) == ["file", "files"])
    }

    // MARK: Directories

    @Test func aDirectoryIsMadeWithItsParents() throws {
        let directory = try StoreDirectory()
        let path = directory.url.appending(path: "a/b/c").path
        for _ in 1...2 { try DiskFile.createDirectory(path) }
        #expect(try DiskFile.names(in: path) == [])
        try DiskFile.replace(path + "/file", by: [])
        for (place, number) in [("/file", ENOTDIR), ("/file/below", ENOTDIR), ("/a\0b", EINVAL)] {
            let error = #expect(throws: StoreError.self) {
                try DiskFile.createDirectory(path + place)
            }
            #expect(error?.path == path + place)
            #expect(error?.message.hasSuffix("(errno \(number))") == true)
        }
    }
}
