import Dispatch
import Models

/// Counts rows that are read on the main actor, for tests of its delays; only in debug builds.
final class MainActorReads: Sendable {
    #if DEBUG
        private let count = Locked(0)

        // On Linux, the main actor has a queue, but no fixed thread.
        private static let key: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()
    #endif

    var value: Int {
        #if DEBUG
            count.withLock { $0 }
        #else
            0
        #endif
    }

    @inline(__always)
    func recordRow() {
        #if DEBUG
            if DispatchQueue.getSpecific(key: Self.key) != nil { count.withLock { $0 += 1 } }
        #endif
    }
}

extension ChatStore {
    /// The number of rows since the files were opened; 0 in a release build.
    package var rowsReadOnMainActor: Int {
        [cache, outbox].reduce(0) { count, database in
            count + (database.state.withLock { $0.handle?.mainActorReads.value } ?? 0)
        }
    }
}
