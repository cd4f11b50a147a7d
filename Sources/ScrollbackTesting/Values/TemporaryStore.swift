public import Foundation
import Models
public import Store

/// A store in a directory of its own, which goes when the last one who holds this lets go of it.
///
/// ```swift
/// let temporary = try TemporaryStore()
/// try temporary.store.write { batch in try batch.save(Message.sample()) }
/// try temporary.reopen()  // as after the process ended
/// ```
///
/// Where nothing is reopened, `ChatStore.inMemory()` is faster, and has nothing to remove.
public final class TemporaryStore: Sendable {
    /// Where the store's files are.
    public let directory: URL

    private let options: StoreOptions
    private let current: Locked<ChatStore>

    /// Creates a directory, and opens a store in it.
    ///
    /// - Parameters:
    ///   - parent: Where the directory is to be.
    ///   - options: How the files are kept.
    /// - Throws: `StoreError`, as opening a store does.
    public init(
        in parent: URL = FileManager.default.temporaryDirectory,
        options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        directory = parent.appending(
            path: "scrollback-\(UUID().uuidString)", directoryHint: .isDirectory)
        self.options = options
        current = Locked(try ChatStore(at: directory, options: options))
    }

    /// The store, as it was opened last.
    public var store: ChatStore { current.withLock { $0 } }

    /// Closes the store, and opens another one on the same files.
    ///
    /// - Returns: The new one, which ``store`` is from now on.
    /// - Throws: `StoreError`, as opening a store does; ``store`` is a closed one then.
    @discardableResult
    public func reopen() throws(StoreError) -> ChatStore {
        store.close()
        let reopened = try ChatStore(at: directory, options: options)
        current.withLock { $0 = reopened }
        return reopened
    }

    deinit {
        store.close()
        // Whatever is left, the system removes it with its other temporary files.
        try? FileManager.default.removeItem(at: directory)
    }
}
