public import Models
public import Sync

/// A backend that forwards each call to another one, and records it with its response.
///
/// ```swift
/// let recorder = BackendRecorder(backend, name: "alice")
/// _ = try await recorder.feed(since: nil)
/// print(recorder.log)  // alice: feed(since: nil) → [channel(general name …)], 17, live
/// ```
///
/// Lines contain only the most important properties.
public struct BackendRecorder: ForwardingBackend {
    /// The backend that executes the calls.
    public let base: any Backend

    /// The prefix of each line, which distinguishes recorders with the same log; may be empty.
    public let name: String

    /// The log to which the recorder adds lines.
    public let log: CallLog

    /// Creates a recorder of the calls of `base`.
    public init(_ base: any Backend, name: String = "", log: CallLog = CallLog()) {
        self.base = base
        self.name = name
        self.log = log
    }

    /// Makes a call of ``base`` and records it.
    public func forward<Call: BackendCall>(
        _ call: Call
    ) async throws(BackendError) -> Call.Answer {
        do throws(BackendError) {
            let answer = try await call.make(on: base)
            add(shown(call: call)) { Call.Answer.self == Void.self ? "done" : shown(answer) }
            return answer
        } catch {
            add(shown(call: call)) { "throws \(error)" }
            throw error
        }
    }

    /// Disconnects ``base`` and records the call.
    public func disconnect() async {
        await base.disconnect()
        add("disconnect()") { "done" }
    }

    private func add(
        _ call: @autoclosure @escaping @Sendable () -> String,
        _ answer: @escaping @Sendable () -> String
    ) {
        let prefix = name.isEmpty ? "" : "\(name): "
        log.add { "\(prefix)\(call()) → \(answer())" }
    }
}
