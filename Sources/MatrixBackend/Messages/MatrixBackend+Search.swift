import Models

extension MatrixBackend {
    private static let maximumSearchCount = 100

    /// Searches the joined rooms, except encrypted ones.
    ///
    /// Matrix has no filter for times: a search ends at the first page whose messages all precede
    /// its lower bound, because their servers choose the times.
    func searchMessages(
        matching params: MessageSearchParams, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Message> {
        let reply = try await search(params, after: cursor, limit: limit)
        // The user may have joined a room just now.
        if reply.results.contains(where: { list.rooms[$0.room] == nil }) { try await updateList() }
        let found = reply.results.filter { list.rooms[$0.room] != nil }
        receive(found.map(\.event))
        let originals = try await concurrently(found) { found throws(BackendError) in
            try await self.original(of: found, in: params)
        }
        let events = zip(originals, found).compactMap { original, found in
            original.map { (event: $0, room: found.room) }
        }
        let query = SearchQuery(params.text)
        let page = try await messages(events).filter {
            // The homeserver finds an edited message by its first text, too.
            $0.updatedAt == nil || query.hits(in: $0) != nil
        }
        if let since = params.since, !reply.results.isEmpty,
            reply.results.allSatisfy({ $0.event.time < since })
        {
            return Page(page, next: nil)
        }
        return Page(page, next: reply.next.map { PageCursor($0) })
    }

    private func search(
        _ params: MessageSearchParams, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> SearchReply {
        var filter: [String: JSONValue] = [
            "limit": .int(Int64(min(max(limit, 1), Self.maximumSearchCount))),
            "types": ["m.room.message"],
        ]
        if !params.channelURLs.isEmpty {
            filter["rooms"] = .array(params.channelURLs.sorted().map { .string($0.rawValue) })
        }
        if !params.senderUserIDs.isEmpty {
            filter["senders"] = .array(params.senderUserIDs.sorted().map { .string($0.rawValue) })
        }
        var request = MatrixRequest.post(
            "search",
            body: [
                "search_categories": [
                    "room_events": [
                        "search_term": .string(searchTerm(params.text)), "keys": ["content.body"],
                        "order_by": "recent", "filter": .object(filter),
                    ]
                ]
            ])
        request.kind = .reading
        if let cursor { request.query = [("next_batch", cursor.rawValue)] }
        do throws(BackendError) { return try await call(request) } catch {
            guard error.code == .refused, cursor != nil else { throw error }
            throw BackendError(.expired, error.message)
        }
    }

    /// Each word is in quotes, because Synapse fails on words that are operators of its syntax.
    ///
    /// Even in quotes it does not find some of them, so they are left out beside other words.
    private func searchTerm(_ text: String) -> String {
        let words = SearchQuery(text).requiredTexts
            .flatMap { $0.split(whereSeparator: \.isWhitespace) }
            .filter { $0.contains { $0.isLetter || $0.isNumber } }
        let others = words.filter { !["and", "or", "not", "near"].contains($0.lowercased()) }
        return (others.isEmpty ? words : others).map { "\"\($0)\"" }.joined(separator: " ")
    }

    /// The homeserver also finds each edit of a message.
    ///
    /// To be on one page only, a message is represented by its first event if that has the words,
    /// otherwise by its latest edit; the result is `nil` for other events.
    private func original(
        of found: SearchReply.Found, in params: MessageSearchParams
    ) async throws(BackendError) -> RoomEvent? {
        guard let id = found.event.edited else {
            return found.event.isMessage ? found.event : nil
        }
        guard let original = try await event(id, in: found.room), original.isMessage,
            original.replacement?.time == found.event.time,
            // A white space makes the last word a whole one, which each homeserver finds.
            !SearchQuery(params.text + " ").matches([original.content.body ?? ""])
        else { return nil }
        return original
    }
}
