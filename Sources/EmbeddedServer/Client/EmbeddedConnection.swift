import Models
import Sync

struct EmbeddedConnection: Sendable {
    let server: EmbeddedServer
    let number: Int
    let capabilities: BackendCapabilities

    /// Performs a call; `epoch` is that of the message that it names, if known.
    func ask<Result: Sendable>(
        _ needed: BackendCapabilities = [], of epoch: ServerEpoch? = nil,
        _ body: @Sendable (ServerState, Session) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try checkCancellation()
        let number = number
        guard capabilities.contains(needed) else { throw .lacking(needed) }
        return try server.perform { state throws(BackendError) in
            let session = try state.session(number)
            try state.checkEpoch(epoch)
            return try body(state, session)
        }
    }

    func checkCancellation() throws(BackendError) {
        if Task.isCancelled { throw .canceled }
    }

    func withoutReactions(_ message: Message) -> Message {
        guard capabilities.contains(.separateReactions) else { return message }
        var message = message
        message.reactionHistory = []
        return message
    }

    func withoutReactions<Answer>(
        _ answer: Answer, in messages: WritableKeyPath<Answer, [Message]>
    ) -> Answer {
        guard capabilities.contains(.separateReactions) else { return answer }
        var answer = answer
        answer[keyPath: messages] = answer[keyPath: messages].map(withoutReactions)
        return answer
    }
}
