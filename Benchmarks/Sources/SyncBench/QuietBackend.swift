import Foundation
import Models
import Sync

/// A connection to a server on which nothing has happened since the cache was closed.
///
/// The memory of the process is that of the client, because the server in the process is empty.
final class QuietBackend: ForwardingBackend {
    let base: any Backend
    private let epoch: ServerEpoch
    private let lock = NSLock()
    nonisolated(unsafe) private var isLive = false  // used only while the lock is held

    init(_ base: any Backend, epoch: ServerEpoch) { (self.base, self.epoch) = (base, epoch) }

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        var session = try await base.connect(as: credentials)
        session.epoch = epoch
        return session
    }

    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        guard let cursor else { fatalError("The cache has no cursor of the feed.") }
        let wasLive = lock.withLock {
            defer { isLive = true }
            return isLive
        }
        if wasLive {
            // The error of a canceled task is replaced by that of the protocol.
            try? await Task.sleep(for: .seconds(86_400))
            throw BackendError(.canceled, "the task of the request was canceled")
        }
        return FeedBatch(events: [], cursor: cursor, epoch: epoch, isLive: true)
    }
}
