import Foundation

/// A directory that goes when nobody has it any more.
final class ScratchDirectory: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(
        path: "scrollback-\(UUID().uuidString)", directoryHint: .isDirectory)

    deinit { try? FileManager.default.removeItem(at: url) }
}
