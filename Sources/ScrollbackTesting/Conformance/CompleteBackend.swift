package import Models
package import Sync

/// A backend that adds the reactions to another backend's messages, so that checks can compare
/// whole messages.
package struct CompleteBackend: ForwardingBackend {
    package let base: any Backend

    package init(base: any Backend) { self.base = base }

    package func forward<Call: BackendCall>(
        _ call: Call
    ) async throws(BackendError) -> Call.Answer {
        let answer = try await call.make(on: base)
        guard capabilities.contains(.separateReactions) else { return answer }
        return try await completed(answer) as? Call.Answer ?? answer
    }

    private func completed<Answer: Sendable>(
        _ answer: Answer
    ) async throws(BackendError) -> any Sendable {
        switch answer {
        case let message as Message: return try await withReactions([message])[0]
        case var page as MessagePage:
            page.messages = try await withReactions(page.messages)
            return page
        case var page as Page<Message>:
            page.elements = try await withReactions(page.elements)
            return page
        case var lookup as MessageLookup:
            lookup.found = try await withReactions(lookup.found)
            return lookup
        case var changes as MessageChangelog:
            changes.updated = try await withReactions(changes.updated)
            return changes
        case var batch as FeedBatch:
            for (index, event) in batch.events.enumerated() {
                guard case .messageUpdated(let message) = event else { continue }
                batch.events[index] = .messageUpdated(try await withReactions([message])[0])
            }
            return batch
        default: return answer
        }
    }

    private func withReactions(_ messages: [Message]) async throws(BackendError) -> [Message] {
        var messages = messages
        for index in messages.indices {
            guard let id = messages[index].messageID else { continue }
            let found = try await base.reactions(of: [id], in: messages[index].channelURL)
            messages[index].reactionHistory = found[id] ?? []
        }
        return messages
    }
}
