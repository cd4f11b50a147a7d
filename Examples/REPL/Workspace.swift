import Foundation
import Scrollback

/// What the commands work on: the store that is open.
///
/// One for each run of the prompt. It begins with a new store in memory.
@MainActor final class Workspace {
    /// Tells the time that drafts are written at.
    let now: () -> Timestamp

    private var opened: Opened = .notYet

    private enum Opened {
        case notYet
        case open(ChatStore)
        case closed
    }

    /// Creates a workspace, whose store is made when a command first asks for it.
    init(
        now: @escaping () -> Timestamp = { Timestamp(Date()) }
    ) {
        self.now = now
    }

    /// The store that is open.
    var store: ChatStore {
        get throws {
            switch opened {
            case .open(let store): return store
            case .closed:
                throw CommandError.failed("no store is open: store open opens one")
            case .notYet:
                let store = try ChatStore.inMemory()
                opened = .open(store)
                return store
            }
        }
    }

    /// Opens a store instead of the one that is open; in memory where there is no directory.
    ///
    /// If that fails, the other stays.
    func open(_ directory: URL?) throws -> ChatStore {
        if case .open(let store) = opened, let directory,
            store.directory?.standardizedFileURL.path == directory.standardizedFileURL.path
        {
            throw CommandError.failed("\(directory.path) is open already")
        }
        let store =
            if let directory { try ChatStore(at: directory) } else { try ChatStore.inMemory() }
        close()
        opened = .open(store)
        return store
    }

    /// Closes the store, if one is open.
    func close() {
        if case .open(let store) = opened { store.close() }
        opened = .closed
    }
}
