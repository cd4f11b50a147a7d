import Models
public import Sync

/// A backend that forwards each call to another backend, and records the call and its response.
///
/// ```swift
/// let recorder = BackendRecorder(backend, name: "alice")
/// _ = try await recorder.feed(since: nil)
/// print(recorder.log)  // alice: feed(since: nil) → [channel(general name …)], 17, live
/// ```
///
/// The lines contain only the most important properties of arguments and responses.
public struct BackendRecorder: ForwardingBackend {
    /// The backend that executes the calls.
    public let base: any Backend

    /// The prefix of each line in the log; empty for no prefix.
    public let name: String

    /// The log to which the recorder adds lines.
    public let log: CallLog

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - base: The backend that executes the calls.
    ///   - name: The prefix of each line in the log, which distinguishes recorders that share a
    ///     log.
    ///   - log: The log to which the recorder adds lines.
    public init(_ base: any Backend, name: String = "", log: CallLog = CallLog()) {
        self.base = base
        self.name = name
        self.log = log
    }

    func record<Answer: Sendable>(
        _ call: String, _ arguments: KeyValuePairs<String, (any Sendable)?>,
        _ body: () async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        do {
            let answer = try await body()
            add(call, arguments) { Answer.self == Void.self ? "done" : shown(answer) }
            return answer
        } catch {
            add(call, arguments) { "throws \(error)" }
            throw error
        }
    }

    func add(
        _ call: String, _ arguments: KeyValuePairs<String, (any Sendable)?>,
        _ answer: @escaping @Sendable () -> String
    ) {
        let name = name.isEmpty ? "" : "\(name): "
        log.add {
            let list = arguments.map { $0.isEmpty ? shown($1) : "\($0): \(shown($1))" }
            return "\(name)\(call)(\(list.joined(separator: ", "))) → \(answer())"
        }
    }
}
