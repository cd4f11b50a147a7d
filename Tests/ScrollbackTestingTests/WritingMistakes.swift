import Models
import Sync

// Mistakes in writing, and in connections.
extension Mistake {
    static let writingMistakes: [Mistake] = [
        Mistake("forgets request ids too early", ["send.once"]) { backend, base, memory in
            backend.on(CoreCall.Send.self) { call in
                var item = call.item
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
            backend.on(CoreCall.Send.self) { call in
                let item = call.item
                do { return try await base.send(item) } catch let error as BackendError {
                    guard error.detail == .messageNotFound else { throw error }
                    var item = item
                    item.requestID = RequestID("\(item.requestID) again")
                    return try await base.send(item)
                }
            }
        },
        Mistake("lets other users edit", ["update.owner"]) { backend, base, memory in
            backend.on(CoreCall.Send.self) { call in
                let item = call.item
                let message = try await base.send(item)
                memory.use { $0.senders[message.messageID ?? ""] = base }
                return message
            }
            backend.on(CoreCall.Update.self) { call in
                let (id, url, update, request) = (
                    call.messageID, call.channelURL, call.update, call.requestID
                )
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
            backend.on(CoreCall.Send.self) { call in
                let item = call.item
                let message = try await base.send(item)
                memory.use { $0.senders[message.messageID ?? ""] = base }
                return message
            }
            backend.on(CoreCall.Delete.self) { call in
                let (id, url, request) = (call.messageID, call.channelURL, call.requestID)
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
            backend.on(CoreCall.Update.self) { call in
                let (id, url, update, request) = (
                    call.messageID, call.channelURL, call.update, call.requestID
                )
                guard case .text(var params) = update else { throw BackendError.lacking(.files) }
                params.data = params.data ?? ""
                return try await base.update(id, in: url, with: .text(params), requestID: request)
            }
        },
        Mistake("gives edits the time of the message", ["update.version"]) { backend, base, _ in
            backend.on(CoreCall.Update.self) { call in
                let (id, url, update, request) = (
                    call.messageID, call.channelURL, call.update, call.requestID
                )
                var message = try await base.update(
                    id, in: url, with: update, requestID: request)
                message.updatedAt = message.createdAt
                return message
            }
        },
        Mistake("deletes a deleted message", ["delete.twice"]) { backend, base, _ in
            backend.on(CoreCall.Delete.self) { call in
                let (id, url, request) = (call.messageID, call.channelURL, call.requestID)
                do { try await base.delete(id, in: url, requestID: request) } catch let error
                    as BackendError
                {
                    guard error.detail == .messageNotFound else { throw error }
                }
            }
        },
        Mistake("omits the request id", ["send.message"]) { backend, base, _ in
            backend.on(CoreCall.Send.self) { call in
                let item = call.item
                var message = try await base.send(item)
                message.requestID = nil
                return message
            }
        },
        Mistake("ignores the epoch of a deletion", ["errors.epoch"]) { backend, base, _ in
            backend.on(CoreCall.Delete.self) { call in
                let (id, url, request) = (call.messageID, call.channelURL, call.requestID)
                try await base.delete(id, in: url, requestID: request)
            }
        },
        Mistake("ignores the epoch of an edit", ["errors.epoch"]) { backend, base, _ in
            backend.on(CoreCall.Update.self) { call in
                let (id, url, update, request) = (
                    call.messageID, call.channelURL, call.update, call.requestID
                )
                return try await base.update(id, in: url, with: update, requestID: request)
            }
        },
        Mistake("ignores unsupported calls", ["errors.unsupported"]) { backend, _, _ in
            backend.on(SetTyping.self) { _ in }
        },
        Mistake("answers after it was disconnected", ["disconnect.ends"]) { backend, _, _ in
            backend.disconnects = false
        },
        Mistake("connects another user", ["connect.user"]) { backend, base, _ in
            backend.on(CoreCall.Connect.self) { call in
                let credentials = call.credentials
                var session = try await base.connect(as: credentials)
                session.user = User(id: "another")
                return session
            }
        },
        Mistake("invents a missing channel", ["errors.channel"]) { backend, base, _ in
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
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
