package import Foundation

/// A unique path for a temporary directory.
///
/// The directory is removed when the last reference is released.
package final class ScratchDirectory: Sendable {
    package let url: URL

    package var path: String { url.path }

    /// Chooses a path without creating anything.
    package init(in parent: URL = FileManager.default.temporaryDirectory) {
        url = parent.appending(
            path: "scrollback-\(UUID().uuidString)", directoryHint: .isDirectory)
    }

    /// Chooses a path and creates an empty directory.
    package static func made(
        in parent: URL = FileManager.default.temporaryDirectory
    ) throws -> ScratchDirectory {
        let directory = ScratchDirectory(in: parent)
        try FileManager.default.createDirectory(
            at: directory.url, withIntermediateDirectories: true)
        return directory
    }

    /// A directory in memory, where syncing small files is fast, if the system has one.
    package static let memory: URL = {
        let memory = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
    }()

    /// The paths of all files in the directory, at any depth, relative to it.
    package var contents: [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }
        return (names ?? []).sorted()
    }

    /// Removes the directory now, for callers that end the process and so release no reference.
    package func remove() {
        try? FileManager.default.removeItem(at: url)  // The directory may not have been created.
    }

    deinit { remove() }
}
