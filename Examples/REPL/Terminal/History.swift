import CScrollbackReadline
import Foundation

/// The lines typed in earlier runs, in `~/.scrollback_history` or in the file
/// `$SCROLLBACK_HISTORY`.
///
/// Only its owner can read the file, which contains texts of messages.
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
