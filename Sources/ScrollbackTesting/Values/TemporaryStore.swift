public import Foundation
import Models
public import Store

/// A store in a temporary directory, which is removed when this object is released.
///
/// ```swift
/// let temporary = try TemporaryStore()
/// try temporary.store.write { batch in try batch.save(Message.sample()) }
/// try temporary.reopen()  // as after the process ended
/// ```
///
/// A test that does not reopen the store can use `ChatStore.inMemory()`, which is faster.
public final class TemporaryStore: Sendable {
    /// The directory of the store's files.
    public let directory: URL

    private let options: StoreOptions
    private let current: Locked<ChatStore>

    /// Creates a temporary directory, and opens a store in it.
    public init(
        in parent: URL = FileManager.default.temporaryDirectory,
        options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        directory = parent.appending(
            path: "scrollback-\(UUID().uuidString)", directoryHint: .isDirectory)
        self.options = options
        current = Locked(try ChatStore(at: directory, options: options))
    }

    /// The current store.
    public var store: ChatStore { current.withLock { $0 } }

    /// Closes ``store``, and replaces it by a new one with the same files.
    ///
    /// After an error, ``store`` is closed.
    @discardableResult
    public func reopen() throws(StoreError) -> ChatStore {
        store.close()
        let reopened = try ChatStore(at: directory, options: options)
        current.withLock { $0 = reopened }
        return reopened
    }

    deinit {
        store.close()
        // Ignore an error: the system removes temporary files.
        try? FileManager.default.removeItem(at: directory)
    }
}
