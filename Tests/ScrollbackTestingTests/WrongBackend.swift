import Foundation
import Models
import Store
import Sync

/// A backend with one deliberate mistake.
///
/// It changes one call; other calls may record data for it.
struct WrongBackend: ForwardingBackend {
    let base: any Backend
    private var replacements: [CallName: any Sendable] = [:]
    /// Changes a response.
    var alter: @Sendable (Any) -> Any = { $0 }
    var disconnects = true

    init(_ base: any Backend) { self.base = base }

    func disconnect() async { if disconnects { await base.disconnect() } }

    /// Replaces all calls of a type.
    mutating func on<Call: BackendCall>(
        _ type: Call.Type, _ replacement: @escaping @Sendable (Call) async throws -> Call.Answer
    ) {
        replacements[Call.name] = Replacement(perform: replacement)
    }

    private struct Replacement<Call: BackendCall>: Sendable {
        let perform: @Sendable (Call) async throws -> Call.Answer
    }

    func forward<Call: BackendCall>(_ call: Call) async throws(BackendError) -> Call.Answer {
        guard let replacement = replacements[Call.name] as? Replacement<Call> else {
            let answer = try await call.make(on: base)
            return alter(answer) as? Call.Answer ?? answer
        }
        do {
            return try await replacement.perform(call)
        } catch {
            throw (error as? BackendError) ?? BackendError(.serverFailure, "\(error)")
        }
    }
}

/// The state that all devices of a wrong backend share.
final class Memory: Sendable {
    struct Contents {
        var outboxItems: [RequestID: Int] = [:]
        var messages: [Message] = []
        var senders: [MessageID: any Backend] = [:]
        var pages: [String: MessagePage] = [:]
        var firstMessages: [ChannelURL: Message] = [:]
        var user: UserID?
        var cursors: Set<FeedCursor> = []
        var channels: [ChannelURL: Int] = [:]
        var reactions: Set<String> = []
        var count = 0
    }

    private let contents = Locked(Contents())

    func use<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result {
        contents.withLock { body(&$0) }
    }
}
