package import Foundation

/// A unique path for a temporary directory.
///
/// The directory is removed when the last reference is released.
package final class ScratchDirectory: Sendable {
    package let url: URL

    package var path: String { url.path }

    /// Chooses a path.
    ///
    /// Nothing is created there.
    package init(in parent: URL = FileManager.default.temporaryDirectory) {
        url = parent.appending(
            path: "scrollback-\(UUID().uuidString)", directoryHint: .isDirectory)
    }

    /// Chooses a path, and creates an empty directory there.
    package static func made(
        in parent: URL = FileManager.default.temporaryDirectory
    ) throws -> ScratchDirectory {
        let directory = ScratchDirectory(in: parent)
        try FileManager.default.createDirectory(
            at: directory.url, withIntermediateDirectories: true)
        return directory
    }

    /// A directory in memory if the system has one, where syncing small files is fast.
    ///
    /// Otherwise the temporary directory.
    package static let memory: URL = {
        let memory = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
    }()

    /// The relative paths of all files in the directory and its subdirectories.
    package var contents: [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }
        return (names ?? []).sorted()
    }

    /// Removes the directory now.
    ///
    /// Only callers that end the process need this, because they release no reference.
    package func remove() {
        try? FileManager.default.removeItem(at: url)  // The directory may not have been created.
    }

    deinit { remove() }
}
