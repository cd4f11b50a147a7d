import Foundation
import Scrollback

/// What the commands work on: the store that is open, and what is observed of it.
///
/// One for each run of the prompt. It begins with a new store in memory.
@MainActor final class Workspace {
    /// Tells the time that drafts are written at.
    let now: () -> Timestamp

    private var opened: Opened = .notYet
    private var observation: ObservedChanges?

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

    /// Where the store is that is open; `nil` if none is.
    var place: String? {
        if case .closed = opened { return nil }
        return (try? store)?.place
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

    /// Closes the store, and ends what is observed of it.
    func close() {
        if case .open(let store) = opened { store.close() }
        opened = .closed
        observation = nil
    }
}

extension ChatStore {
    /// Where it is, in words.
    var place: String { directory.map { "in \($0.path)" } ?? "in memory" }
}

// MARK: Observing

extension Workspace {
    /// Observes a part of the store from now on, instead of what was observed before.
    ///
    /// - Returns: The number of the last change that is not told any more.
    func observe(_ part: ObservedPart) throws -> Int {
        let (snapshot, changes) = try store.observe(part)
        observation = changes
        return snapshot.number
    }

    /// Ends what is observed, and returns whether anything was.
    func unobserve() -> Bool {
        defer { observation = nil }
        return observation != nil
    }

    /// What happened in the observed part since the last call, a line for each change.
    func news() -> [String] { observation?.drain().map(\.line) ?? [] }
}
