public import Models
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

    /// Makes a call of ``base`` and records it.
    public func perform<Answer: Sendable>(
        _ call: String, _ arguments: [(any Sendable)?],
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

    /// Disconnects ``base`` and records the call.
    public func disconnect() async {
        await base.disconnect()
        add("disconnect()", []) { "done" }
    }

    private func add(
        _ call: String, _ arguments: [(any Sendable)?], _ answer: @escaping @Sendable () -> String
    ) {
        let prefix = name.isEmpty ? "" : "\(name): "
        log.add {
            // Such as `setTyping`, `_` and `in`.
            let names = call.split { "(:)".contains($0) }
            let list = zip(names.dropFirst(), arguments).map { label, argument in
                label == "_" ? shown(argument) : "\(label): \(shown(argument))"
            }
            return "\(prefix)\(names[0])(\(list.joined(separator: ", "))) → \(answer())"
        }
    }
}
