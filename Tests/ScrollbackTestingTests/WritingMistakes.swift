import Models
import Sync

// Mistakes in writing, and in connections.
extension Mistake {
    static let writingMistakes: [Mistake] = [
        Mistake("forgets request ids too early", ["send.once"]) { backend, base, memory in
            backend.onSend = { item in
                var item = item
                let isOld = memory.use { memory in
                    memory.messages.append(Message())
                    let count = memory.messages.count
                    defer { memory.outboxItems[item.requestID] = count }
                    return memory.outboxItems[item.requestID].map { count - $0 > 20 } ?? false
                }
                if isOld { item.requestID = RequestID("\(item.requestID) again") }
                return try await base.send(item)
            }
        },
        Mistake("sends deleted messages again", ["send.deleted"]) { backend, base, _ in
            backend.onSend = { item in
                do { return try await base.send(item) } catch let error as BackendError {
                    guard error.detail == .messageNotFound else { throw error }
                    var item = item
                    item.requestID = RequestID("\(item.requestID) again")
                    return try await base.send(item)
                }
            }
        },
        Mistake("lets other users edit", ["update.owner"]) { backend, base, memory in
            backend.onSend = { item in
                let message = try await base.send(item)
                memory.use { $0.senders[message.messageID ?? ""] = base }
                return message
            }
            backend.onUpdate = { id, url, update, request in
                do {
                    return try await base.update(id, in: url, with: update, requestID: request)
                } catch let error as BackendError {
                    guard error.code == .refused, let sender = memory.use({ $0.senders[id] })
                    else { throw error }
                    return try await sender.update(id, in: url, with: update, requestID: request)
                }
            }
        },
        Mistake("lets other users delete", ["delete.owner"]) { backend, base, memory in
            backend.onSend = { item in
                let message = try await base.send(item)
                memory.use { $0.senders[message.messageID ?? ""] = base }
                return message
            }
            backend.onDelete = { id, url, request in
                do { try await base.delete(id, in: url, requestID: request) } catch let error
                    as BackendError
                {
                    guard error.code == .refused, let sender = memory.use({ $0.senders[id] })
                    else { throw error }
                    try await sender.delete(id, in: url, requestID: request)
                }
            }
        },
        Mistake("clears fields that an edit omits", ["update.absent"]) { backend, base, _ in
            backend.onUpdate = { id, url, update, request in
                guard case .user(var params) = update else { throw BackendError.lacking(.files) }
                params.data = params.data ?? ""
                return try await base.update(id, in: url, with: .user(params), requestID: request)
            }
        },
        Mistake("gives edits the time of the message", ["update.version"]) { backend, base, _ in
            backend.onUpdate = { id, url, update, request in
                var message = try await base.update(
                    id, in: url, with: update, requestID: request)
                message.updatedAt = message.createdAt
                return message
            }
        },
        Mistake("deletes a deleted message", ["delete.twice"]) { backend, base, _ in
            backend.onDelete = { id, url, request in
                do { try await base.delete(id, in: url, requestID: request) } catch let error
                    as BackendError
                {
                    guard error.detail == .messageNotFound else { throw error }
                }
            }
        },
        Mistake("omits the request id", ["send.message"]) { backend, base, _ in
            backend.onSend = { item in
                var message = try await base.send(item)
                message.requestID = nil
                return message
            }
        },
        Mistake("ignores the epoch of a deletion", ["errors.epoch"]) { backend, base, _ in
            backend.onDelete = { id, url, request in
                try await base.delete(id, in: url, requestID: request)
            }
        },
        Mistake("ignores the epoch of an edit", ["errors.epoch"]) { backend, base, _ in
            backend.onUpdate = { id, url, update, request in
                try await base.update(id, in: url, with: update, requestID: request)
            }
        },
        Mistake("ignores unsupported calls", ["errors.unsupported"]) { backend, _, _ in
            backend.onTyping = { _, _ in }
        },
        Mistake("answers after it was disconnected", ["disconnect.ends"]) { backend, _, _ in
            backend.disconnects = false
        },
        Mistake("connects another user", ["connect.user"]) { backend, base, _ in
            backend.onConnect = { credentials in
                var session = try await base.connect(as: credentials)
                session.user = User(id: "another")
                return session
            }
        },
        Mistake("invents a missing channel", ["errors.channel"]) { backend, base, _ in
            backend.onMessages = { url, anchor, older, newer in
                do {
                    return try await base.messages(in: url, at: anchor, older: older, newer: newer)
                } catch let error as BackendError {
                    guard error.code == .notFound else { throw error }
                    return MessagePage(messages: [], older: nil, newer: nil)
                }
            }
        },
    ]
}
