public import Models
import Store

/// A thread-safe source of request IDs that are the same in every run: r1, r2, r3 and so on.
///
/// If a server remembers IDs of earlier runs, use another prefix for each run.
public final class RequestIDs: Sendable {
    private let prefix: String
    private let count = Locked(0)

    /// Creates a source of IDs with a prefix.
    public init(prefix: String = "r") {
        self.prefix = prefix
    }

    /// Returns an ID that this source has not returned before.
    public func next() -> RequestID {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return RequestID("\(prefix)\(number)")
    }
}
