import Models
import Sync

/// The way from a device to its server.
struct EmbeddedConnection: Sendable {
    let server: EmbeddedServer
    /// The number of the device.
    let number: Int
    let capabilities: BackendCapabilities

    /// Performs a call as the connected user.
    ///
    /// `epoch` is that of the message that the call names; `nil` if it is unknown, or if the call
    /// names no message.
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

    /// Returns a message without its reactions if the server returns them separately.
    func withoutReactions(_ message: Message) -> Message {
        guard capabilities.contains(.separateReactions) else { return message }
        var message = message
        message.reactionHistory = []
        return message
    }

    /// Returns an answer whose messages have no reactions if the server returns them separately.
    func withoutReactions<Answer>(
        _ answer: Answer, in messages: WritableKeyPath<Answer, [Message]>
    ) -> Answer {
        guard capabilities.contains(.separateReactions) else { return answer }
        var answer = answer
        answer[keyPath: messages] = answer[keyPath: messages].map(withoutReactions)
        return answer
    }
}
