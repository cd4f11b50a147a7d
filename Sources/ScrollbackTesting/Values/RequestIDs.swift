public import Models
import Store

/// A source of request ids that are the same in every run: r1, r2, r3 and so on.
///
/// Safe for several threads. A server that remembers request ids from run to run needs a prefix that
/// is another one each time.
public final class RequestIDs: Sendable {
    private let prefix: String
    private let count = Locked(0)

    /// Creates a source.
    ///
    /// - Parameter prefix: What each id begins with.
    public init(prefix: String = "r") {
        self.prefix = prefix
    }

    /// Returns an id that this source has not returned before.
    public func next() -> RequestID {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return RequestID("\(prefix)\(number)")
    }
}
