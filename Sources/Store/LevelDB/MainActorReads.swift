import Dispatch
import Models

/// Counts the rows that are read on the main actor, in debug builds.
///
/// Tests use it to limit how long a call holds up the user interface.
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

    /// The number of rows so far; 0 in a release build.
    var value: Int {
        #if DEBUG
            count.withLock { $0 }
        #else
            0
        #endif
    }

    /// Records that a row is read, on any actor.
    @inline(__always)
    func recordRow() {
        #if DEBUG
            if DispatchQueue.getSpecific(key: Self.key) != nil { count.withLock { $0 += 1 } }
        #endif
    }
}

extension ChatStore {
    /// The number of rows that were read on the main actor since the files were opened; 0 in a
    /// release build.
    package var rowsReadOnMainActor: Int {
        [cache, outbox].reduce(0) { count, database in
            count + (database.state.withLock { $0.handle?.mainActorReads.value } ?? 0)
        }
    }
}
