import Models

/// A thread-safe log with a line for each call of a backend and its response, in the order of the
/// responses.
///
/// Several recorders may share it.
public final class CallLog: Sendable, CustomStringConvertible {
    /// The lines are formatted when the log is read: most logs never are.
    private let state = Locked<[@Sendable () -> String]>([])

    /// Creates an empty log.
    public init() {}

    /// All lines, oldest first.
    public var lines: [String] { state.withLock { $0 }.map { $0() } }

    /// Adds a line.
    public func add(_ line: String) { add { line } }

    func add(_ line: @escaping @Sendable () -> String) { state.withLock { $0.append(line) } }

    /// Removes all lines.
    public func removeAll() { state.withLock { $0 = [] } }

    /// The lines as one text.
    public var description: String { lines.joined(separator: "\n") }
}
