import Models

/// What was asked of backends and what they answered, one line each, in the order of the answers.
///
/// One log may serve several recorders, and then shows what several users did in its order. Safe for
/// several threads.
public final class CallLog: Sendable, CustomStringConvertible {
    /// Made when somebody reads them, since most logs are never read.
    private let state = Locked<[@Sendable () -> String]>([])

    /// Creates an empty log.
    public init() {}

    /// All lines, the oldest first.
    public var lines: [String] { state.withLock { $0 }.map { $0() } }

    /// Adds a line.
    public func add(_ line: String) { add { line } }

    func add(_ line: @escaping @Sendable () -> String) { state.withLock { $0.append(line) } }

    /// Forgets all lines.
    public func removeAll() { state.withLock { $0 = [] } }

    /// The lines, as one text.
    public var description: String { lines.joined(separator: "\n") }
}
