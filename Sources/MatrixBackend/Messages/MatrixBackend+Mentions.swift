import Models

extension MatrixBackend {
    private static let maximumNotificationCount = 100

    /// Returns the messages that the homeserver has highlighted, newest first; none if it has no
    /// list.
    ///
    /// The list has first versions, so a message that the feed has not reported needs a request.
    func mentions(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Message> {
        let reply = try await highlights(after: cursor, limit: limit)
        // The user may have joined a room just now.
        if reply.found.contains(where: { list.rooms[$0.room]?.isInvitation ?? true }) {
            try await updateList()
        }
        let found = reply.found.filter { !(list.rooms[$0.room]?.isInvitation ?? true) }
        let events = try await concurrently(found) { found throws(BackendError) in
            try await self.currentEvent(found.eventID, in: found.room)
        }
        var messages: [MessageID: Message] = [:]
        for room in Set(found.map(\.room)) {
            let events = zip(events, found).compactMap { $1.room == room ? $0 : nil }
            for message in try await self.messages(events, in: room) {
                if let id = message.messageID { messages[id] = message }
            }
        }
        let me = try me
        let page = found.compactMap { messages[MessageID($0.eventID)] }
            .filter { $0.kinds(for: me).contains(.mention) }
        return Page(page, next: reply.next.map { PageCursor($0) })
    }

    private func highlights(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> NotificationsReply {
        let count = min(max(limit, 1), Self.maximumNotificationCount)
        var request = MatrixRequest.get(
            "notifications", query: [("only", "highlight"), ("limit", "\(count)")])
        if let cursor { request.query.append(("from", cursor.rawValue)) }
        do throws(BackendError) {
            return try await call(request)
        } catch  where error.code == .unsupported || error.code == .notFound {
            return NotificationsReply()
        } catch  where error.code == .refused && cursor != nil {
            throw BackendError(.expired, error.message)
        }
    }
}
