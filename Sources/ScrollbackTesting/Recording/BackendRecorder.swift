import Models
public import Sync

/// A backend that hands each call on to another one, and writes down what was asked and answered.
///
/// ```swift
/// let recorder = BackendRecorder(backend, name: "alice")
/// _ = try await recorder.feed(since: nil)
/// print(recorder.log)  // alice: feed(since: nil) → [channel(general name …)], 17, live
/// ```
///
/// Lines tell what matters of each value, and leave out the rest.
public struct BackendRecorder: ForwardingBackend {
    /// The backend that does what is asked.
    public let base: any Backend

    /// What every line begins with; empty for nothing.
    public let name: String

    /// Where the lines are.
    public let log: CallLog

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - base: The backend that does what is asked.
    ///   - name: What every line begins with, where several recorders share a log.
    ///   - log: Where the lines go.
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
