package import Foundation

/// A place for a directory, at which there is nothing yet; what is made there goes with its last user.
package final class ScratchDirectory: Sendable {
    package let url: URL

    package var path: String { url.path }

    /// Names a place, beside those of all other tests.
    package init(in parent: URL = FileManager.default.temporaryDirectory) {
        url = parent.appending(
            path: "scrollback-\(UUID().uuidString)", directoryHint: .isDirectory)
    }

    /// Names a place, and makes an empty directory there.
    package static func made(
        in parent: URL = FileManager.default.temporaryDirectory
    ) throws -> ScratchDirectory {
        let directory = ScratchDirectory(in: parent)
        try FileManager.default.createDirectory(
            at: directory.url, withIntermediateDirectories: true)
        return directory
    }

    /// Where many small files are synced in no time: in memory, where the system has such a place.
    package static let memory: URL = {
        let memory = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
    }()

    /// What lies in it, at any depth, as paths from here.
    package var contents: [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }
        return (names ?? []).sorted()
    }

    /// Removes what is there, for who ends the process and not only a function.
    package func remove() {
        try? FileManager.default.removeItem(at: url)  // Nothing may have been made there.
    }

    deinit { remove() }
}
