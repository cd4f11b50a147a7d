import CScrollbackReadline
import Foundation

/// The lines of earlier runs, in `~/.scrollback_history` or the file in `$SCROLLBACK_HISTORY`.
///
/// The file contains sent messages, so that only its owner can read it.
@MainActor struct History {
    private let path: String

    init() {
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        path =
            ProcessInfo.processInfo.environment["SCROLLBACK_HISTORY"]
            ?? "\(home)/.scrollback_history"
    }

    func load() {
        using_history()
        stifle_history(1_000)
        read_history(path)
    }

    func save() {
        let mask = umask(0o077)
        defer { umask(mask) }
        let status = write_history(path)
        if status != 0 { print("error: \(path): \(String(cString: strerror(status)))") }
    }
}
