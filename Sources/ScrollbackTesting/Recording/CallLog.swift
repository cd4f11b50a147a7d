import Models

/// A log of calls to backends, with a line for each call and its response.
///
/// Lines are in the order of the responses. Recorders of several users may share a log. The class
/// is thread-safe.
public final class CallLog: Sendable, CustomStringConvertible {
    /// The closures that format the lines.
    ///
    /// The closures run only when the log is read, because most logs are never read.
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
