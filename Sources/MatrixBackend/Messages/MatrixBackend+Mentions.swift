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
        let known = zip(events, found).compactMap { event, found in
            event.map { (event: $0, room: found.room) }
        }
        let me = try me
        let page = try await messages(known).filter { $0.kinds(for: me).contains(.mention) }
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
