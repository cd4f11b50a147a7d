import Models

// A receipt names an event; its own time is only the time of reading.
extension MatrixBackend {
    /// The maximum number of receipts whose events are requested; earlier ones are ignored.
    private static let maximumReceiptCount = 20
    /// The difference between the clocks of homeservers up to which a later event counts.
    private static let clockDifference = Duration.seconds(300)

    /// Returns the readers, oldest first, with a request for each unknown event.
    ///
    /// The event of the user's own receipt comes first, so that the limit never omits it.
    func readers(
        of receipts: [SyncReply.Receipt], in room: String
    ) async throws(BackendError) -> [(user: String, time: Timestamp)] {
        try await requestEvents(of: receipts, in: room)
        return knownReaders(of: receipts)
    }

    private func requestEvents(
        of receipts: [SyncReply.Receipt], in room: String
    ) async throws(BackendError) {
        let me = try me.rawValue
        let newestFirst = receipts.sorted { $0.time > $1.time }
        var unknown: [String] = []
        for receipt in newestFirst.filter({ $0.user == me }) + newestFirst
        where eventTimes[receipt.eventID] == nil && !unknown.contains(receipt.eventID) {
            unknown.append(receipt.eventID)
            if unknown.count == Self.maximumReceiptCount { break }
        }
        _ = try await concurrently(unknown) { id throws(BackendError) in
            do throws(BackendError) { _ = try await self.event(id, in: room) } catch
                where error.detail == .malformedData
            {
                // The receipt names an event that cannot be read.
            }
        }
    }

    private func knownReaders(
        of receipts: [SyncReply.Receipt]
    ) -> [(user: String, time: Timestamp)] {
        // The sender's server may choose a time in the future for an event. The user has read no
        // messages that arrived after the time of reading.
        let now = options.now()
        return receipts.compactMap { receipt in
            let latest =
                receipt.time > 0 ? receipt.time.advanced(by: Self.clockDifference) : now
            return eventTimes[receipt.eventID].map { (receipt.user, min($0, latest)) }
        }.sorted { ($0.time, $0.user) < ($1.time, $1.user) }
    }

    /// Returns the readers that the list keeps; while it lacks the room, the latest ones and the
    /// user.
    ///
    /// Another server can send receipts of any number of users.
    func kept(
        _ readers: [(user: String, time: Timestamp)], in room: String
    ) throws(BackendError) -> [(user: String, time: Timestamp)] {
        if let known = list.rooms[room]?.readAt {
            return readers.filter { known[$0.user] != nil }
        }
        let me = try me.rawValue
        let others = readers.filter { $0.user != me }.suffix(WireLimit.members)
        return readers.filter { $0.user == me } + others
    }

    /// Receipts whose events the server does not return stay open, and are requested again: any
    /// member can send a receipt for an event that does not exist, and nothing must wait for it.
    func resolveReceipts(of room: String) async throws(BackendError) {
        var receipts = list.rooms[room].map { Array($0.openReceipts.values) } ?? []
        guard !receipts.isEmpty, !isUnanswered(room) else { return }
        do throws(BackendError) {
            try await requestEvents(of: receipts, in: room)
        } catch  where Self.failuresOfRoom.contains(error.code) {
            _ = recordUnanswered(room)
            receipts.removeAll { eventTimes[$0.eventID] == nil }
        }
        list.rooms[room]?.resolve(receipts, knownReaders(of: receipts), me: try me.rawValue)
    }

    private static let roomsOfABatch = 20

    private func hasOpenReceipts(_ room: String) -> Bool {
        !(list.rooms[room]?.openReceipts.isEmpty ?? true)
    }

    var hasLateReaders: Bool { unreportedReaders.contains { !isUnanswered($0) } }

    /// Resolves the receipts of the newest rooms, and leaves the others to later batches.
    func resolveNewestReceipts(of rooms: [String]) async throws(BackendError) {
        _ = try await concurrently(Array(rooms.prefix(Self.roomsOfABatch))) {
            room throws(BackendError) in try await self.resolveReceipts(of: room)
        }
        unreportedReaders = rooms.filter(hasOpenReceipts)
    }

    func lateReaders() async throws(BackendError) -> [FeedEvent] {
        let rooms = Array(
            unreportedReaders.filter { !isUnanswered($0) }.prefix(Self.roomsOfABatch))
        _ = try await concurrently(rooms) { room throws(BackendError) in
            try await self.resolveReceipts(of: room)
        }
        unreportedReaders.removeAll { rooms.contains($0) && !hasOpenReceipts($0) }
        return rooms.flatMap { room in
            (list.rooms[room]?.readAt ?? [:]).sorted { $0.key < $1.key }.map {
                FeedEvent.read(by: UserID($0.key), in: ChannelURL(room), at: $0.value)
            }
        }
    }
}
